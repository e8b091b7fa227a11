"""Pairs of a collection as rows: which documents resemble each other, how much, and in which terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.batch.collection import Weighable
from infostream_dedup.batch.linking import link
from infostream_dedup.batch.pair_table import (
    RELATIONS,
    PairTable,
    candidate_pairs,
    chunks_of_pairs,
    least_count,
    relations,
    what_met,
)
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings, fields_of, language_number
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.meetings import Meeting

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairRow", "pair_rows", "rows_of_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One unordered pair.

    Attributes:
        a: id of the earlier document.
        b: id of the later document.
        forward: key terms of a found in b.
        backward: key terms of b found in a.
        n_a: key terms of a.
        n_b: key terms of b.
        share_forward: weight of the key terms of a found in b, divided by the weight of all key terms of a, 0 to 1.
        share_backward: weight of the key terms of b found in a, divided by the weight of all key terms of b, 0 to 1.
        relation: ``equal``, ``contained`` (b contains a), ``contains`` (a contains b), or ``None`` below need.
        terms: terms found in either direction, heaviest first; ``None`` if not requested.
        met: in a pivot language, the words that became the terms, heaviest first; otherwise ``None``.
    """

    a: str
    b: str
    forward: int
    backward: int
    n_a: int
    n_b: int
    share_forward: float
    share_backward: float
    relation: str | None
    terms: list[str] | None
    met: list[Meeting] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the row of ``pairs``; ``terms`` and ``met`` are left out if they are ``None``."""
        row = {name: getattr(self, name) for name in PairRow.__slots__}
        if self.terms is None:
            del row["terms"]
        if self.met is None:
            del row["met"]
        else:
            row["met"] = [meeting.as_dict() for meeting in self.met]
        return row


def pair_rows(
    collection: Weighable,
    settings: Settings,
    *,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    parts: NDArray[np.int64] | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
) -> Iterator[PairRow]:
    """Linked pairs in the order of (a, b).

    Args:
        collection: the documents.
        settings: settings of key terms and of the relation.
        k_min: yield all pairs with max(forward, backward) >= k_min instead of those with a relation.
        terms: include the shared terms.
        cross_language: only pairs of different languages.
        parts: int64 (documents,), number of the file of each document: only pairs from different files.
        engine: ``auto``, ``plain`` or ``compiled``; results are the same.
        progress: called with the number of documents matched.
    """
    key_terms, ids = collection.key_terms(settings), fields_of(collection.documents).ids
    least = least_count(settings) if k_min is None else k_min
    linked = link(key_terms, settings, k_min=least, engine=engine, progress=progress)
    a, b = candidate_pairs(linked, settings.k if k_min is None and settings.score == "count" else None)
    languages = np.array([language_number(language) for language in collection.languages], dtype=np.int64)
    chosen = np.ones(len(a), dtype=np.bool_)
    if cross_language:
        chosen &= languages[a] != languages[b]
    if parts is not None:
        chosen &= parts[a] != parts[b]
    for pairs in chunks_of_pairs(key_terms, a[chosen], b[chosen]):
        relation = relations(pairs, settings)
        wanted = relation > 0 if k_min is None else np.maximum(pairs.forward, pairs.backward) >= k_min
        yield from rows_of_pairs(ids, pairs, relation, key_terms, wanted=wanted, terms=terms)


def rows_of_pairs(
    ids: Sequence[str],
    pairs: PairTable,
    relation: NDArray[np.int64],
    key_terms: KeyTerms,
    *,
    wanted: NDArray[np.bool_],
    terms: bool,
) -> Iterator[PairRow]:
    """Rows of pairs, in their order.

    Args:
        ids: ids of the documents, by ordinal.
        pairs: pairs of their ordinals.
        relation: int64 (pairs,), index into ``RELATIONS``.
        key_terms: key terms from which the pairs were made.
        wanted: bool (pairs,), which of them become rows.
        terms: include the shared terms.
    """
    for pair in np.flatnonzero(wanted).tolist():
        shared, met = what_met(pairs, pair, key_terms) if terms else (None, None)
        yield PairRow(
            a=ids[int(pairs.a[pair])],
            b=ids[int(pairs.b[pair])],
            forward=int(pairs.forward[pair]),
            backward=int(pairs.backward[pair]),
            n_a=int(pairs.size_a[pair]),
            n_b=int(pairs.size_b[pair]),
            share_forward=_share(pairs.matched_forward[pair], pairs.own_a[pair]),
            share_backward=_share(pairs.matched_backward[pair], pairs.own_b[pair]),
            relation=RELATIONS[int(relation[pair])],
            terms=shared,
            met=met,
        )


def _share(matched: np.int64, own: np.int64) -> float:
    return round(int(matched) / int(own), 6) if own else 0.0
