"""The served process: kills, slow clients, streams, an orderly end."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

import httpx
import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.service.running import Readers
from infostream_dedup.service.sample import send_sample
from infostream_dedup.stream.store import Store

from .conftest import sample_documents

pytestmark = pytest.mark.slow
HARDNESS = int(os.environ.get("ATTACK_SCALE", "1"))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Served:
    """A served store, which can be killed and started again on the same port."""

    def __init__(self, store: Path, *options: str) -> None:
        self.store, self.port, self._options = store, free_port(), options
        self.process: subprocess.Popen[bytes]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", str(self.store), *self._options]
        self.process = subprocess.Popen([*command, "--port", str(self.port)], stderr=subprocess.DEVNULL)
        with httpx.Client(base_url=self.address) as client:
            for _ in range(1200):
                assert self.process.poll() is None, "the service ended"
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/ready").status_code == 200:
                        return
                time.sleep(0.05)
        pytest.fail("the service is not ready after a minute")

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    one = Served(tmp_path / "news.db", "--representation", "stem")
    one.start()
    yield one
    if one.process.poll() is None:
        one.end(signal.SIGKILL)


def batches() -> list[dict[str, Any]]:
    documents = sample_documents()
    return [{"batch_id": str(n), "documents": documents[n : n + 10]} for n in range(0, len(documents), 10)]


def test_kills_lose_and_double_nothing(served: Served, tmp_path: Path) -> None:
    """A client that repeats what was not answered gets the verdicts of an unharmed run."""
    random, answered = Random(7), []  # noqa: S311 - moments of kills
    left = 10 * HARDNESS
    for body in batches():
        while True:
            if left and random.random() < 0.3:
                left -= 1
                threading.Timer(random.uniform(0, 0.15), served.process.kill).start()
            try:
                answer = httpx.post(f"{served.address}/v1/batches", json=body, timeout=60)
                assert answer.status_code == 200
                answered += answer.json()["verdicts"]
                break
            except httpx.TransportError:
                served.process.wait(timeout=60)
                served.start()
        if served.process.poll() is not None:
            served.start()
    served.end(signal.SIGKILL)
    with ingest(sample_documents(), tmp_path / "other.db", representation="stem") as found:
        expected = [verdict.as_dict() for verdict in found]
    assert orjson.dumps(answered) == orjson.dumps(expected)
    with Store.open(served.store, read_only=True) as store:
        assert store.documents(0, 1000).ordinals.tolist() == list(range(len(expected)))


def test_slow_and_greedy_clients_are_cut_off_while_others_are_served(served: Served) -> None:
    """More clients than Granian takes by itself: silent, slow in the headers, slow in the body, never reading."""
    host = f"Host: 127.0.0.1:{served.port}\r\n"
    post = f"POST /v1/search HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    begun = (("", 150), (post[:30], 10), (post, 10), (f"GET /v1/verdicts/events?after=-1 HTTP/1.1\r\n{host}\r\n", 20))
    for body in batches():
        assert httpx.post(f"{served.address}/v1/batches", json=body, timeout=120).status_code == 200
    sockets = []
    for head, number in begun:
        for _ in range(number):
            one = socket.socket()
            # What has been sent to it does not fit: it must wait in the service's machine.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.connect(("127.0.0.1", served.port))
            one.sendall(head.encode())
            sockets.append(one)
    begin, waits = time.monotonic(), []
    with httpx.Client(base_url=served.address, timeout=30) as client:
        while (held := held_connections(served.port, sockets)) and time.monotonic() - begin < 40:
            then = time.monotonic()
            assert client.get("/health").status_code == 200
            waits.append(time.monotonic() - then)
            time.sleep(0.05)
        seconds = time.monotonic() - begin
        assert not held, f"{len(held)} connections are still open"
        # 15 seconds where nothing else runs.
        assert seconds < 30
        assert max(waits) < 5
        for _ in range(20):
            with client.stream("GET", "/v1/verdicts/events?after=-1") as stream:
                assert stream.status_code == 200
    for one in sockets:
        one.close()


def held_connections(port: int, sockets: list[socket.socket]) -> set[int]:
    """The ports of clients to which the service still holds a connection, by the system's table."""
    fields = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
    ends = {(int(one[1].split(":")[1], 16), int(one[2].split(":")[1], 16)) for one in fields if one[3] == "01"}
    return {other for one in sockets if (port, other := one.getsockname()[1]) in ends}


