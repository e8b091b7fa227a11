"""Shipped terms of common words, so that a first run need not analyse a hundred thousand forms.

Looking them up takes a third of the time of a query to the cache of this machine.

The files are made by ``tools/make_known_terms.py``: answers of the morphology for each language, and backgrounds (the
share of running words that each term makes up). All belong to the fingerprint of everything that determines terms
(``cache_file.fingerprint``): with other versions of the dictionaries they count as empty, and forms are analysed.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.tables import checked_bytes, sealed
from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, FormRow, fingerprint, package_versions
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

SHARES_FILE: Final = Path(__file__).with_name("known_shares.bin")
_AGAIN: Final = "install infostream-dedup again"
_LEVEL: Final = 9
BETWEEN: Final = "\t"
"""Separates the answers for the shapes of a form."""

ITSELF: Final = "="
"""The term equals the form."""

GUESS: Final = "~"
"""Precedes a term that the strict rule rejects."""

NO_TERM_ROW: Final[FormRow] = (None, 0)
_SHAPES: Final = {"0": 0, "1": 1, "2": 2}
"""Position of each shape's answer in a row; words in capitals are rare and left to the morphology."""

_Answer = tuple[str, bool] | None
"""The term, and whether the strict rule also accepts it; ``None`` for a form that is not a term."""


class _Lines(Sequence[str]):
    """The lines of a text, which are cut when they are asked for: most of 300,000 never are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends = np.flatnonzero(np.frombuffer(text.encode("utf-32-le"), dtype="<u4") == ord("\n"))

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: Any) -> Any:
        return self._text[(self._ends[number - 1] + 1 if number else 0) : self._ends[number]]


class KnownTerms:
    """Answers for common forms of one language, ascending, one per line, and the ``row_of`` each."""

    def __init__(self, forms: str, answers: str) -> None:
        self._forms, self._answers = _Lines(forms), _Lines(answers)

    def rows(self, keys: Iterable[str]) -> list[FormRow]:
        """Look up keys (the digit of a shape, then the form); the rows are those of ``CacheFile.rows``."""
        rows = []
        for key in keys:
            form, shape = key[1:], _SHAPES.get(key[0])
            place = bisect_left(self._forms, form)
            if shape is None or place == len(self._forms) or self._forms[place] != form:
                rows.append(UNKNOWN_ROW)
                continue
            answers = self._answers[place]
            if BETWEEN in answers:
                parts = answers.split(BETWEEN)
                answers = parts[min(shape, len(parts) - 1)]
            rows.append(_row(answers, form))
        return rows


def row_of(form: str, answers: Sequence[_Answer]) -> str:
    r"""Write the answers for a form as text: in lower case, at the start of a sentence, with a capital elsewhere.

    >>> row_of("суд", [("суд", True)] * 3), row_of("шольца", [None, ("шольц", False), ("шольц", False)])
    ('=', '\t~шольц')
    """
    parts = [_text(answer, form) for answer in answers]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    return BETWEEN.join(parts)


def _text(answer: _Answer, form: str) -> str:
    if answer is None:
        return ""
    term, strict = answer
    return ("" if strict else GUESS) + (ITSELF if term == form else term)


def _row(text: str, form: str) -> FormRow:
    if text == ITSELF:
        return form, 1
    if not text:
        return NO_TERM_ROW
    if text[0] != GUESS:
        return text, 1
    term = text[1:]
    return form if term == ITSELF else term, 0


def lines_of(words: Iterable[str]) -> str:
    """Join words, one per line, as in the file."""
    return "".join(f"{word}\n" for word in words)


@cache
def known_terms(language: str) -> KnownTerms:
    """Return the shipped answers for forms of a language; the first call in a process takes 0.1 s."""
    return KnownTerms(*known_texts(language))


def known_texts(language: str) -> tuple[str, str]:
    """Return the shipped forms of a language and the answers for them, as ``KnownTerms`` takes them."""
    path = terms_file(language)
    found = unpacked(path) if path.exists() else {}
    return found.get("forms", ""), found.get("answers", "")


def terms_file(language: str) -> Path:
    """Path of the file with the answers for a language."""
    return Path(__file__).with_name(f"known_terms.{language}.bin")


@cache
def known_shares(name: str) -> Mapping[str, float]:
    """Return shares of running words by term, the shipped background such as ``"uk morph"``; nothing if none is."""
    return part_of(SHARES_FILE, name) or {}


def part_of(path: Path, name: str) -> Any:
    """Return one part of a file that ``packed_parts`` made; ``None`` if it has none of this name."""
    found = _parts_of(path).get(name)
    return None if found is None else orjson.loads(zlib.decompress(b64decode(found)))


@cache
def _parts_of(path: Path) -> Mapping[str, str]:
    return unpacked(path)


def packed_parts(parts: Mapping[str, Any]) -> bytes:
    """Pack parts that are unpacked one by one, because a run needs one or two of them."""
    return packed({name: b64encode(zlib.compress(orjson.dumps(one), _LEVEL)).decode() for name, one in parts.items()})


def packed(content: Mapping[str, Any]) -> bytes:
    """Pack the content of one of the files, with this process's dictionaries and rules."""
    return sealed(zlib.compress(orjson.dumps([fingerprint(), package_versions(), content]), _LEVEL))


