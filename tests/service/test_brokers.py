"""Documents from RabbitMQ, NATS, Redis and Kafka: real servers, which the tests start."""

import asyncio
import contextlib
import hashlib
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import Deduplicator, Reading, ingest
from infostream_dedup.documents.records import Place
from infostream_dedup.errors import BadDataError, InfostreamError
from infostream_dedup.stream import brokers
from infostream_dedup.stream.intake import Intake

from .conftest import sample_documents
from .test_server import free_port

KINDS = ["amqp", "nats", "redis", "kafka"]
SCALE = int(os.environ.get("ATTACK_SCALE", "1"))


def command_of(name: str, *elsewhere: str) -> str:
    found = next((one for one in (*elsewhere, shutil.which(name)) if one and Path(one).exists()), None)
    if found is None:
        pytest.skip(f"no {name}; Debian has a package of this name")
    return found


@contextlib.contextmanager
def rabbit(home: Path) -> Iterator[str]:
    port = free_port()
    given = {
        "HOME": str(home), "RABBITMQ_NODENAME": f"test{port}@localhost", "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()), "ERL_EPMD_PORT": str(free_port()), "RABBITMQ_MNESIA_BASE": str(home),
        "RABBITMQ_LOG_BASE": str(home), "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": "/dev/null",
    }  # fmt: skip
    command = [command_of("rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmq-server")]
    with running(command, port, env={**os.environ, **given}):
        yield f"amqp://guest:guest@127.0.0.1:{port}/"


@contextlib.contextmanager
def nats(home: Path) -> Iterator[str]:
    port = free_port()
    with running([command_of("nats-server"), "-js", "-sd", str(home), "-a", "127.0.0.1", "-p", str(port)], port):
        yield f"nats://127.0.0.1:{port}"


@contextlib.contextmanager
def redis(home: Path) -> Iterator[str]:
    port = free_port()
    command = [command_of("redis-server"), "--port", str(port), "--dir", str(home), "--appendonly", "yes"]
    with running(command, port):
        yield f"redis://127.0.0.1:{port}/0"


@contextlib.contextmanager
def kafka(_: Path) -> Iterator[str]:
    """A cluster that speaks Kafka's protocol, in the memory of librdkafka."""
    from confluent_kafka import Producer

    cluster = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "", "log_level": 0})
    one = next(iter(cluster.list_topics(timeout=10).brokers.values()))
    yield f"kafka://{one.host}:{one.port}"


@contextlib.contextmanager
def running(command: list[str], port: int, env: dict[str, str] | None = None) -> Iterator[None]:
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=env, stdout=quiet, stderr=quiet, start_new_session=True) as one:
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.2)
            yield
        finally:
            os.killpg(one.pid, signal.SIGKILL)


SERVERS: dict[str, tuple[str, Callable[[Path], contextlib.AbstractContextManager[str]]]] = {
    "amqp": ("aio_pika", rabbit), "nats": ("nats", nats), "redis": ("redis", redis),
    "kafka": ("confluent_kafka", kafka),
}  # fmt: skip


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    package, server = SERVERS[request.param]
    pytest.importorskip(package, reason="the extra queue is not installed")
    home = tmp_path / "broker"
    home.mkdir()
    with server(home) as one:
        yield one


def connected(address: str, name: str, work: Callable[[Any], Any], group: str = "test") -> Any:

    async def run() -> Any:
        broker = brokers._BROKERS[address.partition(":")[0]][0](address, name, group, 1000, name)
        await broker.open()
        try:
            return await work(broker)
        finally:
            await broker.close()

    return asyncio.run(run())


def send(address: str, name: str, bodies: Sequence[bytes]) -> None:
    rows = [("all", body) for body in bodies]  # by its key, Kafka keeps them in one order
    connected(address, name, lambda broker: broker.publish(name, rows))


def received(address: str, name: str) -> list[bytes]:
    async def all_of(broker: Any) -> list[bytes]:
        found, until = [], time.monotonic() + 30
        while time.monotonic() < until:
            if came := await broker.take(1000, 1.5):
                found += came
                await broker.done(came)
            elif found and not await broker.more():
                break
        return [one.body for one in found]

    return connected(address, name, all_of)


def rows_of(store: Path) -> str:
    """One SHA-256 of all verdicts in their order; fails if a document is there twice."""
    with contextlib.closing(sqlite3.connect(store)) as read:
        found = read.execute(
            "SELECT ordinal, id, status, of_id, group_id, kind FROM document ORDER BY ordinal"
        ).fetchall()
    assert len({row[1] for row in found}) == len(found)
    return hashlib.sha256(repr(found).encode()).hexdigest()