@pytest.mark.smoke
def test_a_stream_of_verdicts_goes_on_where_it_was_cut_and_ends_with_the_service(served: Served) -> None:
    seen: list[int] = []
    first, second = batches()[:2]
    httpx.post(f"{served.address}/v1/batches", json=first, timeout=60)
    with httpx.Client(base_url=served.address, timeout=60) as client:
        with client.stream("GET", "/v1/verdicts/events?after=-1") as stream:
            # A proxy must not hold events back until it has kilobytes of them.
            assert stream.headers["x-accel-buffering"] == "no"
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    seen.append(int(line[4:]))
                if len(seen) == 5:
                    break
        httpx.post(f"{served.address}/v1/batches", json=second, timeout=60)
        with client.stream("GET", "/v1/verdicts/events", headers={"last-event-id": str(seen[-1])}) as stream:
            for line in stream.iter_lines():
                if line.startswith("id: "):
                    seen.append(int(line[4:]))
                if len(seen) == 20:
                    served.process.send_signal(signal.SIGTERM)
    assert seen == list(range(20))
    assert served.process.wait(timeout=60) == 0
    assert not served.store.with_name("news.db-wal").exists()


def test_the_sample_feed_sends_each_document_once(served: Served) -> None:
    for _ in range(2):
        assert send_sample(served.address, "") == len(sample_documents())
    figures = httpx.get(f"{served.address}/metrics").text
    assert f"infostream_dedup_stored_documents {len(sample_documents())}.0" in figures
    # The window holds the last seven days of the sample, by its own clock.
    assert "infostream_dedup_window_documents 156.0" in figures


def test_a_port_that_is_taken_is_named(served: Served, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", str(tmp_path / "b.db")]
    ended = subprocess.run([*command, "--port", str(served.port)], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 78
    assert f"cannot listen on 127.0.0.1 port {served.port}" in ended.stderr


def test_an_end_during_the_start_does_not_mix_the_turns_of_the_reading_threads(tmp_path: Path) -> None:
    submitted = []

    class SlowPool:
        """Notes who submits; runs nothing."""

        def submit(self, _: object) -> Future[object]:
            submitted.append(threading.current_thread().name)
            time.sleep(0.02)
            done: Future[object] = Future()
            done.set_result(None)
            return done

        def shutdown(self, *, wait: bool) -> None:
            pass

    readers = Readers(tmp_path / "news.db", threads=4, seconds=1.0, most=1)
    readers._pool = SlowPool()
    kinds = {"opening": readers.open_all, "closing": readers.close}
    threads = [threading.Thread(target=work, name=name) for name, work in kinds.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [name for name, _ in groupby(submitted)] in (["opening", "closing"], ["closing", "opening"])


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux has the option")
def test_granian_calls_the_hook_that_limits_unread_answers() -> None:
    """The hook is a private part of Granian: if a release drops it, clients could leave answers unread forever."""
    from granian.constants import Interfaces

    from infostream_dedup.service.server import ListeningServer

    milliseconds, port = [], free_port()

    class Watched(ListeningServer):
        def _init_shared_socket(self) -> None:
            super()._init_shared_socket()
            with socket.socket(fileno=os.dup(self._shd.get_fd())) as listening:
                milliseconds.append(listening.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT))

    async def nothing(*_: Any) -> None: ...

    async def served() -> None:
        server = Watched(
            nothing, silent_seconds=7, address="127.0.0.1", port=port, interface=Interfaces.ASGINL, log_enabled=False,
            listens=lambda: socket.create_connection(("127.0.0.1", port), 5).close(),
        )  # fmt: skip
        serving = asyncio.ensure_future(server.serve())
        for _ in range(1000):
            if milliseconds:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        server.stop()
        await serving

    asyncio.run(served())
    assert milliseconds == [7000]
