"""Counts of terms as rows of Arrow tables."""

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.terms.statistics import TermCounts


def counts(rows, terms):
    table = np.array(rows, dtype=np.int32).reshape(-1, len(terms))
    languages = np.arange(len(table), dtype=np.uint8) % 3
    return TermCounts(sp.csr_array(table), terms, languages, table.sum(axis=1).astype(np.int64))


def _nothing():
    none = np.zeros(0, dtype=np.int64)
    return TermCounts(sp.csr_array((0, 0), dtype=np.int32), [], none.astype(np.uint8), none)


def same(one, other):
    assert list(one.terms) == list(other.terms)
    for ours, theirs in ((one.languages, other.languages), (one.lengths, other.lengths)):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)
    assert one.counts.shape == other.counts.shape
    for name in ("indptr", "indices", "data"):
        ours, theirs = getattr(one.counts, name), getattr(other.counts, name)
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_chunks_come_back_from_a_file(tmp_path):
    chunks = [
        counts([[1, 0], [70_000, 2], [0, 0]], SurfaceList.of(["мост", "річка"])), _nothing(), counts([[3]], ["a"]),
    ]  # fmt: skip
    path = tmp_path / "counts.arrow"
    with pa.ipc.new_file(path, chunks[0].to_arrow().schema) as file:
        for chunk in chunks:
            file.write_batch(chunk.to_arrow())
    table = pa.ipc.open_file(path).read_all().combine_chunks()
    assert table.num_rows == 3
    for row, chunk in enumerate(chunks):
        same(TermCounts.from_arrow(table.to_batches()[0], row), chunk)


def test_another_version_is_refused():
    batch = counts([[3]], ["a"]).to_arrow().replace_schema_metadata({"infostream_dedup.term_counts": "0"})
    with pytest.raises(BadDataError, match="not written by this version"):
        TermCounts.from_arrow(batch)
