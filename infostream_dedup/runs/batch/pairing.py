"""Pairs of a collection as rows: which documents resemble each other, how much, and in which terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.links.pair_rules import RELATIONS
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings, fields_of, language_number
from infostream_dedup.runs.batch.collection import Weighable
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.batch.pair_table import (
    PairTable,
    candidate_blocks,
    chunks_of_pairs,
    least_count,
    relations,
    what_met,
)
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.meetings import Meeting
from infostream_dedup.terms.too_frequent import warn_of_terms_above_df_max

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        # Written out, as collections have millions of pairs: a loop over the names takes twice as long.
        row: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "forward": self.forward,
            "backward": self.backward,
            "n_a": self.n_a,
            "n_b": self.n_b,
            "share_forward": self.share_forward,
            "share_backward": self.share_backward,
            "relation": self.relation,
        }
        if self.terms is not None:
            row["terms"] = self.terms
        if self.met is not None:
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
    progress: Progress | None = None,
) -> Iterator[PairRow]:
    """Linked pairs in the order of (a, b).

    Args:
        k_min: yield all pairs with max(forward, backward) >= k_min instead of those with a relation.
        parts: int64 (documents,), number of the file of each document: only pairs from different files.
    """
    key_terms, ids = collection.key_terms(settings), fields_of(collection.documents).ids
    warn_of_terms_above_df_max(key_terms, settings)
    least = least_count(settings) if k_min is None else k_min
    linked = link(key_terms, settings, k_min=least, progress=progress)
    languages = np.array([language_number(language) for language in collection.languages], dtype=np.int64)
    # Block by block, because all pairs at once may need more memory than the documents.
    for a, b in candidate_blocks(linked, settings.k if k_min is None and settings.score == "count" else None):
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
        relation: int64 (pairs,), index into ``RELATIONS``.
        wanted: bool (pairs,), which of them become rows.
    """
    chosen = pairs if wanted.all() else pairs.where(wanted)
    shared = _shared(chosen, key_terms) if terms else None
    columns = (chosen.a, chosen.b, chosen.forward, chosen.backward, chosen.size_a, chosen.size_b)
    weights = (chosen.matched_forward, chosen.own_a, chosen.matched_backward, chosen.own_b)
    numbers = zip(*(column.tolist() for column in (*columns, *weights, relation[wanted])), strict=True)
    for a, b, forward, backward, n_a, n_b, matched_a, own_a, matched_b, own_b, number in numbers:
        words, met = (None, None) if shared is None else next(shared)
        yield PairRow(
            a=ids[a],
            b=ids[b],
            forward=forward,
            backward=backward,
            n_a=n_a,
            n_b=n_b,
            share_forward=_share(matched_a, own_a),
            share_backward=_share(matched_b, own_b),
            relation=RELATIONS[number],
            terms=words,
            met=met,
        )


def _shared(pairs: PairTable, key_terms: KeyTerms) -> Iterator[tuple[list[str], list[Meeting] | None]]:
    """Yield what ``what_met`` returns for each pair."""
    if key_terms.pivot is None:
        yield from ((words, None) for words in pairs.all_terms(key_terms.counts.terms))
    else:
        yield from (what_met(pairs, pair, key_terms) for pair in range(len(pairs)))


def _share(matched: int, own: int) -> float:
    return round(matched / own, 6) if own else 0.0
