"""Measures the service: slow and greedy clients, batches against ``ingest``, reads meanwhile, pages of a large store.

    python -m benchmarks.service --parts slow,batches,pages --documents 1000000 --out measured.json

Everything is on the loopback address, with made-up documents.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import httpx
import orjson

from benchmarks import in_own_process
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

BATCH: Final = 500
_SOURCES: Final = 40
_SENTENCES: Final = 8
_WORDS: Final = 12

_KEPT_APART: Final = {
    "document": ("ordinal", "id", "of_id", "group_id", "translation_of", "story_id"),
    "grouping": ("group_id", "earliest"),
    "membership": ("ordinal", "group_id"),
    "story": ("story_id", "begun"),
    "telling": ("group_id", "story_id"),
}
"""Columns that differ from copy to copy: ordinals are moved on, names get a suffix.

Tables that pages read by the ordinal of one document (signatures, evidence, texts) are not copied.
"""

_ORDINALS: Final = ("ordinal", "earliest", "begun")


def made_up_documents(count: int) -> Iterator[dict[str, Any]]:
    """Documents of dictionary words in three languages, one a minute; half of them are copies with small changes."""
    random = Random(0)  # noqa: S311 - texts, not secrets
    words = _words()
    stories: list[tuple[str, str, list[str]]] = []
    for number in range(count):
        if stories and random.random() < 0.5:
            language, title, sentences = stories[-1 - int(len(stories) * random.random() ** 3) % len(stories)]
            sentences = [one for one in sentences if random.random() > 0.1] or sentences
        else:
            language = ("ru", "uk", "en")[random.randrange(3)]
            sentences = [
                " ".join(random.choices(words[language], k=_WORDS)).capitalize() + "." for _ in range(_SENTENCES)
            ]
            title = " ".join(random.choices(words[language], k=6)).capitalize()
            stories.append((language, title, sentences))
        day = number // 1_440
        yield {
            "id": f"d{number}", "title": title, "text": " ".join(sentences), "lang": language,
            "source": f"source-{int(_SOURCES * random.random() ** 2)}", "url": f"https://example.org/{number}",
            "published": f"2026-{1 + day // 28 % 12:02}-{1 + day % 28:02}T{number // 60 % 24:02}:{number % 60:02}:00Z",
        }  # fmt: skip


def _words() -> dict[str, list[str]]:
    from wordfreq import top_n_list

    return {language: [one for one in top_n_list(language, 6_000) if len(one) > 4] for language in ("ru", "uk", "en")}


def write_store(path: Path, documents: int, *, copies: int = 1) -> None:
    """Ingest a made-up stream with its texts, then copy it."""
    rows = list(made_up_documents(documents))
    with Deduplicator.open(path, StreamSettings.of({"keep_text": True})) as stream:
        for begin in range(0, documents, BATCH):
            stream.process(rows[begin : begin + BATCH])
    multiply(path, copies)


def multiply(path: Path, copies: int) -> None:
    """Copy the documents of a store, with their groups and stories, under names of their own."""
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        (size,) = connection.execute("SELECT max(ordinal) + 1 FROM document").fetchone()
        (time,) = connection.execute("SELECT max(clock) - min(clock) + 60000000 FROM document").fetchone()
        for table, own in _KEPT_APART.items():
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for copy in range(1, copies):
                values = [_value(name, own, size * copy, f"#{copy}", time * copy) for name in names]
                where = {"grouping": "earliest", "story": "begun"}.get(table, "ordinal")
                limit = f"WHERE {where} < {size}" if where in names else "WHERE instr(group_id, '#') = 0"
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} {limit}"  # noqa: S608 - names of this file
                )
        last = "(SELECT max(sequence) FROM batch)"
        connection.execute(
            f"UPDATE batch SET documents = documents + ? WHERE sequence = {last}",  # noqa: S608
            (size * (copies - 1),),
        )
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _value(name: str, own: tuple[str, ...], ordinals: int, suffix: str, time: int) -> str:
    if name in _ORDINALS:
        return f"{name} + {ordinals}"
    if name in own:
        return f"{name} || '{suffix}'"
    return f"{name} + {time}" if name in ("clock", "published", "first", "last") else name


_START_SECONDS: Final = 1_800.0


class ServedStore:
    """``serve`` over a store, for the time of a ``with``."""

    def __init__(self, store: Path, *options: str) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = int(taken.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self.start_seconds = 0.0
        command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", str(store), *options]
        self._command = [*command, "--port", str(self.port)]

    def __enter__(self) -> Self:
        begin = time.monotonic()
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        with httpx.Client(base_url=self.address, timeout=60) as client:
            while time.monotonic() - begin < _START_SECONDS:
                if self._process.poll() is not None:
                    raise RuntimeError(f"the service ended with {self._process.returncode}")
                with contextlib.suppress(httpx.TransportError):
                    if client.get("/ready").status_code == 200:
                        self.start_seconds = time.monotonic() - begin
                        return self
                time.sleep(0.1)
        raise RuntimeError("the service is not ready")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=120)

    def memory(self) -> int:
        """Resident bytes of the process."""
        status = Path(f"/proc/{self._process.pid}/status").read_text("utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def cpu_seconds(self) -> float:
        """User and system seconds of the process so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


