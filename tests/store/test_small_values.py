"""The state of a store is written only when it changes; rows of numbers are bytes."""

import numpy as np
import pytest

from infostream_dedup.machine.arrays import INT32, INT64, blobs_of
from infostream_dedup.model.stream_records import Batch, Decided


def test_a_batch_that_changes_nothing_small_writes_nothing_small(new_store):
    seen, state = [], {"sources": {"tass": [2, 2]}}
    new_store.append(Batch("утро", b"", Decided(state=state)))
    new_store.connection.set_trace_callback(seen.append)
    new_store.append(Batch("день", b"", Decided(state=state)))
    # Another object of the same value is not written either.
    new_store.append(Batch("вечер", b"", Decided(state={"sources": {"tass": [2, 2]}})))
    assert [one for one in seen if "INTO state" in one] == []
    new_store.append(Batch("ночь", b"", Decided(state={"sources": {"tass": [2, 3]}})))
    assert len([one for one in seen if one.startswith("REPLACE INTO state")]) == 2
    assert new_store.load().state == {"sources": {"tass": [2, 3]}}


def test_a_failed_batch_may_write_its_state_again(new_store):
    state = {"sources": {"tass": [2, 2]}}

    def interrupted():
        with new_store.transaction():
            new_store.append(Batch("день", b"", Decided(state=state)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    new_store.append(Batch("день", b"", Decided(state=state)))
    assert new_store.load().state == state


@pytest.mark.parametrize("rows", [[[5, 1]], [[5], [], [7, 1 << 31]], [[]]])
def test_rows_of_numbers_as_bytes(rows):
    given = [np.array(row, dtype=np.int64) for row in rows]
    assert [np.frombuffer(blob, dtype="<i8").tolist() for blob in blobs_of(given, INT64)] == rows
    if max(map(max, filter(None, rows)), default=0) < 1 << 31:
        assert [np.frombuffer(blob, dtype="<i4").tolist() for blob in blobs_of(given, INT32)] == rows
    else:
        with pytest.raises(ValueError, match="do not fit"):
            blobs_of(given, INT32)