@pytest.mark.slow
def test_every_form_of_message_is_stored_judged_published_or_set_aside(address: str, tmp_path: Path) -> None:
    rows, store = sample_documents(), tmp_path / "news.db"
    lines = BOM_UTF8 + b"\n".join(map(orjson.dumps, rows[3:6]))
    good = [orjson.dumps(rows[0]), orjson.dumps(rows[1:3]), lines, orjson.dumps({"documents": rows[6:20]})]
    good += [orjson.dumps(row) for row in rows[20:]]
    other = orjson.dumps({"id": rows[0]["id"], "text": "Зовсім інше."})
    bad = [b"{", b'"a"', b'{"title": "no id"}', b"\xff\n", other, b'[{"id": "a", "text": "b"}, {"id": "c"}]']
    send(address, "news", [*good[:2], *bad[:3], *good[2:], *bad[3:], good[0]])
    with ingest(address, store, queue="news", publish="verdicts", batch_size=40, batch_seconds=0.2) as found:
        verdicts = found.as_rows()
        assert found.report.quarantined == len(bad)
    with ingest(rows, tmp_path / "other.db") as found:
        expected = found.as_rows()
    assert verdicts == [*expected, expected[0]]
    assert rows_of(store) == rows_of(tmp_path / "other.db")
    assert sorted(received(address, "verdicts")) == sorted(orjson.dumps(row) for row in verdicts)
    dead = [orjson.loads(line) for line in (tmp_path / "news.db.dead.jsonl").read_bytes().splitlines()]
    assert [one["code"] for one in dead] == ["E_JSON", "E_TYPE", "E_MISSING", "E_JSON", "E_ID_CONFLICT", "E_MISSING"]
    assert [
        one["body"].replace("\\xff", "\xff").encode("latin-1" if "xff" in one["body"] else "utf-8") for one in dead
    ] == bad
    assert {(one["queue"], one["tries"], bool(one["reason"])) for one in dead} == {("news", 3, True)}
    with ingest(address, store, queue="news", batch_seconds=0.2) as found:  # all were acknowledged
        assert list(found) == []


@pytest.mark.parametrize("fields", [{b"\xff": b"a", b"id": b"1"}, {b"id": b"1", b"text": b"\xff"}])
def test_an_entry_of_redis_that_is_not_utf_8_is_a_bad_message(fields: dict[bytes, bytes]) -> None:
    with pytest.raises(BadDataError, match="E_JSON"):
        brokers._items(brokers._entry(fields), Place("news", 1))


@pytest.mark.slow
@pytest.mark.parametrize("address", ["nats"], indirect=True)
def test_each_subject_of_a_stream_is_read_from_its_beginning(address: str, tmp_path: Path) -> None:
    names, rows = ["news.uk", "news.ru"] * 3, sample_documents()[:6]
    connected(address, "news.>", lambda broker: broker.more())  # one stream keeps them all
    for name, row in zip(names, rows, strict=True):
        send(address, name, [orjson.dumps(row)])
    for name, later in (("news.ru", rows[1::2]), ("news.uk", rows[::2]), ("news.ru", [])):
        with ingest(address, tmp_path / "news.db", queue=name, batch_seconds=0.2) as found:
            assert [one.id for one in found] == [row["id"] for row in later]


