"""A client of the service: sends documents so that none is lost or counted twice, and reads what the service answers.

It needs nothing but this package. ``Client`` may be used by several threads; ``AsyncClient`` has the same methods for
asyncio, each of which waits in a thread.

Example:
    >>> from infostream_dedup.client import Client
    >>> with Client("http://127.0.0.1:8600", "TOKEN") as client:  # doctest: +SKIP
    ...     for answer in client.send_all(documents):
    ...         print([verdict["status"] for verdict in answer["verdicts"]])
    ...     for event in client.events():
    ...         print(event.kind, event.data)
"""

from __future__ import annotations

import asyncio
import gzip
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, suppress
from dataclasses import dataclass
from functools import wraps
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from itertools import islice
from typing import Any, Concatenate, Final, Literal, ParamSpec, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import orjson

from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError

__all__ = ["AsyncClient", "Client", "Event", "EventStream", "ServiceError"]

OnError = Literal["fail", "skip"]
OnConflict = Literal["item", "error", "version"]
Json = dict[str, Any]
Value = TypeVar("Value")
Given = ParamSpec("Given")

_LATER: Final = (429, 503)  # nothing was done: the request may be sent again, whatever it is

_UNDECIDED: Final = (408, 502, 504, 507)  # it arrived too slowly, a proxy does not know, the disk is full

_REPEATED: Final = ("/v1/batches", "/v1/check", "/v1/search")  # paths to which a body may be sent again

_PACKED_BYTES: Final = 16 * 1024
_FIRST_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 10.0


