"""Whatever goes in comes out: documents written and read again, in every kind of file and frame."""

import tempfile
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infostream_dedup.documents import outputs, read_documents, row_of, write_documents
from infostream_dedup.documents.dates import last_moment, time_zone, utc_time
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Document

pytestmark = pytest.mark.usefixtures("tables_read_here")

# Control characters are replaced while reading; surrogates are no text.
TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("\t\n\r\"',;=+-@'"), max_size=40)
IDS = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("=-+@'"), min_size=1, max_size=20)
DATES = st.none() | st.sampled_from(["2024", "2024-05", "2024-05-06", "2024-05-06T10:11:12+03:00", "2024-05-06 10:11"])
NUMBERS = st.integers(10**9, 10**10) | st.floats(1e9, 1e10)
NAMES = st.sampled_from(["topic", "family", "время", "time", "Id", "a,b", "=x"])
FINITE = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | FINITE | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6,
)  # fmt: skip


def _fields(dates: Any, extra: Any) -> Any:
    known = st.fixed_dictionaries(
        {"id": IDS, "text": TEXT},
        optional={
            "title": TEXT, "lang": st.sampled_from(["ru", "uk", "en"]), "published": dates,
            "source": TEXT.filter(bool), "url": TEXT.filter(bool),
        },
    )  # fmt: skip
    return st.builds(lambda row, other: {**row, **other}, known, st.dictionaries(NAMES, extra, max_size=3))


def _collections(dates: Any, extra: Any) -> Any:
    return st.lists(_fields(dates, extra), max_size=6, unique_by=lambda row: row["id"])


