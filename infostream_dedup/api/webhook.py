"""Posts what happens in a store to an address: alarms, merges, limits and hits of standing searches.

A thread of its own reads events from the store, so that a receiver which is slow or away holds up no batch. The file
STORE.webhook says how far it came: after a restart, it goes on there.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import orjson

from infostream_dedup.errors import CannotWriteError, ConfigurationError, InfostreamError, NoInputError
from infostream_dedup.machine.files import make_private_file
from infostream_dedup.model import VERSION

SECRET: Final = "INFOSTREAM_DEDUP_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
SIGNATURE: Final = "X-Infostream-Signature"
_TIMEOUT: Final = 10.0  # seconds for each step of a request
_PAUSES: Final = (0.5, 2.0, 8.0, 30.0)  # seconds between tries
_LOOK_AGAIN: Final = 0.5  # seconds between two looks into the store
_LAST: Final = 5.0  # seconds in which the last events may still be delivered when the run ends
_MOST: Final = 100  # events of a request
_SHORTEST: Final = 16  # bytes of a secret


@dataclass(frozen=True, slots=True)
class Receiver:
    """Where events are posted, and the secret that signs them."""

    address: str
    secret: bytes

    @classmethod
    def of(cls, address: str, secret_file: str | Path | None) -> Receiver:
        """Check an address, and read the secret from a file or the environment."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or parts.fragment:
            raise ConfigurationError(f"webhook (--webhook) is {address!r}; expected http:// or https:// and a host")
        if secret_file is not None:
            try:
                secret, where = Path(secret_file).read_bytes().strip(), str(secret_file)
            except OSError as error:
                raise NoInputError(f"{secret_file}: {error.strerror or error} (--webhook-secret)") from error
        else:
            secret, where = os.environb.get(SECRET.encode(), b"") if hasattr(os, "environb") else b"", SECRET
            secret = secret or os.environ.get(SECRET, "").encode()
        if len(secret) < _SHORTEST:
            raise ConfigurationError(
                f"{where}: {len(secret)} bytes; what is posted is signed with a secret of {_SHORTEST} or more from the "
                f"environment variable {SECRET} or the file that webhook_secret (--webhook-secret) names"
            )
        return cls(address, secret)

    def post(self, body: bytes, delivery: str) -> str:
        """Post a body once; return why it was not accepted, or nothing. Redirects are not followed."""
        parts = urlsplit(self.address)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"infostream-dedup/{VERSION}",
            "X-Infostream-Delivery": delivery,
            SIGNATURE: f"sha256={hmac.new(self.secret, body, hashlib.sha256).hexdigest()}",
        }
        try:
            with closing(kind(parts.hostname or "", parts.port, timeout=_TIMEOUT)) as connection:
                connection.request("POST", urlunsplit(("", "", parts.path or "/", parts.query, "")), body, headers)
                status = connection.getresponse().status
        except (OSError, ValueError, http.client.HTTPException) as error:
            return str(error) or type(error).__name__
        return "" if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES else f"answered {status}"


@contextmanager
def pushed(
    store: Path, address: str, secret_file: str | Path | None, note: Callable[[str], None]
) -> Iterator[Callable[[], None]]:
    """Post the events of a store while the block runs; those of its end, too, if the receiver takes them in time."""
    pusher = _Pusher(store, Receiver.of(address, secret_file), note)
    pusher.start()
    try:
        yield pusher.wake
    finally:
        pusher.stop()


