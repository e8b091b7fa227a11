"""Decides status and group of every document of a work folder, as preset ``judged`` does in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.status import (
    JOINED_IN_STREAMS,
    JOINED_WITHOUT_DATES,
    KEPT,
    STATUS_NAMES,
    DocumentStatus,
    break_chains,
    joined_kinds,
)
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.runs.batch.judged_deduplication import BestPairs, JudgedStatus
from infostream_dedup.runs.batch.judging import CANDIDATE_TERMS
from infostream_dedup.runs.sharded.deduplication import STATUSES, FoundStatuses, earliest_joined, join_groups
from infostream_dedup.runs.sharded.judging import EqualDocuments, JudgedRun
from infostream_dedup.runs.sharded.pairing import paired
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PAIRS_AT_ONCE: Final = 200_000
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class FoundJudgedStatuses(FoundStatuses):
    """Statuses of all documents, and their probabilities.

    Attributes:
        kinds: int8 (documents,), ``Kind`` of the pair with ``of``; meaningless if there is none.
        probability: float64 (documents,), probability of the same pair.
    """

    kinds: NDArray[np.int8]
    probability: NDArray[np.float64]

    def statuses(self) -> Iterator[JudgedStatus]:
        """The status of every document, in input order."""
        # The decorator replaces a class with slots, so super() without arguments would look for the class before it.
        plain = FoundStatuses.statuses(self)
        for status, kind, probability in zip(plain, self.kinds, self.probability, strict=True):
            if status.of is None:
                yield JudgedStatus(status.status, None, status.group)
                continue
            name = KIND_NAMES[seen_from_later(Kind(int(kind)))]
            yield JudgedStatus(status.status, status.of, status.group, name, round(float(probability), _DECIMALS))


def judged_statuses_on_disk(collection: JudgedRun, *, join: Sequence[str] | None = None) -> FoundJudgedStatuses:
    """Decide as ``batch.judged_deduplication.judged_statuses`` does.

    Args:
        collection: the documents; the hashes of the bodies must have been taken.
    """
    nodes = collection.nodes
    sizes = nodes.sizes[nodes.node_of]
    if join is None:
        join = JOINED_IN_STREAMS if collection.dated else JOINED_WITHOUT_DATES
    joins, decided = joined_kinds(join), BestPairs.none(len(sizes))
    parents, kept = np.arange(len(sizes), dtype=np.int32), np.full(len(sizes), KEPT, dtype=np.int8)
    for a, b in _candidates(collection):
        judged = collection.judge(a, b)
        status = judged.statuses(joins)
        enough = np.minimum(sizes[a], sizes[b]) >= INSUFFICIENT_TERMS
        status[~enough & (status != DocumentStatus.EXACT)] = DocumentStatus.NEW
        break_chains(judged, status, kept)
        decided.take(judged, status)
    join_groups(*decided.joined(), parents)
    return _found(collection, decided, earliest_joined(parents), sizes)


def _found(
    collection: JudgedRun, decided: BestPairs, group: NDArray[np.int64], sizes: NDArray[np.uint8]
) -> FoundJudgedStatuses:
    number = np.array([STATUSES.index(name) for name in STATUS_NAMES], dtype=np.uint8)
    short = (sizes < INSUFFICIENT_TERMS) & (decided.of < 0) & (collection.facts.texts < 0)
    rows = list(collection.documents())
    return FoundJudgedStatuses(
        np.where(short, STATUSES.index("insufficient_text"), number[decided.status]).astype(np.uint8),
        decided.of,
        group,
        pa.chunked_array([row["ids"] for row in rows], pa.string()),
        np.concatenate([np.zeros(0, np.int64), *(row["lengths"] for row in rows)]),
        decided.kind,
        decided.probability,
    )


def _candidates(collection: JudgedRun) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs to be judged: a few later documents at a time, each with all its earlier ones."""
    nodes, facts = collection.nodes, collection.facts
    finder, equals = paired(collection, CANDIDATE_TERMS), EqualDocuments(facts)
    # If each pair is judged, all documents of a node are looked at, otherwise only those that do not repeat each other.
    alone = np.full(len(nodes), True) if collection.every_pair else _apart(collection)
    work = finder.work(whole=collection.every_pair) * nodes.weights
    for block in row_blocks(work, _PAIRS_AT_ONCE):
        documents = finder.members_of(block)
        pairs = finder.earlier(documents, alone)
        languages, texts = collection.languages, facts.texts
        same_text = (texts[pairs.a] == texts[pairs.b]) & (texts[pairs.a] >= 0)
        kept = pairs.where(same_text | (languages[pairs.a] == languages[pairs.b]))
        found = [np.stack((kept.b, kept.a)), np.stack(equals.before(documents))]
        b, a = np.unique(np.concatenate(found, axis=1), axis=1)
        yield a, b
        collection.run.tell("judging", block.stop, len(nodes))


def _apart(collection: JudgedRun) -> NDArray[np.bool_]:
    """Bool (nodes,): which nodes have several documents that are not linked to each other."""
    nodes, settings = collection.nodes, collection.settings
    sizes = nodes.sizes.astype(np.int64)
    least = need(CANDIDATE_TERMS, sizes, sizes, n=settings.n, short=settings.short)
    return np.asarray((nodes.weights > 1) & (nodes.inside < least))
