"""Numbers of a text as ``numbers.numbers`` finds them, several times as fast: for every document of a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.kernels.number_places import number_places, word_table
from infostream_dedup.features.numbers import NUMBER_WORD, NUMBER_WORDS, RUN, folded_text, numbers_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fast_numbers"]


def fast_numbers(text: str) -> list[str]:
    """What ``numbers`` returns. The first call compiles, or reads compiled code from the disk.

    Args:
        text: raw or cleaned, in any of the three languages.
    """
    folded = folded_text(text)
    codes = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    places = np.empty((2, len(codes)), dtype=np.int64)
    words, figures = number_places(codes, _words(), places[0], places[1])
    word_places, run_places = places[0, :words].tolist(), places[1, :figures].tolist()
    return numbers_at(folded, _words_at(folded, word_places), _runs(folded, run_places))


@cache
def _words() -> NDArray[np.uint64]:
    return word_table(NUMBER_WORDS)


def _words_at(folded: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
    return filter(None, (NUMBER_WORD.match(folded, place) for place in places))


def _runs(folded: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
    end = 0
    for place in places:
        found = RUN.match(folded, place) if place >= end else None
        if found is not None:
            end = found.end()
            yield found