@pytest.mark.slow
def test_a_consumer_killed_at_any_moment_loses_and_doubles_nothing(address: str, tmp_path: Path, record_property: Any):
    draw, store, kills = random.Random(5), tmp_path / "news.db", 20 * SCALE  # noqa: S311
    rows = [
        {"id": f"d{one}", "text": f"{draw.choice(['снег', 'дождь'])} {draw.random()} в горах"}
        for one in range(kills * 60)
    ]
    bodies = [orjson.dumps(row) for row in rows]
    bodies.insert(5, b"{")
    send(address, "news", bodies)
    with ingest(rows, tmp_path / "other.db", preset="faithful") as found:
        list(found)
    command = [sys.executable, "-P", "-m", "infostream_dedup", "ingest", address, "--queue=news", "--follow", "--quiet"]
    command += ["--store", str(store), "--batch-size", "50", "--batch-seconds", "0.1", "--preset", "faithful"]

    def stored() -> int:
        if store.exists() and store.stat().st_size:
            with contextlib.closing(sqlite3.connect(store)) as read, contextlib.suppress(sqlite3.OperationalError):
                return int(read.execute("SELECT count(*) FROM document").fetchone()[0])
        return 0

    def consumes_until(least: int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        until = time.monotonic() + 120
        while stored() < least and time.monotonic() < until and process.poll() is None:
            time.sleep(0.01)
        return process

    killed = 0
    for _ in range(kills):
        process = consumes_until(min(stored() + 1, len(rows)))
        time.sleep(draw.uniform(0, 0.1))
        killed += process.poll() is None
        process.kill()
        process.communicate()
    command.remove("--follow")
    assert subprocess.run(command, stdout=subprocess.DEVNULL, timeout=300, check=False).returncode == 0
    lost, doubled = len(rows) - stored(), stored() - len(rows)
    for name, value in {"kills": killed, "documents": len(rows), "lost": lost, "doubled": doubled}.items():
        record_property(name, value)
    assert (killed, lost, doubled) == (kills, 0, 0)
    assert rows_of(store) == rows_of(tmp_path / "other.db")
    assert {orjson.loads(line)["body"] for line in (tmp_path / "news.db.dead.jsonl").read_bytes().splitlines()} == {"{"}
    with ingest(address, store, queue="news", batch_seconds=0.2) as found:
        assert list(found) == []


@pytest.mark.parametrize(("arguments", "code", "said"), [
    (["amqp://127.0.0.1:1/"], 2, "name the queue"),
    (["amqp://127.0.0.1:1/", "--queue", "news"], 66, "cannot read news of amqp://127.0.0.1:1"),
    (["nats://127.0.0.1:1/", "--queue", "news"], 66, "cannot read news of nats://127.0.0.1:1"),
    (["redis://user:geheim@127.0.0.1:1/", "--queue", "news", "--follow"], 66, "cannot read news of redis://127.0.0.1:1"),
    (["kafka://127.0.0.1:1", "--queue", "news"], 66, "cannot read news of kafka://127.0.0.1:1"),
    (["redis://127.0.0.1:1/", "--queue", "news", "--publish", "news"], 2, "publish them elsewhere"),
    (["redis://127.0.0.1:1/", "more.jsonl", "--queue", "news"], 2, "a broker is the only input"),
    (["news.jsonl", "--queue", "news"], 2, "needs the address of a broker"),
    (["redis://127.0.0.1:1/", "--queue", "news", "--on-error", "skip"], 2, "are set aside"),
])  # fmt: skip
def test_what_keeps_it_from_starting_is_said_in_one_line(arguments: list[str], code: int, said: str, tmp_path: Path):
    pytest.importorskip("confluent_kafka", reason="the extra queue is not installed")
    (tmp_path / "news.jsonl").write_text('{"id": "a", "text": "b"}\n')
    command = [sys.executable, "-m", "infostream_dedup", "ingest", *arguments, "--store", "news.db"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "geheim" not in done.stderr
    assert not (tmp_path / "news.db").exists()


@pytest.mark.slow
def test_a_broker_that_goes_and_comes_back_is_read_on(tmp_path: Path) -> None:
    pytest.importorskip("redis", reason="the extra queue is not installed")
    port, store, said = free_port(), tmp_path / "news.db", list[str]()
    server = [command_of("redis-server"), "--port", str(port), "--dir", str(tmp_path), "--appendonly", "yes"]
    address, rows = f"redis://127.0.0.1:{port}/0", sample_documents()[:20]
    with running(server, port):
        send(address, "news", [orjson.dumps(row) for row in rows[:10]])
        batches = ingest(address, store, queue="news", follow=True, batch_seconds=0.1, note=said.append).batches()
        assert sum(len(batch.verdicts) for batch in iter([next(batches)])) == 10
    with running(server, port):
        send(address, "news", [orjson.dumps(row) for row in rows[10:]])
        seen = set[str]()
        while not {row["id"] for row in rows[10:]} <= seen:
            seen |= {one.id for one in next(batches).verdicts}
        batches.close()
    assert any("connecting again" in one for one in said)
    assert said[-1].endswith("connected again")


def test_without_the_extra_the_address_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nats", None)
    with pytest.raises(InfostreamError, match=r"nats://.*\[queue\]"):
        list(ingest("nats://127.0.0.1:1", tmp_path / "news.db", queue="news"))
    assert not list(tmp_path.iterdir())


def test_a_message_set_aside_condemns_no_other_with_its_ids() -> None:
    bodies = [b'[{"id":"x","text":"a"},{"id":"x","text":"b"}]', b'{"id":"x","text":"b"}', b'{"id":"x","text":"c"}']
    with Deduplicator.open(None) as stream, Reading().bad_records() as bad:
        reader = brokers._MessageReader(Intake(stream, bad), Reading(), "news")
        placed, failed = reader.read([(body, Place("news", line)) for line, body in enumerate(bodies, start=1)])
    assert [(document.text, place.line) for document, place in placed] == [("b", 2)]
    assert [(place.line, error.code) for _, place, error in failed] == [(1, "E_ID_CONFLICT"), (3, "E_ID_CONFLICT")]
