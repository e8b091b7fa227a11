"""The n key terms of each document, and the terms in which they are looked up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.arrays import Int32s, Ints, offsets_of, sparse_rows
from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.statistics import Statistics, TermCounts, above_df_max

if TYPE_CHECKING:
    import scipy.sparse as sp

    from infostream_dedup.terms.equivalents import Equivalents, SourceTerms


# The origin of key terms in a pivot language: the words of the documents and their equivalents


@dataclass(frozen=True, slots=True)
class PivotSpace:
    """Source terms, their equivalents, and the columns by which key terms are matched."""

    language: Language  # the pivot language
    sources: SourceTerms  # terms of the documents in their own languages
    equivalents: Equivalents  # equivalents of the source terms
    canonical: Int32s  # int32 (columns,), number of the pivot term of each column
    sets: sp.csr_array  # bool (columns, pivot terms), the equivalents that match each column

    def labels(self) -> list[str]:
        """Return the pivot term of each column, in code point order; several columns may have the same term."""
        return [self.equivalents.vocabulary[number] for number in self.canonical.tolist()]


INSUFFICIENT_TERMS: Final = 3  # a document with fewer key terms is too short to compare

StatisticsOfTerms = Callable[[Sequence[str]], list[Statistics]]
"""Returns the statistics of given terms, one for each of ``LANGUAGES``."""


@dataclass(frozen=True, slots=True)
class KeyTerms:
    """Key terms of all documents, and the targets in which they are looked up."""

    keys: sp.csr_array  # int64 (documents, columns), weight of each key term in units of 1e-9; at most n in a row
    targets: sp.csr_array  # bool (documents, columns), the set V of each document
    counts: TermCounts  # the term counts from which both are computed
    statistics: list[Statistics]  # per language, in the order of `LANGUAGES`
    # the terms before translation; a column is a set of equivalents. `None` without translation: a column is a term of
    # `counts`
    pivot: PivotSpace | None = None

    def labels(self) -> Sequence[str]:
        """Return the term of each column, in code point order; in a pivot language, columns may share a term."""
        return self.counts.terms if self.pivot is None else self.pivot.labels()

    @property
    def sizes(self) -> Ints:
        """int64 (documents,): number of key terms of each document, at most n."""
        return np.diff(self.keys.indptr).astype(np.int64)

    @property
    def own_weights(self) -> Ints:
        """int64 (documents,): summed weight of each document's key terms in units of 1e-9."""
        return np.asarray(self.keys.sum(axis=1), dtype=np.int64)

    def of(self, documents: Ints) -> KeyTerms:
        """Key terms of some documents, given their ordinals, in this order; not for a pivot language's ``pivot``."""
        return replace(
            self, keys=self.keys[documents], targets=self.targets[documents], counts=self.counts.of(documents)
        )

    def terms_of(self, document: int) -> list[str]:
        """Key terms of one document, heaviest first."""
        row = slice(self.keys.indptr[document], self.keys.indptr[document + 1])
        order = np.lexsort((self.keys.indices[row], -self.keys.data[row]))
        labels = self.labels()
        return [labels[column] for column in self.keys.indices[row][order]]


Select = Callable[[TermCounts, Settings, list[Statistics] | None], KeyTerms]
"""Selects the key terms of documents, by given statistics or by those of the documents."""


def pattern(matrix: sp.csr_array) -> sp.csr_array:
    """Return True where a matrix has an entry."""
    import scipy.sparse as sp

    # One True in memory, for all entries.
    true = np.broadcast_to(np.ones(1, dtype=np.bool_), matrix.nnz)
    return sp.csr_array((true, matrix.indices, matrix.indptr), shape=matrix.shape)


def heaviest(weights: sp.csr_array, n: int) -> sp.csr_array:
    """Keep the n heaviest positive entries of each row; the smaller column wins ties."""
    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, row))
    rank = np.arange(weights.nnz) - weights.indptr[row]
    chosen = np.sort(order[(rank < n) & (weights.data[order] > 0)])
    indptr = offsets_of(np.bincount(row[chosen], minlength=weights.shape[0]))
    return sparse_rows(weights.data[chosen], weights.indices[chosen], indptr, weights.shape)


# Documents that lose their key terms because these are too frequent in the collection

_log = logging.getLogger(__name__)


def count_lost_to_df_max(terms: KeyTerms, settings: Settings) -> int:
    """Count documents that ``df_max`` leaves too few key terms, or deprives of as many as a document has."""
    enough = min(INSUFFICIENT_TERMS, settings.n)
    if not terms.statistics:
        # A store keeps key terms without the statistics by which they were chosen.
        return 0
    above = np.stack([above_df_max(one.counted, settings) for one in terms.statistics])
    many = np.count_nonzero(above, axis=1) >= settings.n
    asked = np.flatnonzero((terms.sizes < enough) | many[terms.counts.languages])
    if not len(asked):
        return 0
    counts, sizes = terms.counts.of(asked), terms.sizes[asked]
    document = np.repeat(np.arange(len(asked)), np.diff(counts.counts.indptr))
    lost = np.bincount(document, above[counts.languages[document], counts.counts.indices], len(asked))
    return int(np.count_nonzero((sizes < enough) & (sizes + lost >= enough) | (lost >= settings.n)))


def warn_of_terms_above_df_max(terms: KeyTerms, settings: Settings) -> None:
    """Say so if documents cannot be compared because of ``df_max``: copies that fill a collection would be missed."""
    lost = count_lost_to_df_max(terms, settings)
    if lost:
        _log.warning(
            "representation %s: %d of %d documents are not compared by the terms they share, because these occur in"
            " more documents than df_max (%g) allows; remove copies first ('dedup' with preset judged does not count"
            " them)",
            settings.representation,
            lost,
            len(terms.sizes),
            settings.df_max,
        )
