"""Who may do what: names, roles and hashes of tokens in a file, sessions of people, and how often each may read.

A line of the file is ``NAME ROLE SHA256 CHECKSUM``, in hexadecimal digits; lines that begin with # are notes. Lines
written by hand need no checksum. The token itself is 256 random bits, shown once when it is made and not stored.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError, CannotWriteError, ConfigurationError, InfostreamError, NoInputError
from infostream_dedup.machine.files import make_private_file
from infostream_dedup.machine.platform import has_file_modes
from infostream_dedup.service.logs import log
from infostream_dedup.service.problems import ProblemError

ROLES: Final[Mapping[str, frozenset[str]]] = {
    "reader": frozenset({"reader"}),
    "analyst": frozenset({"reader", "analyst"}),
    "writer": frozenset({"reader", "writer"}),
    "admin": frozenset({"reader", "analyst", "writer", "admin"}),
}
"""What each role may do, in terms of roles."""

_NAME: Final = re.compile(r"[\w.-]{1,64}")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_CHECKSUM_DIGITS: Final = 16
_LOOK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request."""

    name: str
    role: str
    # of the token, by which it is known whether somebody still has it
    digest: str = field(default="", compare=False, repr=False)

    def may(self, role: str) -> bool:
        """Whether the caller may do what a role may."""
        return role in ROLES[self.role]

    def check(self, role: str) -> None:
        """Refuse what the caller may not do; ProblemError ``role``."""
        if not self.may(role):
            roles = " or ".join(dict.fromkeys((role, "admin")))
            raise ProblemError(403, "role", f"this needs a token with the role {roles}")


LOCAL: Final = Caller("local", "admin")
"""The one person of a service without tokens, which only its own machine can reach."""


class Tokens:
    """The callers by the hash of their tokens, in a file that may change meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._looked = time.monotonic()
        self._known = _state_of(path)
        self._callers = _callers_of(path)

    def caller(self, token: str) -> Caller | None:
        """Find whose token it is, in a time that does not reveal how much of it is right."""
        self._look()
        digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        found = None
        for known, caller in self._callers.items():
            if secrets.compare_digest(known, digest):
                found = caller
        return found

    def holds(self, caller: Caller) -> bool:
        """Whether the token with which somebody signed in is still valid, for the same role."""
        self._look()
        return self._callers.get(caller.digest) == caller

    def callers(self) -> list[Caller]:
        """Everybody who has a token, by name."""
        return sorted(self._callers.values(), key=lambda caller: caller.name)

    def _look(self) -> None:
        """Read the file again if it has changed; one that cannot be read changes nothing, and the log says so."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return
        self._looked, state = now, _state_of(self._path)
        if state != self._known:
            self._known = state
            try:
                self._callers = _callers_of(self._path)
            except InfostreamError as error:
                log("tokens", level="warning", reason=str(error))


def _state_of(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _callers_of(path: Path, *, needed: bool = True) -> dict[str, Caller]:
    try:
        text, status = path.read_text(encoding="utf-8"), path.stat()
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror or error}; make one with 'serve --new-token NAME'") from None
    except UnicodeDecodeError:
        raise BadDataError("not text in UTF-8", code="E_ENCODING", source=str(path)) from None
    if has_file_modes() and status.st_mode & 0o022:
        raise ConfigurationError(f"{path}: others can write this file; run chmod 600 on it")
    callers = {}
    for number, line in enumerate(text.splitlines(), start=1):
        # A single changed bit can turn somebody's line into a comment.
        if line.strip() and (not line.startswith("#") or (len(line.split()) == 4 and _HASH.search(line))):
            name, role, digest = _parts(line, str(path), number)
            callers[digest] = Caller(name, role, digest)
    if needed and not callers:
        raise ConfigurationError(f"{path}: nobody has a token; make one with 'serve --new-token NAME'")
    return callers