def quantile(values: list[float], share: float) -> float:
    """The value below which a share of the values is, in milliseconds, of seconds."""
    ordered = sorted(values)
    return round(1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 1)


GREEDY: Final = {"idle": 1_000, "headers": 80, "bodies": 40, "readers": 20}
MOST_SECONDS: Final = 15.0
_MEMORY_EVERY: Final = 10_000
PAGES: Final = (
    *("/", "/groups", "/groups?order=last", "/stories", "/search", "/judge", "/labels", "/model", "/explore"),
    *("/methods", "/templates", "/sources", "/alarms", "/settings"),
)


def main() -> None:
    """Run the parts and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="slow,batches,pages")
    parser.add_argument("--documents", type=int, default=1_000_000, help="of the store whose pages are opened")
    parser.add_argument("--judged", type=int, default=10_000, help="documents of it that are ingested; the rest copies")
    parser.add_argument("--sent", type=int, default=10_000, help="documents that are sent in batches")
    parser.add_argument("--more", type=int, default=100_000, help="documents that are sent afterwards, beside readers")
    parser.add_argument("--store", type=Path, help="a large store from before, instead of making one")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in arguments.parts.split(","):
            print(f"== {part}", flush=True)
            if part == "slow":
                figures[part] = slow_clients(folder)
            elif part == "batches":
                figures[part] = batches_and_reads(folder, arguments.sent, arguments.more)
            elif part == "pages":
                store = arguments.store or folder / "large.db"
                if arguments.store is None:
                    write_store(store, arguments.judged, copies=arguments.documents // arguments.judged)
                figures[part] = first_answers(store)
            figures[part]["load"] = round(os.getloadavg()[0], 1)
            print(json.dumps(figures[part]), flush=True)
    if arguments.out is not None:
        kept = json.loads(arguments.out.read_text("utf-8")) if arguments.out.exists() else {}
        arguments.out.write_text(f"{json.dumps(kept | figures, indent=1)}\n", encoding="utf-8")


def slow_clients(folder: Path) -> dict[str, Any]:
    """Open connections that say nothing, send two bytes a second, or read nothing; ask for /health meanwhile."""
    documents = list(made_up_documents(2_000))
    with (
        ServedStore(folder / "slow.db", "--representation", "stem", "--keep-text") as served,
        httpx.Client(base_url=served.address, timeout=120) as client,
    ):
        for begin in range(0, len(documents), BATCH):
            _send(client, documents[begin : begin + BATCH])
        calm = _health(served, 3.0)
        slow = SlowClients(served.port)
        waits = _health(served, MOST_SECONDS + 5)
        left = slow.left()
        alive = client.get("/v1/groups").status_code == 200
    return {
        "clients": GREEDY, "seconds_until_gone": slow.ends(), "left": left, "alive": alive,
        "health_p50_ms": quantile(waits, 0.5), "health_p99_ms": quantile(waits, 0.99),
        "health_calm_p99_ms": quantile(calm, 0.99), "asked": len(waits),
    }  # fmt: skip


class SlowClients:
    """Connections of clients that hold on to the service, kept by one thread."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._begin = time.monotonic()
        self._open = [(kind, self._connected(kind)) for kind, number in GREEDY.items() for _ in range(number)]
        self._ended: dict[str, list[float]] = {kind: [] for kind in GREEDY}
        self._thread = threading.Thread(target=self._hold, daemon=True)
        self._thread.start()

    def left(self) -> dict[str, int]:
        """How many connections of each kind are still open."""
        return {kind: number - len(self._ended[kind]) for kind, number in GREEDY.items()}

    def ends(self) -> dict[str, float]:
        """After how many seconds the last connection of each kind was gone."""
        return {kind: round(max(ends, default=-1.0), 1) for kind, ends in self._ended.items()}

    def _connected(self, kind: str) -> socket.socket:
        host = f"Host: 127.0.0.1:{self._port}\r\n"
        one = socket.create_connection(("127.0.0.1", self._port))
        if kind == "headers":
            one.sendall(b"GET /v1/groups HTTP/1.1\r\n")
        elif kind == "bodies":
            length = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
            one.sendall(f"POST /v1/search HTTP/1.1\r\n{host}{length}".encode())
        elif kind == "readers":
            # An answer larger than the client's buffer, asked for and never read.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.sendall(f"GET /v1/verdicts/events?after=-1 HTTP/1.1\r\n{host}\r\n".encode())
        else:
            one.sendall(f"GET /health HTTP/1.1\r\n{host}\r\n".encode())
        one.setblocking(False)
        return one

    def _hold(self) -> None:
        while self._open and time.monotonic() - self._begin < 60:
            time.sleep(0.5)
            # The clients' ports of the connections that a service still holds (Linux: the table of connections).
            established = set()
            for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
                fields = line.split()
                local, remote = (int(fields[place].split(":")[1], 16) for place in (1, 2))
                if local == self._port and fields[3] == "01":
                    established.add(remote)
            for entry in list(self._open):
                kind, one = entry
                # Notice the end without reading: the service has let go of its end.
                if one.getsockname()[1] not in established:
                    self._ended[kind].append(time.monotonic() - self._begin)
                    self._open.remove(entry)
                elif kind in ("headers", "bodies"):
                    with contextlib.suppress(OSError):
                        one.send(b"x")


