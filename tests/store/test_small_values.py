"""The state of a store is written only when it changes."""

from __future__ import annotations

import pytest

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
