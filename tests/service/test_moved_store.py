"""A running service whose store is deleted, replaced, or goes back to a backup."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import httpx
import orjson
import pytest

from infostream_dedup.api import store as kept
from infostream_dedup.judgements import desk_path
from tests.store.test_moved import deleted

from .conftest import sample_documents
from .test_server import Served
from .test_server import served as a_served_store

pytestmark = pytest.mark.slow
served = a_served_store


def batch(served: Served, name: str, first: int = 0) -> httpx.Response:
    body = {"batch_id": name, "documents": sample_documents()[first : first + 10]}
    return httpx.post(f"{served.address}/v1/batches", json=body, timeout=60)


def put_back(store: Path) -> None:
    """As people do who do not know ``store restore``."""
    copy = store.with_name("copy.db")
    kept.backup(store, copy)
    copy.replace(store)
    for ending in ("-wal", "-shm"):
        Path(f"{store}{ending}").unlink(missing_ok=True)


def copied_over(store: Path) -> None:
    """As by ``cp`` of a backup that is no shorter: the same file, with other content."""
    copy = store.with_name("copy.db")
    kept.backup(store, copy)
    content = copy.read_bytes()
    store.write_bytes(content + bytes(max(0, store.stat().st_size - len(content))))


@pytest.mark.parametrize("way", [deleted, put_back, copied_over])
def test_the_service_acknowledges_nothing_more_and_ends(served: Served, way: Callable[[Path], None]) -> None:
    assert batch(served, "one").status_code == 200
    way(served.store)
    with contextlib.suppress(httpx.TransportError):  # it has already ended
        answer = batch(served, "two", 10)
        assert (answer.status_code, answer.json()["code"]) == (503, "store-moved")
        assert "retry-after" in answer.headers
    assert served.process.wait(30) == 75


def test_readiness_says_so_before_anybody_sends(served: Served) -> None:
    assert batch(served, "one").status_code == 200
    deleted(served.store)
    with contextlib.suppress(httpx.TransportError):  # it has already ended
        assert httpx.get(f"{served.address}/ready").json()["code"] == "store-moved"
    assert served.process.wait(30) == 75


def test_no_judgement_is_acknowledged_once_the_desk_is_gone(served: Served) -> None:
    assert batch(served, "one").status_code == 200
    one, two = (document["id"] for document in sample_documents()[:2])

    def judge(key: str) -> httpx.Response:
        body = {"a": one, "b": two, "label": "dup", "queue": "boundary"}
        return httpx.post(f"{served.address}/v1/judgements", json=body, headers={"idempotency-key": key}, timeout=60)

    assert judge("first").status_code == 201
    deleted(desk_path(served.store))
    with contextlib.suppress(httpx.TransportError):  # it has already ended
        assert (judge("second").status_code, judge("third").json()["code"]) == (503, "store-moved")
    assert served.process.wait(30) == 75


def test_a_service_that_only_reads_ends_too(served: Served, tmp_path: Path) -> None:
    assert batch(served, "one").status_code == 200
    reading = Served(served.store, "--read-only")
    reading.start()
    served.end()
    served.store.rename(tmp_path / "elsewhere.db")
    assert reading.process.wait(30) == 75


@pytest.mark.parametrize("way", [deleted, copied_over])
def test_a_follower_prints_no_verdict_that_is_not_stored(tmp_path: Path, way: Callable[[Path], None]) -> None:
    lines = [orjson.dumps(document) + b"\n" for document in sample_documents()[:40]]
    store = tmp_path / "news.db"
    command = [sys.executable, "-m", "infostream_dedup", "ingest", "-", "--follow", "--store", str(store)]
    options = ["--batch-size", "20", "--representation", "stem"]
    with subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.writelines(lines[:20])
        process.stdin.flush()
        printed = [process.stdout.readline() for _ in range(20)]
        way(store)
        process.stdin.writelines(lines[20:])
        process.stdin.close()
        assert (process.stdout.read(), process.wait(60)) == (b"", 75)
    assert all(printed)


def test_going_back_beside_a_running_service(served: Served, tmp_path: Path) -> None:
    assert batch(served, "one").status_code == 200
    kept.backup(served.store, tmp_path / "copy.db")
    assert batch(served, "two", 10).status_code == 200
    with httpx.stream("GET", f"{served.address}/v1/verdicts/events", params={"after": 19}, timeout=60) as events:
        lines = events.iter_lines()
        assert next(lines) == ": verdicts"
        done = kept.restore(served.store, tmp_path / "copy.db", discard_newer=True)
        assert (done.batches, done.discarded) == (1, 1)
        assert "event: restored" in lines
        assert next(lines) == 'data: {"documents":10}'
    # So do those hear it who were away, and who asks for no place is told where the stream begins.
    for asked, head in (
        ({"after": 19}, ["event: restored", 'data: {"documents":10}']),
        ({}, ["id: 9", "event: begin"]),
    ):
        with httpx.stream("GET", f"{served.address}/v1/verdicts/events", params=asked, timeout=60) as events:
            assert list(islice(events.iter_lines(), 4)) == [": verdicts", "", *head]
    assert httpx.get(f"{served.address}/v1/batches/two").status_code == 404
    for _ in range(100):
        answer = batch(served, "other", 20)
        if answer.status_code != 503:
            break
        assert answer.json()["code"] == "store-restored"
        time.sleep(0.1)
    assert answer.status_code == 200
    # The documents of the batch that is gone are new again.
    assert {one["status"] for one in batch(served, "two", 10).json()["verdicts"]} >= {"new"}
    assert (served.end(), sum(check.faults for check in kept.verify(served.store))) == (0, 0)