def _health(served: ServedStore, seconds: float) -> list[float]:
    waits, end = [], time.monotonic() + seconds
    with httpx.Client(base_url=served.address, timeout=60) as client:
        while time.monotonic() < end:
            then = time.perf_counter()
            client.get("/health").raise_for_status()
            waits.append(time.perf_counter() - then)
            time.sleep(0.01)
    return waits


def batches_and_reads(folder: Path, documents: int, more: int) -> dict[str, Any]:
    """Send batches of 500 over HTTP, and judge the same documents by ``ingest``; then send more beside readers."""
    rows = made_up_documents(BATCH + documents + more)
    warm, first = list(itertools.islice(rows, BATCH)), list(itertools.islice(rows, documents))
    with (
        ServedStore(folder / "served.db", "--keep-text") as served,
        httpx.Client(base_url=served.address, timeout=300) as client,
    ):
        _send(client, warm)
        cpu, wall = served.cpu_seconds(), time.monotonic()
        for begin in range(0, documents, BATCH):
            _send(client, first[begin : begin + BATCH])
        over_http = {"wall": time.monotonic() - wall, "cpu": served.cpu_seconds() - cpu}
        alone = in_own_process(_ingested, folder / "ingested.db", warm, first)
        reads = _reads_while_writing(served, client, rows)
    return {
        "documents": documents,
        "http_documents_per_second": round(documents / over_http["wall"]),
        "http_documents_per_cpu_second": round(documents / over_http["cpu"]),
        "ingest_documents_per_second": round(documents / alone["wall"]),
        "ingest_documents_per_cpu_second": round(documents / alone["cpu"]),
        "ratio_wall": round(alone["wall"] / over_http["wall"], 2),
        "ratio_cpu": round(alone["cpu"] / over_http["cpu"], 2),
        **reads,
    }


