"""Pairs of documents in two languages with the same text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.evidence.contradictions import contradict
from infostream_dedup.links import match
from infostream_dedup.links.between_languages import LEAST_SHARE, SHARE_DECIMALS, nothing_better, one_to_one
from infostream_dedup.links.similarity_matrix import kept_entries
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.pair_table import PairTable, chunks_of_pairs
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray


Between = Literal["nothing-better", "plain", "none"]

BETWEEN: Final[tuple[Between, ...]] = ("nothing-better", "plain", "none")
"""Rules for links between languages; the first is the default."""

_KEY_TERMS: Final = 30
_LEAST_TERMS: Final = 3


@dataclass(frozen=True, slots=True)
class Translations:
    """Pairs of documents in two languages, each once, in the order of (a, b).

    Attributes:
        key_terms: the 30 heaviest key terms of each document in the pivot language.
        a: int64 (pairs,), ordinal of the earlier document.
        b: int64 (pairs,), ordinal of the later document.
        shares: float64 (pairs, 2), share of the key terms' weight that matched, forward and backward, rounded.
    """

    key_terms: KeyTerms
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    shares: NDArray[np.float64]

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Translations:
        """Select pairs by a mask or by positions."""
        return Translations(self.key_terms, self.a[chosen], self.b[chosen], self.shares[chosen])

    def tables(self) -> Iterator[PairTable]:
        """Counts, weights and terms of the pairs in their order, in chunks of bounded size."""
        return chunks_of_pairs(self.key_terms, self.a, self.b)


def find_translations(
    collection: JudgedCollection, *, between: Between = "nothing-better", single: bool = False
) -> Translations | None:
    """Find the pairs between languages.

    ``plain``: at least three of the 30 heaviest key terms in the pivot language match in both directions, with .4 of
    the weight. ``nothing-better``: in addition, neither document has a clearly better partner in the other's language
    (see ``links.between_languages``), and their numbers and lengths agree (see ``evidence.contradictions``). Evidence
    decides which documents of one language have the same text.
    ``none``: no translations.

    Args:
        collection: the documents. Pairs of equal texts are left out, as they are copies.
    """
    if between == "none" or len(set(collection.collection.languages)) < 2:
        return None
    settings = collection.settings.but(representation="pivot", n=_KEY_TERMS)
    key_terms = collection.collection.key_terms(settings)
    found = _plain(key_terms)
    texts = collection.facts.texts
    found = found.where((texts[found.a] != texts[found.b]) | (texts[found.a] < 0))
    languages = key_terms.counts.languages
    if between == "nothing-better":
        found = found.where(~contradict(found.a, found.b, found.shares, collection.keys, collection.evidence.records))
    smaller = found.shares.min(axis=1)
    if between == "nothing-better":
        kept = nothing_better(found.a, found.b, smaller, languages, lambda a, b: _one_text(collection, a, b))
        found, smaller = found.where(kept), smaller[kept]
    return found.where(one_to_one(found.a, found.b, smaller, languages)) if single else found


def _one_text(collection: JudgedCollection, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether documents of one language have the same text by the evidence: bool (pairs,)."""
    found = np.zeros(len(a), dtype=np.bool_)
    found[np.lexsort((a, b))] = np.concatenate([found[:0], *(judged.one_text for judged in collection.judged(a, b))])
    return found


def _plain(key_terms: KeyTerms) -> Translations:
    """All pairs with enough shared weight in both directions.

    Only documents of different languages are matched with each other: those of one language would have far more links.
    """
    languages, own = key_terms.counts.languages, key_terms.own_weights
    strong = sp.csr_array(key_terms.keys.shape[:1] * 2, dtype=np.float64)
    for language in np.unique(languages):
        matrix = match(
            _rows_where(key_terms.keys, languages == language),
            _rows_where(key_terms.targets, languages != language),
            n=_KEY_TERMS,
            weights=True,
            k_min=_LEAST_TERMS,
        )
        shares = matrix.shares(own)
        shares.data = np.round(shares.data, SHARE_DECIMALS)
        shares.data[shares.data < LEAST_SHARE] = 0
        shares.eliminate_zeros()
        strong = strong + shares
    forward, backward = sp.triu(strong, format="csr"), sp.triu(strong.T, format="csr")
    both = sp.coo_array(forward.minimum(backward))
    order = np.lexsort((both.col, both.row))
    a, b = both.row[order].astype(np.int64), both.col[order].astype(np.int64)
    # If there are no pairs, scipy returns a sparse array here, which numpy cannot convert to numbers.
    directions = [
        np.asarray(part[a, b], dtype=np.float64).ravel() if len(a) else both.data for part in (forward, backward)
    ]
    return Translations(key_terms, a, b, np.stack(directions, axis=1))


def _rows_where(matrix: sp.csr_array, kept: NDArray[np.bool_]) -> sp.csr_array:
    """Return the matrix with all other rows emptied."""
    return kept_entries(matrix, np.repeat(kept, np.diff(matrix.indptr)))
