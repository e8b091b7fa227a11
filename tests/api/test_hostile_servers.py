"""Servers that send without end, or send us elsewhere: every limit of ``collect`` holds, whatever they say."""

import resource
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from infostream_dedup import collect
from infostream_dedup.documents import fetching
from infostream_dedup.documents.fetching import Deadline, FetchLimits, fetch
from infostream_dedup.errors import InfostreamError, NoInputError

SECONDS = 1.0
FEED = b"<rss><channel><item><guid>a</guid><description>Snow in Kyiv.</description></item></channel></rss>"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(FEED), FEED)


@contextmanager
def serving(speak: Callable[[socket.socket, str], None]) -> Iterator[str]:
    """A server that says what a function says; it gets the path that was asked for."""
    listening = socket.create_server(("127.0.0.1", 0))

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            speak(connection, head.split()[1].decode())

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    listening.close()


def drip(connection: socket.socket, head: bytes, byte: bytes, pause: float = 0.05) -> None:
    connection.sendall(head)
    while True:
        connection.sendall(byte)
        time.sleep(pause)


DRIPPED = {
    "status": (b"", b"H"), "header": (b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "many headers": (b"HTTP/1.1 200 OK\r\n", b"X: a\r\n"), "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "chunk head": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", b"a"),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "trailers": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n", b"X: a\r\n"),
    "body": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"a"),
    "no length": (b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
    "body of an error": (b"HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n", b"a"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DRIPPED)
def test_nothing_lasts_longer_than_the_timeout(kind: str) -> None:
    with serving(lambda connection, _: drip(connection, *DRIPPED[kind])) as address:
        begin = time.monotonic()
        with pytest.raises(InfostreamError):
            fetch(address, FetchLimits(timeout=SECONDS), Deadline("", 60.0, "--total-timeout"))
        assert time.monotonic() - begin < 2.5 * SECONDS


@pytest.mark.parametrize("kind", ["many headers", "continue", "chunk head", "chunks", "trailers", "no length"])
def test_nothing_is_longer_than_the_limit(kind: str) -> None:
    head, piece = DRIPPED[kind]
    with serving(lambda connection, _: drip(connection, head, piece * 20_000, pause=0)) as address:
        with pytest.raises(InfostreamError) as refused:
            fetch(address, FetchLimits(timeout=30.0, max_bytes=1000), Deadline("", 60.0, "--total-timeout"))
        assert "--timeout" not in str(refused.value)


def test_the_body_of_a_redirect_is_not_read() -> None:
    sent = []

    def speak(connection: socket.socket, path: str) -> None:
        if path == "/ok":
            connection.sendall(WHOLE)
            return
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 700000000\r\n\r\n")
        while True:
            sent.append(connection.send(bytes(1 << 20)))

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with serving(speak) as address:
        assert fetch(address, FetchLimits(timeout=10.0), Deadline("", 60.0, "-")).content == FEED
    assert sum(sent) < 50_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_redirects_share_one_deadline() -> None:
    def speak(connection: socket.socket, path: str) -> None:
        time.sleep(0.4 * SECONDS)
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: %sx\r\nContent-Length: 0\r\n\r\n" % path.encode())

    with serving(speak) as address:
        begin = time.monotonic()
        with pytest.raises(NoInputError, match=r"not received after 1 seconds; timeout allows more"):
            fetch(address, FetchLimits(timeout=SECONDS, max_redirects=20), Deadline("", 60.0, "--total-timeout"))
        assert time.monotonic() - begin < 2.5 * SECONDS


def test_a_name_that_is_looked_up_for_ever_has_the_deadline_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching.socket, "getaddrinfo", lambda *_, **__: time.sleep(10))
    begin = time.monotonic()
    with pytest.raises(NoInputError, match="timeout allows more"):
        fetch("http://news.example/", FetchLimits(timeout=0.3), Deadline("", 60.0, "--total-timeout"))
    assert time.monotonic() - begin < 2


def test_all_addresses_together_have_a_deadline() -> None:
    pytest.importorskip("feedparser")
    failures: list[InfostreamError] = []
    with serving(lambda connection, path: (time.sleep(0.3), connection.sendall(WHOLE))) as address:
        every = [f"{address}/{number}" for number in range(10)]
        begin = time.monotonic()
        rows = list(collect(every, total_timeout=SECONDS, on_failure=failures.append))
        assert time.monotonic() - begin < 2.5 * SECONDS
    assert rows
    assert len(failures) >= 5
    assert all("not received after 1 seconds; total_timeout allows more" in str(one) for one in failures)


INSIDE = (
    *("127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.1.2.3"),
    *("::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1", "localhost"),
    *("192.0.0.8", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b:1::7f00:1", "fec0::1", "5f00::1"),
)
OUTSIDE = ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34", "64:ff9b::5db8:d822")


def test_which_addresses_are_inside() -> None:
    assert [one for one in INSIDE if not fetching._is_inside(one)] == []
    assert [one for one in OUTSIDE if fetching._is_inside(one)] == []


@pytest.mark.parametrize("inside", INSIDE)
def test_a_server_outside_cannot_send_us_inside(inside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are resolved by a table here; connections to outside addresses end at the test's own server."""
    asked = []

    def speak(connection: socket.socket, path: str) -> None:
        asked.append(path)
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://inside.example/secret\r\nContent-Length: 0\r\n\r\n")

    with serving(speak) as address:
        port = int(address.rpartition(":")[2])
        known = {"news.example": "93.184.216.34", "inside.example": inside}
        real = socket.socket.connect

        def resolve(host: str, at: int, **_: object) -> list[object]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (known[host], at))]

        monkeypatch.setattr(fetching.socket, "getaddrinfo", resolve)
        monkeypatch.setattr(socket.socket, "connect", lambda one, _: real(one, ("127.0.0.1", port)))
        with pytest.raises(NoInputError, match="which is inside this network"):
            fetch("http://news.example/feed", FetchLimits(timeout=5.0), Deadline("", 60.0, "-"))
        assert asked == ["/feed"]
        # Who names an inside address may be sent on inside.
        with pytest.raises(NoInputError, match="max_redirects allows more"):
            fetch("http://inside.example/feed", FetchLimits(timeout=5.0, max_redirects=2), Deadline("", 60.0, "-"))
        assert asked == ["/feed", "/feed", "/secret", "/secret"]
