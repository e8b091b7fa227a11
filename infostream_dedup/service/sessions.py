"""People who have signed in with their token."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from typing import Final

from infostream_dedup.service.tokens import Caller

__all__ = ["SESSION_COOKIE", "Sessions"]

SESSION_COOKIE: Final = "session"
_IDLE_SECONDS: Final = 12 * 3600.0
_TRIES: Final = 5
_TRY_SECONDS: Final = 60.0
_ADDRESSES: Final = 1_000


class Sessions:
    """Who is signed in, by the hash of the session's secret; all sessions end with the service.

    Args:
        clock: returns seconds that never decrease.
    """

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
        self._callers[_hash(secret)] = caller, now
        return secret

    def caller(self, secret: str) -> Caller | None:
        """Who has the session; None if it has ended."""
        key = _hash(secret)
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
        self._callers.pop(_hash(secret), None)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