def _send(client: httpx.Client, rows: list[dict[str, Any]]) -> None:
    body = orjson.dumps({"documents": rows})
    client.post("/v1/batches", content=body, headers={"content-type": "application/json"}).raise_for_status()


def _reads_while_writing(served: ServedStore, writer: httpx.Client, rows: Iterator[dict[str, Any]]) -> dict[str, Any]:
    paths = ("/health", "/v1/documents/d7", "/v1/groups", "/v1/stats", "/groups")
    waits: dict[str, list[float]] = {path: [] for path in paths}
    ended = threading.Event()

    def read() -> None:
        with httpx.Client(base_url=served.address, timeout=60) as client:
            while not ended.is_set():
                for path in paths:
                    then = time.perf_counter()
                    if client.get(path).status_code == 200:
                        waits[path].append(time.perf_counter() - then)
                    time.sleep(0.1)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    memory = [served.memory() >> 20]
    for number, batch in enumerate(iter(lambda: list(itertools.islice(rows, BATCH)), []), 1):
        _send(writer, batch)
        if number * BATCH % _MEMORY_EVERY == 0:
            memory.append(served.memory() >> 20)
    ended.set()
    for thread in threads:
        thread.join()
    every = [one for values in waits.values() for one in values]
    return {
        "reads": len(every),
        "reads_p50_ms": quantile(every, 0.5),
        "reads_p99_ms": quantile(every, 0.99),
        **{f"p99_ms {path}": quantile(values, 0.99) for path, values in waits.items()},
        f"memory_mb_every_{_MEMORY_EVERY}": memory,
    }


def _ingested(store: Path, warm: list[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Seconds of ``ingest`` over the same documents in the same batches, after a first batch."""
    batches = [orjson.dumps(rows[begin : begin + BATCH]) for begin in range(0, len(rows), BATCH)]
    with Deduplicator.open(store, StreamSettings.of({"keep_text": True})) as stream:
        stream.process(warm)
        wall, cpu = time.monotonic(), time.process_time()
        for batch in batches:
            found = stream.process(orjson.loads(batch))
            orjson.dumps([verdict.as_dict() for verdict in found])
        return {"wall": time.monotonic() - wall, "cpu": time.process_time() - cpu}


def first_answers(store: Path) -> dict[str, Any]:
    """Open each page of a large store for the first time in a new process, then 20 times more."""
    pages: dict[str, dict[str, float]] = {}
    with (
        ServedStore(store, "--read-only") as served,
        httpx.Client(base_url=served.address, timeout=60, follow_redirects=True) as client,
    ):
        client.get("/health")
        group = client.get("/v1/groups?limit=1").json()["items"][0]["group"]
        members = [one["id"] for one in client.get(f"/v1/groups/{group}").json()["members"]]
        pair = {"a": members[0], "b": members[1]}
        provenance = f"/groups/{group.replace('#', '%23')}/provenance"
        for path in (*PAGES, provenance, str(httpx.URL("/compare", params=pair))):
            waits = []
            for _ in range(21):
                then = time.perf_counter()
                answer = client.get(path, headers={"accept": "text/html"})
                waits.append(time.perf_counter() - then)
                if answer.status_code != 200:
                    raise RuntimeError(f"{path}: {answer.status_code}")
            pages[path.split("?a=")[0]] = {"first_ms": round(1000 * waits[0], 1), "p50_ms": quantile(waits[1:], 0.5)}
    slowest = max(pages, key=lambda path: pages[path]["first_ms"])
    return {
        "store_mb": store.stat().st_size >> 20,
        "start_seconds": round(served.start_seconds, 1),
        "pages": pages,
        "slowest": slowest,
        "peak_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
    }


if __name__ == "__main__":
    main()
