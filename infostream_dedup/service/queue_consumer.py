"""Batches from RabbitMQ into a store: ``python -P -m infostream_dedup.service.queue_consumer ADDRESS QUEUE STORE``.

With ``--keep-text`` at the end, the texts of documents are kept. A message is a body of ``POST /v1/batches``. It is
acknowledged once the batch is on disk; if the process ends before that, the queue delivers it again, and a batch that
is already stored is not counted twice. One that can never be stored is added to STORE.rejected.jsonl. Verdicts are read
from the store, or over HTTP from a separate ``serve --read-only``.
"""

from __future__ import annotations

import asyncio
import os
import sys
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from infostream_dedup.errors import InfostreamError, MissingExtraError, NoInputError, StoreMovedError, UsageError
from infostream_dedup.machine.files import make_private_file
from infostream_dedup.machine.platform import sync
from infostream_dedup.service.batches import GivenBatch, decided_batch, refuse_many
from infostream_dedup.service.logs import reason_of
from infostream_dedup.service.problems import ProblemError, problem_of
from infostream_dedup.service.settings import ServiceLimits
from infostream_dedup.service.threads import Writer
from infostream_dedup.service.values import checked
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.opening import settings_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from faststream.rabbit import RabbitBroker, RabbitQueue


_LIMITS: Final = ServiceLimits()
_PAUSE_SECONDS: Final = 1.0
_ARGUMENTS: Final = 3
_KEEP_TEXT: Final = "--keep-text"


def consume(
    broker: RabbitBroker,
    queue: str | RabbitQueue,
    writer: Writer,
    rejected: Path,
    end: Callable[[], object] = lambda: None,
) -> None:
    """Take batches from a queue, and acknowledge each once it is on disk; `end` is called if the store has gone.

    What can never be stored is added to the file ``rejected``, and comes no more.
    """
    from faststream import AckPolicy
    from faststream.exceptions import RejectMessage

    # Decoded here, because FastStream would decode the body by its content type.
    async def decode(message: Any) -> Any:
        return message.body

    said: set[str] = set()

    async def take(body: bytes) -> None:
        try:
            batch = _read(body)
            work = writer.submit(lambda stream: decided_batch(stream, batch))
            await asyncio.wrap_future(work)
            said.clear()
        except Exception as error:
            problem = problem_of(error)
            code = getattr(error, "code", problem.code)
            if problem.status < HTTPStatus.INTERNAL_SERVER_ERROR and _is_kept(body, code, rejected):
                # Only the code: the content of a message does not belong in a log.
                sys.stderr.write(f"rejected a message: {code}; it is in {rejected}\n")
                raise RejectMessage from error
            # The same message will come again, so each reason is said once.
            if code not in said:
                sys.stderr.write(
                    f"a message goes back to the queue until it can be stored: {code}, {reason_of(error)}\n"
                )
            said.add(code)
            if isinstance(error, StoreMovedError):
                end()
            await asyncio.sleep(_PAUSE_SECONDS)
            raise

    broker.subscriber(queue, ack_policy=AckPolicy.NACK_ON_ERROR, decoder=decode)(take)


def _is_kept(body: bytes, code: str, rejected: Path) -> bool:
    """Add a message to the file of rejected ones, on disk before the queue forgets it; bytes that are no UTF-8 escaped.

    A message that comes again after a kill may stand there twice.
    """
    try:
        _add(body, code, rejected)
    except OSError as error:
        sys.stderr.write(f"{rejected}: {error.strerror or error}\n")
        return False
    return True


def _add(body: bytes, code: str, rejected: Path) -> None:
    line = orjson.dumps({"code": code, "body": body.decode("utf-8", "backslashreplace")})
    make_private_file(rejected)
    with rejected.open("r+b") as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line  # a kill cut the last one
        file.write(line + b"\n")
        file.flush()
        sync(file.fileno())


def _read(body: bytes) -> GivenBatch:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ProblemError(400, "json") from None
    batch = checked(GivenBatch, value)
    refuse_many(batch.documents, _LIMITS.documents)
    return batch


def _opened(path: Path, *, keep_text: bool) -> Deduplicator:
    stored = settings_at(path)
    given = {"keep_text": True} if keep_text else {}
    settings = StreamSettings.of(given) if stored is None else StreamSettings.of({**stored, **given})
    return Deduplicator.open(path, settings)


def _run(address: str, queue: str, store: Path, *, keep_text: bool) -> None:
    try:
        from faststream.rabbit import Channel, RabbitBroker
    except ImportError:
        raise MissingExtraError("faststream", "queue", "the queue consumer") from None
    writer = Writer(lambda: _opened(store, keep_text=keep_text), _LIMITS.queued)
    writer.start()
    writer.wait()
    try:
        if writer.failure is not None:
            raise writer.failure
        broker = RabbitBroker(address, default_channel=Channel(prefetch_count=1))
        asyncio.run(_served(broker, queue, writer, store.with_name(f"{store.name}.rejected.jsonl")))
    finally:
        writer.stop()


async def _served(broker: RabbitBroker, name: str, writer: Writer, rejected: Path) -> None:
    """Consume a queue until the process is asked to end."""
    from faststream import FastStream
    from faststream.rabbit import RabbitQueue

    try:
        # A queue that exists is taken as it was declared, such as with a dead-letter exchange.
        exists = await _exists(broker, name)
    except ConnectionError as error:
        raise NoInputError(f"cannot connect to the queue: {error}") from error
    app = FastStream(broker)
    consume(broker, RabbitQueue(name, declare=not exists), writer, rejected, app.exit)
    await app.run()
    if writer.failure is not None:
        raise writer.failure


async def _exists(broker: RabbitBroker, name: str) -> bool:
    from aio_pika.exceptions import ChannelNotFoundEntity

    connection = await broker.connect()
    channel = await connection.channel()
    try:
        await channel.get_queue(name)
    except ChannelNotFoundEntity:
        return False
    await channel.close()
    return True


def _main(arguments: Sequence[str]) -> int:
    given = [one for one in arguments if one != _KEEP_TEXT]
    if len(given) != _ARGUMENTS or any(one.startswith("-") for one in given):
        sys.stderr.write(
            "usage: python -P -m infostream_dedup.service.queue_consumer ADDRESS QUEUE STORE [--keep-text]\n"
        )
        return UsageError.exit_code
    try:
        _run(given[0], given[1], Path(given[2]), keep_text=_KEEP_TEXT in arguments)
    except InfostreamError as error:
        sys.stderr.write(f"infostream-dedup: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
