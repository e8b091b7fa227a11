"""Fetches addresses: what a server may send, for how long, and to which other addresses it may send us."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.client
import io
import ipaddress
import queue
import socket
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.machine.files import Readable
from infostream_dedup.model import VERSION

_SCHEMES: Final = ("http://", "https://")
_CHUNK: Final = 1 << 16
_OVERHEAD: Final = 1 << 20  # bytes of heads, headers and chunk heads that an answer may have besides its content
_KEPT: Final = "%/:=&?~+!$,;'@()*[]|"  # characters of an address that stay as they are
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_PUBLIC: Final = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is public so far; the list of what is not differs from Python to Python."""
_PROTOCOLS: Final = ipaddress.ip_network("192.0.0.0/24")
_MOVED: Final = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of an answer: bytes, seconds from the first lookup to the last byte, and redirects."""

    max_bytes: int = 20_000_000
    timeout: float = 30.0
    max_redirects: int = 5


def is_address(source: str) -> bool:
    """Whether a source is an address, not a file."""
    return source.lower().startswith(_SCHEMES)


class Fetched(NamedTuple):
    """What an address delivered."""

    content: bytes
    address: str
    charset: str | None


class Deadline:
    """The moment at which everything must have arrived; it counts from the first question for it."""

    def __init__(self, address: str, seconds: float, option: str) -> None:
        self._address, self._seconds, self._option, self._end = address, seconds, option, 0.0

    def left(self) -> float:
        """Seconds that are left; NoInputError if there are none."""
        now = time.monotonic()
        self._end = self._end or now + self._seconds
        if now >= self._end:
            raise self.passed()
        return self._end - now

    def of(self, address: str, seconds: float) -> Deadline:
        """The deadline of one of several addresses: its own, or that of all if that comes first."""
        if seconds <= self.left():
            return Deadline(address, seconds, "--timeout")
        mine = Deadline(address, self._seconds, self._option)
        mine._end = self._end
        return mine

    def passed(self) -> NoInputError:
        """What to say once it has passed."""
        where = f"{self._address}: " if self._address else ""
        return NoInputError(f"{where}not received after {self._seconds:g} seconds; {self._option} allows more")


def fetch(address: str, limits: FetchLimits, total: Deadline) -> Fetched:
    """Return the content at an address; `total` is the deadline of all addresses together."""
    deadline = total.of(address, limits.timeout)
    current, is_inside = address, None
    try:
        for left in range(limits.max_redirects, -1, -1):
            connection = _Connection(_in_ascii(current), deadline, limits, may_go_inside=is_inside is not False)
            with contextlib.closing(connection), connection.answer() as answer:
                is_inside = connection.is_inside if is_inside is None else is_inside
                location = answer.headers.get("Location")
                if answer.status not in _MOVED or not location:
                    if not HTTPStatus.OK <= answer.status < HTTPStatus.MULTIPLE_CHOICES:
                        raise NoInputError(f"{address}: the server answers {answer.status} {answer.reason}")
                    content = _unpacked(_read(answer, address, limits), answer.headers, address, limits)
                    return Fetched(content, current, answer.headers.get_content_charset())
                # The body of a redirect is of no use, and is not read.
            following = urljoin(current, location)
            if not is_address(following):
                raise NoInputError(f"{current}: redirects to {following}, which is not a web address")
            if not left:
                raise NoInputError(f"{current}: redirects to {following}; --max-redirects allows more")
            current = following
    except TimeoutError as error:
        raise deadline.passed() from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoInputError(f"{address}: {error or type(error).__name__}") from error
    raise AssertionError("the last redirect ends the loop")


class _Connection:
    """A connection for one address, made directly or through the proxy that the environment names."""

    def __init__(self, address: str, deadline: Deadline, limits: FetchLimits, *, may_go_inside: bool) -> None:
        self._deadline, self._may_go_inside = deadline, may_go_inside
        self.is_inside = False
        parts = urlsplit(address)
        if parts.hostname is None or parts.username is not None:
            raise ValueError("expected a host without user and password")
        is_secure = parts.scheme.lower() == "https"
        port = parts.port or (443 if is_secure else 80)
        proxy = None if urllib.request.proxy_bypass(parts.hostname) else urllib.request.getproxies().get(parts.scheme)
        self._headers = {"User-Agent": f"infostream-dedup/{VERSION}", "Connection": "close"}
        self._target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
        kind = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
        if proxy is None:
            self._plain = kind(parts.hostname, port)
        else:
            # The proxy looks the name up; what is inside can be told only by how the address is written.
            self._look(parts.hostname)
            self._plain = self._through(proxy, kind, parts.hostname, port, address)
        self._plain.response_class = lambda *given, **named: _Answer(  # type: ignore[assignment]
            *given, deadline=deadline, most=limits.max_bytes + _OVERHEAD, **named
        )
        create = self._connected if proxy is None else lambda place, *_: _first(place, deadline, lambda _: None)
        self._plain._create_connection = create  # type: ignore[attr-defined]

    def _through(
        self, proxy: str, kind: type[http.client.HTTPConnection], host: str, port: int, address: str
    ) -> http.client.HTTPConnection:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        user = {}
        if parts.username is not None:
            given = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            user = {"Proxy-Authorization": f"Basic {base64.b64encode(given).decode()}"}
        connection = kind(parts.hostname or "", parts.port or 80)
        if kind is http.client.HTTPSConnection:
            connection.set_tunnel(host, port, user)
        else:
            self._target, self._headers = address, {**self._headers, **user}
        return connection

    def answer(self) -> http.client.HTTPResponse:
        """Send the request and read the head of the answer."""
        self._plain.timeout = self._deadline.left()
        self._plain.request("GET", self._target, headers=self._headers)
        return self._plain.getresponse()

    def close(self) -> None:
        """End the connection, whatever the server still sends."""
        self._plain.close()

    def _connected(self, place: tuple[str, int], *_: Any) -> socket.socket:
        return _first(place, self._deadline, self._look)

    def _look(self, name: str) -> None:
        """Note whether an address is inside our network; a server outside must not send us there."""
        if _is_inside(name):
            self.is_inside = True
            if not self._may_go_inside:
                raise NoInputError(f"redirects to {name}, which is inside this network; give that address itself")


def _first(place: tuple[str, int], deadline: Deadline, look: Callable[[str], None]) -> socket.socket:
    """Connect to the first address of a host that answers; each is looked at after the name was resolved."""
    failure: OSError = OSError(f"no address for {place[0]}")
    for family, kind, protocol, _, address in _resolved(place, deadline):
        look(str(address[0]))
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(deadline.left())
            connection.connect(address)
        except OSError as error:
            connection.close()
            failure = error
            continue
        connection.settimeout(deadline.left())
        return connection
    raise failure


def _resolved(place: tuple[str, int], deadline: Deadline) -> list[Any]:
    """Look up a host; in a thread, because the system's resolver knows no time limit."""
    found: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found.put(socket.getaddrinfo(*place, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            found.put(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        answer = found.get(timeout=deadline.left())
    except queue.Empty:
        raise deadline.passed() from None
    if isinstance(answer, Exception):
        raise answer
    return list(answer)


def _is_inside(name: str) -> bool:
    """Whether an address is a loopback, link-local, private or otherwise not public one, also as IPv6 writes IPv4."""
    if name.lower().rstrip(".").rpartition(".")[2] == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            mapped = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if mapped is None and address not in _PUBLIC:
            return True
        address = mapped or address
    return address in _PROTOCOLS or not address.is_global or address.is_multicast


class _Answer(http.client.HTTPResponse):
    """An answer of which every byte, of heads and headers too, counts and has to come before the deadline."""

    def __init__(self, sock: socket.socket, *values: Any, deadline: Deadline, most: int, **named: Any) -> None:
        super().__init__(sock, *values, **named)
        self.fp = io.BufferedReader(_Counted(sock, self.fp.detach(), deadline, most))


class _Counted(Readable):
    def __init__(self, sock: socket.socket, raw: io.RawIOBase, deadline: Deadline, most: int) -> None:
        self._socket, self._raw, self._deadline, self._left = sock, raw, deadline, most

    def readinto(self, buffer: Any) -> int:
        # One byte now and then would begin the time of the socket anew.
        self._socket.settimeout(self._deadline.left())
        size: int = self._raw.readinto(buffer) or 0
        self._left -= size
        if self._left < 0:
            raise http.client.HTTPException("the answer is longer than --max-bytes allows")
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


def _in_ascii(address: str) -> str:
    """Return an address as servers expect it: other letters by IDNA in the host, percent-encoded elsewhere."""
    if address.isascii():
        return address
    parts = urlsplit(address)
    user, mark, host = parts.netloc.rpartition("@")
    name, colon, port = host.partition(":")
    host = f"{quote(user, _KEPT)}{mark}{name.encode('idna').decode()}{colon}{port}"
    return urlunsplit((parts.scheme, host, quote(parts.path, _KEPT), quote(parts.query, _KEPT), ""))


def _unpacked(content: bytes, headers: http.client.HTTPMessage, address: str, limits: FetchLimits) -> bytes:
    """Undo the encoding of an answer; some servers compress what they were not asked to compress."""
    encoding = headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return content
    if encoding not in ("gzip", "x-gzip"):
        raise NoInputError(f"{address}: the answer is encoded as {encoding}, which was not asked for")
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(content)).read(limits.max_bytes + 1)
    except (EOFError, zlib.error) as error:
        raise NoInputError(f"{address}: the answer breaks off; fetch it again") from error
    _check_size(len(unpacked), address, limits)
    return unpacked


def _check_size(size: int, address: str, limits: FetchLimits) -> None:
    if size > limits.max_bytes:
        message = f"longer than {limits.max_bytes:,} bytes; --max-bytes allows more"
        raise BadDataError(message, code="E_TOO_LARGE", source=address)


def _read(answer: http.client.HTTPResponse, address: str, limits: FetchLimits) -> bytes:
    content = bytearray()
    while chunk := answer.read1(_CHUNK):
        content += chunk
        _check_size(len(content), address, limits)
    if answer.length:
        raise NoInputError(f"{address}: the answer breaks off; fetch it again")
    return bytes(content)
