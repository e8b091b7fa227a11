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


class Sessions:
    """Who is signed in, by the hash of the session's secret; all end with the service.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._callers: dict[bytes, tuple[Caller, float]] = {}
        self._tries: list[float] = []

    def may_try(self) -> bool:
        """Count a token that somebody pasted; five a minute are looked at."""
        now = self._clock()
        self._tries = [then for then in self._tries if now - then < _TRY_SECONDS]
        self._tries.append(now)
        return len(self._tries) <= _TRIES

    def begin(self, caller: Caller) -> str:
        """Begin a session and return its secret."""
        secret = secrets.token_urlsafe(32)
        self._callers[_hash(secret)] = caller, self._clock()
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
