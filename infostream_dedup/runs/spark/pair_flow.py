"""Pairs and statuses on a cluster: the links of a chunk in both directions meet in one task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.links.pair_rules import RELATIONS, need
from infostream_dedup.runs.batch.pair_table import least_count
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.deduplication import StatusRules
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.runs.sharded.linking import LINKS
from infostream_dedup.runs.sharded.pairing import DocumentPairs, PairFinder, merged_rows, recounted, turn_links
from infostream_dedup.runs.sharded.totals import LinkTable
from infostream_dedup.runs.spark.flow import Blob, Flow, shared_value, unpacked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from infostream_dedup.runs.spark.job import SparkRun


PAIRS: Final = Layout("pairs", (), {"a": "i8", "b": "i8", "forward": "i8", "backward": "i8"})
"""Pairs of documents."""

_TURNED: Final = 1 << 60
_LISTED: Final = "a string, b string, forward int, backward int, n_a int, n_b int, relation string"
_LISTED_ARROW: Final = pa.schema(
    [
        ("a", pa.string()),
        ("b", pa.string()),
        ("forward", pa.int32()),
        ("backward", pa.int32()),
        ("n_a", pa.int32()),
        ("n_b", pa.int32()),
        ("relation", pa.string()),
    ]
)


def judged_documents(run: SparkRun, rules: StatusRules) -> tuple[DocumentPairs, DocumentPairs, DocumentPairs]:
    """Joined results of ``StatusRules.decide`` on the driver, with their pairs ``settled``."""
    shared = shared_value(run.spark, (run.nodes, rules, rules.alone()))
    least = rules.least

    def decide(blobs: Iterator[Blob]) -> Iterator[Blob]:
        nodes, rules, alone = shared.value
        for chunk, first, last, finder in _finders(blobs, nodes, least):
            found = rules.decide(finder.earlier(finder.members_of(slice(first, last)), alone))
            for kind, some in enumerate(found):
                yield Blob(chunk, kind, _packed(some))

    found = [_pairs_of(blob.batch) for blob in _both_directions(run, least).then(decide).collected()]
    # Three of each chunk, in the order of ``decide``.
    duplicate, similar, same = (_joined(found[kind::3]) for kind in range(3))
    recount = partial(recounted, pick=run.picked)
    return rules.settled(duplicate, recount), rules.settled(similar, recount), same


def _joined(parts: Sequence[DocumentPairs]) -> DocumentPairs:
    nothing = np.zeros(0, dtype=np.int64)
    a, b, forward, backward = (
        np.concatenate([nothing, *(getattr(part, name) for part in parts)])
        for name in ("a", "b", "forward", "backward")
    )
    return DocumentPairs(a, b, forward, backward)


def listed_pairs(run: SparkRun, k_min: int | None) -> DataFrame:
    """Pairs with a relation at ``settings.k``, or with at least ``k_min`` terms in either direction.

    Links of fewer terms are not kept, so the count of the weaker direction is null if it is smaller.
    """
    settings = run.settings
    least = least_count(settings) if k_min is None else k_min
    ids = pa.concat_arrays([pa.array([], pa.string()), *(row["ids"] for row in run.documents())])
    shared = shared_value(run.spark, (run.nodes, ids))

    def select(nodes: NodeTable, found: DocumentPairs) -> tuple[DocumentPairs, list[np.ndarray]]:
        size_a, size_b = (nodes.sizes[nodes.node_of[side]].astype(np.int64) for side in (found.a, found.b))
        required = need(settings.k, size_a, size_b, n=settings.n, short=settings.short)
        relation = (found.forward >= required).astype(np.int64) + 2 * (found.backward >= required)
        strongest = np.maximum(found.forward, found.backward)
        wanted = relation > 0 if k_min is None else strongest >= k_min
        return found.where(wanted), [one[wanted] for one in (size_a, size_b, relation)]

    def list_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        nodes, ids = shared.value
        names = pa.array(RELATIONS, pa.string())
        for _, first, last, finder in _finders(unpacked(batches), nodes, least):
            found, (size_a, size_b, relation) = select(nodes, finder.later(finder.members_of(slice(first, last))))
            columns = [
                ids.take(pa.array(found.a)),
                ids.take(pa.array(found.b)),
                pa.array(found.forward.astype(np.int32), mask=found.forward < least),
                pa.array(found.backward.astype(np.int32), mask=found.backward < least),
                pa.array(size_a.astype(np.int32)),
                pa.array(size_b.astype(np.int32)),
                names.take(pa.array(relation)),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_LISTED_ARROW)

    return _both_directions(run, least).frame.mapInArrow(list_rows, _LISTED)


def _both_directions(run: SparkRun, least: int) -> Flow:
    """LINKS of each chunk and the same links reversed; a part is a chunk that contains leaders of nodes."""
    links = run.links(least)
    nodes = len(run.nodes)
    bounds = [run.nodes.leaders_in(first, first + 1)[0] for first in run.firsts]
    firsts = np.unique(np.array([first for first in bounds if first < nodes], dtype=np.int64))
    part_of: Callable[[int], int] = lambda first: int(np.searchsorted(firsts, first))  # noqa: E731

    def spread(blobs: Iterator[Blob]) -> Iterator[Blob]:
        for blob in blobs:
            yield Blob(part_of(blob.place), blob.place, blob.batch)
            for row in turn_links([blob.batch], firsts, nodes):
                yield Blob(part_of(row.column("first")[0].as_py()), _TURNED + blob.place, row)

    return links.then(spread).to_parts(max(1, len(firsts)))


def _finders(blobs: Iterable[Blob], nodes: NodeTable, least: int) -> Iterator[tuple[int, int, int, PairFinder]]:
    """For each chunk: its number, its first and last node, and the finder of their pairs."""
    by_chunk: dict[int, list[pa.RecordBatch]] = {}
    for blob in blobs:
        by_chunk.setdefault(blob.part, []).append(blob.batch)
    for chunk, (out, *turned) in by_chunk.items():
        (row,) = LINKS.rows([out])
        finder = PairFinder(nodes, LinkTable([out]), LinkTable([merged_rows(turned)]), least)
        yield chunk, row["first"], row["first"] + row["nodes"], finder


def _packed(pairs: DocumentPairs) -> pa.RecordBatch:
    return PAIRS.row(a=pairs.a, b=pairs.b, forward=pairs.forward, backward=pairs.backward)


def _pairs_of(batch: pa.RecordBatch) -> DocumentPairs:
    (row,) = PAIRS.rows([batch])
    return DocumentPairs(row["a"], row["b"], row["forward"], row["backward"])