def unpacked(path: Path) -> dict[str, Any]:
    """Return the content of a file; nothing if it was made with other dictionaries."""
    mark, _, found = _parts(path)
    return dict(found) if mark == fingerprint() else {}


def made_with(path: Path) -> dict[str, str]:
    """Return the versions of the packages with which a file was made."""
    return dict(_parts(path)[1])


def _parts(path: Path) -> tuple[str, dict[str, str], dict[str, Any]]:
    _, _, content = checked_bytes(path, _AGAIN).partition(b"\n")
    try:
        mark, versions, found = orjson.loads(zlib.decompress(content))
    except (zlib.error, ValueError) as error:
        message = f"the table cannot be unpacked ({error}); {_AGAIN}"
        raise BadDataError(message, code="E_DICTIONARY", source=path.name) from error
    return mark, versions, found


# Shipped terms of common words as a table for compiled code

NO_TERM: Final = -1
UNKNOWN: Final = -2


class FormTable:
    """Answers for forms of one language.

    ``numbers``, int32 (forms, shapes), has the number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``;
    ``guessed`` likewise 1 where the strict rule rejects the term. Further shapes are unknown.
    """

    def __init__(
        self, forms: SurfacePool, numbers: NDArray[np.int32], guessed: NDArray[np.int32], terms: SurfaceList
    ) -> None:
        self._forms = forms
        self._numbers = numbers
        self._guessed = guessed
        self.terms = terms

    def numbers(self, forms: SurfaceList, words: NDArray[np.int64], *, strict: bool) -> NDArray[np.int32]:
        """Look up words: int32 (words,), number of each word's term in ``terms``, ``NO_TERM`` or ``UNKNOWN``."""
        found, guessed = self._look_up(forms, words)
        if strict:
            found[(guessed != 0) & (found != UNKNOWN)] = NO_TERM
        return found

    def rows(self, keys: Sequence[str]) -> list[FormRow]:
        """Look up keys (the digit of a shape, then the form); the rows are those of ``CacheFile.rows``."""
        words = np.arange(len(keys)) * len(Shape) + np.array([int(key[0]) for key in keys], dtype=np.int64)
        found, guessed = self._look_up(SurfaceList.of([key[1:] for key in keys]), words)
        terms = iter(self.terms.some(found[found >= 0]))
        return [
            UNKNOWN_ROW if number == UNKNOWN else NO_TERM_ROW if number == NO_TERM else (next(terms), int(not guess))
            for number, guess in zip(found.tolist(), guessed.tolist(), strict=True)
        ]

    def _look_up(self, forms: SurfaceList, words: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Numbers as in ``numbers``, and whether the strict rule rejects each term."""
        if not len(self._forms):
            return np.full(len(words), UNKNOWN, dtype=np.int32), np.zeros(len(words), dtype=np.int32)
        asked, shapes = np.divmod(words, len(Shape))
        held = self._forms.find(forms, asked)
        most = self._numbers.shape[1]
        columns = np.minimum(shapes, most - 1)
        found = self._numbers[held, columns]
        found[(held == MISSING) | (shapes >= most)] = UNKNOWN
        return found, self._guessed[held, columns]


_SHAPES_BY_LANGUAGE: Final = int(Shape.UPPER)
"""Number of shapes with answers; words in capitals are rare and left to the morphology."""


class KnownTable(FormTable):
    """Answers for common forms of one language, as ``KnownTerms`` takes them; each term is there once."""

    def __init__(self, forms: str, answers: str) -> None:
        listed = _Parts(forms).picked()
        pool, terms = SurfacePool(), SurfacePool()
        pool.add(listed)
        parts = _Parts(answers)
        numbers = np.full(len(parts), NO_TERM, dtype=np.int32)
        numbers[parts.itself] = terms.add(listed.picked(parts.lines[parts.itself]))
        numbers[parts.other] = terms.add(parts.picked(parts.other))
        by_shape = _by_shape(numbers, parts, len(listed)), _by_shape(parts.guessed, parts, len(listed))
        super().__init__(pool, *by_shape, terms.listed())


class _Parts:
    """Parts of lines, separated by tabs: their lines, columns in these, and kinds."""

    def __init__(self, text: str) -> None:
        data = np.frombuffer(text.encode() + bytes(BLOCK), dtype=np.uint8).copy()
        size = len(data) - BLOCK
        breaks = data[:size] == ord("\n")
        ends = np.flatnonzero(breaks | (data[:size] == ord(BETWEEN)))
        begins = np.concatenate([np.zeros(1, dtype=np.int64), ends + 1])[: len(ends)]
        last = breaks[ends]
        self.lines = np.cumsum(last) - last
        self.columns = np.arange(len(ends)) - np.flatnonzero(np.append(True, last))[self.lines]
        # The mark of a guess is not part of the text.
        self.guessed = (data[begins] == ord(GUESS)).astype(np.int32)
        begins = begins + self.guessed
        itself = (ends - begins == 1) & (data[begins] == ord(ITSELF))
        self.itself, self.other = np.flatnonzero(itself), np.flatnonzero(~itself & (ends > begins))
        # Odd entries of this list are the gaps between parts.
        self._list = SurfaceList(np.append(np.stack([begins, ends], axis=1).ravel(), size), data)

    def __len__(self) -> int:
        return len(self.lines)

    def picked(self, parts: NDArray[np.int64] | None = None) -> SurfaceList:
        """Return the texts of some parts, or of all."""
        return self._list.picked(2 * (np.arange(len(self)) if parts is None else parts))


def _by_shape(values: NDArray[np.int32], parts: _Parts, forms: int) -> NDArray[np.int32]:
    """Values (forms, shapes); a shape without a part of its own has the value of the one before."""
    found = np.empty((forms, _SHAPES_BY_LANGUAGE), dtype=values.dtype)
    has = np.zeros((forms, _SHAPES_BY_LANGUAGE), dtype=np.bool_)
    found[parts.lines, parts.columns], has[parts.lines, parts.columns] = values, True
    for shape in range(1, _SHAPES_BY_LANGUAGE):
        found[:, shape] = np.where(has[:, shape], found[:, shape], found[:, shape - 1])
    return found


@cache
def known_table(language: str) -> KnownTable:
    """Return the shipped answers for forms of a language; the first call in a process takes 0.1 s."""
    return KnownTable(*known_texts(language))
