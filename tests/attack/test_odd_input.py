"""Input that nobody would write: it is read, or refused with its place; never a bug."""

import random
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from infostream_dedup import dedup
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import InfostreamError
from infostream_dedup.model import Document, Settings
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

STEMS = StreamSettings(terms=Settings(representation="stem", df_min=0))

TYPES = {
    "null": (pa.null(), [None, None]), "bool": (pa.bool_(), [True, False]), "int8": (pa.int8(), [1, -1]),
    "uint64": (pa.uint64(), [2**64 - 1, 0]), "half": (pa.float16(), [np.float16(1.5), None]),
    "nan": (pa.float64(), [float("nan"), float("inf")]), "decimal": (pa.decimal128(38, 9), [Decimal("1.5"), None]),
    "decimal256": (pa.decimal256(60, 9), [Decimal("1.5"), None]), "large string": (pa.large_string(), ["a", "b"]),
    "binary": (pa.binary(), [b"a", b"\xff"]), "fixed binary": (pa.binary(3), [b"abc", b"\xff\x00\x01"]),
    "date32": (pa.date32(), [date(2024, 2, 29), None]), "date64": (pa.date64(), [date(2024, 2, 29), None]),
    "time32": (pa.time32("ms"), [1000, None]), "time64": (pa.time64("ns"), [1000, None]),
    "seconds": (pa.timestamp("s"), [0, -(2**40)]),
    "nanoseconds with zone": (pa.timestamp("ns", "Europe/Kyiv"), [0, 2**62]),
    "microseconds far away": (pa.timestamp("us", "UTC"), [2**61, -(2**61)]),
    "duration": (pa.duration("us"), [5, None]), "list": (pa.list_(pa.string()), [["a"], []]),
    "large list": (pa.large_list(pa.int64()), [[1], None]), "fixed list": (pa.list_(pa.int8(), 2), [[1, 2], [3, 4]]),
    "struct": (pa.struct([("a", pa.string()), ("b", pa.list_(pa.float32()))]), [{"a": "x", "b": [1.0]}, None]),
    "map": (pa.map_(pa.string(), pa.int64()), [[("a", 1)], []]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["a", "b"]),
    "dictionary of numbers": (pa.dictionary(pa.int32(), pa.int64()), [1, 2]),
}  # fmt: skip
COLUMNS = ("id", "text", "title", "lang", "published", "source", "url", "images", "links", "other")


def read(path, **reading):
    """How many documents there are, or the code of the error."""
    try:
        return len(list(read_documents(path, **reading)))
    except InfostreamError as error:
        if not str(error).isprintable():
            raise AssertionError(f"a message that a terminal may obey: {error!r}") from error
        return getattr(error, "code", None) or type(error).__name__


def test_every_parquet_type_in_every_column(tmp_path, record_figures):
    path, cases, found = tmp_path / "d.parquet", 0, {}
    for kind, values in TYPES.values():
        for column in COLUMNS:
            columns = {"id": pa.array(["a", "b"]), "text": pa.array(["Мост через реку", "Река"])}
            columns[column] = pa.array(values, type=kind)
            pq.write_table(pa.table(columns), path)
            answer = read(path)
            found[answer] = found.get(answer, 0) + 1
            cases += 1
    numbers = pa.table({"id": pa.array([1, 2**63], type=pa.uint64()), "text": ["Мост через реку", "Река"]})
    assert "<frame>:2: field 'id'" in dedup(numbers, on_error="skip").report.first_bad[0]
    record_figures(cases=cases, read=found.get(2, 0), refused=cases - found.get(2, 0), uncaught=0)
    assert found[2] >= 50


@pytest.mark.slow
def test_a_word_of_ten_megabytes(tmp_path, record_figures):
    engine = StreamEngine(STEMS)
    engine.decide([Document(id="first", text="Слово дела стран")])
    slowest = 0.0
    for number, letters in enumerate(("а", "a", "аБ", "é", "字", "\u0301", "1", "-", "👍")):
        size = 10_000_000 // len(letters.encode())
        begin = time.process_time()
        (verdict,) = engine.decide([Document(id=str(number), text=letters * size)]).verdicts
        slowest = max(slowest, time.process_time() - begin)
        assert verdict.status in ("new", "insufficient_text")
        path = tmp_path / "d.jsonl"
        path.write_bytes(orjson.dumps({"id": "a", "text": letters * (size + 1)}) + b"\n")
        assert read(path) in (1, "E_TOO_LARGE")
    record_figures(words=9, slowest_cpu_seconds=slowest)
    assert slowest < 30


def test_a_clock_that_jumps(record_figures, scale):
    """Dates of any year, there and back: any cut gives the same verdicts, and no wrong date empties the window."""
    draw = random.Random(1582)  # noqa: S311
    begin = datetime(2026, 3, 1, tzinfo=UTC)
    wild = [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), datetime(1970, 1, 1, tzinfo=UTC), None]
    vocabulary = [f"слово{chr(0x430 + number % 32)}{chr(0x430 + number // 32)}" for number in range(300)]
    documents = []
    for number in range(100 * scale):
        time_of = begin + timedelta(hours=number) if draw.random() < 0.7 else draw.choice(wild)
        body = " ".join(draw.sample(vocabulary, 20)) if number % 4 else "Мост через реку открыл министр транспорта"
        documents.append(Document(id=str(number), text=body, lang="ru", time=time_of))
    whole = StreamEngine(STEMS).decide(documents).verdicts
    for size in (3, 17):
        engine = StreamEngine(STEMS)
        parts = [engine.decide(documents[at : at + size]).verdicts for at in range(0, len(documents), size)]
        assert [one for part in parts for one in part] == whole
    repeated = [one.status for one in whole[4::4]]
    record_figures(documents=len(documents), wild_dates=sum(one.time in wild for one in documents), lost_repeats=0)
    assert set(repeated) == {"exact"}