def _there_and_back(rows: list[dict[str, Any]], ending: str, **options: Any) -> tuple[list[Document], list[Document]]:
    documents = list(read_documents(rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"d{ending}"
        assert write_documents(documents, path, **options) == len(documents)
        return documents, list(read_documents(path))


def _without_nulls(documents: list[Document]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row_of(document).items() if value is not None} for document in documents]


@given(_collections(DATES | NUMBERS, JSON), st.sampled_from([".jsonl", ".jsonl.gz", ".ndjson", ".json"]))
def test_json_lines(rows: list[dict[str, Any]], ending: str) -> None:
    documents, back = _there_and_back(rows, ending)
    assert back == documents
    assert [list(row_of(document)) for document in back] == [list(row) for row in rows]


@given(_collections(DATES, TEXT.filter(bool)), st.sampled_from([".csv", ".csv.gz"]))
def test_csv_of_text(rows: list[dict[str, Any]], ending: str) -> None:
    documents, back = _there_and_back(rows, ending)
    # An absent cell of a column of others is an empty string in CSV.
    for row in (present := _without_nulls(back)):
        for name in [name for name, value in row.items() if value == "" and name not in ("id", "text", "title")]:
            del row[name]
    expected = _without_nulls(documents)
    for row in present + expected:
        row.setdefault("title", "")
    assert present == expected
    assert [document.time for document in back] == [document.time for document in documents]


@pytest.mark.parametrize("lang", ["", None, "und", "hy"])
def test_a_language_found_in_the_text_is_not_written(lang: str | None) -> None:
    rows = [{"id": "a", "text": "\u0530" * 12, "lang": lang}, {"id": "b", "text": "слово", "lang": "ru"}]
    documents, back = _there_and_back(rows, ".csv")
    assert [document.lang for document in documents] == [document.lang for document in back] == ["hy", "ru"]
    assert [row_of(document)["lang"] for document in documents] == [lang, "ru"]


@given(_collections(DATES | NUMBERS, st.integers(-(2**63), 2**63 - 1)))
def test_csv_of_numbers_keeps_their_digits(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".csv")
    assert [document.time for document in back] == [document.time for document in documents]
    for document, again in zip(documents, back, strict=True):
        assert {name: str(value) for name, value in document.extra.items()} == {
            name: value for name, value in again.extra.items() if value
        }


@given(_collections(NUMBERS, st.floats(1, 10)))
def test_csv_with_decimal_commas_keeps_moments(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".csv", dialect="excel")
    assert [(one.id, one.text, one.time) for one in back] == [(one.id, one.text, one.time) for one in documents]


@given(_collections(DATES | st.integers(10**9, 10**10), TEXT.filter(bool) | st.integers(-(2**63), 2**64)))
def test_workbook(rows: list[dict[str, Any]]) -> None:
    documents, back = _there_and_back(rows, ".xlsx")
    fields = ("id", "text", "title", "lang", "source", "url", "time")
    assert [[getattr(one, name) for name in fields] for one in back] == [
        [getattr(one, name) for name in fields] for one in documents
    ]
    for document, again in zip(documents, back, strict=True):
        for name, value in document.extra.items():
            # Numbers of a workbook are floating.
            kept = again.extra[name]
            assert value == kept if isinstance(kept, float) else str(value) == kept


EXTRAS = {
    "text": TEXT, "whole numbers": st.integers(-(2**63), 2**63 - 1),
    "numbers": st.integers(-(2**53), 2**53) | st.floats(allow_nan=False), "booleans": st.booleans(),
    "lists": st.lists(TEXT, max_size=3),
    "lists of lists": st.lists(st.lists(st.none() | st.integers(0, 9), max_size=2), max_size=2),
    "lists of nulls": st.lists(st.none(), max_size=3),
    "objects": st.tuples(st.none() | st.integers(0, 9), TEXT).map(lambda pair: {"a": pair[0], "b": pair[1]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", EXTRAS)
def test_parquet(kind: str) -> None:
    @settings(max_examples=20, deadline=None)
    @given(_collections(DATES, st.none() | EXTRAS[kind]), st.sampled_from([1, 8192]))
    def check(rows: list[dict[str, Any]], batch: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(outputs, "_BATCH_ROWS", batch)
            documents, back = _there_and_back(rows, ".parquet")
        given, came = _without_nulls(documents), _without_nulls(back)
        for row in given + came:
            row.setdefault("title", "")
        assert came == given
        assert [document.time for document in back] == [document.time for document in documents]

    check()


@given(_collections(DATES | NUMBERS, JSON), st.sampled_from([1, 2, 8192]))
def test_parquet_of_anything_keeps_documents_and_columns(rows: list[dict[str, Any]], batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "_BATCH_ROWS", batch)
        documents, back = _there_and_back(rows, ".parquet")
    assert [(d.id, d.text, d.title, d.lang, d.time) for d in back] == [
        (d.id, d.text, d.title, d.lang, d.time) for d in documents
    ]
    columns = dict.fromkeys(name for row in rows for name in row)
    assert all(set(row_of(document)) - {"title"} == set(columns) - {"title"} for document in back)


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow"])
def test_frames(kind: str) -> None:
    @given(_collections(DATES, TEXT))
    def check(rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        frame: Any = {
            "pandas": pd.DataFrame,
            "polars": lambda values: pl.DataFrame(values, infer_schema_length=None),
            "Arrow": lambda values: pa.Table.from_pylist(
                values, schema=pa.schema({name: pa.string() for row in values for name in row})
            ),
        }[kind](rows)
        given, came = _without_nulls(list(read_documents(rows))), _without_nulls(list(read_documents(frame)))
        for row in given + came:
            row.setdefault("title", "")
        assert came == given

    check()


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_null_title_stays_null_and_an_empty_one_empty(ending: str) -> None:
    rows = [{"title": title, "id": str(number), "text": "слово"} for number, title in enumerate(("", None, "Мост"))]
    documents, back = _there_and_back(rows, ending)
    for read in (documents, back):
        assert [document.title for document in read] == ["", "", "Мост"]
        assert [row_of(document) for document in read] == rows


def _utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


ACCEPTED: list[tuple[object, datetime | None]] = [
    (None, None), ("", None), (" \t", None), ("2024", _utc(2024, 1, 1)), (2024, _utc(2024, 1, 1)),
    (2024.0, _utc(2024, 1, 1)), ("2024-05", _utc(2024, 5, 1)), ("2024-05-06", _utc(2024, 5, 6)),
    (" 2024-05-06 ", _utc(2024, 5, 6)), ("20240506", _utc(2024, 5, 6)), (20240506, _utc(2024, 5, 6)),
    ("2024-02-29", _utc(2024, 2, 29)), ("2024-05-06T10:11", _utc(2024, 5, 6, 10, 11)),
    ("2024-05-06 10:11:12", _utc(2024, 5, 6, 10, 11, 12)), ("2024-05-06t10:11:12z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T10:11:12Z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T10:11:12.5Z", _utc(2024, 5, 6, 10, 11, 12, 500_000)),
    ("2024-05-06T10:11:12,5Z", _utc(2024, 5, 6, 10, 11, 12, 500_000)),
    ("2024-05-06T10:11:12.123456789Z", _utc(2024, 5, 6, 10, 11, 12, 123_456)),
    ("2024-05-06T10:11:12+03:00", _utc(2024, 5, 6, 7, 11, 12)),
    ("2024-05-06T10:11:12+0300", _utc(2024, 5, 6, 7, 11, 12)),
    ("21/11/2023 10:05", _utc(2023, 11, 21, 10, 5)), ("11/21/2023 10:05 PM", _utc(2023, 11, 21, 22, 5)),
    ("2024-05-06T10:11:12-03", _utc(2024, 5, 6, 13, 11, 12)),
    ("2024-05-06 10:11:12 +03:00", _utc(2024, 5, 6, 7, 11, 12)), ("20240506T101112Z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T24:00:00", _utc(2024, 5, 7)), ("2022-03-11T24:04:30", _utc(2022, 3, 12, 0, 4, 30)),
    (0, _utc(1970, 1, 1)), (1714557600, _utc(2024, 5, 1, 10)), ("1714557600", _utc(2024, 5, 1, 10)),
    (1714557600.5, _utc(2024, 5, 1, 10, 0, 0, 500_000)), ("1714557600.5", _utc(2024, 5, 1, 10, 0, 0, 500_000)),
    (1714557600123, _utc(2024, 5, 1, 10, 0, 0, 123_000)), ("1714557600123", _utc(2024, 5, 1, 10, 0, 0, 123_000)),
    (-86400, _utc(1969, 12, 31)), (10**11 - 1, _utc(5138, 11, 16, 9, 46, 39)), (10**11, _utc(1973, 3, 3, 9, 46, 40)),
    (date(2024, 5, 6), _utc(2024, 5, 6)), (datetime(2024, 5, 6, 10), _utc(2024, 5, 6, 10)),
    (datetime(2024, 5, 6, 10, tzinfo=timezone(timedelta(hours=3))), _utc(2024, 5, 6, 7)),
]  # fmt: skip

WRITTEN: list[tuple[object, datetime | None]] = [
    ("2024-5-6", _utc(2024, 5, 6)), ("2024/05/06", _utc(2024, 5, 6)), ("2024/5/6 7:08", _utc(2024, 5, 6, 7, 8)),
    ("2024-05-06 10:11:12 UTC", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06 10:11:12.345678 UTC", _utc(2024, 5, 6, 10, 11, 12, 345_678)),
    ("06.05.2024 10:11:12 UTC+03:00", _utc(2024, 5, 6, 7, 11, 12)), ("06.05.2024, 10:11", _utc(2024, 5, 6, 10, 11)),
    ("10:11 06.05.2024", _utc(2024, 5, 6, 10, 11)), ("6 мая 2024", _utc(2024, 5, 6)),
    ("6 травня 2024 року, 10:11", _utc(2024, 5, 6, 10, 11)),
    ("понеділок, 6 трав. 2024 о 10:11", _utc(2024, 5, 6, 10, 11)), ("п’ятниця, 3 травня 2024", _utc(2024, 5, 3)),
    ("10:11, 6 МАЯ 2024", _utc(2024, 5, 6, 10, 11)), ("6 мая 2024 г. в 10:11 МСК", _utc(2024, 5, 6, 7, 11)),
    ("Mon,06 May 2024 10:11:12 GMT+3", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon, 06 May 2024 10:11:12 +0300 (MSK)", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon, 06 May 2024 10:11:12 EET", _utc(2024, 5, 6, 8, 11, 12)),
    ("Mon, 06 May 24 10:11 EST", _utc(2024, 5, 6, 15, 11)),
    ("Monday, 06-May-24 10:11:12 GMT", _utc(2024, 5, 6, 10, 11, 12)),
    ("Mon May 06 10:11:12 +0300 2024", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon May  6 10:11:12 2024", _utc(2024, 5, 6, 10, 11, 12)),
    ("May 6th, 2024 at 12:11 AM", _utc(2024, 5, 6, 0, 11)),
    ("2024-05-06T10:11:12 Europe/Kyiv", _utc(2024, 5, 6, 7, 11, 12)),
    ("2024-05-06T10:11:12+03:00[Europe/Kyiv]", _utc(2024, 5, 6, 7, 11, 12)),
    ("20240506101112", _utc(2024, 5, 6, 10, 11, 12)), (20240506101112, _utc(2024, 5, 6, 10, 11, 12)),
    (202405061011.0, _utc(2024, 5, 6, 10, 11)), ("20240506256112", _utc(2611, 5, 26, 2, 50, 56, 112_000)),
    (45418, _utc(2024, 5, 6)), ("45418,5", _utc(2024, 5, 6, 12)), (10**14, _utc(1973, 3, 3, 9, 46, 40)),
    (1714557600 * 10**9 + 999, _utc(2024, 5, 1, 10)), ("NaT", None), ("null", None), (float("nan"), None),
    ("0000-00-00 00:00:00", None), ("21 Nov 2023 10:05 GMT", _utc(2023, 11, 21, 10, 5)),
    ("1.2.2023 9:05", _utc(2023, 2, 1, 9, 5)), ("01.02.2023, 09:05:07", _utc(2023, 2, 1, 9, 5, 7)),
    ("November 21, 2023", _utc(2023, 11, 21)), ("21-11-2023", _utc(2023, 11, 21)),
    ("Tuesday, November 21, 2023 - 10:05", _utc(2023, 11, 21, 10, 5)),
    ("11-21-2023 10:05", _utc(2023, 11, 21, 10, 5)), ("21.11.2023", _utc(2023, 11, 21)),
    ("06.05.24", _utc(2024, 5, 6)), ("6.5.24 7:08", _utc(2024, 5, 6, 7, 8)), ("31.12.99", _utc(1999, 12, 31)),
]  # fmt: skip
"""Dates as programs, sites and people write them."""

REFUSED: list[object] = [
    "2024-02-30", "2023-02-29", "2024-13", "2024-00-01", "0000", "24-05-06", "05/06/2024", "2024-W05-1",
    "2024-060", "202405", 202405, "20241340", "2024-05-06T10", "2024-05-06T25:00", "2024-05-06T10:60",
    "2024-05-06T10:11:60Z", "2024-05-06T10:11+25:00", "2024-05-06x10:11", "2024-05-06é10:11", "2024-05-06T10:11 Kyiv",
    "２０２４-05-06", "٢٠٢٤", "вчера", "now", "1e9", "9" * 5000, float("inf"), 10**20, "31.02.2024 10:00",
    "1 брюмера 2024", "никогда, 1 мая 2024", "2024-05-06 10:11 Atlantis/Harbour", -(10**11) + 1,
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-10:00", "9999-12-31T24:00", "31.02.2023", "31.02.23",
    "03-04-2025", "21 Nov 2023 10:05 IST", "Tue, 41 Nov 2023 10:05 GMT", "1.2.2023 x",
]  # fmt: skip


def test_accepted() -> None:
    for value, expected in [*ACCEPTED, *WRITTEN]:
        moment = utc_time(value)
        assert moment == expected
        assert moment is None or moment.tzinfo is UTC


def test_refused() -> None:
    for value in REFUSED:
        with pytest.raises(ValueError, match=r"."):
            utc_time(value)
    with pytest.raises(ValueError, match="day and month may be either way"):
        utc_time("05/06/2024 10:00")


@pytest.mark.parametrize("value", [True, [], {}, b"2024", object()], ids=lambda value: type(value).__name__)
def test_refused_types(value: object) -> None:
    with pytest.raises(TypeError, match="is not a date"):
        utc_time(value)


def test_a_zone_holds_for_values_that_name_none() -> None:
    for value, expected in [
        ("2024-05-06T10:00", _utc(2024, 5, 6, 7)), ("2024-01-06T10:00", _utc(2024, 1, 6, 8)),
        ("2024-05-06", _utc(2024, 5, 5, 21)), ("2024", _utc(2023, 12, 31, 22)),
        ("2024-05-06T10:00Z", _utc(2024, 5, 6, 10)), (1714557600, _utc(2024, 5, 1, 10)),
        # The clocks go from 03:00 to 04:00, and back: the first of the two readings.
        ("2024-03-31T03:30", _utc(2024, 3, 31, 1, 30)), ("2024-10-27T03:30", _utc(2024, 10, 27, 0, 30)),
    ]:  # fmt: skip
        assert utc_time(value, time_zone("Europe/Kyiv")) == expected


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown time zone"):
        time_zone(name)


def test_utc_needs_no_zone_database() -> None:
    assert time_zone(None) is time_zone("utc") is UTC


@given(st.datetimes(timezones=st.timezones() | st.none(), min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)))
def test_iso_text_means_the_same_as_the_time(moment: datetime) -> None:
    offset = moment.utcoffset()
    if offset is not None and offset.total_seconds() % 60:
        moment = moment.replace(tzinfo=UTC)
    assert utc_time(moment.isoformat()) == utc_time(moment)


@given(st.integers(-(10**13), 10**13))
def test_a_number_and_its_text_mean_the_same(number: int) -> None:
    def told(value: object) -> object:
        try:
            return utc_time(value)
        except ValueError as error:
            return str(error)

    assert told(number) == told(str(number)) == told(float(number))


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_refused(text: str) -> None:
    try:
        moment = utc_time(text)
    except ValueError:
        return
    assert moment is None or moment.tzinfo is UTC


@pytest.mark.parametrize("published", ["9999", "9999-12", "9999-12-31"])
def test_the_last_moment_of_all_is_a_moment(published: str) -> None:
    assert last_moment(published, utc_time(published)) == datetime.max.replace(tzinfo=UTC)
