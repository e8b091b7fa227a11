"""Sentences for users that can be said in another language later."""

from __future__ import annotations

from typing import Any

__all__ = ["Phrase"]


class Phrase(str):
    """An English sentence that remembers how it was made; otherwise an ordinary string.

    Attributes:
        template: the sentence before its values were filled in.
        values: what was filled in, by name.

    Example:
        >>> found = Phrase.of("k = {k} has the greatest symmetry ({symmetry:.2f})", k=6, symmetry=0.95)
        >>> found
        'k = 6 has the greatest symmetry (0.95)'
        >>> found.template, found.values["k"]
        ('k = {k} has the greatest symmetry ({symmetry:.2f})', 6)
    """

    template: str
    values: dict[str, Any]

    @classmethod
    def of(cls, template: str, **values: Any) -> Phrase:
        """Fill values into a template.

        Args:
            template: as ``str.format`` takes it.
            values: by name.
        """
        made = cls(template.format(**values))
        made.template, made.values = template, values
        return made
