"""Status and group of every document of a collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from infostream_dedup.model import Settings, fields_of
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.linking import Linked, link
from infostream_dedup.runs.batch.pair_table import PairTable, candidate_pairs, chunks_of_pairs, least_count, relations
from infostream_dedup.runs.batch.verbatim import MOST_VERBATIM_LINKS, link_nodes, node_pairs, verbatim_links
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS, KeyTerms
from infostream_dedup.terms.too_frequent import warn_of_terms_above_df_max

if TYPE_CHECKING:
    from numpy.typing import NDArray

    _Joined = tuple[NDArray[np.int64], NDArray[np.int64]]


K_SIMILAR: Final = 4
"""Terms that must match in either direction for ``similar``."""

STATUS_COLUMNS: Final = ("status", "of", "group")
"""What ``dedup --annotate`` adds to a document."""

Keep = Literal["earliest", "longest"]
DuplicateRule = Literal["equal", "contained"]


@dataclass(frozen=True, slots=True)
class Status:
    """The relation of a document to the earlier ones of its collection.

    Attributes:
        status: ``new``, ``exact``, ``duplicate``, ``similar`` or ``insufficient_text``.
        of: id of the earlier document that it repeats or resembles most; ``None`` if there is none.
        group: id of the earliest document of its group; its own id if it is alone.
    """

    status: str
    of: str | None
    group: str

    def as_dict(self) -> dict[str, Any]:
        """The three columns that ``dedup --annotate`` adds."""
        return {name: getattr(self, name) for name in STATUS_COLUMNS}


@dataclass(slots=True)
class _Best:
    """The best earlier document found so far for each document, by (min, max, earliest)."""

    of: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def none(cls, documents: int) -> _Best:
        return cls(*(np.full(documents, -1, dtype=np.int64) for _ in range(3)))

    def offer(self, pairs: PairTable) -> None:
        """Replace the best documents by better ones from pairs in the order of (a, b)."""
        low, high = np.minimum(pairs.forward, pairs.backward), np.maximum(pairs.forward, pairs.backward)
        order = np.lexsort((pairs.a, -high, -low, pairs.b))
        later, first = np.unique(pairs.b[order], return_index=True)
        top = order[first]
        better = (low[top] > self.low[later]) | ((low[top] == self.low[later]) & (high[top] > self.high[later]))
        later, top = later[better], top[better]
        self.of[later], self.low[later], self.high[later] = pairs.a[top], low[top], high[top]


def statuses(
    collection: Collection,
    settings: Settings,
    *,
    duplicate_rule: DuplicateRule = "equal",
    engine: str = "auto",
) -> list[Status]:
    """Status of every document in input order.

    ``exact``: equal to an earlier document (``equality_hash``). ``duplicate``: the relation to an earlier document is
    ``equal`` at ``settings.k`` (or by share); rule ``contained``, the paper's own, also accepts ``contained``, and
    ``settings.rule`` ``either`` accepts any relation. A document with fewer than three key terms is not a duplicate.
    ``similar``: either direction has need(4) terms (by share: reaches the threshold).
    Groups join documents by ``exact`` and ``duplicate`` only.
    """
    key_terms = collection.key_terms(settings)
    warn_of_terms_above_df_max(key_terms, settings)
    duplicate, similar, joined = _decided(key_terms, settings, duplicate_rule, engine)
    exact = _earliest_equal_text(collection)
    equal = np.flatnonzero(exact >= 0)
    leader = groups_of([*joined, (exact[equal], equal)], len(collection))
    return list(_decide(collection, key_terms.sizes, exact, duplicate, similar, leader))


def _decided(
    key_terms: KeyTerms, settings: Settings, duplicate_rule: DuplicateRule, engine: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[_Joined]]:
    """Return the document that each repeats, the one that it resembles, and pairs that join groups."""
    k_similar = min(K_SIMILAR, settings.k)
    least = min(least_count(settings), least_count(settings, k_similar))
    if settings.score == "count" and verbatim_links(key_terms) > MOST_VERBATIM_LINKS:
        pairs = node_pairs(link_nodes(key_terms, settings, k_min=least), settings)
        return _decided_by_pairs(key_terms, settings, duplicate_rule, pairs)
    linked = link(key_terms, settings, k_min=least, engine=engine)
    if settings.score == "count" and linked.backend.name == "compiled":
        return _decided_by_links(linked, duplicate_rule)
    pairs = candidate_pairs(linked, k_similar if settings.score == "count" else None)
    return _decided_by_pairs(key_terms, settings, duplicate_rule, pairs)


def _decided_by_links(
    linked: Linked, duplicate_rule: DuplicateRule
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[_Joined]]:
    """Decide from the counts of the links; the score must be ``count``."""
    from infostream_dedup.links.compiled.earlier import EarlierDocuments, accept

    settings, terms = linked.settings, linked.key_terms
    earlier = EarlierDocuments.of(linked.matrix.counts, terms.keys, terms.targets)
    every = np.arange(4)
    same = repeats(every, settings.rule, duplicate_rule).tolist()
    parents = np.arange(len(terms.sizes), dtype=np.int32)
    n, short = settings.n, settings.short
    duplicate = earlier.best(accept(settings.k, n=n, short=short, relations=same, fewest=INSUFFICIENT_TERMS), parents)
    alike = accept(min(K_SIMILAR, settings.k), n=n, short=short, relations=(every > 0).tolist())
    similar = earlier.best(alike, np.empty(0, dtype=np.int32))
    return duplicate, similar, [(parents.astype(np.int64), np.arange(len(parents)))]


def _decided_by_pairs(
    key_terms: KeyTerms, settings: Settings, duplicate_rule: DuplicateRule, candidates: _Joined
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[_Joined]]:
    """Decide from exact counts and weights of pairs (a, b), a < b."""
    documents = len(key_terms.sizes)
    duplicate, similar = _Best.none(documents), _Best.none(documents)
    joined: list[_Joined] = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for pairs in chunks_of_pairs(key_terms, *candidates):
        relation = relations(pairs, settings)
        # The later document of a pair (a, b), b, is judged: the pair "contains" if a contains b.
        same = repeats(relation, settings.rule, duplicate_rule)
        same &= np.minimum(pairs.size_a, pairs.size_b) >= INSUFFICIENT_TERMS
        duplicate.offer(pairs.where(same))
        joined.append((pairs.a[same], pairs.b[same]))
        alike = relation if settings.score == "share" else relations(pairs, settings, min(K_SIMILAR, settings.k))
        similar.offer(pairs.where(alike > 0))
    return duplicate.of, similar.of, joined


def repeats(relation: NDArray[np.int64], rule: str, duplicate_rule: DuplicateRule) -> NDArray[np.bool_]:
    """Whether the later document of each pair repeats the earlier one: bool (pairs,).

    Args:
        relation: int64 (pairs,), index into ``RELATIONS``.
    """
    if rule == "either":
        return relation > 0
    return relation == 3 if duplicate_rule == "equal" else relation >= 2


def _decide(
    collection: Collection,
    sizes: NDArray[np.int64],
    exact: NDArray[np.int64],
    duplicate: NDArray[np.int64],
    similar: NDArray[np.int64],
    leader: NDArray[np.int64],
) -> Iterator[Status]:
    ids = fields_of(collection.documents).ids
    for ordinal in range(len(ids)):
        group = ids[int(leader[ordinal])]
        if exact[ordinal] >= 0:
            yield Status("exact", ids[int(exact[ordinal])], group)
        elif sizes[ordinal] < INSUFFICIENT_TERMS:
            yield Status("new" if collection.text_hashes[ordinal] else "insufficient_text", None, group)
        elif duplicate[ordinal] >= 0:
            yield Status("duplicate", ids[int(duplicate[ordinal])], group)
        elif similar[ordinal] >= 0:
            yield Status("similar", ids[int(similar[ordinal])], group)
        else:
            yield Status("new", None, group)


def kept_documents(collection: Collection, found: Sequence[Status], keep: Keep = "earliest") -> list[bool]:
    """Choose the documents to keep, one for each group: its earliest or its longest (the earliest of equals)."""
    best: dict[str, int] = {}
    for ordinal, status in enumerate(found):
        holder = best.setdefault(status.group, ordinal)
        if keep == "longest" and collection.text_lengths[ordinal] > collection.text_lengths[holder]:
            best[status.group] = ordinal
    remaining = set(best.values())
    return [ordinal in remaining for ordinal in range(len(found))]


def _earliest_equal_text(collection: Collection) -> NDArray[np.int64]:
    """Ordinal of the earliest exact copy, or -1."""
    first: dict[bytes, int] = {}
    earliest = np.full(len(collection), -1, dtype=np.int64)
    for ordinal, digest in enumerate(collection.text_hashes):
        if digest and first.setdefault(digest, ordinal) != ordinal:
            earliest[ordinal] = first[digest]
    return earliest


def groups_of(joined: list[tuple[NDArray[np.int64], NDArray[np.int64]]], documents: int) -> NDArray[np.int64]:
    """Ordinal of the earliest document of each document's group: int64 (documents,)."""
    a = np.concatenate([pair[0] for pair in joined])
    b = np.concatenate([pair[1] for pair in joined])
    graph = sp.csr_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(documents, documents))
    count, label = connected_components(graph, directed=False)
    leader = np.full(count, documents, dtype=np.int64)
    np.minimum.at(leader, label, np.arange(documents))
    return leader[label]
