"""A service among slow, aborting and oversized clients: its memory, its files and its batches stay what they were."""

import asyncio
import contextlib
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tests.long_words import LONG_WORDS

from ..service.test_server import free_port
from .hostile_clients import BLANKS, post, raw

SECONDS = float(os.environ.get("ATTACK_SIEGE_SECONDS", "20"))
MIXED_SECONDS = float(os.environ.get("ATTACK_MIXED_SECONDS", "20"))
WORDS = LONG_WORDS[300:9000]
SERVE = "import gc; gc.disable(); from infostream_dedup.cli import main; main()"
"""Without the collector, which must not be what keeps memory small."""


class Besieged:
    """A served store, its address, and what its process uses."""

    def __init__(self, folder: Path, *, collects: bool) -> None:
        self.port = free_port()
        start = ["-m", "infostream_dedup"] if collects else ["-c", SERVE]
        options = [
            "--store", str(folder / "news.db"), "--keep-text", "--port", str(self.port), "--window-documents", "400",
        ]  # fmt: skip
        self.process = subprocess.Popen([sys.executable, *start, "serve", *options], stderr=subprocess.DEVNULL)
        self.address = f"http://127.0.0.1:{self.port}"
        for _ in range(1200):
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.address}/ready").status_code == 200:
                    return
            time.sleep(0.1)
        pytest.fail("the service is not ready")

    def megabytes(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in fields if line.startswith("VmRSS:")) / 1024

    def files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Besieged]]:
    started: list[Besieged] = []

    def start(*, collects: bool) -> Besieged:
        started.append(Besieged(tmp_path, collects=collects))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def documents(draw: random.Random, first: int, size: int) -> list[dict[str, Any]]:
    return [
        {"id": f"d{number}", "source": f"s{number % 7}", "text": " ".join(draw.choices(WORDS, k=60))}
        for number in range(first, first + size)
    ]


