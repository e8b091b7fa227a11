"""Batches from a queue, by the in-memory broker of FastStream."""

import asyncio
import contextlib
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.errors import BadDataError, CannotWriteError, InfostreamError
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.threads import Writer
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

from .conftest import sample_documents
from .test_server import free_port

SCALE = int(os.environ.get("ATTACK_SCALE", "1"))
rabbit = pytest.importorskip("faststream.rabbit", reason="the extra queue is not installed")


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    one = Writer(lambda: Deduplicator.open(tmp_path / "news.db", StreamSettings()), 8)
    one.start()
    one.wait()
    yield one
    one.stop()


def published(writer: Writer, *bodies: bytes, rejected: Path = Path(os.devnull)) -> list[str]:
    """Publish messages, and return how each was answered, by the broker's own word."""
    from faststream.rabbit.message import RabbitMessage

    from infostream_dedup.service.queue_consumer import consume

    said: list[str] = []

    async def run() -> None:
        broker = rabbit.RabbitBroker()
        consume(broker, "batches", writer, rejected)
        async with rabbit.TestRabbitBroker(broker) as tested:
            for body in bodies:
                # The test's broker hands failures of the handler on to the publisher.
                with contextlib.suppress(ProblemError, InfostreamError):
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
    bad, rejected = [b"{", b"[]", b'{"documents": [{}]}', b"\xff\n"], tmp_path / "rejected.jsonl"
    rejected.write_bytes(b'{"code": "cut by a ki')
    assert published(writer, *bad, good, other, rejected=rejected) == [*["reject"] * 4, "ack", "reject"]
    found = [orjson.loads(line) for line in rejected.read_bytes().splitlines()[1:]]
    assert [one["body"].encode() for one in found] == [*bad[:3], b"\\xff\n", other]
    assert [one["code"] for one in found] == ["json", "invalid", "E_MISSING", "json", "E_BATCH_CONFLICT"]
    with Store.open(tmp_path / "news.db", read_only=True) as store:
        assert store.documents(0, 1000).ordinals.tolist() == list(range(20))


