"""What users are told: progress of long work, sentences that can be translated, and how to go back to a backup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a step, the amount done, and the total (``None`` if unknown)."""


BETWEEN: Final = "; "  # separator of joined phrases


class Phrase(str):
    """An English sentence that remembers how it was made; otherwise an ordinary string.

    >>> found = Phrase.of("k = {k} has the greatest symmetry ({symmetry:.2f})", k=6, symmetry=0.95)
    >>> found
    'k = 6 has the greatest symmetry (0.95)'
    >>> found.template, found.values["k"]
    ('k = {k} has the greatest symmetry ({symmetry:.2f})', 6)
    """

    template: str  # the sentence before values are filled in
    values: dict[str, Any]  # the values, by name; phrases among them are translated too
    parts: tuple[Phrase, ...] = ()  # parts of joined phrases; empty for a single phrase

    @classmethod
    def of(cls, template: str, **values: Any) -> Phrase:
        """Fill values into a template."""
        made = cls(template.format(**values))
        made.template, made.values = template, values
        return made

    @classmethod
    def joined(cls, parts: Sequence[Phrase]) -> Phrase:
        """Join several phrases with semicolons.

        >>> Phrase.joined([Phrase.of("{number} copies", number=3), Phrase.of("no links")])
        '3 copies; no links'
        """
        if len(parts) == 1:
            return parts[0]
        made = cls(BETWEEN.join(parts))
        made.template, made.values, made.parts = "", {}, tuple(parts)
        return made


def restoring_advice(path: Path, *, made_by: str = "store backup") -> str:
    """Advice for a message. The log must be removed first: SQLite would replay it over the backup, and damage it."""
    name = path.name
    if made_by == "store backup":
        return f"go back to a backup: infostream-dedup store restore {name} BACKUP"
    return f"restore the latest '{made_by}': remove {name}-wal and {name}-shm, then replace {name} with it"