class _Pusher(threading.Thread):
    def __init__(self, store: Path, receiver: Receiver, note: Callable[[str], None]) -> None:
        from infostream_dedup.stream.brokers import DeadLetters

        super().__init__(name="webhook", daemon=True)
        self._store, self._receiver, self._note = store, receiver, note
        self._mark = store.with_name(f"{store.name}.webhook")
        self._dead = DeadLetters(store.with_name(f"{store.name}.webhook.jsonl"))
        self._news, self._ending, self._given_up = threading.Event(), threading.Event(), threading.Event()
        self._place = self._where()
        self._note_place()

    def wake(self) -> None:
        """Look into the store now."""
        self._news.set()

    def stop(self) -> None:
        """Deliver what is there, but do not wait long; the rest is posted by the next run."""
        self._ending.set()
        self._news.set()
        self.join(_LAST)
        self._given_up.set()
        self.join(_TIMEOUT / 10)

    def run(self) -> None:
        said = ""
        while not self._given_up.is_set():
            last, done = self._ending.is_set(), dict(self._place)
            try:
                while events := self._next():
                    if not self._deliver(events):
                        return
                    done = dict(self._place)
                said = ""
            except (InfostreamError, OSError) as error:
                self._place = done  # what was neither accepted nor set aside is posted again
                if said != str(error):
                    said = str(error)
                    self._note(f"webhook: {said}")
            if last:
                return
            self._news.wait(_LOOK_AGAIN)
            self._news.clear()

    def _where(self) -> dict[str, int]:
        """How far events were delivered; without a mark, everything up to now is old."""
        try:
            given = orjson.loads(self._mark.read_bytes())
            return {"event": int(given["event"]), "epoch": int(given["epoch"])}
        except (OSError, ValueError, KeyError, TypeError):
            return self._end()

    def _end(self) -> dict[str, int]:
        from infostream_dedup.stream.store.restoring import open_epoch
        from infostream_dedup.stream.store.store import Store

        if not self._store.exists() or not self._store.stat().st_size:
            return {"event": -1, "epoch": 0}
        with Store.open(self._store, create=False, read_only=True) as store, store.reading() as connection:
            last = connection.execute("SELECT coalesce(max(number), -1) FROM event").fetchone()[0]
            return {"event": last, "epoch": open_epoch(connection)}

    def _next(self) -> list[dict[str, Any]]:
        """Events that were not delivered yet, at most as many as a request takes."""
        from infostream_dedup.stream.store.browsing import events_after
        from infostream_dedup.stream.store.store import Store

        now = self._end()
        if now["event"] < self._place["event"] or now["epoch"] < self._place["epoch"]:
            self._place = now  # the store went back to a backup
        if now["event"] > self._place["event"]:
            with Store.open(self._store, create=False, read_only=True) as store, store.reading() as connection:
                rows, self._place["event"] = events_after(connection, self._place["event"], _MOST)
            if rows:
                return rows
        if now["epoch"] > self._place["epoch"]:
            from infostream_dedup.stream.health import alarms_since

            with Store.open(self._store, create=False, read_only=True) as store:
                said = alarms_since(store, self._place["epoch"])
            self._place["epoch"] = now["epoch"]
            return [{"kind": "health", "message": one} for one in said]
        return []

    def _deliver(self, events: Sequence[dict[str, Any]]) -> bool:
        """Post events until they are accepted or set aside; False if the run ended before."""
        delivery = uuid.uuid4().hex
        sent = datetime.now(UTC).isoformat(timespec="seconds")
        body = orjson.dumps({"delivery": delivery, "sent": sent, "store": self._store.name, "events": events})
        for pause in (*_PAUSES, 0.0):
            failed = self._receiver.post(body, delivery)
            if not failed:
                break
            if self._given_up.wait(pause):
                return False
        else:
            self._dead.add(body, address=self._receiver.address, reason=failed, tries=len(_PAUSES) + 1)
            self._note(f"webhook: {self._receiver.address}: {failed}; {len(events)} events are in {self._dead.path}")
        self._note_place()
        return True

    def _note_place(self) -> None:
        part = self._mark.with_name(f"{self._mark.name}.part")
        try:
            make_private_file(part)
            part.write_bytes(orjson.dumps(self._place))
            part.replace(self._mark)
        except OSError as error:
            raise CannotWriteError(f"{self._mark}: {error.strerror or error}") from error