def add_token(path: Path, name: str, role: str) -> str:
    """Make a token for somebody and add its hash to a token file, which is made if missing."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{name!r} cannot name a token; use 1 to 64 letters, digits, dots or hyphens")
    if role not in ROLES:
        raise ConfigurationError(f"{role!r} is not a role; expected {', '.join(ROLES)}")
    token = secrets.token_urlsafe(32)
    digest = hashlib.sha256(token.encode()).hexdigest()
    try:
        if not path.exists():
            make_private_file(path)
        _callers_of(path, needed=False)  # another file stays as it is
        with path.open("ab") as file:
            begin = "\n" if path.read_bytes()[-1:] not in (b"", b"\n") else ""
            file.write(f"{begin}{name} {role} {digest} {_checksum(name, role, digest)}\n".encode())
    except OSError as error:
        raise CannotWriteError(f"{path}: {error.strerror or error}") from None
    return token


def _parts(line: str, source: str, number: int) -> tuple[str, str, str]:
    name, role, digest, *checksum = (*line.split(), "", "", "")[: max(3, len(line.split()))]
    if len(checksum) > 1 or not _NAME.fullmatch(name) or role not in ROLES or not _HASH.fullmatch(digest):
        message = f"expected a name, a role ({', '.join(ROLES)}) and a SHA-256 in hexadecimal digits"
        raise BadDataError(message, code="E_TOKEN", source=source, line=number)
    if checksum and checksum[0] != _checksum(name, role, digest):
        message = "the line differs from its checksum; make a new token, or leave out the last column if you changed it"
        raise BadDataError(message, code="E_TOKEN", source=source, line=number)
    return name, role, digest


def _checksum(name: str, role: str, digest: str) -> str:
    return hashlib.sha256(f"{name} {role} {digest}".encode()).hexdigest()[:_CHECKSUM_DIGITS]


SESSION_COOKIE: Final = "session"
_IDLE_SECONDS: Final = 12 * 3600.0
_TRIES: Final = 5
_TRY_SECONDS: Final = 60.0
_ADDRESSES: Final = 1_000


class Sessions:
    """Who is signed in, by the hash of the session's secret; all sessions end with the service."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._callers: dict[bytes, tuple[Caller, float]] = {}
        self._wrong: dict[str, list[float]] = {}

    def may_try(self, address: str) -> bool:
        """Whether to check a token from this address: not after five wrong ones within a minute."""
        now = self._clock()
        recent = {one: [then for then in times if now - then < _TRY_SECONDS] for one, times in self._wrong.items()}
        self._wrong = {one: times for one, times in recent.items() if times}
        return len(self._wrong.get(address, ())) < _TRIES

    def failed(self, address: str) -> None:
        """Count a wrong token; if there are too many addresses, forget the oldest."""
        if len(self._wrong) >= _ADDRESSES:
            del self._wrong[next(iter(self._wrong))]
        self._wrong.setdefault(address, []).append(self._clock())

    def begin(self, caller: Caller) -> str:
        """Start a session and return its secret."""
        now = self._clock()
        self._callers = {key: (one, seen) for key, (one, seen) in self._callers.items() if now - seen <= _IDLE_SECONDS}
        secret = secrets.token_urlsafe(32)
        self._callers[_hash_of(secret)] = caller, now
        return secret

    def caller(self, secret: str) -> Caller | None:
        """Who has the session; None if it has ended."""
        key = _hash_of(secret)
        caller, seen = self._callers.get(key, (None, 0.0))
        if caller is None:
            return None
        now = self._clock()
        if now - seen > _IDLE_SECONDS:
            del self._callers[key]
            return None
        self._callers[key] = caller, now
        return caller

    def end(self, secret: str) -> None:
        """End a session."""
        self._callers.pop(_hash_of(secret), None)


def _hash_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


_BUCKET_SECONDS: Final = 10.0


_SMALL_SHARE: Final = 0.25


