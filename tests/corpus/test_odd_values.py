"""Unusual values of documented formats: each is read, or refused with its place; none is a bug of ours."""

import gzip
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from infostream_dedup.documents import Reading, ReadingReport, read_documents, row_of
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.lines import encoding_named
from infostream_dedup.errors import BadDataError, ConfigurationError

TEXT = "Снег в горах"


@pytest.mark.parametrize("name", ["base64", "rot13", "hex", "zlib", "undefined", "a\0b"])
def test_codecs_that_are_not_of_text_are_not_encodings(name: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown encoding"):
        encoding_named(name)


@pytest.mark.parametrize("column", ["published", "seen"])
def test_a_time_zone_that_python_does_not_know_is_named(column: str, tmp_path: Path) -> None:
    times = pa.array([1714557600], pa.int64()).cast(pa.timestamp("s", "Foo/Bar"))
    path = tmp_path / "d.feather"
    pyarrow.feather.write_feather(pa.table({"id": ["a"], "text": [TEXT], column: times}), path)
    with pytest.raises(BadDataError, match=r"a time zone that Python does not know: .*Foo/Bar") as caught:
        list(read_document_blocks(str(path), reading=Reading(), report=ReadingReport()))
    assert (caught.value.line, caught.value.field) == (1, column)


@pytest.mark.parametrize("depth", [252, 300, 900])
def test_records_of_an_array_that_are_nested_too_deep_are_refused(depth: int, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    deep = "[" * depth + "]" * depth
    path.write_text(f'[{{"id": "a", "text": "b", "x": {deep}}}, {{"id": "b", "text": "c"}}]', encoding="utf-8")
    report = ReadingReport()
    options = {"on_error": "skip", "quarantine": tmp_path / "q.jsonl"}
    assert [one.id for one in read_documents(path, report=report, **options)] == ["b"]
    assert report.summary() == "read 2 = used 1 + quarantined 1 (E_DEPTH 1)"


@pytest.mark.parametrize("content", [
    '{"status": "ok", "articles": [\n{"id": "a", "text": "b"},\n{"id": "c", "text": "d"}\n]}',
    '{"status": "ok",\n "articles": [{"id": "a", "text": "b"}, {"id": "c", "text": "d"}]}',
    '{"images": [{"url": "x"}], "id": "a", "text": "' + "b" * 70_000 + '"}\n{"id": "c", "text": "d"}\n',
], ids=["a record a line", "a key a line", "lines that begin with an array"])  # fmt: skip
def test_layouts_of_json(content: str, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(content, encoding="utf-8")
    assert [one.id for one in read_documents(path)] == ["a", "c"]


def test_a_packed_text_has_the_id_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.b.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "c.TXT.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert [one.id for one in read_documents(tmp_path)] == ["a.b", "c"]


def test_made_ids_do_not_depend_on_the_format(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(f"text,title,published\n{TEXT},,2024-05-01T10:00:00+00:00\n", encoding="utf-8")
    row = {"text": TEXT, "title": "", "published": "2024-05-01T10:00:00+00:00"}
    (tmp_path / "d.jsonl").write_text(json.dumps(row), encoding="utf-8")
    moment = datetime(2024, 5, 1, 10, tzinfo=UTC)
    sources = [tmp_path / "d.csv", tmp_path / "d.jsonl"]
    sources += [[{**row, "published": moment.replace(tzinfo=zone)}] for zone in (UTC, timezone(timedelta(0), "GMT"))]
    found = [next(iter(read_documents(source, make_ids=True))).id for source in sources]
    assert len(set(found)) == 1


def test_a_missing_value_of_pandas_is_an_empty_cell() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(BadDataError) as caught:
        list(read_documents([{"id": pandas.NA, "text": TEXT}]))
    assert caught.value.field == "id"
    for field in ("text", "title", "lang", "published", "source", "url"):
        found = list(read_documents([{"id": "a", "text": TEXT, field: pandas.NA}]))
        assert found == list(read_documents([{"id": "a", "text": TEXT, field: None}]))


def test_rows_that_end_with_carriage_returns_alone_are_named_so(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(b"id,text\ra,b\r")
    with pytest.raises(BadDataError, match="the lines end with CR alone, expected LF or CR LF"):
        list(read_documents(path))


def test_a_row_that_is_too_long_is_told_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text('id,text\na,"' + "b" * 100 + '"\n', encoding="utf-8")
    with pytest.raises(BadDataError, match="longer than 50 bytes, or a quote is not closed"):
        list(read_documents(path, max_line_bytes=50))


@pytest.mark.parametrize("field", ["title", "lang", "source", "url"])
@pytest.mark.parametrize("value", [None, float("nan")])
def test_a_column_that_pandas_left_empty_is_empty(field: str, value: float | None, tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pa.table({"id": ["a"], "text": [TEXT], field: pa.array([value], pa.float64())}), path)
    found = next(iter(read_document_blocks(str(path), reading=Reading(), report=ReadingReport())))
    # A null title stays null; a number that is none becomes an empty title.
    assert row_of(found) == {"id": "a", "text": TEXT, field: "" if field == "title" and value is not None else None}


def test_numbers_in_a_column_of_texts_are_refused_with_their_row(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pa.table({"id": ["a", "b"], "text": [TEXT, TEXT], "url": [float("nan"), 1.5]}), path)
    with pytest.raises(BadDataError, match="a number, expected a string") as caught:
        list(read_documents(path))
    assert (caught.value.line, caught.value.field) == (2, "url")
