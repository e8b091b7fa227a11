"""Measure the links of a collection, in whatever form they are stored, and count their groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.backend import choose_backend
from infostream_dedup.links.intervals import Interval, intervals
from infostream_dedup.links.measures import Measures
from infostream_dedup.links.recommendation import Advice, KnownK, advise
from infostream_dedup.links.relation import Relation
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray


_AT_ONCE: Final = 16
"""Number of ks whose groups are found together: for a month, they take 20 MB each."""


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """Groups of at least two documents that reciprocated links join at one k.

    Attributes:
        groups: number of groups.
        grouped: number of documents in them.
        largest: number of documents in the largest, 0 without groups.
    """

    groups: int
    grouped: int
    largest: int

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> GroupCounts:
        """Count groups by their sizes, which include single documents."""
        several = sizes[sizes > 1]
        return cls(len(several), int(several.sum()), int(several.max(initial=0)))


def group_counts(relation: Relation, rows: Iterable[Measures]) -> list[GroupCounts | None]:
    """Count the groups at the k of each row; ``None`` at a threshold of a share, or if links at k are not stored."""
    kept = list(rows)
    return _counted(kept, _group_sizes(relation, kept))


def _counted(rows: Sequence[Measures], sizes: Mapping[int | None, NDArray[np.int64]]) -> list[GroupCounts | None]:
    return [GroupCounts.of(sizes[row.k]) if row.k in sizes else None for row in rows]


def _group_sizes(relation: Relation, rows: Iterable[Measures]) -> dict[int | None, NDArray[np.int64]]:
    """Sizes of the groups at the k of each row, unless links at k are not stored."""
    ks = [row.k for row in rows if row.k is not None and row.k >= relation.k_min]
    parts = (ks[begin : begin + _AT_ONCE] for begin in range(0, len(ks), _AT_ONCE))
    return {k: sizes for part in parts for k, sizes in zip(part, relation.group_sizes(part), strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What the links of a collection show without labels.

    Attributes:
        rows: symmetry and transitivity at each k or threshold, ascending: of ``all`` links and, if labels were given,
            of those within labels (``mono``) and between them (``cross``).
        advice: which k to use for ``all`` and for ``cross``; empty for links by share, which have no k.
        group_sizes: int64 (groups,), documents in each group at the recommended k; ``None`` for links by share.
        matrix: links written out document by document; ``None`` if they are not.
        across: the links between labels among them; ``None`` without labels.
        groups: groups at the k of each of ``rows``, as ``group_counts`` returns them.
        groups_k: the k of ``group_sizes``.
        closed_across: closed paths of links between labels at each k: none between two labels; of more only if the
            links are written out.
        intervals: intervals of S and T at each k, where they were looked for.
    """

    rows: dict[str, list[Measures]]
    advice: dict[str, Advice]
    group_sizes: NDArray[np.int64] | None
    matrix: SimilarityMatrix | None
    across: SimilarityMatrix | None
    groups: dict[str, list[GroupCounts | None]]
    groups_k: int = 0
    closed_across: Mapping[int | None, int] = field(default_factory=dict)
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
    """Measure the links of a collection at each k or threshold.

    Args:
        n: largest possible count; ``None`` for links by share.
        labels: (documents,), to also measure links within labels and between them.
        known: what copies say about the k of ``all`` and of ``cross``.
        way: how to choose k, as ``checked_way`` returns it.
    """
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
        intervals={name: intervals(part.matrix, rows[name]) for name, part in parts.items()},
        closed_across={} if labels is None else _closed_across(rows["cross"], across, labels),
    )


def _closed_across(
    rows: Sequence[Measures], across: SimilarityMatrix | None, labels: NDArray[np.generic]
) -> dict[int | None, int]:
    if len(np.unique(labels)) <= 2:
        return {row.k: 0 for row in rows}
    if across is None:
        return {}
    ks = [row.k for row in rows if row.k is not None and row.k >= across.k_min]
    found = choose_backend("auto").sweep_counts(replace(across, between_groups=False), ks)
    return {row.k: row.closed for row in found if row.closed is not None}
