"""Shipped terms of common words, so that a first run need not analyse a hundred thousand forms.

Two files, made by ``reports/make_known_terms.py``: answers of the morphology, and backgrounds (the share of running
words that each term makes up). Both belong to the fingerprint of everything that determines terms
(``cache_file.fingerprint``): with other versions of the dictionaries they count as empty, and forms are analysed.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.lexicon.sealed_tables import checked_bytes, sealed
from infostream_dedup.morphology.cache_file import fingerprint, package_versions

__all__ = [
    "SHARES_FILE",
    "TERMS_FILE",
    "KnownTerms",
    "known_shares",
    "known_terms",
    "made_with",
    "packed",
    "row_of",
    "unpacked",
]

TERMS_FILE: Final = Path(__file__).with_name("known_terms.bin")
SHARES_FILE: Final = Path(__file__).with_name("known_shares.bin")

_AGAIN: Final = "install infostream-dedup again"
_LEVEL: Final = 9
_BETWEEN: Final = "\t"
_ITSELF: Final = "="
_GUESS: Final = "~"
_SHAPES: Final = {"0": 0, "1": 1, "2": 2}
"""Position of each shape's answer in a row; words in capitals are rare and left to the morphology."""

_Answer = tuple[str, bool] | None
"""The term, and whether the strict rule also accepts it; ``None`` for a form that is not a term."""


class KnownTerms:
    """Answers for common forms of one language.

    Args:
        forms: distinct forms.
        rows: result of ``row_of`` for the answers for each form.
    """

    def __init__(self, forms: Sequence[str], rows: Sequence[str]) -> None:
        self._rows = dict(zip(forms, rows, strict=True))

    def answers(self, keys: Sequence[str]) -> dict[str, _Answer]:
        """Return known answers by key (the digit of a shape, then the form); unknown keys are absent."""
        found: dict[str, _Answer] = {}
        for key in keys:
            row, place = self._rows.get(key[1:]), _SHAPES.get(key[0])
            if row is not None and place is not None:
                parts = row.split(_BETWEEN)
                found[key] = _answer(parts[min(place, len(parts) - 1)], key[1:])
        return found


def row_of(form: str, answers: Sequence[_Answer]) -> str:
    r"""Write the answers for a form as text: in lower case, at the start of a sentence, with a capital elsewhere.

    Equal answers at the end are left out.

    Example:
        >>> row_of("суд", [("суд", True)] * 3), row_of("шольца", [None, ("шольц", False), ("шольц", False)])
        ('=', '\t~шольц')
    """
    parts = [_text(answer, form) for answer in answers]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    return _BETWEEN.join(parts)


def _text(answer: _Answer, form: str) -> str:
    if answer is None:
        return ""
    term, strict = answer
    return ("" if strict else _GUESS) + (_ITSELF if term == form else term)


def _answer(text: str, form: str) -> _Answer:
    if not text:
        return None
    term = text.removeprefix(_GUESS)
    return form if term == _ITSELF else term, not text.startswith(_GUESS)


@cache
def known_terms(language: str) -> KnownTerms:
    """Return the shipped answers for forms of a language; the first call in a process takes 0.1 s.

    Raises:
        BadDataError: the file is damaged.
    """
    return KnownTerms(*_every_language().get(language, ((), ())))


@cache
def _every_language() -> dict[str, tuple[list[str], list[str]]]:
    return unpacked(TERMS_FILE)


@cache
def known_shares() -> Mapping[str, Mapping[str, float]]:
    """Return the shipped backgrounds, shares of running words by term, by language and representation (``"uk morph"``).

    Raises:
        BadDataError: the file is damaged.
    """
    return unpacked(SHARES_FILE)


def packed(content: Mapping[str, Any]) -> bytes:
    """Pack the content of one of the files, with this process's dictionaries and rules."""
    return sealed(zlib.compress(orjson.dumps([fingerprint(), package_versions(), content]), _LEVEL))


def unpacked(path: Path) -> dict[str, Any]:
    """Return the content of a file; nothing if it was made with other dictionaries.

    Raises:
        BadDataError: the file is damaged.
    """
    mark, _, found = _parts(path)
    return dict(found) if mark == fingerprint() else {}


def made_with(path: Path) -> dict[str, str]:
    """Return the versions of the packages with which a file was made.

    Raises:
        BadDataError: the file is damaged.
    """
    return dict(_parts(path)[1])


def _parts(path: Path) -> tuple[str, dict[str, str], dict[str, Any]]:
    _, _, content = checked_bytes(path, _AGAIN).partition(b"\n")
    try:
        mark, versions, found = orjson.loads(zlib.decompress(content))
    except (zlib.error, ValueError) as error:
        message = f"the table is not what was written ({error}); {_AGAIN}"
        raise BadDataError(message, code="E_DICTIONARY", source=path.name) from error
    return mark, versions, found
