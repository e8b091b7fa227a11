"""Find the numbers of many texts as ``numbers.numbers`` does, but many times faster, for every document of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.features.kernels.number_runs import (
    APOSTROPHE,
    CYRILLIC,
    DIGIT,
    HYPHEN,
    LEFT,
    LETTER,
    LONGEST,
    OTHER,
    POINT,
    SPACE,
    NumberWords,
    number_runs,
    number_words,
)
from infostream_dedup.judging.features.numbers import CYRILLIC_LETTERS, NUMBER_WORDS, RUN_SPACES, run_numbers
from infostream_dedup.language.text.character_classes import CODE_POINTS, COMMON
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.machine.kept_memory import KeptMemory
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.language.text.utf8 import Utf8Texts


_SIGNS: Final = {"_": LETTER, "-": HYPHEN, ".": POINT, ",": POINT, **dict.fromkeys("'’ʼ", APOSTROPHE)}
_FOLDED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЄІЇҐ"
"""Letters that compiled code converts to lower case."""

_MOST_KEPT: Final = 1 << 24
"""Bytes of text for which memory is kept; more of it is rare, and is given back."""


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class NumberRuns:
    """Runs of texts that may contain numbers.

    Attributes:
        runs: input of ``numbers_of_run``, text by text.
        sizes: int64 (texts,), number of runs of each text.
        left: indices of the texts that are left to ``numbers``; they have no runs here.
    """

    runs: SurfaceList
    sizes: NDArray[np.int64]
    left: list[int]


def find_runs(texts: Utf8Texts) -> NumberRuns:
    """Find runs with numbers. The first call compiles code or loads it from disk."""
    room, starts = _ROOM.of(int(texts.offsets[-1] - texts.offsets[0]) + len(texts))
    sizes = np.empty(len(texts), dtype=np.int64)
    word = np.empty(LONGEST, dtype=np.uint32)
    found = number_runs(texts.data, texts.offsets, _kinds(), _words(), word=word, room=room, starts=starts, sizes=sizes)
    left = [number for number, size in enumerate(sizes.tolist()) if size < 0]
    sizes[left] = 0
    runs = SurfaceList(starts[: found + 1].copy(), room[: starts[found] + BLOCK].copy())
    return NumberRuns(runs, sizes, left)


def _empty_room(size: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Allocate memory for runs and their starts; texts could consist of runs."""
    return np.empty(size + BLOCK, dtype=np.uint8), np.empty(size + 1, dtype=np.int64)


_ROOM: Final = KeptMemory(_empty_room, _MOST_KEPT)


def numbers_of_run(run: str) -> tuple[str, ...]:
    """Return the numbers of one run, in the canonical form of ``numbers``."""
    return run_numbers(run[1:], cyrillic=run[0] in "23", glued=run[0] in "13")


@cache
def _words() -> NumberWords:
    return number_words(NUMBER_WORDS)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point for ``number_runs``, from Python's Unicode data."""
    kinds = np.full(CODE_POINTS, LEFT, dtype=np.uint8)
    for point in COMMON:
        kinds[point] = _kind(chr(point))
    return kinds


def _kind(character: str) -> int:
    if character in _SIGNS:
        return _SIGNS[character]
    if character in RUN_SPACES:
        return SPACE
    if character.isdecimal():
        return DIGIT if character.isascii() else LEFT
    small = character.lower()
    # Characters that turn into one of our letters only here, or into several characters, are left to Python.
    ours = not set(small).isdisjoint(_our_letters())
    if (small != character and ours and character not in _FOLDED) or len(small) != 1:
        return LEFT
    if small in CYRILLIC_LETTERS:
        return CYRILLIC
    return LETTER if small.isalnum() else OTHER


@cache
def _our_letters() -> frozenset[str]:
    return frozenset(CYRILLIC_LETTERS).union(*NUMBER_WORDS)
