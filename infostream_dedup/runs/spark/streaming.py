"""Structured Streaming into a stream's store: complete slots of event time, whatever the micro-batches are.

Spark may cut a stream differently after each start, and calls ``foreachBatch`` at least once. The order must therefore
come from the data: the documents of a slot (a minute of event time) are judged together, sorted, once the clock has
passed the slot. Repeated documents get their stored verdicts, so the result does not depend on what Spark repeats.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents import open_output
from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.files import checked_bytes, sealed
from infostream_dedup.model.stream_records import AGREEING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from infostream_dedup.stream.deduplicator import Deduplicator


_DAY: Final = 86_400
_ADVICE: Final = "delete the file and send again what came since the last slot that was judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWriter:
    """Hands closed slots of event time to a judge; what ``foreachBatch`` calls.

    A document waits in a file until its slot is closed, that is, until the clock is ``delay_seconds`` later than the
    end of the slot. One that arrives after that is judged with the next slot that closes. The clock is the latest date;
    but a date more than a day later than the others counts only once there are five such dates, so that a wrong date
    does not keep all later documents waiting. A document with such a date is judged with the next slot, too.

    A document that comes again with the same fields is judged once. If its id comes with other fields, the judge gets
    both: a store refuses the second, unless it was opened with ``on_conflict="version"``.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> judged = []
        >>> with TemporaryDirectory() as folder:
        ...     write = SlotWriter(judge=judged.append, waiting=Path(folder) / "waiting.json", delay_seconds=0)
        ...     write.take([{"id": "b", "text": "", "published": "2026-11-21T10:00:30"}])
        ...     write.take([{"id": "a", "text": "", "published": "2026-11-21T10:00:30"}])
        ...     write.take([{"id": "c", "text": "", "published": "2026-11-21T10:01:00"}])
        >>> [[row["id"] for row in slot] for slot in judged]
        [['a', 'b']]
    """

    # called with the documents of a slot in order, for example the result of `judge_in_store`; if it fails, the
    # documents keep waiting
    judge: Callable[[Sequence[Mapping[str, Any]]], object]
    waiting: Path  # file of the waiting documents; created when it is first written
    slot_seconds: int = 60  # length of a slot, at least 1
    delay_seconds: int = 60  # how long to wait for late documents, at least 0

    def __call__(self, frame: DataFrame, batch_id: int) -> None:
        """Take a micro-batch: columns ``id``, ``text``, ``published`` (ISO 8601 or a timestamp) and any others."""
        del batch_id
        self.take([row.asDict(recursive=True) for row in frame.collect()])

    def take(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take documents in any order, possibly with repetitions, and judge the slots that are now closed."""
        held, clock, closed = self._read()
        for row in rows:
            given = {name: value for name, value in row.items() if value is not None}
            found: dict[str, Any] = json.loads(json.dumps(given, default=_text))
            plain = found
            held.setdefault(_key(plain), plain)
        clock = _advanced(clock, [_moment(row) for row in held.values()])
        open_from = max(closed, (clock - self.delay_seconds) // self.slot_seconds)
        slots: dict[int, list[tuple[int, str]]] = {}
        wrong = []
        for key, row in held.items():
            moment = _moment(row)
            slot = max(moment // self.slot_seconds, closed)
            if moment > clock:
                wrong.append((moment, key))
            elif slot < open_from:
                slots.setdefault(slot, []).append((moment, key))
        if slots:
            slots[max(slots)] += wrong
        for slot in sorted(slots):
            ordered = [key for _, key in sorted(slots[slot])]
            self.judge([held[key] for key in ordered])
            for key in ordered:
                del held[key]
            # Judged documents are in the store: after a failure here they would only get their verdicts again.
            self._write(held, clock, slot + 1)
        self._write(held, clock, open_from)

    def _read(self) -> tuple[dict[str, dict[str, Any]], int, int]:
        if not self.waiting.exists():
            return {}, 0, 0
        state = json.loads(checked_bytes(self.waiting, _ADVICE).partition(b"\n")[2])
        return state["held"], state["clock"], state["closed"]

    def _write(self, held: Mapping[str, Any], clock: int, closed: int) -> None:
        state = {"held": held, "clock": clock, "closed": closed}
        with open_output(self.waiting) as stream:
            stream.write(sealed(json.dumps(state, ensure_ascii=False, sort_keys=True).encode()))


@contextmanager
def judge_in_store(
    opened: Callable[[], Deduplicator], take: Callable[[Sequence[Any]], object]
) -> Iterator[Callable[[Sequence[Mapping[str, Any]]], None]]:
    """Provide a ``judge`` for ``SlotWriter`` that judges slots in a store while the block runs.

    Spark calls ``foreachBatch`` from different threads, but a store belongs to the thread that opened it. The store is
    therefore opened, used and closed in its own thread.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        stream = thread.submit(opened).result()

        def judge(rows: Sequence[Mapping[str, Any]]) -> None:
            take(thread.submit(stream.process, rows).result())

        try:
            yield judge
        finally:
            thread.submit(stream.close).result()


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _key(row: Mapping[str, Any]) -> str:
    """The id and a digest of all fields: another content of an id is not a repetition."""
    for name in ("id", "published"):
        if name not in row:
            message = "a document of a stream needs an id and a date"
            raise BadDataError(message, code="E_MISSING", source="<stream>", field=name)
    content = json.dumps(row, sort_keys=True).encode()
    return f"{row['id']}\0{hashlib.blake2b(content, digest_size=16).hexdigest()}"


def _advanced(clock: int, moments: Sequence[int]) -> int:
    """The latest date that is believed: the fifth latest, and later ones in steps of at most a day.

    Example:
        >>> _advanced(1000, [900, 1060, 10**10]), _advanced(1000, [10**10 + second for second in range(5)])
        (1060, 10000000004)
    """
    ordered = sorted(moments)
    # Before the first date, the clock is 0.
    clock = max([clock, *ordered[-AGREEING : 1 - AGREEING]]) or min(ordered, default=0)
    for moment in ordered:
        if moment <= clock + _DAY:
            clock = max(clock, moment)
    return clock


def _moment(row: Mapping[str, Any]) -> int:
    try:
        found = datetime.fromisoformat(str(row["published"]))
    except ValueError as error:
        message = f"{row['published']!r} is not a date; expected ISO 8601, such as 2026-11-21T10:05Z"
        raise BadDataError(message, code="E_DATE", source="<stream>", field="published") from error
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp())
