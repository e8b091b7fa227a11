"""Batches from a queue, by the in-memory broker of FastStream."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.writer import Writer
from infostream_dedup.store import Store
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

from .conftest import sample_documents

rabbit = pytest.importorskip("faststream.rabbit", reason="the extra queue is not installed")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    one = Writer(lambda: Deduplicator.open(tmp_path / "news.db", StreamSettings()), 8)
    one.start()
    one.wait()
    yield one
    one.stop()


def published(writer: Writer, *bodies: bytes) -> list[str]:
    """Publish messages, and return how each was answered, by the broker's own word."""
    from faststream.rabbit.message import RabbitMessage

    from infostream_dedup.service.queue_consumer import consume

    said: list[str] = []

    async def run() -> None:
        broker = rabbit.RabbitBroker()
        consume(broker, "batches", writer)
        async with rabbit.TestRabbitBroker(broker) as tested:
            for body in bodies:
                # The test's broker hands failures of the handler on to the publisher.
                with contextlib.suppress(ProblemError):
                    await tested.publish(body, "batches")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("ack", "nack", "reject"):

            async def noted(_: Any, *given: Any, word: str = name, **named: Any) -> None:
                said.append(word)

            patch.setattr(RabbitMessage, name, noted)
        asyncio.run(run())
    return said


def batches() -> list[bytes]:
    rows = sample_documents()
    return [
        orjson.dumps({"batch_id": str(begin), "documents": rows[begin : begin + 20]})
        for begin in range(0, len(rows), 20)
    ]


def test_batches_are_stored_once_and_judged_as_by_ingest(writer: Writer, tmp_path: Path) -> None:
    bodies = batches()
    # The queue delivers again what it has no word of.
    assert published(writer, *bodies[:3], *bodies[1:]) == ["ack"] * (2 + len(bodies))
    with ingest(sample_documents(), tmp_path / "other.db", preset="faithful") as found:
        expected = [verdict.as_dict() for verdict in found]
    with Store.open(tmp_path / "news.db", read_only=True) as store:
        stored = [store.batch(str(begin)) for begin in range(0, len(expected), 20)]
    assert [verdict.as_dict() for batch in stored if batch is not None for verdict in batch.verdicts] == expected


def test_what_can_never_be_stored_is_rejected(writer: Writer, tmp_path: Path) -> None:
    good = batches()[0]
    other = orjson.dumps({"batch_id": "0", "documents": [{"id": "x", "text": "Зовсім інше."}]})
    assert published(writer, b"{", b"[]", b'{"documents": [{}]}', good, other) == [*["reject"] * 3, "ack", "reject"]
    with Store.open(tmp_path / "news.db", read_only=True) as store:
        assert store.documents(0, 1000).ordinals.tolist() == list(range(20))


def test_what_fails_for_now_goes_back_to_the_queue(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infostream_dedup.service.queue_consumer._PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(writer, "submit", refused)
    assert published(writer, batches()[0]) == ["nack"]


def refused(_: object) -> None:
    raise ProblemError(503, "queue-full")
