"""Several names, as people give them. A string is a sequence too, but of letters."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["names_in", "one_or_several"]


def names_in(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in a sequence, or in one string with commas between them, as on the command line.

    Example:
        >>> names_in("copy, retold"), names_in(["copy", "retold"]), names_in("copy")
        (('copy', 'retold'), ('copy', 'retold'), ('copy',))
    """
    return tuple(name.strip() for name in given.split(",")) if isinstance(given, str) else tuple(given)


def one_or_several(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several that may themselves contain commas, such as names of sources.

    Example:
        >>> one_or_several("Reuters, Kyiv"), one_or_several(["a.ua", "b.ua"])
        (('Reuters, Kyiv',), ('a.ua', 'b.ua'))
    """
    return (given,) if isinstance(given, str) else tuple(given)
