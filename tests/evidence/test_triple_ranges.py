"""Triples come back range by range, whether they were in memory or in a file."""

import errno
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Document
from infostream_dedup.errors import CannotWriteError
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.kernels.triples import RANGES
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, TripleRows

_RANGE = 1 << 59
"""Triples of one range, for there are 32."""


def _rows(texts):
    parts = [np.array(sorted(text), dtype=np.uint64) for text in texts]
    return TripleRows(np.concatenate([np.zeros(0, dtype=np.uint64), *parts]), np.cumsum([0, *map(len, parts)]))


def _read(ranges):
    """The triples of each document, put together from all ranges."""
    found = [[] for _ in ranges.sizes()]
    for one in range(RANGES):
        counts = ranges.counts(one)
        triples = np.empty(int(counts.sum()), dtype=np.uint64)
        ranges.read(one, triples)
        for document, part in enumerate(np.split(triples, np.cumsum(counts)[:-1]) if len(counts) else []):
            assert all(int(triple) // _RANGE == one for triple in part)
            found[document] += part.tolist()
    return found


def test_a_case_worked_by_hand():
    ranges = TripleRanges.of(_rows([[7, _RANGE, _RANGE + 2, 31 * _RANGE], [], [9, 2**64 - 1]]))
    assert ranges.sizes().tolist() == [4, 0, 2]
    assert [ranges.counts(one).tolist() for one in (0, 1, 2, 31)] == [[1, 0, 1], [2, 0, 0], [0, 0, 0], [1, 0, 1]]
    first, last = np.empty(2, dtype=np.uint64), np.empty(2, dtype=np.uint64)
    ranges.read(0, first)
    ranges.read(31, last)
    assert first.tolist() == [7, 9]
    assert last.tolist() == [31 * _RANGE, 2**64 - 1]
    plain, mixed = ranges.checksums()
    assert plain.tolist() == [7 + 33 * _RANGE + 2 - 2**64, 0, 8]
    assert mixed.tolist()[1:] == [0, (9 * 9) ^ 1]


@given(st.lists(st.sets(st.integers(0, 2**64 - 1), max_size=30), max_size=12), st.integers(0, 400))
def test_what_was_written_is_read(texts, memory):
    rows = _rows(texts)
    ranges = TripleRanges(memory=memory)
    for cut in np.array_split(np.arange(len(texts)), 3):
        if len(cut):
            ranges.append(ranges.write(rows.triples, rows.begins[cut[0] : cut[-1] + 2]))
    assert _read(ranges) == [sorted(text) for text in texts]
    assert np.array_equal(ranges.checksums(), TripleRanges.of(rows).checksums())
    ranges.close()


def test_threads_may_write_in_any_order():
    random = np.random.default_rng(1)
    texts = [set(random.integers(0, 2**63, 300).tolist()) for _ in range(200)]
    rows, ranges = _rows(texts), TripleRanges(memory=50_000)
    with ThreadPoolExecutor(8) as pool:
        for written in pool.map(lambda at: ranges.write(rows.triples, rows.begins[at : at + 2]), range(200)):
            ranges.append(written)
    assert _read(ranges) == [sorted(text) for text in texts]
    ranges.close()


def test_a_document_with_more_triples_in_a_range_than_a_byte_counts():
    ranges = TripleRanges.of(_rows([range(70_000), range(3)]))
    assert ranges.counts(0).tolist() == [70_000, 3]
    assert _read(ranges) == [list(range(70_000)), [0, 1, 2]]


def test_a_full_disk_is_named(monkeypatch):
    ranges = TripleRanges(memory=10)

    def write(_data):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ranges._file, "write", write)
    with pytest.raises(CannotWriteError, match=r"word triples do not fit into .*: No space left.* TMPDIR"):
        ranges.write(np.arange(5, dtype=np.uint64), np.array([0, 5]))


def test_a_file_that_lost_something_is_not_read():
    ranges = TripleRanges.of(_rows([range(9)]))
    ranges._file.truncate(70)
    with pytest.raises(OSError, match="incomplete"):
        ranges.read(0, np.empty(9, dtype=np.uint64))


def test_a_reader_writes_the_triples_that_it_would_keep():
    texts = [f"Слово {number} и ещё {number % 7} слов о деле {number % 3}" for number in range(50)]
    documents = [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]
    ranges = TripleRanges(memory=100)
    keeping, writing = EvidenceReader(chunk=200), EvidenceReader(chunk=200, ranges=ranges)
    for document in documents:
        keeping.add(document)
        writing.add(document)
    kept, written = keeping.finish(["ru"] * 50), writing.finish(["ru"] * 50)
    rows = kept.triples
    assert _read(ranges) == [part.tolist() for part in np.split(rows.triples, rows.begins[1:-1])]
    assert np.array_equal(kept.records.words, written.records.words)
    assert written.triples.begins.tolist() == [0]
    ranges.close()
