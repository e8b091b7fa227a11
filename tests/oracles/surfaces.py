"""Count the surfaces of documents: raw words, distinguished only by what determines their term."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.language.morphology.stemming import stemmed_text
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.tokens import surfaces
from infostream_dedup.machine.arrays import places_of
from infostream_dedup.model import OUR_LANGUAGES, language_number
from infostream_dedup.terms.compiled import SurfaceTokens

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """How often each surface, in the order of first occurrence, occurs in each document."""

    counts: sp.csr_array
    surfaces: list[str]
    languages: NDArray[np.uint8]


class _Ids(dict[str, int]):
    """Gives every new surface the next number."""

    def __missing__(self, surface: str) -> int:
        self[surface] = number = len(self)
        return number


class SurfaceCounter:
    """Counts surfaces document by document; keeps numbers, never texts."""

    def __init__(self) -> None:
        self._ids = _Ids()
        self._tokens = array("i")
        self._ends = array("q", [0])
        self._languages = bytearray()

    def __len__(self) -> int:
        return len(self._languages)

    def add(self, text: str, language: str | None) -> None:
        language = language or detect(text)
        if language not in OUR_LANGUAGES:
            text = stemmed_text(text, language)
        self._tokens.extend(map(self._ids.__getitem__, surfaces(clean(text))))
        self._ends.append(len(self._tokens))
        self._languages.append(language_number(language))

    def finish(self) -> SurfaceCounts:
        """Return the counts of all documents added so far."""
        import scipy.sparse as sp

        tokens = np.frombuffer(self._tokens, dtype=np.intc).astype(np.int32)
        ends = np.frombuffer(self._ends, dtype=np.int64).copy()
        counts = sp.csr_array((np.ones(len(tokens), dtype=np.int32), tokens, ends), shape=(len(self), len(self._ids)))
        counts.sum_duplicates()
        return SurfaceCounts(counts, list(self._ids), np.array(self._languages, dtype=np.uint8))


def counted(tokens: SurfaceTokens) -> SurfaceCounts:
    """The counts of surfaces that were read token by token."""
    import scipy.sparse as sp

    found = [chunk.tokens[places_of(chunk.begins, chunk.lengths)] for chunk in tokens.chunks]
    ends = np.cumsum(np.concatenate([[0], *(chunk.lengths for chunk in tokens.chunks)]))
    every = np.concatenate([*found, np.zeros(0, dtype=np.int32)])
    shape = (len(tokens), len(tokens.surfaces))
    counts = sp.csr_array((np.ones(len(every), dtype=np.int32), every, ends), shape=shape)
    counts.sum_duplicates()
    return SurfaceCounts(counts, tokens.surfaces.strings(), tokens.languages)
