"""Counting the numbered terms of a batch of texts, with compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.language.morphology.other_words import with_stems
from infostream_dedup.language.text.compiled.language import detect
from infostream_dedup.language.text.compiled.scanner import Scanned, Scanner
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.model import OUR_LANGUAGES, Document, Settings, language_number
from infostream_dedup.stream.full_texts import full_texts
from infostream_dedup.stream.surface_terms import SurfaceTerms
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.kernels.counting import Counted, Row, TermsOfSurfaces, TokenRows, count_terms, mark_used
from infostream_dedup.terms.kernels.surface_mapping import NOTHING, SEVERAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.language.text.utf8 import Utf8Texts


_NOT_GIVEN = 255
_MOST_KEPT = 1 << 22
"""Number of entries for which memory is kept from batch to batch."""
_BYTES_PER_WORD = 8
"""Fewer than Russian and Ukrainian words have on average."""


# Not frozen, like ``Remembered``.
@dataclass(slots=True)
class Analysed:
    """Documents of a batch as counts of terms.

    Attributes:
        terms: int32, numbers of the distinct terms of each document, ascending.
        counts: int32, number of occurrences of each, in the same order.
        languages: uint8 (documents,), index into ``LANGUAGES``.
        lengths: int64 (documents,), number of terms with repetition.
    """

    terms: Ragged
    counts: NDArray[np.int32]
    languages: NDArray[np.uint8]
    lengths: NDArray[np.int64]

    def targets(self, first: int, end: int) -> Ragged:
        """The terms of some of the documents as int64, from document ``first`` to ``end`` (exclusive)."""
        bounds = self.terms.indptr[first : end + 1]
        return Ragged(bounds - bounds[0], self.terms.values[bounds[0] : bounds[-1]].astype(np.int64))


class Analyser:
    """Reads batches. Surface numbers start over with each batch, so memory does not grow with the stream.

    Args:
        settings: representation and rule of ``morph``.
        numbers: numbers of the stream's terms; new terms are added.
    """

    def __init__(self, settings: Settings, numbers: TermNumbers) -> None:
        self._numbers = numbers
        self._terms = SurfaceTerms(settings, numbers)
        self._scanner = Scanner(SurfacePool(0))
        self._room = np.empty((2, 0), dtype=np.int32)

    def read(self, documents: Sequence[Document], texts: Utf8Texts | None = None) -> Analysed:
        """Count the terms in title and text of every document."""
        if texts is None:
            texts = full_texts(documents).texts
        codes = [one.lang for one in documents]
        if any(code is not None and code not in OUR_LANGUAGES for code in codes):
            texts = with_stems(texts, codes)
        scanner = self._scanner
        scanner.start_over(len(texts.data) // _BYTES_PER_WORD)
        scanned = scanner.scan(texts)
        given = [_NOT_GIVEN if one.lang is None else language_number(one.lang) for one in documents]
        languages = np.array(given, dtype=np.uint8)
        if _NOT_GIVEN in given:
            languages = np.where(languages == _NOT_GIVEN, detect(texts), languages)
        mapping, most = self._mapping(scanned, languages, scanner.surfaces.listed())
        return self._count_terms(scanned, languages, mapping, most)

    def _mapping(
        self, scanned: Scanned, languages: NDArray[np.uint8], surfaces: SurfaceList
    ) -> tuple[TermsOfSurfaces, int]:
        """Map the surfaces of the batch to terms; also return the largest number of terms of a surface."""
        used = np.zeros(len(surfaces), dtype=np.uint8)
        mark_used(TokenRows(scanned.tokens, scanned.begins, scanned.lengths, languages), used)
        terms, most = self._terms.codes(surfaces, used), 1
        more = self._terms.more
        # Few documents have words run together.
        if terms.min(initial=NOTHING) <= SEVERAL:
            most = int(more[SEVERAL - terms[terms <= SEVERAL]].max())
        return TermsOfSurfaces(terms.ravel(), len(surfaces), more), most

    def _count_terms(
        self, scanned: Scanned, languages: NDArray[np.uint8], mapping: TermsOfSurfaces, most: int
    ) -> Analysed:
        documents, largest = len(scanned), max(len(self._numbers) - 1, 0)
        longest = int(scanned.lengths.max(initial=0)) * most + 1
        row = Row(np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(256, np.int64))
        # Terms and counts are copied out of memory that is kept: new memory is cleared by the system first.
        found = self._room
        if found.shape[1] < len(scanned.tokens) * most:
            found = np.empty((2, len(scanned.tokens) * most), dtype=np.int32)
            if found.shape[1] <= _MOST_KEPT:
                self._room = found
        indices, counts = found
        sizes, lengths = np.empty(documents, dtype=np.int64), np.empty(documents, dtype=np.int64)
        tokens = TokenRows(scanned.tokens, scanned.begins, scanned.lengths, languages)
        end = count_terms(tokens, mapping, largest, row, Counted(indices, counts, sizes, lengths))
        return Analysed(Ragged(offsets_of(sizes), indices[:end].copy()), counts[:end].copy(), languages, lengths)
