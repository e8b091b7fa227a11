"""Terms of a stream as numbers."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["TermNumbers"]


class TermNumbers:
    """Gives every new term the next number; numbers never change.

    Attributes:
        terms: the terms by number.
    """

    def __init__(self) -> None:
        self.terms: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.terms)

    def number(self, term: str) -> int:
        """The number of a term, a new one where the term is new."""
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.terms)
            self.terms.append(term)
        return number

    def extend(self, terms: Iterable[str]) -> None:
        """Take terms whose numbers are known: they go on where the last ones ended.

        Raises:
            ValueError: one of them has a number already.
        """
        for term in terms:
            if self._numbers.setdefault(term, len(self.terms)) != len(self.terms):
                raise ValueError(f"term {term!r} has number {self._numbers[term]} and comes again")
            self.terms.append(term)
