"""The next batch is read while one is judged: the same bytes in the same order, whatever fails."""

import hashlib
import threading

import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.documents.records import Place
from infostream_dedup.errors import BadDataError
from infostream_dedup.sample import documents_path
from infostream_dedup.stream import deduplicator
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.intake import Intake
from infostream_dedup.stream.settings import StreamSettings

SETTINGS = {"window_days": 3, "epoch_documents": 40, "first_epoch": 20}
READ = StreamEngine.read


@pytest.fixture(scope="module")
def documents():
    return list(read_documents(documents_path()))


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    """Who read how many documents; however few, another thread may do so."""
    found = []

    def read(engine, batch, **given):
        found.append((threading.current_thread() is threading.main_thread(), len(batch)))
        return READ(engine, batch, **given)

    monkeypatch.setattr(deduplicator, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(StreamEngine, "read", read)
    return found


def cut(documents, size):
    for begin in range(0, len(documents), size):
        yield [(one, Place("file", begin + at)) for at, one in enumerate(documents[begin : begin + size], start=1)]


def taken(stream, batches, *, ahead=True):
    return Intake(stream, chosen_reading(None, {}).bad_records()).taken(batches, None, ahead=ahead)


def bytes_of(stream):
    return hashlib.sha256("\n".join(stream.store.connection.iterdump()).encode()).hexdigest()


@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("preset", ["faithful", "judged"])
def test_a_batch_read_ahead_gives_the_bytes_of_one_after_the_other(documents, threads, tmp_path, preset, size):
    found = []
    documents = documents[:40] if size == 1 else [*documents, *documents[:10]]  # the last batch is known
    for ahead in (False, True):
        threads.clear()
        with Deduplicator.open(tmp_path / f"{ahead}.db", StreamSettings.of({"preset": preset, **SETTINGS})) as stream:
            verdicts = [one for _, own in taken(stream, cut(documents, size), ahead=ahead) for one in own]
            found.append((verdicts, bytes_of(stream)))
    assert found[0] == found[1]
    beside = [size for in_main, size in threads if not in_main]
    assert len(beside) >= len(documents) // size - 3, threads


def test_an_error_in_the_next_batch_leaves_this_one_stored(documents, tmp_path):
    def broken():
        yield from list(cut(documents[:90], 30))[:2]
        raise BadDataError("broken", code="E_JSON", source="file")

    with Deduplicator.open(tmp_path / "s.db") as stream:
        batches = taken(stream, broken())
        assert [len(verdicts) for _, verdicts in (next(batches), next(batches))] == [30, 30]
        assert stream.store.position.documents == 60
        with pytest.raises(BadDataError, match="broken"):
            next(batches)


def test_after_a_failure_a_stream_goes_on_as_if_nothing_had_been_read(documents, monkeypatch, tmp_path):
    with Deduplicator.open(tmp_path / "whole.db") as stream:
        wanted = [own for _, own in taken(stream, cut(documents, 50))]
        expected = bytes_of(stream)
    failures = ["judge", "read"]

    def judge(engine, batch, judged=StreamEngine.judge):
        found = judged(engine, batch)
        if batch.prepared.first == 50 and "judge" in failures:
            failures.remove("judge")
            raise RuntimeError
        return found

    def read(engine, batch, read=StreamEngine.read, **given):
        if batch[0] is documents[150] and "read" in failures:
            assert threading.current_thread() is not threading.main_thread()
            failures.remove("read")
            raise RuntimeError
        return read(engine, batch, **given)

    monkeypatch.setattr(StreamEngine, "judge", judge)
    monkeypatch.setattr(StreamEngine, "read", read)
    found = []
    with Deduplicator.open(tmp_path / "s.db") as stream:
        for batch in (own := list(cut(documents, 50))):
            after = own[own.index(batch) + 1 :][:1]
            coming = [one for one, _ in after[0]] if after else ()
            given = [one for one, _ in batch]
            while True:
                try:
                    found.append(stream.process(given, following=coming))
                    break
                except RuntimeError:
                    assert stream.store.position.documents == 50 * len(found)
        assert (found, bytes_of(stream), failures) == (wanted, expected, [])


def test_others_may_write_between_two_batches(documents, tmp_path):
    one, two, three = ([document for document, _ in batch] for batch in cut(documents[:150], 50))
    with Deduplicator.open(tmp_path / "s.db") as stream, Deduplicator.open(tmp_path / "s.db") as other:
        stream.process(one, following=three)
        other.process(two)
        found = stream.process(three)
        content = bytes_of(stream)
    with Deduplicator.open(tmp_path / "alone.db") as alone:
        assert [alone.process(batch) for batch in (one, two, three)][2] == found
        assert bytes_of(alone) == content