class ServiceError(InfostreamError):
    """The service refused a request, or could not be reached in time.

    Attributes:
        status: the status of HTTP; 0 without an answer.
        code: stable code of the problem, such as ``batch-conflict``; ``unreachable`` without an answer.
        problem: the whole problem (RFC 9457), with ``field`` and ``document`` (from 0) where they are known.
    """

    exit_code = 69

    def __init__(self, status: int, code: str, problem: Mapping[str, Any]) -> None:
        place = None if problem.get("document") is None else f"document {problem['document']}"
        known = (problem.get("title"), problem.get("detail"), place, problem.get("field"))
        super().__init__(f"{status} {code}: {'; '.join(str(one) for one in known if one)}")
        self.status, self.code, self.problem = status, code, dict(problem)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in the stream.

    Attributes:
        kind: ``verdict``, ``merge``, ``expiry``, ``alarm``, ``limit`` or ``restored``.
        data: the verdict, or what happened to a group.
        id: ordinal of the document of a verdict, from which ``events(after=...)`` continues; None for others.
    """

    kind: str
    data: Json
    id: int | None


class Client(AbstractContextManager["Client"]):
    """A connection to a service; close it, or use it in a ``with`` block.

    Requests that the service cannot take now (429, 503) are sent again after the time that it names. After a lost
    connection, and 408, 502, 504 and 507, only those are that take effect once: reads, batches, deletions, judgements.

    Args:
        address: such as ``http://127.0.0.1:8600``, with the path of a proxy if there is one.
        token: token of the caller; None for a service without tokens.
        timeout: seconds to wait for one answer.
        patience: seconds after which a request is not sent again; 0 for a single try.
    """

    def __init__(
        self, address: str, token: str | None = None, *, timeout: float = 60.0, patience: float = 120.0
    ) -> None:
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:  # also a port that is none
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"{address!r} is not the address of a service, such as http://127.0.0.1:8600")
        token = (token or "").strip()  # as it is read from a file
        if not token.isascii() or not token.isprintable():
            raise ConfigurationError("a token is one word of ASCII letters, as 'serve --new-token' prints it")
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host, self._port, self._root = parts.hostname, port, parts.path.rstrip("/")
        self._headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._timeout, self._patience = timeout, patience
        self._idle: list[HTTPConnection] = []

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections that wait for a request."""
        while self._idle:
            self._idle.pop().close()

    def send(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        batch_id: str | None = None,
        on_error: OnError = "fail",
        on_conflict: OnConflict = "item",
    ) -> Json:
        """Send one batch and return the answer: ``verdicts``, ``quarantined``, ``ignored``, ``replayed``.

        The batch is on disk. Without ``batch_id``, its content identifies it; sent twice, it is stored once.

        Args:
            documents: 1 to 5,000 documents with ``id`` and ``text``; whatever is in ``extra`` comes back.
            batch_id: 1 to 200 bytes; the same id with other content is an error (``batch-conflict``).
            on_error: ``skip`` sets documents aside that cannot be read.
            on_conflict: what a known id with other content means: ``version`` for a correction, or ``error``.
        """
        return self._json("POST", "/v1/batches", _batch(documents, batch_id, on_error, on_conflict))

    def send_all(
        self, documents: Iterable[Mapping[str, Any]], *, size: int = 500, on_error: OnError = "fail"
    ) -> Iterator[Json]:
        """Send any number of documents in batches of ``size``; yield the answer to each."""
        if size < 1:  # nothing would be sent
            raise ConfigurationError(f"size is {size}; expected a whole number of at least 1")
        rest = iter(documents)
        while batch := list(islice(rest, size)):
            yield self.send(batch, on_error=on_error)

    def submit(
        self,
        documents: Iterable[Mapping[str, Any]],
        *,
        batch_id: str | None = None,
        on_error: OnError = "fail",
        on_conflict: OnConflict = "item",
    ) -> str:
        """Hand over a batch without waiting for its verdicts, and return its id for ``status`` and ``wait``."""
        body = _batch(documents, batch_id, on_error, on_conflict)
        return str(self._json("POST", "/v1/batches?wait=false", body)["batch_id"])

    def status(self, batch_id: str) -> Json:
        """How far a batch is: ``state`` is ``waiting``, ``stored`` or ``failed``; ``problem`` says why."""
        return self._json("GET", f"/v1/batches/{quote(batch_id, safe='')}/status")

    def wait(self, batch_id: str, *, seconds: float = 600.0) -> Json:
        """Wait until a batch is on disk, and return its ``verdicts``; ServiceError if it failed or was forgotten."""
        end, pause = time.monotonic() + seconds, _FIRST_PAUSE
        while (status := self.status(batch_id))["state"] == "waiting":
            if time.monotonic() > end:
                raise ServiceError(0, "waiting", {"title": "The batch still waits", "detail": batch_id})
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        if status["state"] == "failed":
            problem = status["problem"]
            raise ServiceError(problem["status"], problem["code"], problem)
        return self._json("GET", f"/v1/batches/{quote(batch_id, safe='')}")

    def check(self, documents: Iterable[Mapping[str, Any]]) -> list[Json]:
        """The verdicts that at most 100 documents would get now; nothing is stored."""
        return list(self._json("POST", "/v1/check", {"documents": list(documents)})["verdicts"])

    def document(self, id: str) -> Json:  # noqa: A002 - the name of the field
        """A stored document with its verdict, group, key terms and, if kept, text."""
        return self._json("GET", f"/v1/documents/{quote(id, safe='')}")

    def documents(self, /, **chosen: Any) -> Iterator[Json]:
        """Stored documents in the order of the stream: ``since``, ``until``, ``source``, ``status``, ``lang``."""
        return self._listed("/v1/documents", chosen)

    def groups(self, /, **chosen: Any) -> Iterator[Json]:
        """The present groups: ``order`` (``size`` or ``last``), ``lang``, ``source``, ``since``, ``until``, ``min``."""
        return self._listed("/v1/groups", chosen)

    def search(self, /, text: str, **options: Any) -> list[Json]:
        """The stored documents that most resemble a text: ``title``, ``across``, ``k_min``, ``top``, ``identical``...

        ``within`` and ``within_days`` are for a text that is the id or the address of a stored document.
        """
        return list(self._json("POST", "/v1/search", {"text": text, **options})["items"])

    def forget(self, id: str, *, wipe: bool = False) -> None:  # noqa: A002 - the name of the field
        """Forget the content of a document; with ``wipe``, rewrite the files so that no trace is left."""
        self.request("DELETE", f"/v1/documents/{quote(id, safe='')}", query={"wipe": wipe})

    def forget_source(self, source: str, *, wipe: bool = False) -> Json:
        """Forget the content of all documents of a source; return how many were forgotten now."""
        return self._json("DELETE", "/v1/documents", query={"source": source, "wipe": wipe})

    def judge(self, /, a: str, b: str, label: str | None, **more: Any) -> Json:
        """Add a person's judgement on a pair; sent again, it is stored once."""
        body = {"a": a, "b": b, "label": label, **more}
        return self._json("POST", "/v1/judgements", body, headers={"Idempotency-Key": uuid.uuid4().hex})

    def events(self, after: int | None = None) -> EventStream:
        """What happens in the stream from now on, or after an ordinal (-1 for all); lost connections are resumed."""
        return EventStream(self, after)

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Send any request of the service's OpenAPI document, and return its JSON; None without content.

        Raises:
            ServiceError: the service refused it, or cannot be reached.
        """
        data = None if body is None else _packed(body)
        sent = {**self._headers, **(headers or {})}
        if data is not None:
            sent["Content-Type"] = "application/json"
            if len(data) > _PACKED_BYTES:
                data, sent["Content-Encoding"] = gzip.compress(data, 1, mtime=0), "gzip"
        once = method != "POST" or "Idempotency-Key" in sent or path.startswith(_REPEATED)
        end, pause = time.monotonic() + self._patience, _FIRST_PAUSE
        while True:
            try:
                status, told, answer = self._once(method, _with(path, query), data, sent)
            except (OSError, HTTPException) as error:
                if not once or time.monotonic() + pause > end:
                    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
                    raise ServiceError(0, "unreachable", {"title": self._host, "detail": told}) from error
                wait = pause
            else:
                if status < 400:
                    return orjson.loads(answer) if answer else None
                wait = float(told) if told.isdigit() else pause
                again = status in _LATER or (once and status in _UNDECIDED)
                if not again or time.monotonic() + wait > end:
                    raise _refused(status, answer)
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _json(self, method: str, path: str, body: Any = None, **options: Any) -> Json:
        answer: Json = self.request(method, path, body, **options)
        return answer

    def _listed(self, path: str, chosen: Mapping[str, Any]) -> Iterator[Json]:
        after: str | None = None
        while True:
            page = self._json("GET", path, query={**chosen, "after": after})
            yield from page["items"]
            after = page["next"]
            if after is None:
                return

    def _once(self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
        """Status, ``Retry-After`` and body of one answer; a connection that was closed while idle is opened again."""
        while True:
            try:
                connection, used = self._idle.pop(), True
            except IndexError:
                connection, used = self._opened(), False
            try:
                with suppress(BrokenPipeError, ConnectionResetError):  # refused before it was read, as too large
                    connection.request(method, self._root + path, data, dict(headers))
                answer = connection.getresponse()
                body = answer.read()
            except (OSError, HTTPException) as error:
                connection.close()
                if used and isinstance(error, ConnectionError):
                    continue
                raise
            if answer.will_close:
                connection.close()
            else:
                self._idle.append(connection)
            return answer.status, answer.headers.get("Retry-After", ""), body

    def _opened(self) -> HTTPConnection:
        return self._kind(self._host, self._port, timeout=self._timeout)

    def _stream(self, after: int | None) -> tuple[HTTPConnection, HTTPResponse]:
        connection = self._opened()
        headers = {**self._headers, "Accept": "text/event-stream"}
        connection.request("GET", self._root + _with("/v1/verdicts/events", {"after": after}), headers=headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            told = answer.read()
            connection.close()
            raise _refused(answer.status, told)
        return connection, answer


class EventStream(Iterator[Event], AbstractContextManager["EventStream"]):
    """Events as they happen; close it, or use it in a ``with`` block."""

    def __init__(self, client: Client, after: int | None) -> None:
        self._client, self._after = client, after
        self._open: tuple[HTTPConnection, HTTPResponse] | None = None
        self._closed = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the stream, also from another thread."""
        self._closed = True
        self._drop()

    def __next__(self) -> Event:
        """Wait for the next event."""
        end, pause = time.monotonic() + self._client._patience, _FIRST_PAUSE
        while not self._closed:
            try:
                if self._open is None:
                    self._open = self._client._stream(self._after)
                event = self._read(self._open[1])
                if event is not None:
                    return event
            except ServiceError as error:
                if error.status not in (*_LATER, *_UNDECIDED) or time.monotonic() > end:
                    raise
            except (OSError, HTTPException, ValueError, AttributeError) as error:  # the last two: closed meanwhile
                if not self._closed and time.monotonic() > end:
                    raise ServiceError(0, "unreachable", {"detail": str(error)}) from error
            self._drop()
            time.sleep(0 if self._closed else pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise StopIteration

    def _read(self, answer: HTTPResponse) -> Event | None:
        """The next event of a connection; None at its end."""
        kind, data, number = "verdict", b"", None
        while line := answer.readline():
            name, _, value = line.rstrip(b"\r\n").partition(b": ")
            if name == b"event":
                kind = value.decode()
            elif name == b"data":
                data = value
            elif name == b"id":
                number = int(value)
            elif not name and data:
                self._after = number if number is not None else self._after
                if kind == "begin":
                    kind, data, number = "verdict", b"", None
                    continue
                event = Event(kind, orjson.loads(data), number)
                if kind == "restored":
                    self._after = event.data["documents"] - 1
                return event
        return None

    def _drop(self) -> None:
        held, self._open = self._open, None
        if held is not None:
            with suppress(OSError):
                if held[0].sock is not None:
                    held[0].sock.shutdown(2)
            held[0].close()


def _awaited(
    method: Callable[Concatenate[Client, Given], Value],
) -> Callable[Concatenate[AsyncClient, Given], Coroutine[Any, Any, Value]]:
    @wraps(method)
    async def called(self: AsyncClient, /, *given: Given.args, **options: Given.kwargs) -> Value:
        return await asyncio.to_thread(method, self.client, *given, **options)

    return called


def _each(
    method: Callable[Concatenate[Client, Given], Iterator[Value]],
) -> Callable[Concatenate[AsyncClient, Given], AsyncGenerator[Value, None]]:
    @wraps(method)
    def called(self: AsyncClient, /, *given: Given.args, **options: Given.kwargs) -> AsyncGenerator[Value, None]:
        return _in_threads(method(self.client, *given, **options))

    return called


class AsyncClient(AbstractAsyncContextManager["AsyncClient"]):
    """``Client`` for asyncio: every method waits in a thread; arguments and answers are those of ``Client``.

    What ``Client`` iterates over is for ``async for`` here; the stream of events ends with the loop over it.

    Args:
        address: as in ``Client``.
        token: as in ``Client``.
        options: ``timeout`` and ``patience``, as in ``Client``.
    """

    def __init__(self, address: str, token: str | None = None, **options: float) -> None:
        self.client = Client(address, token, **options)

    async def __aexit__(self, *_: object) -> None:
        """Close the client."""
        self.client.close()

    send = _awaited(Client.send)
    submit = _awaited(Client.submit)
    status = _awaited(Client.status)
    wait = _awaited(Client.wait)
    check = _awaited(Client.check)
    document = _awaited(Client.document)
    search = _awaited(Client.search)
    forget = _awaited(Client.forget)
    forget_source = _awaited(Client.forget_source)
    judge = _awaited(Client.judge)
    request = _awaited(Client.request)
    send_all = _each(Client.send_all)
    documents = _each(Client.documents)
    groups = _each(Client.groups)
    events = _each(Client.events)


async def _in_threads(values: Iterator[Value]) -> AsyncGenerator[Value, None]:
    end = object()
    try:
        while (value := await asyncio.to_thread(next, values, end)) is not end:
            yield value  # type: ignore[misc]  # not the end
    finally:
        if isinstance(values, EventStream):
            values.close()


def _batch(documents: Iterable[Mapping[str, Any]], batch_id: str | None, on_error: str, on_conflict: str) -> Json:
    given = {"documents": list(documents), "on_error": on_error, "on_conflict": on_conflict}
    return given if batch_id is None else {"batch_id": batch_id, **given}


def _packed(body: Any, source: str = "<body>", line: int | None = None) -> bytes:
    try:
        return orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY)
    except TypeError as error:
        for number, one in enumerate(body.get("documents", ()) if isinstance(body, dict) else (), 1):
            _packed(one, "<documents>", number)
        raise BadDataError(str(error), code="E_TYPE", source=source, line=line) from None


def _with(path: str, query: Mapping[str, Any] | None) -> str:
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in (query or {}).items()}
    told = urlencode({name: value for name, value in given.items() if value is not None})
    return f"{path}{'&' if '?' in path else '?'}{told}" if told else path


def _refused(status: int, answer: bytes) -> ServiceError:
    try:
        problem = orjson.loads(answer)
        return ServiceError(status, str(problem["code"]), problem)
    except (ValueError, KeyError, TypeError):
        return ServiceError(status, "http", {"title": "not an answer of the service; is the address right?"})
