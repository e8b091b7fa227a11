"""The links of a collection, in whatever form they are stored.

| class         | what is stored                                                         | used for                    |
|---------------|------------------------------------------------------------------------|-----------------------------|
| `StoredLinks` | every link, in one similarity matrix                                   | most collections            |
| `NodeLinks`   | links between nodes of equal documents                                 | large clusters of copies    |
| `LowLinks`    | either, from some k upwards; lower links are counted but not stored    | links that exceed memory    |
| `ShareLinks`  | every link with the share of weight matched                            | the share score             |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, runtime_checkable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.links.compiled.earlier import group_leaders
from infostream_dedup.links.compiled.matching import MatchedNodes
from infostream_dedup.links.compiled.totals import LinkBlock, block_totals, sweep_counts
from infostream_dedup.links.measures import Advice, Interval, KnownK, Measures, advise, has_interval
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, work_exceeds
from infostream_dedup.links.sweeping import intervals, sweep_shares
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.machine.progress import Progress

MOST_POSTINGS: Final = 300_000_000
"""Maximum number of posting entries read, about ten core seconds; beyond it, documents are sampled."""

SAMPLED_DOCUMENTS: Final = 20_000
"""Number of documents sampled: 1.6 % of a month, for standard errors of S of .001 to .004."""

_SEED: Final = 2026


def drawn_documents(
    keys: sp.csr_array, targets: sp.csr_array, *, most_postings: int = MOST_POSTINGS, size: int = SAMPLED_DOCUMENTS
) -> Ints | None:
    """Ordinals, int64, ascending, drawn by the number of documents alone; ``None`` if all documents may be asked."""
    documents = keys.shape[0]
    if documents <= size or not work_exceeds(keys, targets, most_postings):
        return None
    return np.sort(np.random.default_rng(_SEED).permutation(documents)[:size]).astype(np.int64)


class Relation(Protocol):
    """Directed links between the documents of a collection at every k, or at every threshold of a share."""

    @property
    def matrix(self) -> SimilarityMatrix | None:
        """Links written out document by document; ``None`` if they are not."""

    @property
    def k_min(self) -> int:
        """Smallest k whose links are stored."""

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """Symmetry and transitivity at each k or threshold, ascending."""

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """int64 (groups,) for each k: documents in each group at k (or at the smallest k stored), single ones too."""

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Keep only the links within labels (``same``), or only those between them; all documents stay."""


@runtime_checkable
class Writable(Protocol):
    """Links that are kept elsewhere, but can be written out if they are few."""

    def written(self, k: int) -> SimilarityMatrix:
        """The links at k and above."""


