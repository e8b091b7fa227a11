"""Bodies of refused and aborted requests are let go at once, and few are held at one time."""

import asyncio
import gc
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup.machine.platform import keep_heap_small
from infostream_dedup.service.application import application
from infostream_dedup.service.guard import Guard
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import ROLES, Room, add_token

from .conftest import settings_of

MEGABYTE = 1024 * 1024


class Called:
    """Calls a service as a server does, message by message."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.guard: Guard = application(settings)
        self.loop = asyncio.new_event_loop()
        self._alive = self.guard.alive()
        self.running = self.loop.run_until_complete(self._alive.__aenter__())
        self.running.writer.wait()

    def close(self) -> None:
        self.loop.run_until_complete(self._alive.__aexit__(None, None, None))
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()

    async def post(
        self,
        path: str,
        parts: list[bytes],
        *,
        length: int | None = None,
        ends: bool = True,
        stalls: bool = False,
        **headers: str,
    ) -> tuple[int, dict[bytes, bytes], int]:
        """Status, headers, and how many parts of the body were read."""
        sent: list[Any] = []
        read = 0

        async def receive() -> dict[str, Any]:
            nonlocal read
            await asyncio.sleep(0)
            if read == len(parts):
                await asyncio.sleep(60 * stalls)
                return {"type": "http.disconnect"}
            read += 1
            return {
                "type": "http.request", "body": parts[read - 1], "more_body": read < len(parts) or not ends or stalls,
            }  # fmt: skip

        async def send(message: Any) -> None:
            sent.append(message)

        size = sum(map(len, parts)) if length is None else length
        given = {"host": "127.0.0.1:8600", "content-type": "application/json", "content-length": str(size), **headers}
        scope = {
            "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
        }  # fmt: skip
        await self.guard(scope, receive, send)
        return sent[0]["status"], dict(sent[0]["headers"]), read

    def __call__(self, *values: Any, **options: Any) -> tuple[int, dict[bytes, bytes], int]:
        return self.loop.run_until_complete(self.post(*values, **options))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Called]:
    store = tmp_path_factory.mktemp("held") / "news.db"
    one = Called(ServiceSettings(store=store, stream={"representation": "stem"}))
    yield one
    one.close()


@pytest.fixture
def without_collector() -> Iterator[None]:
    keep_heap_small()  # as `serve` does
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def resident() -> float:
    fields = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in fields if line.startswith("VmRSS:")) / 1024


BLANKS = b" " * MEGABYTE
REFUSED: dict[str, dict[str, Any]] = {
    "aborted": {"parts": [BLANKS] * 15, "length": 16 * MEGABYTE, "ends": False},
    "bad JSON": {"parts": [BLANKS] * 14 + [b'{"documents": [}']},
    "invalid": {"parts": [BLANKS] * 14 + [b'{"documents": 1}']},
    "a document that is none": {"parts": [BLANKS] * 14 + [b'{"documents": [{"id": 1}]}']},
    "damaged": {"parts": [BLANKS] * 14, "content_encoding": "gzip"},
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("path", ["/v1/batches", "/v1/check"])
def test_a_refused_body_is_let_go_without_the_collector(service: Called, without_collector: None, kind: str, path: str):
    def times(number: int) -> None:
        for _ in range(number):
            assert 400 <= service(path, **REFUSED[kind])[0] < 500

    times(2)
    before = resident()
    times(8)
    # One body has 15 megabytes: all eight together 120. The last one may still be there, as bytes and as text.
    assert resident() - before < 60


@pytest.fixture
def tokens(tmp_path: Path) -> dict[str, str]:
    return {role: f"Bearer {add_token(tmp_path / 'tokens', f'the-{role}', role)}" for role in ROLES}


def test_a_role_is_looked_up_before_the_body_is_read(tmp_path: Path, tokens: dict[str, str]) -> None:
    service = Called(ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens"))
    for path in ("/v1/batches", "/v1/judgements", "/v1/jobs"):
        status, headers, read = service(path, [BLANKS] * 15, authorization=tokens["reader"])
        assert (status, read) == (403, 0), path
        assert headers[b"connection"] == b"close"
    for path, expected in (("/v1/nowhere", 404), ("/v1/groups", 405)):
        status, headers, read = service(path, [BLANKS] * 15, authorization=tokens["reader"])
        assert (status, read, headers[b"connection"]) == (expected, 0, b"close")
    status, headers, read = service("/v1/check", [b'{"documents": []}'], authorization=tokens["reader"])
    assert (status, read) == (200, 1)
    assert b"connection" not in headers
    service.close()


def test_every_route_that_reads_a_body_is_in_the_table_of_roles(service: Called) -> None:
    from infostream_dedup.service.application import _ROUTERS

    changing = {"POST", "PUT", "PATCH", "DELETE"}
    routes = {one.path_regex for router in _ROUTERS for one in router.routes if one.methods & changing}
    roles = [one for one in service.guard._application.state.roles if one[1] & changing]
    assert {address for address, _, _ in roles} == routes
    # Forms that anybody may send who is signed in, or wants to be.
    assert {address.pattern for address, _, role in roles if role is None} == {r"^/sign\-in$", r"^/sign\-out$"}


def test_bodies_held_at_one_time_have_a_bound(tmp_path: Path, tokens: dict[str, str]) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens")
    service = Called(settings_of(settings, held_bytes=40 * MEGABYTE, held_bytes_of_caller=20 * MEGABYTE))

    async def together() -> list[tuple[int, dict[bytes, bytes], int]]:
        roles = ("reader", "reader", "writer", "writer", "admin")
        return await asyncio.gather(
            *(service.post("/v1/check", [BLANKS] * 15, authorization=tokens[role]) for role in roles)
        )

    answers = service.loop.run_until_complete(together())
    assert [status for status, _, _ in answers] == [400, 503, 400, 503, 503]
    refused = [answer for answer in answers if answer[0] == 503]
    assert all(headers[b"retry-after"] == b"2" and read == 0 for _, headers, read in refused)
    # All of it was given back.
    assert service("/v1/check", [BLANKS] * 15, authorization=tokens["reader"])[0] == 400
    # A small body may become a large one.
    bomb = gzip.compress(bytes(30 * MEGABYTE).replace(b"\0", b" "))
    status, _, _ = service("/v1/check", [bomb], authorization=tokens["reader"], content_encoding="gzip")
    assert status == 413
    status, _, _ = service("/v1/check", [bomb + bytes(0)], authorization=tokens["reader"], content_encoding="gzip")
    service.close()


def test_a_slow_small_body_gives_way_to_one_that_is_sent_at_once(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db")
    service = Called(settings_of(settings, held_bytes=16 * MEGABYTE, body_seconds=3.0))

    async def slow(number: int) -> int:
        length = 15 * MEGABYTE if number % 2 else MEGABYTE
        return (await service.post("/v1/batches", [BLANKS[:-9]], length=length, stalls=True))[0]

    async def crowded() -> tuple[list[int], int]:
        crowd = [asyncio.ensure_future(slow(number)) for number in range(40)]
        await asyncio.sleep(0.2)
        document = {"id": "a", "text": "Мэр открыл мост. " * 30000}
        honest, *_ = await service.post("/v1/batches", [orjson.dumps({"documents": [document]})])
        return await asyncio.gather(*crowd), honest

    statuses, honest = service.loop.run_until_complete(crowded())
    # A quarter of 16 megabytes has room for 4 that are nearly complete, then for 3; the rest for none of 15 megabytes.
    assert honest == 200
    assert (statuses.count(503), statuses.count(408)) == (37, 3)
    service.close()


@pytest.mark.parametrize("value", [b"{}", b"[]", b'{"a":[1]}', b"1.5"])
def test_many_short_values_are_refused_before_they_are_objects(service: Called, value: bytes) -> None:
    listed = b",".join([value] * 600_000)
    service("/v1/check", [b'{"documents": []}'])
    before = resident()
    for name in ("/v1/check", "/v1/batches"):
        assert service(name, [b'{"documents": [', listed, b"]}"])[0] == 413
    assert resident() - before < 40
    assert service("/v1/check", [orjson.dumps({"documents": [{"id": "a", "text": "[{, " * 200_000}]})])[0] == 200


def test_room_is_given_back() -> None:
    room = Room(134, 80, 0)
    with room.taken("a") as one, room.taken("a") as two, room.taken("b") as three:
        one.take(50)
        with pytest.raises(ProblemError, match="too many bytes"):
            two.take(20)
        two.take(10)
        three.take(40)
        with pytest.raises(ProblemError):
            three.take(41)
        one.take(5)
        three.take(60)
    assert not room._taken
