"""Documents from a broker: RabbitMQ, NATS JetStream, Redis streams or Kafka, named by the scheme of an address.

A batch is on disk, and its verdicts are printed and published, before its messages are acknowledged. What a kill leaves
unacknowledged comes again, and documents that the store has are not stored again. A message that cannot be read is
tried three times, then written to STORE.dead.jsonl and acknowledged, so that it never comes again.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
import time
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import orjson

from infostream_dedup.documents import Reading
from infostream_dedup.documents.documents import OtherLanguageError
from infostream_dedup.documents.reading import make_builder
from infostream_dedup.documents.records import Place, Record
from infostream_dedup.errors import BadDataError, CannotWriteError, MissingExtraError, NoInputError, UsageError
from infostream_dedup.machine.files import make_private_file
from infostream_dedup.machine.platform import sync
from infostream_dedup.model import Document

if TYPE_CHECKING:
    from infostream_dedup.documents.block_reading import Placed
    from infostream_dedup.model.stream_records import Verdict
    from infostream_dedup.stream.intake import Intake

Value = TypeVar("Value")
_TRIES: Final = 3
_TRY_AGAIN: Final = 0.3  # seconds before a second try, twice as many before the third
_LOOK_AGAIN: Final = 0.2  # seconds between two checks for a signal
_QUIET: Final = 2.0  # seconds without a message after which a broker has no more
_LONGEST_PAUSE: Final = 30.0  # seconds between two attempts to connect again
_CONNECTING: Final = 10.0  # seconds to connect
_HELD: Final = 30  # seconds for which NATS waits for an acknowledgement
_UNSAFE: Final = re.compile(r"[^\w-]+")


class Message(NamedTuple):
    """A message, and what its broker needs to acknowledge it."""

    body: bytes
    handle: Any


@dataclass
class _Broker(ABC):
    address: str
    name: str
    group: str  # whose position the broker keeps, except in RabbitMQ
    size: int  # how many messages are under way at once
    publish_to: str | None
    failure: ClassVar[str]  # package, and name of the errors of its package that mean a lost connection

    def lost(self) -> tuple[type[Exception], ...]:
        """Errors that mean a lost connection."""
        return OSError, TimeoutError, resolve_name(self.failure)

    @abstractmethod
    async def open(self) -> None:
        """Connect, and make what is to be read if it is missing."""

    @abstractmethod
    async def take(self, most: int, seconds: float) -> list[Message]:
        """The next messages; none if none came in time."""

    @abstractmethod
    async def done(self, messages: Sequence[Message]) -> None:
        """Acknowledge all messages taken since the last call."""

    @abstractmethod
    async def publish(self, name: str, rows: Sequence[tuple[str, bytes]]) -> None:
        """Publish rows by their ids, and return once the broker has them."""

    async def more(self) -> bool:
        """Whether the broker has messages that have not come yet."""
        return False

    @abstractmethod
    async def close(self) -> None:
        """Disconnect; what is not acknowledged comes again."""


class _Rabbit(_Broker):
    failure = "aiormq.exceptions:AMQPError"

    async def open(self) -> None:
        import aio_pika

        logging.getLogger("aiormq").setLevel(logging.CRITICAL)  # what it reports also ends a call with an error
        self._connection = await aio_pika.connect(self.address, timeout=_CONNECTING)
        await self._declare(self.name)
        if self.publish_to is not None:
            await self._declare(self.publish_to)
        self._channel = await self._connection.channel()
        await self._channel.set_qos(prefetch_count=min(self.size, 65_535))
        self._arrived: asyncio.Queue[Any] = asyncio.Queue()
        await (await self._channel.get_queue(self.name)).consume(self._arrived.put)

    async def _declare(self, name: str) -> None:
        """Make a durable queue, unless there is one, which is used as it was declared."""
        from aio_pika.exceptions import ChannelNotFoundEntity

        channel = await self._connection.channel()  # the broker closes it if there is no such queue
        try:
            await channel.get_queue(name)
        except ChannelNotFoundEntity:
            channel = await self._connection.channel()
            await channel.declare_queue(name, durable=True)
        await channel.close()

    async def take(self, most: int, seconds: float) -> list[Message]:
        if self._channel.is_closed:
            raise ConnectionError("the broker closed the connection")
        with suppress(TimeoutError):
            found = [await asyncio.wait_for(self._arrived.get(), seconds)]
            while len(found) < most and not self._arrived.empty():
                found.append(self._arrived.get_nowait())
            return [Message(one.body, one) for one in found]
        return []

    async def done(self, messages: Sequence[Message]) -> None:
        await messages[-1].handle.ack(multiple=True)

    async def publish(self, name: str, rows: Sequence[tuple[str, bytes]]) -> None:
        from aio_pika import DeliveryMode
        from aio_pika import Message as Sent

        exchange = self._channel.default_exchange
        kept: Any = {"content_type": "application/json", "delivery_mode": DeliveryMode.PERSISTENT}
        await asyncio.gather(*(exchange.publish(Sent(body, **kept), name) for _, body in rows))

    async def close(self) -> None:
        await self._connection.close()


class _Nats(_Broker):
    failure = "nats.errors:Error"

    async def open(self) -> None:
        import nats
        from nats.js.api import AckPolicy
        from nats.js.errors import NotFoundError

        async def told(_: Exception) -> None:
            """Every error also ends the call that meets it."""

        self._client = await nats.connect(
            self.address,
            connect_timeout=int(_CONNECTING),
            allow_reconnect=False,
            max_reconnect_attempts=1,  # to the addresses of the server; with 0 it would try without end
            reconnect_time_wait=0.1,
            error_cb=told,
        )
        self._jetstream = self._client.jetstream()
        self._stream = await self._stream_of(self.name)
        if self.publish_to is not None:
            await self._stream_of(self.publish_to)
        # A consumer has one position in its stream: read for another subject, it would skip what lies before.
        self._durable = f"{self.group}-{quote(self.name, safe='').replace('.', '%2E').replace('%', '=')}"

        async def configure(held: float) -> None:
            await self._jetstream.add_consumer(
                self._stream,
                durable_name=self._durable,
                filter_subject=self.name,
                ack_policy=AckPolicy.EXPLICIT,
                ack_wait=held,
                # What a kill left comes before anything later, so that documents keep their order.
                max_ack_pending=self.size,
            )

        with suppress(NotFoundError):
            if (await self._jetstream.consumer_info(self._stream, self._durable)).num_ack_pending:
                await configure(1)
                await asyncio.sleep(1.2)
        await configure(_HELD)
        self._pulled = await self._jetstream.pull_subscribe_bind(durable=self._durable, stream=self._stream)

    async def _stream_of(self, subject: str) -> str:
        """The stream that keeps a subject; a new one unless there is one."""
        from nats.js.errors import NotFoundError

        try:
            return str(await self._jetstream.find_stream_name_by_subject(subject))
        except NotFoundError:
            made = await self._jetstream.add_stream(name=_UNSAFE.sub("_", subject), subjects=[subject])
            return str(made.config.name)

    async def take(self, most: int, seconds: float) -> list[Message]:
        if not self._client.is_connected:
            raise ConnectionError("the broker closed the connection")
        with suppress(TimeoutError):
            return [Message(one.data, one) for one in await self._pulled.fetch(most, timeout=seconds)]
        return []

    async def done(self, messages: Sequence[Message]) -> None:
        for one in messages:
            await one.handle.ack()
        await self._client.flush()

    async def publish(self, name: str, rows: Sequence[tuple[str, bytes]]) -> None:
        await asyncio.gather(*(self._jetstream.publish(name, body) for _, body in rows))

    async def more(self) -> bool:
        found = await self._jetstream.consumer_info(self._stream, self._durable)
        return bool(found.num_pending or found.num_ack_pending)

    async def close(self) -> None:
        await self._client.close()


class _Redis(_Broker):
    failure = "redis.exceptions:RedisError"

    async def open(self) -> None:
        from redis.asyncio import from_url
        from redis.exceptions import ResponseError

        self._client = from_url(self.address, socket_connect_timeout=_CONNECTING)
        try:
            await self._client.xgroup_create(self.name, self.group, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        self._from: Any = "0"  # first what was delivered before a kill

    async def take(self, most: int, seconds: float) -> list[Message]:
        streams, wait = {self.name: self._from}, int(1000 * seconds)
        rows = await self._client.xreadgroup(self.group, "consumer", streams, most, wait)
        found = rows[0][1] if rows else []
        if self._from != ">":
            self._from = found[-1][0] if found else ">"
        # An entry that was deleted meanwhile has no fields.
        return [Message(_entry(fields), number) for number, fields in found]

    async def done(self, messages: Sequence[Message]) -> None:
        await self._client.xack(self.name, self.group, *(one.handle for one in messages))

    async def publish(self, name: str, rows: Sequence[tuple[str, bytes]]) -> None:
        async with self._client.pipeline(transaction=False) as pipeline:
            for _, body in rows:
                pipeline.xadd(name, {"data": body})
            await pipeline.execute()

    async def more(self) -> bool:
        return bool(self._from != ">")

    async def close(self) -> None:
        await self._client.aclose()


def _entry(fields: dict[bytes, bytes] | None) -> bytes:
    if fields is not None and b"text" not in fields and len(fields) == 1:
        return next(iter(fields.values()))
    try:
        return orjson.dumps({name.decode(): value.decode() for name, value in (fields or {}).items()})
    except UnicodeDecodeError:  # set aside as it came
        return b" ".join(part for pair in (fields or {}).items() for part in pair)


class _Kafka(_Broker):
    failure = "confluent_kafka:KafkaException"

    async def open(self) -> None:
        from confluent_kafka import Consumer, KafkaException, Producer

        parts = urlsplit(self.address)
        given = {"bootstrap.servers": parts.netloc.rpartition("@")[2], **dict(parse_qsl(parts.query))}
        self._consumer = Consumer(
            {
                "group.id": self.group,
                # After a kill, the same member goes on at once; a store has one writer.
                "group.instance.id": self.group,
                "session.timeout.ms": 10_000,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "allow.auto.create.topics": True,
                "logger": _silent(),
                **given,
            }
        )
        self._producer = Producer({"acks": "all", "enable.idempotence": True, "logger": _silent(), **given})
        try:
            await asyncio.to_thread(self._consumer.list_topics, timeout=_CONNECTING)
        except KafkaException as error:
            raise ConnectionError(error.args[0].str()) from error
        self._consumer.subscribe([self.name])
        self._next: dict[int, int] = {}

    async def take(self, most: int, seconds: float) -> list[Message]:
        from confluent_kafka import KafkaError, KafkaException

        found = []
        for one in await asyncio.to_thread(self._consumer.consume, most, seconds):
            if (error := one.error()) is None:
                self._next[one.partition()] = one.offset() + 1
                found.append(Message(one.value() or b"", one))
            elif error.code() not in (KafkaError._PARTITION_EOF, KafkaError.UNKNOWN_TOPIC_OR_PART):
                raise KafkaException(error)
        return found

    async def done(self, messages: Sequence[Message]) -> None:  # noqa: ARG002 - its places are kept
        from confluent_kafka import TopicPartition

        offsets = [TopicPartition(self.name, *place) for place in self._next.items()]
        await asyncio.to_thread(self._consumer.commit, offsets=offsets, asynchronous=False)
        self._next.clear()

    async def publish(self, name: str, rows: Sequence[tuple[str, bytes]]) -> None:
        failed: list[Any] = []
        for key, body in rows:
            self._producer.produce(
                name, body, key, on_delivery=lambda error, _: failed.append(error) if error else None
            )
        if await asyncio.to_thread(self._producer.flush, _CONNECTING) or failed:
            raise ConnectionError(f"verdicts were not published: {failed[0].str() if failed else 'no answer'}")

    async def more(self) -> bool:
        return await asyncio.to_thread(self._has_more)

    def _has_more(self) -> bool:
        places = self._consumer.committed(self._consumer.assignment(), _CONNECTING)
        for one in places:
            first, end = self._consumer.get_watermark_offsets(one, _CONNECTING)
            if max(one.offset, first) < end:
                return True
        return not places  # it has not joined its group yet

    async def close(self) -> None:
        await asyncio.to_thread(self._consumer.close)


def _silent() -> Any:
    silent = logging.Logger("kafka")
    silent.addHandler(logging.NullHandler())
    return silent


_BROKERS: Final[dict[str, tuple[type[_Broker], str]]] = {
    "amqp": (_Rabbit, "aio_pika"),
    "amqps": (_Rabbit, "aio_pika"),
    "nats": (_Nats, "nats"),
    "tls": (_Nats, "nats"),
    "redis": (_Redis, "redis"),
    "rediss": (_Redis, "redis"),
    "kafka": (_Kafka, "confluent_kafka"),
}
"""The adapter and the package for each scheme."""


def is_broker(source: object) -> bool:
    """Whether an input is the address of a broker."""
    return isinstance(source, str) and urlsplit(source).scheme.lower() in _BROKERS


class _Connection:
    """A broker from outside of its event loop, whose thread keeps the connection alive while a batch is decided."""

    def __init__(self, broker: _Broker, note: Callable[[str], None], *, lasting: bool) -> None:
        self._broker, self._note, self._lasting = broker, note, lasting
        self._open, self.queue = False, broker.name
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="broker", daemon=True).start()
        parts = urlsplit(broker.address)
        self.place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"  # without a password

    def _call(self, work: Coroutine[Any, Any, Value]) -> Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def __enter__(self) -> Self:
        """Connect for the first time; NoInputError if that fails."""
        try:
            self._call(self._broker.open())
        except self._broker.lost() as error:
            raise NoInputError(f"cannot read {self._broker.name} of {self.place}: {_said(error)}") from error
        self._open = True
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def try_to(self, work: Callable[[], Coroutine[Any, Any, Value]], stop: threading.Event) -> Value | None:
        """Do something with the broker; if the connection is lost, None, once there is one again or `stop` is set."""
        try:
            return self._call(work())
        except self._broker.lost() as error:
            if not self._lasting:
                raise NoInputError(f"{self._broker.name} of {self.place}: {_said(error)}") from error
            self._note(f"{self.place}: {_said(error)}; connecting again, and what is not acknowledged comes again")
        pause = 0.5
        while not stop.is_set():
            self.disconnect()
            stop.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            with suppress(*self._broker.lost()):
                self._call(self._broker.open())
                self._open = True
                self._note(f"{self.place}: connected again")
                break
        return None

    def batch(self, stop: threading.Event, seconds: float) -> list[Message] | None:
        """The messages of a batch; None at the end."""
        broker, found = self._broker, list[Message]()
        begin = last = time.monotonic()
        while len(found) < broker.size and not (found and time.monotonic() >= begin + seconds):
            if stop.is_set():
                return found or None
            most = broker.size - len(found)
            came = self.try_to(lambda most=most: broker.take(most, _LOOK_AGAIN), stop)  # type: ignore[misc]
            if came is None:
                found.clear()  # they come again
            elif came:
                begin, last = (begin if found else time.monotonic()), time.monotonic()
                found += came
            elif not self._lasting and not found and time.monotonic() > last + _QUIET:
                if not self.try_to(broker.more, stop):
                    return None
                last = time.monotonic()
        return found

    def finish(self, messages: Sequence[Message], rows: Sequence[tuple[str, bytes]], stop: threading.Event) -> None:
        """Publish verdicts, then acknowledge the messages; if the connection is lost, they come again."""

        async def finished() -> None:
            if rows and self._broker.publish_to is not None:
                await self._broker.publish(self._broker.publish_to, rows)
            await self._broker.done(messages)

        self.try_to(finished, stop)

    def disconnect(self) -> None:
        """Give back what is not acknowledged."""
        if self._open:
            with suppress(Exception):
                self._call(asyncio.wait_for(self._broker.close(), _CONNECTING))
        self._open = False


def _said(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def connection_to(
    address: str,
    store: Path,
    *,
    queue: str,
    group: str | None,
    publish: str | None,
    follow: bool,
    size: int,
    note: Callable[[str], None],
) -> _Connection:
    """What `consumed` reads from; entered before a store is made, as a broker that cannot be read makes none."""
    kind, package = _BROKERS[urlsplit(address).scheme.lower()]
    try:
        __import__(package)
    except ImportError:
        raise MissingExtraError(package, "queue", f"reading from {urlsplit(address).scheme}://") from None
    if queue == publish:
        raise UsageError(f"verdicts would be read again as documents of {queue!r}; publish them elsewhere (--publish)")
    named = group or f"infostream-dedup-{_UNSAFE.sub('_', store.stem)}"
    return _Connection(kind(address, queue, named, size, publish), note, lasting=follow)


def consumed(
    connection: _Connection,
    intake: Intake,
    reading: Reading,
    stop: threading.Event,
    *,
    store: Path,
    seconds: float,
    note: Callable[[str], None],
) -> Generator[tuple[Sequence[Document], list[Verdict]]]:
    """Judge the messages of a broker batch by batch; each is acknowledged when the next one is asked for."""
    queue = connection.queue
    reader, dead = _MessageReader(intake, reading, queue), DeadLetters(store.with_name(f"{store.name}.dead.jsonl"))
    while (messages := connection.batch(stop, seconds)) is not None:
        rows: list[tuple[str, bytes]] = []
        waiting = [(one.body, Place(queue, reader.number + place)) for place, one in enumerate(messages, start=1)]
        reader.number += len(messages)
        failed: list[tuple[bytes, Place, BadDataError]] = []
        for tried in range(_TRIES):
            stop.wait(tried * _TRY_AGAIN)
            placed, failed = reader.read(waiting)
            if placed:
                documents, verdicts = intake.take(placed, None)
                yield documents, verdicts
                fields = intake.stream.settings.verdict_fields
                rows += [(one.id, orjson.dumps(one.as_dict(fields))) for one in verdicts]
            if not failed:
                break
            waiting = [(body, place) for body, place, _ in failed]
        for body, _, error in failed:
            dead.add(body, queue=queue, code=error.code, field=error.field, reason=error.message, tries=_TRIES)
            intake.bad.report.read += 1
            intake.bad.report.count_quarantined(error.code)
            # Only the code: the content of a message does not belong in a log.
            note(f"set aside a message of {queue}: {error.code}; it is in {dead.path}")
        connection.finish(messages, rows, stop)


class _MessageReader:
    def __init__(self, intake: Intake, reading: Reading, queue: str) -> None:
        self.number = 0
        self._intake = intake
        self._builder = make_builder(reading, intake.bad.report)
        self._queue = queue

    def read(
        self, messages: Sequence[tuple[bytes, Place]]
    ) -> tuple[list[Placed], list[tuple[bytes, Place, BadDataError]]]:
        """The documents of all messages that can be stored as a whole, and the other messages with their faults."""
        report = self._intake.bad.report
        found: dict[int, list[Document]] = {}
        faults: dict[int, BadDataError] = {}
        left_out = 0
        for number, (body, place) in enumerate(messages):
            documents = []
            try:
                for item in _items(body, place):
                    try:
                        documents.append(self._builder.build(Record(item, place)))
                    except OtherLanguageError:
                        left_out += 1
            except BadDataError as error:
                faults[number] = error
            else:
                found[number] = documents
        again = True
        while again:
            rows = [(one, number) for number, documents in found.items() for one in documents]
            gone, again = set[str](), False
            for at, conflict in self._intake.conflicts([(one, messages[number][1]) for one, number in rows]):
                document, number = rows[at]
                # It may differ only from a document whose whole message is not stored.
                again = again or (number in found and document.id in gone)
                if number in found and document.id not in gone:
                    faults[number] = conflict
                    gone.update(one.id for one in found.pop(number))
        placed = [(one, messages[number][1]) for number, documents in found.items() for one in documents]
        for document, _ in placed:
            report.count_used(self._queue)
            report.count_origin(document.source, document.lang)
        report.read += len(placed) + left_out
        report.left_out += left_out
        return placed, [(*messages[number], fault) for number, fault in sorted(faults.items())]


def _items(body: bytes, place: Place) -> list[dict[str, Any]]:
    try:
        value = orjson.loads(body.removeprefix(BOM_UTF8))
    except orjson.JSONDecodeError as error:
        lines = [line for line in body.splitlines() if line.strip()]
        if len(lines) < 2:
            raise place.error("E_JSON", f"not JSON: {error}") from None
        return [item for line in lines for item in _items(line, place)]
    if isinstance(value, dict):
        value = value.get("documents", value)
    items = value if isinstance(value, list) else [value]
    for item in items:
        if not isinstance(item, dict):
            raise place.error("E_TYPE", "expected a document, an array of documents or an object with 'documents'")
    return items


class DeadLetters:
    """A file of what could not be read or delivered, one JSON object a line, with the reason."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, body: bytes, **said: Any) -> None:
        """Add a message, on disk when this returns; bytes that are no UTF-8 are escaped."""
        row = {"at": datetime.now(UTC).isoformat(timespec="seconds"), **said}
        line = orjson.dumps(row | {"body": body.decode("utf-8", "backslashreplace")})
        try:
            make_private_file(self.path)
            with self.path.open("r+b") as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    line = line if file.read(1) == b"\n" else b"\n" + line  # a kill cut the last one
                file.write(line + b"\n")
                file.flush()
                sync(file.fileno())
        except OSError as error:
            raise CannotWriteError(f"{self.path}: {error.strerror or error}") from error