def test_what_fails_for_now_goes_back_to_the_queue(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infostream_dedup.service.queue_consumer._PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(writer, "submit", refused)
    assert published(writer, batches()[0]) == ["nack"]


@pytest.mark.parametrize("error", [
    BadDataError("the store is damaged", code="E_STORE_DAMAGED", source="news.db"),
    BadDataError("the store has schema 13", code="E_STORE_NEWER", source="news.db"),
    CannotWriteError("news.db: no space left"),
])  # fmt: skip
def test_a_fault_of_the_store_rejects_no_message_and_is_said_once(
    error: InfostreamError, writer: Writer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("infostream_dedup.service.queue_consumer._PAUSE_SECONDS", 0.0)

    def fails(_: object) -> None:
        raise error

    monkeypatch.setattr(writer, "submit", fails)
    assert published(writer, *batches()[:2]) == ["nack"] * 2
    assert capsys.readouterr().err.count(f", {error}\n") == 1


class QueueDeclaredBefore:
    """A connection and its channel, to a broker with one queue."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def channel(self) -> "QueueDeclaredBefore":
        return self

    async def get_queue(self, name: str) -> None:
        if name != self.name:
            from aio_pika.exceptions import ChannelNotFoundEntity

            raise ChannelNotFoundEntity(name)

    async def close(self) -> None:
        pass


def test_a_queue_that_exists_is_not_declared_again(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    from faststream import FastStream

    from infostream_dedup.service.queue_consumer import _served

    async def connected(_: object) -> QueueDeclaredBefore:
        return QueueDeclaredBefore("news")

    async def runs(_: object) -> None:
        pass

    monkeypatch.setattr(rabbit.RabbitBroker, "connect", connected)
    monkeypatch.setattr(FastStream, "run", runs)
    declared = {}
    for name in ("news", "other"):
        broker = rabbit.RabbitBroker()
        asyncio.run(_served(broker, name, writer, Path(os.devnull)))
        declared[name] = [one.queue.declare for one in broker.subscribers]
    assert declared == {"news": [False], "other": [True]}


@pytest.mark.parametrize(("arguments", "code", "said"), [
    ([], 2, "usage: python -P -m infostream_dedup.service.queue_consumer ADDRESS QUEUE STORE [--keep-text]"),
    (["amqp://127.0.0.1:1/", "news", "news.db", "--texts"], 2, "usage: "),
    (["amqp://127.0.0.1:1/", "news", "missing/news.db"], 73, ": there is no directory"),
    (["amqp://127.0.0.1:1/", "news", "news.db"], 66, "infostream-dedup: cannot connect to the queue: "),
])  # fmt: skip
def test_what_keeps_it_from_starting_is_said_in_one_line(arguments: list[str], code: int, said: str, tmp_path: Path):
    command = [sys.executable, "-m", "infostream_dedup.service.queue_consumer", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("keep_text", [False, True])
def test_texts_are_kept_where_that_is_asked_for(keep_text: bool, tmp_path: Path) -> None:
    from infostream_dedup.service.queue_consumer import _opened

    path = tmp_path / "news.db"
    rows = [{"id": name, "text": f"Снег в горах, {name}."} for name in "ab"]
    with _opened(path, keep_text=False) as stream:
        stream.process(rows[:1])
    with _opened(path, keep_text=keep_text) as stream:
        stream.process(rows[1:])
    with Store.open(path, read_only=True) as store:
        assert [store.text(ordinal) for ordinal in (0, 1)] == [None, rows[1]["text"] if keep_text else None]


def refused(_: object) -> None:
    raise ProblemError(503, "queue-full")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[str]:
    """The address of a RabbitMQ of our own."""
    server = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    if not server.exists():
        pytest.skip("no rabbitmq-server; Debian's package has it")
    port, home = free_port(), tmp_path / "rabbit"
    home.mkdir()
    given = {
        "HOME": str(home), "RABBITMQ_NODENAME": f"test{port}@localhost", "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()), "ERL_EPMD_PORT": str(free_port()), "RABBITMQ_MNESIA_BASE": str(home),
        "RABBITMQ_LOG_BASE": str(home), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": "/dev/null",
    }  # fmt: skip
    with subprocess.Popen(
        [server], env={**os.environ, **given}, stdout=subprocess.DEVNULL, start_new_session=True
    ) as one:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.2)
        yield f"amqp://guest:guest@127.0.0.1:{port}/"
        os.killpg(one.pid, signal.SIGKILL)


@pytest.mark.slow
def test_a_consumer_killed_at_any_moment_loses_and_doubles_nothing(
    broker: str, tmp_path: Path, record_property: Any
) -> None:
    import aio_pika

    draw, store, kills = random.Random(5), tmp_path / "news.db", 50 * SCALE if SCALE > 1 else 4  # noqa: S311
    names = [f"b{number}" for number in range(kills * 30)]

    async def publish() -> None:
        async with await aio_pika.connect(broker) as connection:
            channel = await connection.channel()
            await channel.declare_queue("news", durable=True)
            for name in names:
                rows = [{"id": f"{name}-{row}", "text": f"{name} {draw.random()} snow and rain"} for row in range(20)]
                for body in (orjson.dumps({"batch_id": name, "documents": rows}), *([b"{"] if name == "b3" else [])):
                    message = aio_pika.Message(body, delivery_mode=aio_pika.DeliveryMode.PERSISTENT)
                    await channel.default_exchange.publish(message, "news")

    asyncio.run(publish())
    command = [sys.executable, "-P", "-m", "infostream_dedup.service.queue_consumer", broker, "news", str(store)]

    def stored() -> int:
        if not store.exists() or not store.stat().st_size:
            return 0
        with contextlib.closing(sqlite3.connect(store)) as read, contextlib.suppress(sqlite3.OperationalError):
            return int(read.execute("SELECT count(*) FROM batch").fetchone()[0])
        return 0

    def consumes_until(least: int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 120
        while stored() < least and time.monotonic() < until:
            time.sleep(0.02)
        return process

    killed = 0
    for _ in range(kills):
        process = consumes_until(min(stored() + 1, len(names)))
        time.sleep(draw.uniform(0, 0.2))
        killed += process.poll() is None
        process.kill()
        process.wait()
    process = consumes_until(len(names))
    time.sleep(1)  # a message that came again would be stored now
    process.terminate()
    assert process.wait(60) in (0, -signal.SIGTERM)
    with Store.open(store, read_only=True) as opened:
        lost = [opened.batch(name) for name in names].count(None)
        doubled = opened.position.batches + lost - len(names)
        assert opened.position.documents == 20 * len(names)
    assert {*(tmp_path / "news.db.rejected.jsonl").read_bytes().splitlines()} == {b'{"code":"json","body":"{"}'}
    record_property("kills", killed)
    record_property("batches", len(names))
    record_property("lost", lost)
    record_property("doubled", doubled)
    assert (killed, lost, doubled) == (kills, 0, 0)