class Room:
    """Bytes of bodies that may be held at one time, by all callers together and by each."""

    # Small bodies have a share of their own, which counts what has arrived. Once it is used up, the oldest one on its
    # way gives way, of the caller who holds most: slow clients never keep out one that sends at once.

    def __init__(self, most: int, most_of_caller: int, small: int) -> None:
        self.small = small
        self._most, self._most_of_caller = most, most_of_caller
        self._taken: Counter[tuple[bool, str]] = Counter()
        self._bodies: dict[TakenRoom, None] = {}
        self.parsing = asyncio.Semaphore()  # parsed, a body may be 30 times as large: one after the other

    @contextmanager
    def taken(self, caller: str) -> Iterator[TakenRoom]:
        """Room for the bodies of a request; it is given back at the end of the ``with`` block."""
        body = TakenRoom(self, caller)
        self._bodies[body] = None
        try:
            yield body
        finally:
            self._change(body, 0)
            del self._bodies[body]

    def take(self, body: TakenRoom, size: int) -> None:
        """Change how much a body has taken; ProblemError ``queue-full``."""
        self._change(body, 0)
        is_small = size <= self.small
        while size and (full := self._full(is_small, body.caller, size)) is not None:
            of_full = (one for one in self._bodies if one.caller == full and (one.size or one is body))
            oldest = next((one for one in of_full if one.may_give_way), None)
            if not is_small or oldest is None or oldest is body:
                raise queue_full()
            oldest.give_way()
            self._change(oldest, 0)
        self._change(body, size)

    def _full(self, is_small: bool, caller: str, size: int) -> str | None:
        """Who holds too much for another body; None if there is room."""
        share = _SMALL_SHARE if is_small else 1 - _SMALL_SHARE
        held = {who: held for (small, who), held in self._taken.items() if small == is_small}
        if held.get(caller, 0) + size > share * self._most_of_caller:
            return caller
        return max(held, key=held.__getitem__) if sum(held.values()) + size > share * self._most else None

    def _change(self, body: TakenRoom, size: int) -> None:
        for held, sign in ((body.size, -1), (size, 1)):
            if held:
                self._taken[held <= self.small, body.caller] += sign * held
        self._taken = +self._taken
        body.size = size


class TakenRoom:
    """The room that one request has taken."""

    def __init__(self, room: Room, caller: str) -> None:
        self._room, self.caller, self.size = room, caller, 0
        self.body = bytearray()
        self._arriving: asyncio.Timeout | None = None
        self._gave_way = False

    def taken_body(self) -> bytearray:
        """Hand the body over: only the caller has it now."""
        body, self.body = self.body, bytearray()
        return body

    def another(self) -> AbstractContextManager[TakenRoom]:
        """Room for what outlives the request."""
        return self._room.taken(self.caller)

    @property
    def parsing(self) -> asyncio.Semaphore:
        """To be held while a body is parsed."""
        return self._room.parsing

    def take(self, size: int) -> None:
        """Change how much is taken; ProblemError ``queue-full``."""
        self._room.take(self, size)

    def take_arrived(self, size: int, announced: int, most: int) -> None:
        """Take what a small body has so far, and all of a large one; without a length, the longest."""
        self.take(size if max(size, announced) <= self._room.small else announced or most)

    @asynccontextmanager
    async def arriving(self, seconds: float) -> AsyncIterator[None]:
        """Give a body time to arrive; ProblemError ``body-timeout``, or ``queue-full`` if it had to give way."""
        try:
            async with asyncio.timeout(seconds) as self._arriving:
                yield
        except TimeoutError:
            raise (queue_full() if self._gave_way else ProblemError(408, "body-timeout")) from None
        finally:
            self._arriving = None

    @property
    def may_give_way(self) -> bool:
        """Whether it is small and still on its way."""
        return self.size <= self._room.small and self._arriving is not None and not self._arriving.expired()

    def give_way(self) -> None:
        """End the request."""
        assert self._arriving is not None  # noqa: S101 - asked before
        self._gave_way = True
        self._arriving.reschedule(asyncio.get_running_loop().time())


def queue_full() -> ProblemError:
    """What to say when there is no room for a body."""
    return ProblemError(503, "queue-full", "too many bytes wait for their answers", retry_after=2)


class Rates:
    """One token bucket per caller: it fills at a rate of reads per second, and holds ten seconds' worth."""

    def __init__(self, per_second: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._clock = per_second, clock
        self._left: dict[str, tuple[float, float]] = {}

    def check(self, caller: str) -> None:
        """Count a read."""
        now = self._clock()
        most = self._per_second * _BUCKET_SECONDS
        left, then = self._left.get(caller, (most, now))
        left = min(most, left + (now - then) * self._per_second)
        if left < 1:
            raise ProblemError(429, "too-many", retry_after=1, limit=self._per_second)
        self._left[caller] = left - 1, now
