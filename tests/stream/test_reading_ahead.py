"""The next batch is read while one is judged: the same bytes in the same order, whatever fails."""

import hashlib
import threading

import pytest

from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.documents.records import Place
from infostream_dedup.errors import BadDataError, CannotWriteError
from infostream_dedup.stream import deduplicator
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.intake import Intake
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

SHORT = {"window_days": 3, "epoch_documents": 40, "first_epoch": 20}


@pytest.fixture(autouse=True)
def beside(monkeypatch):
    """The first documents of batches that another thread has read; however few, it may do so."""
    found = []

    def read(engine, batch, read=StreamEngine.read, **given):
        if threading.current_thread() is not threading.main_thread():
            found.append(batch[0].id)
        return read(engine, batch, **given)

    monkeypatch.setattr(deduplicator, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(StreamEngine, "read", read)
    return found


def taken(stream, documents, size, *, ahead=True):
    placed = [(one, Place("file", line)) for line, one in enumerate(documents, start=1)]
    batches = (placed[begin : begin + size] for begin in range(0, len(placed), size))
    return Intake(stream, chosen_reading(None, {}).bad_records()).taken(batches, None, ahead=ahead)


def bytes_of(stream):
    return hashlib.sha256("\n".join(stream.store.connection.iterdump()).encode()).hexdigest()


@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("preset", ["faithful", "judged"])
def test_a_batch_read_ahead_gives_the_bytes_of_one_after_the_other(documents, beside, tmp_path, preset, size):
    found, several = [], documents[:40] if size == 1 else [*documents, *documents[:10]]  # the last batch is known
    for ahead in (False, True):
        with Deduplicator.open(tmp_path / f"{ahead}.db", StreamSettings.of({"preset": preset, **SHORT})) as stream:
            found.append(([own for _, own in taken(stream, several, size, ahead=ahead)], bytes_of(stream)))
    assert found[0] == found[1]
    begins = range(size, len(several), size)
    assert beside == [several[begin].id for begin in begins if begin + size <= len(documents)]


def test_after_an_error_a_stream_goes_on_as_if_nothing_had_been_read(documents, beside, monkeypatch, tmp_path):
    with Deduplicator.open(tmp_path / "whole.db") as stream:
        expected = [own for _, own in taken(stream, documents[:150], 50)], bytes_of(stream)

    def full(store, batch, append=Store.append):
        append(store, batch)
        if batch.decided.remembered[0].ordinal == 50:
            raise CannotWriteError("no room")

    with Deduplicator.open(tmp_path / "s.db") as stream:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "append", full)
            with pytest.raises(CannotWriteError):
                list(taken(stream, documents[:150], 50))
        batches = [documents[begin : begin + 50] for begin in (0, 50, 100)]
        found = [stream.process(batches[0]), stream.process(batches[1], following=batches[2])]
        # Announced, but not given: another one may follow.
        assert stream.process(batches[0]) == found[0]
        assert ([*found, stream.process(batches[2])], bytes_of(stream)) == expected
    assert beside == [documents[at].id for at in (50, 100, 50, 100, 100)]


def test_an_error_in_the_next_batch_leaves_this_one_stored(documents, tmp_path):
    def broken():
        yield [(one, Place("file", 1)) for one in documents[:30]]
        raise BadDataError("broken", code="E_JSON", source="file")

    with Deduplicator.open(tmp_path / "s.db") as stream:
        batches = Intake(stream, chosen_reading(None, {}).bad_records()).taken(broken(), None, ahead=True)
        assert len(next(batches)[1]) == stream.store.position.documents == 30
        with pytest.raises(BadDataError, match="broken"):
            next(batches)


def test_others_may_write_between_two_batches(documents, beside, tmp_path):
    one, two, three, four = (documents[begin : begin + 30] for begin in (0, 30, 60, 90))
    with Deduplicator.open(tmp_path / "s.db") as stream, Deduplicator.open(tmp_path / "s.db") as other:
        stream.process(one, following=three)
        other.process(two)
        found, content = stream.process(three, following=four), bytes_of(stream)
    with Deduplicator.open(tmp_path / "alone.db") as alone:
        assert [alone.process(batch, following=[{"id": "4"}]) for batch in (one, two, three)][2] == found
        assert bytes_of(alone) == content
    assert beside == [three[0].id]