MOST_WRITTEN: Final = 5_000_000  # maximum number of links that are written out only to find intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLinks:
    """Links written out in a similarity matrix."""

    matrix: SimilarityMatrix  # counts for all k >= `matrix.k_min`
    keys: sp.csr_array  # (documents, terms), key terms of each document
    targets: sp.csr_array  # (documents, terms), the terms in which they were looked up
    labels: NDArray[np.generic] | None = None  # (documents,), labels passed to `between`; `None` for all links

    @property
    def n(self) -> int:
        """Largest possible count."""
        return self.matrix.n

    @property
    def k_min(self) -> int:
        """Smallest count stored."""
        return self.matrix.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``."""
        chosen = range(self.k_min, self.n + 1) if ks is None else ks
        return sweep_counts(self.matrix, chosen, progress=progress)

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """As ``Relation.group_sizes``."""
        return [group_sizes(one) for one in group_leaders(self.matrix.counts, [max(k, self.k_min) for k in ks])]

    def between(self, labels: NDArray[np.generic], *, same: bool) -> StoredLinks:
        """As ``Relation.between``."""
        return replace(self, matrix=self.matrix.between(labels, same=same), labels=labels)

    def restricted(self, documents: Ints) -> StoredLinks:
        """Return the links between some documents."""
        return replace(
            self,
            matrix=self.matrix.restricted(documents),
            keys=self.keys[documents],
            targets=self.targets[documents],
            labels=None if self.labels is None else self.labels[documents],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLinks:
    """Links between nodes of equal documents: all that symmetry and transitivity need, however large the nodes are."""

    matched: MatchedNodes  # links between nodes for all k >= `k_min`
    keys: sp.csr_array  # (documents, terms), key terms of each document
    targets: sp.csr_array  # (documents, terms), the terms in which they were looked up
    n: int  # largest possible count
    k_min: int  # smallest count stored

    @property
    def matrix(self) -> None:
        """Links are not written out document by document."""
        return None

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``; transitivity is exact at every k."""
        block = LinkBlock(self.matched.counts, self.matched.nodes.weights, self.matched.inside)
        chosen = range(self.k_min, self.n + 1) if ks is None else ks
        return block_totals(block, chosen, progress=progress).measures()

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """As ``Relation.group_sizes``, in no particular order."""
        stored, weights = [max(k, self.k_min) for k in ks], self.matched.nodes.weights
        return [
            group_sizes_of_nodes(leaders, weights, self.matched.inside < k)
            for k, leaders in zip(stored, group_leaders(self.matched.counts, stored), strict=True)
        ]

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Not possible: equal documents may have different labels."""
        del labels, same
        raise ValueError("links between nodes of equal documents cannot be split by label; match without nodes")


@dataclass(frozen=True, slots=True)
class LowLinks:
    """Stores links with k >= k_min. Weaker links are only counted; their transitivity is estimated from a sample."""

    stored: StoredLinks | NodeLinks  # the links that are stored
    # count the lower links of all documents, however many there are; otherwise those of a sample if there are too many
    exact: bool = False

    @property
    def matrix(self) -> SimilarityMatrix | None:
        """Return the matrix of the stored links."""
        return self.stored.matrix

    @property
    def k_min(self) -> int:
        """Smallest k whose links are stored."""
        return self.stored.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``."""
        stored = self.stored
        chosen = set(range(1, stored.n + 1) if ks is None else ks)
        below = [k for k in chosen if k < stored.k_min]
        others = chosen.difference(below)
        if not below:
            return stored.measures(others, progress=progress)
        from infostream_dedup.links.compiled.low_k import sweep_unstored

        sample = None if self.exact else drawn_documents(stored.keys, stored.targets)

        def low(progress: Progress | None) -> list[Measures]:
            return sweep_unstored(
                stored.keys, stored.targets, n=stored.n, most=max(below), sample=sample, progress=progress
            )

        if sample is None:
            found = low(progress)
            return [*(row for row in found if row.k in chosen), *stored.measures(others, progress=progress)]
        with ThreadPoolExecutor(1) as beside:
            # Each leaves a core idle half of the time.
            counted = beside.submit(low, None)
            high = stored.measures(others, progress=progress)
        return [*(row for row in counted.result() if row.k in chosen), *high]

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """As ``Relation.group_sizes``."""
        return self.stored.group_sizes(ks)

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """As ``Relation.between``, for the links that are stored."""
        return self.stored.between(labels, same=same)


@dataclass(frozen=True, slots=True)
class ShareLinks:
    """Links by the share of the asking document's key-term weight that was matched."""

    stored: StoredLinks  # links with matched weights
    own_weights: Ints  # int64 (documents,), weight of all key terms of each document in units of 1e-9
    thresholds: Sequence[float]  # shares to measure at, each above 0 to 1

    @property
    def matrix(self) -> SimilarityMatrix:
        """The links, with matched weights."""
        return self.stored.matrix

    @property
    def k_min(self) -> int:
        """Smallest count that is stored."""
        return self.stored.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``, at each threshold."""
        del ks, progress
        shares = self.matrix.shares(self.own_weights)
        return sweep_shares(shares, self.thresholds, between_groups=self.matrix.between_groups)

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """As ``Relation.group_sizes``, by count."""
        return self.stored.group_sizes(ks)

    def between(self, labels: NDArray[np.generic], *, same: bool) -> ShareLinks:
        """As ``Relation.between``."""
        return replace(self, stored=self.stored.between(labels, same=same))


def group_sizes(leaders: Ints) -> Ints:
    """Documents in each group, single documents included, in the order of the leaders: int64 (groups,)."""
    sizes = np.bincount(leaders)
    return sizes[sizes > 0].astype(np.int64, copy=False)


def group_sizes_of_nodes(leaders: Ints, weights: Ints, loose: Bools) -> Ints:
    """Documents of each group by the ``leaders`` and ``weights`` of nodes; in a ``loose`` node, they are not linked."""
    documents = np.bincount(leaders, weights=weights, minlength=len(weights)).astype(np.int64)
    alone = (np.bincount(leaders, minlength=len(weights)) == 1) & loose
    singles = np.ones(int(documents[alone].sum()), dtype=np.int64)
    return np.concatenate([documents[(documents > 0) & ~alone], singles])


# Measure the links of a collection, in whatever form they are stored, and count their groups

_AT_ONCE: Final = 16  # number of ks whose groups are found together: for a month, they take 20 MB each


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Groups of at least two documents that reciprocated links join at one k."""

    groups: int  # number of groups
    grouped: int  # number of documents in them
    largest: int  # number of documents in the largest, 0 without groups

    @classmethod
    def of(cls, sizes: Ints) -> GroupCounts:
        """Count groups by their sizes, which include single documents."""
        several = sizes[sizes > 1]
        return cls(len(several), int(several.sum()), int(several.max(initial=0)))


