"""Batches from RabbitMQ into a store: ``python -m infostream_dedup.service.queue_consumer ADDRESS QUEUE STORE``.

A message is a body of ``POST /v1/batches``. It is acknowledged once the batch is on disk; if the process ends before
that, the queue delivers it again, and a batch that is already stored is not counted twice. Verdicts are read from the
store, or over HTTP from a separate ``serve --read-only``.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from infostream_dedup.errors import BadDataError, MissingExtraError, StoreBusyError
from infostream_dedup.service.batch_decisions import BATCH_MEMBERS, checked_batch, decided_batch
from infostream_dedup.service.limits import ServiceLimits
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.writer import Writer
from infostream_dedup.store.opening import settings_at
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

if TYPE_CHECKING:
    from faststream.rabbit import RabbitBroker

__all__ = ["consume"]

_LIMITS: Final = ServiceLimits()
_PAUSE_SECONDS: Final = 1.0


def consume(broker: RabbitBroker, queue: str, writer: Writer) -> None:
    """Take batches from a queue, and acknowledge each once it is on disk.

    A message that can never be stored (no JSON, a bad document, an id with other content) is rejected: the queue's
    dead-letter exchange gets it, if one is configured. After any other failure the message goes back to the queue.

    Args:
        broker: not yet started; one message at a time keeps the order.
        queue: its name.
        writer: started.
    """
    from faststream import AckPolicy
    from faststream.exceptions import RejectMessage

    # Decoded here, because FastStream would decode the body by its content type.
    async def decode(message: Any) -> Any:
        return message.body

    async def take(body: bytes) -> None:
        try:
            batch = _read(body)
            work = writer.submit(lambda stream: decided_batch(stream, batch[0], batch[2], skip=batch[1]))
            await asyncio.wrap_future(work)
        except (BadDataError, ProblemError) as error:
            if isinstance(error, ProblemError) and error.status >= 500:
                await asyncio.sleep(_PAUSE_SECONDS)
                raise
            # Only the code: the content of a message does not belong in a log.
            sys.stderr.write(f"rejected a message: {error.code}\n")
            raise RejectMessage from error
        except StoreBusyError:
            await asyncio.sleep(_PAUSE_SECONDS)
            raise

    broker.subscriber(queue, ack_policy=AckPolicy.NACK_ON_ERROR, decoder=decode)(take)


def _read(body: bytes) -> tuple[str | None, bool, list[Any]]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ProblemError(400, "json") from None
    if not isinstance(value, dict) or any(name not in BATCH_MEMBERS for name in value):
        raise ProblemError(422, "invalid", f"send an object of {', '.join(BATCH_MEMBERS)}")
    return checked_batch(value, _LIMITS.documents)


def _opened(path: Path) -> Deduplicator:
    stored = settings_at(path)
    return Deduplicator.open(path, StreamSettings.of({}) if stored is None else StreamSettings.of_store(stored))


def _run(address: str, queue: str, store: Path) -> None:
    try:
        from faststream import FastStream
        from faststream.rabbit import Channel, RabbitBroker
    except ImportError:
        raise MissingExtraError("faststream", "queue", "the queue consumer") from None
    writer = Writer(lambda: _opened(store), _LIMITS.queued)
    writer.start()
    writer.wait()
    try:
        if writer.failure is not None:
            raise writer.failure
        broker = RabbitBroker(address, default_channel=Channel(prefetch_count=1))
        consume(broker, queue, writer)
        asyncio.run(FastStream(broker).run())
    finally:
        writer.stop()


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
