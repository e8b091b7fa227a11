"""Decides status and group of every document of a collection in a work folder, as ``dedup`` does in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.deduplication import K_SIMILAR, DuplicateRule, Keep, Status, repeats
from infostream_dedup.runs.batch.pair_table import least_count
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.kernels.forests import join_edges
from infostream_dedup.runs.sharded.pairing import DocumentPairs, paired, pick_terms, recounted
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.runs.sharded.linked_run import LinkedRun


STATUSES: Final = ("new", "exact", "insufficient_text", "duplicate", "similar")
_NOBODY: Final = -1
_DIGEST: Final = 16
_PAIRS_AT_ONCE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundStatuses:
    """Statuses of all documents.

    Attributes:
        status: uint8 (documents,), index into ``STATUSES``.
        of: int64 (documents,), the earlier document that each repeats or resembles most; -1 if there is none.
        group: int64 (documents,), the earliest document of its group.
        ids: id of each document, by chunk.
        lengths: int64 (documents,), characters of the body.
    """

    status: NDArray[np.uint8]
    of: NDArray[np.int64]
    group: NDArray[np.int64]
    ids: pa.ChunkedArray
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.status)

    def statuses(self) -> Iterator[Status]:
        """The status of every document, in input order."""
        for begin in range(0, len(self), 10_000):
            rows = slice(begin, min(begin + 10_000, len(self)))
            of = self.ids_at(np.maximum(self.of[rows], 0))
            groups = self.ids_at(self.group[rows])
            known = (self.of[rows] != _NOBODY).tolist()
            for status, one, there, group in zip(self.status[rows].tolist(), of, known, groups, strict=True):
                yield Status(STATUSES[status], one if there else None, group)

    def kept(self, keep: Keep) -> NDArray[np.bool_]:
        """Which documents remain when each group keeps one: its earliest, or its longest (the earliest of equals)."""
        if keep == "earliest":
            return np.asarray(self.group == np.arange(len(self)))
        order = np.lexsort((np.arange(len(self)), -self.lengths, self.group))
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = self.group[order][1:] != self.group[order][:-1]
        kept = np.zeros(len(self), dtype=np.bool_)
        kept[order[first]] = True
        return kept

    def counts(self) -> dict[str, int]:
        """Documents of each status."""
        found = np.bincount(self.status, minlength=len(STATUSES)).tolist()
        return dict(zip(STATUSES, found, strict=True))

    def groups(self) -> int:
        """Groups of at least two documents."""
        return int((np.unique(self.group, return_counts=True)[1] > 1).sum())

    def ids_at(self, documents: NDArray[np.int64]) -> list[str]:
        """Ids of documents."""
        found: list[str] = self.ids.take(documents).to_pylist()
        return found


class StatusRules:
    """Decides the relation of documents to earlier ones, some pairs at a time.

    Args:
        nodes: the nodes of the collection.
        settings: ``k``, ``n``, ``short`` and ``rule``; the score must be ``count``.
        duplicate_rule: as in ``batch.deduplication.statuses``.
    """

    def __init__(self, nodes: NodeTable, settings: Settings, duplicate_rule: DuplicateRule) -> None:
        self._settings = settings
        self._duplicate_rule = duplicate_rule
        self._k_similar = min(K_SIMILAR, settings.k)
        self._nodes, self._sizes = nodes, nodes.sizes.astype(np.int64)

    @property
    def least(self) -> int:
        """Smallest count that may decide a status."""
        return min(least_count(self._settings), least_count(self._settings, self._k_similar))

    def alone(self) -> NDArray[np.bool_]:
        """Bool (nodes,): whether the documents of a node do not repeat each other, although they are equal."""
        least = self._need(self._settings.k, self._sizes, self._sizes)
        return np.asarray((self._nodes.weights > 1) & (self._nodes.inside < least))

    def decide(self, pairs: DocumentPairs) -> tuple[DocumentPairs, DocumentPairs, DocumentPairs]:
        """Find the best earlier document that each later one repeats, the best that it resembles, and all repeats.

        If all weaker counts of a later document are too small to be known, all its pairs are returned; ``settled`` then
        finds the best.
        """
        a, b = (self._sizes[self._nodes.node_of[side]] for side in (pairs.a, pairs.b))
        least = self._need(self._settings.k, a, b)
        relation = (pairs.forward >= least).astype(np.int64) + 2 * (pairs.backward >= least)
        # In a pair (a, b) the later b is judged: if the pair "contains", a contains b.
        same = repeats(relation, self._settings.rule, self._duplicate_rule) & (np.minimum(a, b) >= INSUFFICIENT_TERMS)
        alike = np.maximum(pairs.forward, pairs.backward) >= self._need(self._k_similar, a, b)
        return self._candidates(pairs.where(same)), self._candidates(pairs.where(alike)), pairs.where(same)

    def settled(self, pairs: DocumentPairs, recount: Callable[[DocumentPairs], DocumentPairs]) -> DocumentPairs:
        """Find the best pair of each later document."""
        _, number, times = np.unique(pairs.b, return_inverse=True, return_counts=True)
        several = times[number] > 1
        exact = recount(pairs.where(several)) if several.any() else pairs.where(several)
        single = pairs.where(~several)
        names = ("a", "b", "forward", "backward")
        both = (np.concatenate([getattr(single, name), getattr(exact, name)]) for name in names)
        return _best(DocumentPairs(*both))

    def _candidates(self, pairs: DocumentPairs) -> DocumentPairs:
        known = np.minimum(pairs.forward, pairs.backward) >= self.least
        left = ~np.isin(pairs.b, pairs.b[known]) & ~known
        best = np.zeros(len(pairs), dtype=np.bool_)
        best[np.flatnonzero(known)[_best_places(pairs.where(known))]] = True
        return pairs.where(best | left)

    def _need(self, k: int, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
        return need(k, a, b, n=self._settings.n, short=self._settings.short)


class Statuses:
    """Collects the statuses of a collection.

    Args:
        nodes: the nodes of the collection.
    """

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._duplicate, self._similar = np.full((2, nodes.documents), _NOBODY, dtype=np.int64)
        self._parents = np.arange(nodes.documents, dtype=np.int32)

    def add(self, duplicate: DocumentPairs, similar: DocumentPairs, same: DocumentPairs) -> None:
        """Add a result of ``StatusRules.decide``, with the first two ``settled``."""
        self._duplicate[duplicate.b] = duplicate.a
        self._similar[similar.b] = similar.a
        join_groups(same.a, same.b, self._parents)

    def finish(self, rows: Sequence[dict[str, Any]]) -> FoundStatuses:
        """Statuses of all documents."""
        first = equal_texts(rows, self._nodes.documents)
        exact = np.where(first != np.arange(len(first)), first, _NOBODY)
        equal = np.flatnonzero(exact != _NOBODY)
        join_groups(exact[equal], equal, self._parents)
        short = self._nodes.sizes[self._nodes.node_of] < INSUFFICIENT_TERMS
        conditions = [exact != _NOBODY, short, self._duplicate != _NOBODY, self._similar != _NOBODY]
        status = np.select(conditions, [1, np.where(first == _NOBODY, 2, 0), 3, 4], 0).astype(np.uint8)
        of = np.select([status == 1, status == 3, status == 4], [exact, self._duplicate, self._similar], _NOBODY)
        return FoundStatuses(
            status,
            of,
            earliest_joined(self._parents),
            pa.chunked_array([row["ids"] for row in rows], pa.string()),
            np.concatenate([np.zeros(0, np.int64), *(row["lengths"] for row in rows)]),
        )


def statuses_on_disk(linked: LinkedRun, *, duplicate_rule: DuplicateRule = "equal") -> FoundStatuses:
    """Decide as ``batch.deduplication.statuses`` does; the score must be ``count``.

    Args:
        linked: the collection; the hashes of the bodies must have been taken.
    """
    nodes = linked.nodes
    rules, found = StatusRules(nodes, linked.settings, duplicate_rule), Statuses(nodes)
    finder, alone = paired(linked, rules.least), rules.alone()
    step = f"{linked.settings.representation}: statuses"
    recount = partial(recounted, pick=lambda documents: pick_terms(linked.keys.batches("keys"), documents))
    for block in row_blocks(finder.work(whole=False) * nodes.weights, _PAIRS_AT_ONCE):
        duplicate, similar, same = rules.decide(finder.earlier(finder.members_of(block), alone))
        found.add(rules.settled(duplicate, recount), rules.settled(similar, recount), same)
        linked.run.tell(step, min(block.stop, len(nodes)), len(nodes))
    return found.finish(list(linked.documents()))


def _best(pairs: DocumentPairs) -> DocumentPairs:
    """The best pair of each later document: by (min, max, earliest)."""
    return pairs.where(_best_places(pairs))


def _best_places(pairs: DocumentPairs) -> NDArray[np.int64]:
    low, high = np.minimum(pairs.forward, pairs.backward), np.maximum(pairs.forward, pairs.backward)
    order = np.lexsort((pairs.a, -high, -low, pairs.b))
    return order[np.unique(pairs.b[order], return_index=True)[1]]


def join_groups(a: NDArray[np.int64], b: NDArray[np.int64], parents: NDArray[np.int32]) -> None:
    """Join pairs of documents; ``parents``, int32 (documents,), begin as the documents themselves."""
    every = np.arange(len(a), dtype=np.int64)
    join_edges(a.astype(np.int32), b.astype(np.int32), every, parents, np.empty(len(a), dtype=np.int64))


def earliest_joined(parents: NDArray[np.int32]) -> NDArray[np.int64]:
    """The smallest document that each is joined with; a parent is always smaller than its children."""
    found = parents.astype(np.int64)
    while True:
        nearer = found[found]
        if np.array_equal(nearer, found):
            return found
        found = nearer


def equal_texts(rows: Sequence[dict[str, Any]], documents: int) -> NDArray[np.int64]:
    """The earliest exact copy, or the document itself: int64 (documents,); -1 for a text that proves nothing."""
    parts = [row["digests"] for row in rows]
    digests = np.concatenate([np.zeros(0, np.uint8), *parts]).reshape(documents, _DIGEST).copy().view(np.uint64)
    one, other = digests[:, 0], digests[:, 1]
    order = np.lexsort((other, one))
    new = np.ones(documents, dtype=np.bool_)
    new[1:] = (one[order][1:] != one[order][:-1]) | (other[order][1:] != other[order][:-1])
    starts = np.flatnonzero(new)
    first = np.empty(documents, dtype=np.int64)
    first[order] = np.repeat(order[starts], np.diff(np.append(starts, documents)))
    return np.where((one != 0) | (other != 0), first, _NOBODY)