def group_counts(relation: Relation, rows: Iterable[Measures]) -> list[GroupCounts | None]:
    """Count the groups at the k of each row; ``None`` at a threshold of a share, or if links at k are not stored."""
    kept = list(rows)
    return _counted(kept, _group_sizes(relation, kept))


def _counted(rows: Sequence[Measures], sizes: Mapping[int | None, Ints]) -> list[GroupCounts | None]:
    return [GroupCounts.of(sizes[row.k]) if row.k in sizes else None for row in rows]


def _group_sizes(relation: Relation, rows: Iterable[Measures]) -> dict[int | None, Ints]:
    """Sizes of the groups at the k of each row, unless links at k are not stored."""
    ks = [row.k for row in rows if row.k is not None and row.k >= relation.k_min]
    parts = (ks[begin : begin + _AT_ONCE] for begin in range(0, len(ks), _AT_ONCE))
    return {k: sizes for part in parts for k, sizes in zip(part, relation.group_sizes(part), strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the links of a collection show without labels."""

    # symmetry and transitivity at each k or threshold, ascending: of `all` links and, if labels were given, of those
    # within labels (`mono`) and between them (`cross`)
    rows: dict[str, list[Measures]]
    advice: dict[str, Advice]  # which k to use for `all` and for `cross`; empty for links by share, which have no k
    # int64 (groups,), documents in each group at the recommended k; `None` for links by share
    group_sizes: Ints | None
    matrix: SimilarityMatrix | None  # links written out document by document; `None` if they are not
    across: SimilarityMatrix | None  # the links between labels among them; `None` without labels
    groups: dict[str, list[GroupCounts | None]]  # groups at the k of each of `rows`, as `group_counts` returns them
    groups_k: int = 0  # the k of `group_sizes`
    # closed paths of links between labels at each k: none between two labels; of more only if the links are written out
    closed_across: Mapping[int | None, int] = field(default_factory=dict)
    # intervals of S and T at each k, where they were looked for
    intervals: Mapping[str, Mapping[int, Interval]] = field(default_factory=dict)


def survey(
    relation: Relation,
    *,
    n: int | None,
    labels: NDArray[np.generic] | None = None,
    known: Mapping[str, KnownK] | None = None,
    way: str | int = "auto",
    progress: Progress | None = None,
) -> Survey:
    """Measure the links of a collection at each k or threshold."""
    parts = {"all": relation}
    if labels is not None:
        parts.update(mono=relation.between(labels, same=True), cross=relation.between(labels, same=False))
    rows = {name: part.measures(progress=progress if name == "all" else None) for name, part in parts.items()}
    across = None if labels is None else parts["cross"].matrix
    sizes = {name: _group_sizes(part, rows[name]) for name, part in parts.items()}
    groups = {name: _counted(rows[name], sizes[name]) for name in parts}
    if n is None:
        return Survey(rows=rows, advice={}, group_sizes=None, matrix=relation.matrix, across=across, groups=groups)
    known = known or {}
    advice = {
        name: advise(
            rows[name],
            n=n,
            known=known.get(name),
            way=way,
            inside=rows["mono"] if name == "all" and "mono" in rows else None,
            across=name == "cross",
        )
        for name in parts
        if name != "mono"
    }
    groups_k = advice["all"].chosen or 0
    return Survey(
        rows=rows,
        advice=advice,
        group_sizes=sizes["all"][groups_k] if groups_k in sizes["all"] else relation.group_sizes([groups_k])[0],
        matrix=relation.matrix,
        across=across,
        groups=groups,
        groups_k=groups_k,
        intervals={name: intervals(_written(part, rows[name]), rows[name]) for name, part in parts.items()},
        closed_across={} if labels is None else _closed_across(rows["cross"], across, labels),
    )


def _written(relation: Relation, rows: Sequence[Measures]) -> SimilarityMatrix | None:
    """The links of which intervals can be found, document by document."""
    if relation.matrix is not None or not isinstance(relation, Writable):
        return relation.matrix
    narrow = [row for row in rows if row.k is not None and row.k >= relation.k_min and has_interval(row)]
    narrow = [row for row in narrow if row.links <= MOST_WRITTEN]
    return relation.written(min(row.k or 0 for row in narrow)) if narrow else None


def _closed_across(
    rows: Sequence[Measures], across: SimilarityMatrix | None, labels: NDArray[np.generic]
) -> dict[int | None, int]:
    if len(np.unique(labels)) <= 2:
        return {row.k: 0 for row in rows}
    if across is None:
        return {}
    ks = [row.k for row in rows if row.k is not None and row.k >= across.k_min]
    found = sweep_counts(replace(across, between_groups=False), ks)
    return {row.k: row.closed for row in found if row.closed is not None}
