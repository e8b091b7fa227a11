"""What every rung of the translation ladder offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from infostream_dedup.model import Language

__all__ = ["Rung", "Translation"]


@dataclass(frozen=True, slots=True)
class Translation:
    """One equivalent of a term.

    Attributes:
        term: key form in the target language.
        rung: name of the rung that knew it.
        confidence: how far it can be trusted, 0 to 1.
    """

    term: str
    rung: str
    confidence: float


class Rung(Protocol):
    """One source of equivalents. The answer for a term depends on that term and the two languages only."""

    name: str

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Equivalents of each term, best first; an empty tuple where this rung knows none.

        Args:
            terms: key forms: ``morph`` terms of Russian and Ukrainian, lemmas of English.
            source: language of the terms.
            target: another language.
        """
        ...
