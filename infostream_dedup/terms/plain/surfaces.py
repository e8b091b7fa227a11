"""Count the surfaces of documents: raw words, distinguished only by what determines their term.

Everything that follows is computed once per distinct surface, however many documents there are.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from infostream_dedup.language.morphology.stemming import stemmed_text
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.tokens import surfaces
from infostream_dedup.model import OUR_LANGUAGES, language_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.language.text.surface_pool import Utf8Texts


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """How often each surface occurs in each document."""

    counts: sp.csr_array  # int32 (documents, surfaces), column `c` counts `surfaces[c]`
    surfaces: list[str]  # distinct surfaces in the order of their first occurrence
    languages: NDArray[np.uint8]  # uint8 (documents,), index into `LANGUAGES`

    @property
    def stages(self) -> Literal["plain"]:
        """The stages that take these surfaces."""
        return "plain"


class _Ids(dict[str, int]):
    """Gives every new surface the next number."""

    def __missing__(self, surface: str) -> int:
        self[surface] = number = len(self)
        return number


class SurfaceCounter:
    """Counts surfaces document by document; keeps numbers, never texts.

    Args:
        workers: ignored.
    """

    def __init__(self, workers: int = 0) -> None:
        del workers
        self._ids = _Ids()
        self._tokens = array("i")
        self._ends = array("q", [0])
        self._languages = bytearray()

    def __len__(self) -> int:
        return len(self._languages)

    def add(self, text: str, language: str | None) -> None:
        """Count one document."""
        language = language or detect(text)
        if language not in OUR_LANGUAGES:
            text = stemmed_text(text, language)
        self._tokens.extend(map(self._ids.__getitem__, surfaces(clean(text))))
        self._ends.append(len(self._tokens))
        self._languages.append(language_number(language))

    def add_texts(self, texts: Utf8Texts, languages: Sequence[str | None]) -> None:
        """Count documents that are in memory as UTF-8; arguments as in the compiled code."""
        for number, language in enumerate(languages):
            self.add(texts[number], language)

    def finish(self) -> SurfaceCounts:
        """Return the counts of all documents added so far."""
        import scipy.sparse as sp

        tokens = np.frombuffer(self._tokens, dtype=np.intc).astype(np.int32)
        ends = np.frombuffer(self._ends, dtype=np.int64).copy()
        counts = sp.csr_array((np.ones(len(tokens), dtype=np.int32), tokens, ends), shape=(len(self), len(self._ids)))
        counts.sum_duplicates()
        return SurfaceCounts(counts, list(self._ids), np.array(self._languages, dtype=np.uint8))