async def batches(address: str, until: float, sent: int, pause: float = 0.1) -> list[float]:
    """Milliseconds of each batch of 20 documents; a batch is sent again until it is acknowledged."""
    draw, taken = random.Random(sent), []  # noqa: S311
    async with httpx.AsyncClient(timeout=120) as client:
        while time.monotonic() < until:
            body = orjson.dumps({"batch_id": f"b{sent}", "documents": documents(draw, sent, 20)})
            begin = time.monotonic()
            while True:
                with contextlib.suppress(httpx.TransportError):
                    headers = {"content-type": "application/json"}
                    answer = await client.post(f"{address}/v1/batches", content=body, headers=headers)
                    if answer.status_code == 200:
                        break
                await asyncio.sleep(0.2)
            taken.append(1000 * (time.monotonic() - begin))
            sent += 20
            await asyncio.sleep(pause)
    return taken


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def test_a_thousand_aborted_uploads_leave_nothing(serve, scale, record_property) -> None:
    besieged = serve(collects=False)
    uploads = 1000 * scale // 4 if scale > 1 else 60

    async def abort(number: int) -> None:
        async def some() -> None:
            for _ in range(number // 10):
                await raw(besieged.port, post(besieged.port, 16_000_000), *[BLANKS] * 242)

        await asyncio.gather(*(some() for _ in range(10)))

    asyncio.run(abort(30))
    time.sleep(1)
    before = besieged.megabytes()
    asyncio.run(abort(uploads))
    time.sleep(1)
    after = besieged.megabytes()
    record_property("uploads", uploads)
    record_property("megabytes_before", round(before))
    record_property("megabytes_after", round(after))
    assert after < 1.1 * before


def test_batches_beside_hostile_clients(serve, scale, record_property) -> None:
    besieged = serve(collects=True)
    clients = 2000 * scale // 4 if scale > 1 else 100
    asyncio.run(batches(besieged.address, time.monotonic() + 5, 0))  # dictionaries are loaded
    idle = asyncio.run(batches(besieged.address, time.monotonic() + max(10.0, SECONDS / 10), 500_000))
    memory, files = besieged.megabytes(), besieged.files()

    async def siege() -> tuple[list[float], list[float]]:
        until, seen = time.monotonic() + SECONDS, []

        async def watch() -> None:
            while time.monotonic() < until:
                seen.append(besieged.megabytes())
                await asyncio.sleep(1)

        return (await asyncio.gather(batches(besieged.address, until, 1_000_000), watch()))[0], seen

    script = Path(__file__).with_name("hostile_clients.py")
    command = [sys.executable, str(script), str(besieged.port), str(clients), str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as crowd:
        busy, seen = asyncio.run(siege())
        attacks = int(crowd.communicate()[0])
    time.sleep(16)  # idle connections are cut after 15 seconds
    record_property("clients", clients)
    record_property("seconds", round(SECONDS))
    record_property("attacks", attacks)
    record_property("batches", len(busy))
    record_property("ms_p99_idle", round(at(idle, 0.99)))
    record_property("ms_p50", round(at(busy, 0.5)))
    record_property("ms_p99", round(at(busy, 0.99)))
    record_property("megabytes_before", round(memory))
    record_property("megabytes_most", round(max(seen)))
    record_property("megabytes_after", round(besieged.megabytes()))
    record_property("open_files_growth", besieged.files() - files)
    # Bodies have a bound of 64 megabytes, connections one of 24 kilobytes each.
    assert max(seen) < memory + 64 + 0.024 * clients + 40
    assert besieged.files() - files < 10
    if SECONDS >= 60:  # else one batch is the percentile
        assert at(busy, 0.99) < 3 * at(idle, 0.99)


def test_memory_under_mixed_load(serve, tmp_path, record_property) -> None:
    """Reads, checks, pages, refused, aborted and good batches beside expiry; the window is soon full: nothing grows."""
    besieged = serve(collects=True)
    megabytes: list[float] = []
    kept: list[int] = []

    async def expire(until: float) -> int:
        command = [sys.executable, "-m", "infostream_dedup", "store", "expire", str(tmp_path / "news.db"), "--quiet"]
        times = 0
        while time.monotonic() < until:
            await asyncio.sleep(min(60.0, MIXED_SECONDS / 4))
            process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)
            assert await process.wait() == 0
            with contextlib.closing(sqlite3.connect(tmp_path / "news.db")) as store:
                kept.append(store.execute("SELECT count(*) FROM signature").fetchone()[0])
            times += 1
        return times

    async def read(until: float) -> tuple[int, int]:
        draw, asked, aborted = random.Random(3), 0, 0  # noqa: S311
        paths = ("/v1/groups", "/v1/verdicts", "/", "/groups", "/v1/documents/d0", "/v1/stats", "/nowhere")
        async with httpx.AsyncClient(base_url=besieged.address, timeout=60) as client:
            while time.monotonic() < until:
                with contextlib.suppress(httpx.HTTPError):
                    match draw.randrange(6):
                        case 3:
                            await raw(besieged.port, post(besieged.port, 16_000_000), *[BLANKS] * draw.randrange(240))
                            aborted += 1
                        case 0:
                            await client.post("/v1/search", json={"text": " ".join(draw.choices(WORDS, k=40))})
                        case 1:
                            await client.post("/v1/check", json={"documents": documents(draw, 10**7 + asked, 3)})
                        case 2:
                            await client.post(
                                "/v1/batches", content=b'{"documents": [', headers={"content-type": "application/json"}
                            )
                        case _:
                            await client.get(draw.choice(paths))
                asked += 1
                await asyncio.sleep(0.05)
        return asked, aborted

    async def load() -> tuple[list[float], tuple[int, int], int]:
        until = time.monotonic() + MIXED_SECONDS

        async def watch() -> None:
            while time.monotonic() < until:
                megabytes.append(besieged.megabytes())
                await asyncio.sleep(min(5.0, MIXED_SECONDS / 40))

        sent, asked, expired, _ = await asyncio.gather(
            batches(besieged.address, until, 0, 1.0), read(until), expire(until), watch()
        )
        return sent, asked, expired

    sent, (asked, aborted), expired = asyncio.run(load())
    quarters = [megabytes[len(megabytes) * part // 4 : len(megabytes) * (part + 1) // 4] for part in range(4)]
    record_property("seconds", round(MIXED_SECONDS))
    record_property("documents", 20 * len(sent))
    record_property("requests", asked)
    record_property("aborted_uploads", aborted)
    record_property("expired_times", expired)
    record_property("signatures_kept", max(kept))
    record_property("megabytes_by_quarter", " ".join(f"{sum(one) / len(one):.0f}" for one in quarters))
    assert besieged.process.poll() is None
    assert max(kept) < 12_000  # an epoch of 10,000 that is still counted, the window, and the documents of a minute
    if MIXED_SECONDS >= 60:  # else everything is still being loaded
        assert sum(quarters[3]) / len(quarters[3]) < 1.1 * sum(quarters[1]) / len(quarters[1])
