"""Inputs as people have them: read whole, by themselves or with the option that the error names, or refused whole."""

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from infostream_dedup.documents import Reading, ReadingReport, read_documents, row_of
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.column_names import ColumnNames, advice_on
from infostream_dedup.documents.lines import encoding_named, recognised_encoding
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.model import single_documents
from infostream_dedup.sample import documents_path

ROWS = [json.loads(line) for line in documents_path().read_text(encoding="utf-8").splitlines()[:40]]
PLAIN = [{name: row.get(name) or "" for name in ("id", "title", "text")} for row in ROWS]
TEXTS = [row["text"] for row in ROWS]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def table(rows: list[dict[str, Any]], names: list[str], delimiter: str = ",") -> str:
    out = io.StringIO()
    written = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    written.writerow(names)
    written.writerows(row.values() for row in rows)
    return out.getvalue()


def with_dates(form: str) -> str:
    return lines([row | {"published": datetime(2023, 11, 1 + n % 28, 9).strftime(form)} for n, row in enumerate(PLAIN)])


def zstandard(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(data)
    return bytes(sink.getvalue())


def arrow(path: Path) -> None:
    with pa.ipc.new_file(path, pa.Table.from_pylist(PLAIN).schema) as file:
        file.write(pa.Table.from_pylist(PLAIN))


LINES, CSV = lines(PLAIN), table(PLAIN, ["id", "title", "text"])
OTHER = [{"body": row["text"], "headline": row["title"], "id": row["id"]} for row in PLAIN]
LANGUAGES = ["rus", "ukr", "ua", "uk-UA", "eng", "en_GB", "de", "pl"]

WHOLE: dict[str, tuple[str, str | bytes | Callable[[Path], None]]] = {
    "lines": ("a.jsonl", LINES), "lines called json": ("a.json", LINES), "lines called txt": ("a.txt", LINES),
    "parquet": ("a.parquet", lambda path: pq.write_table(pa.Table.from_pylist(PLAIN), path)),
    "feather": ("a.feather", lambda path: feather.write_feather(pa.Table.from_pylist(PLAIN), path)),
    "arrow": ("a.arrow", arrow), "tsv": ("a.tsv", table(PLAIN, ["id", "title", "text"], "\t")),
    "csv with a byte order mark": ("a.csv", CSV.encode("utf-8-sig")), "csv in UTF-16": ("a.csv", CSV.encode("utf-16")),
    "csv in cp1251 with semicolons": ("a.csv", table(PLAIN, ["id", "title", "text"], ";").encode("cp1251", "replace")),
    "lines in koi8-u": ("a.jsonl", LINES.encode("koi8-u", "replace")),
    "an array": ("a.json", json.dumps(PLAIN, ensure_ascii=False)),
    "an indented array": ("a.json", json.dumps(PLAIN, ensure_ascii=False, indent=2)),
    "items in an object": ("a.json", json.dumps({"items": PLAIN}, ensure_ascii=False)),
    "dates in seconds": ("a.jsonl", lines([{**row, "published": 1_700_000_000} for row in PLAIN])),
    "dates of feeds": ("a.jsonl", with_dates("%a, %d %b %Y %H:%M:%S +0200")),
    "dates with dots": ("a.jsonl", with_dates("%d.%m.%Y")),
    "languages by other names": ("a.jsonl", lines([{**row, "lang": LANGUAGES[n % 8]} for n, row in enumerate(PLAIN)])),
    "markup in texts": ("a.jsonl", lines([{**row, "text": f"<p>{row['text']}</p>"} for row in PLAIN])),
    "bzip2": ("a.jsonl.bz2", bz2.compress(LINES.encode())), "xz": ("a.csv.xz", lzma.compress(CSV.encode())),
    "zstandard": ("a.jsonl.zst", zstandard(LINES.encode())),
}  # fmt: skip

WITH_AN_OPTION: dict[str, tuple[str, str | bytes, str, dict[str, Any]]] = {
    "ID, Заголовок, Текст": (
        "a.csv", table(PLAIN, ["ID", "Заголовок", "Текст"]), "perhaps --columns id=ID,title=Заголовок,text=Текст",
        {"columns": "id=ID,title=Заголовок,text=Текст"},
    ),
    "the same with semicolons in cp1251": (
        "a.csv", table(PLAIN, ["ID", "Заголовок", "Текст"], ";").encode("cp1251", "replace"),
        "perhaps --columns id=ID,title=Заголовок,text=Текст", {"columns": ["id=ID", "title=Заголовок,text=Текст"]},
    ),
    "no ids": (
        "a.jsonl", lines([{"title": row["title"], "text": row["text"]} for row in PLAIN]), "perhaps --make-ids",
        {"make_ids": True},
    ),
    "body and headline": (
        "a.jsonl", lines(OTHER), "perhaps --columns text=body,title=headline",
        {"columns": {"text": "body", "title": "headline"}},
    ),
}  # fmt: skip

COLLECT = "'infostream-dedup collect' turns feeds, pages, web archives and exports of Telegram into documents"
REFUSED = {
    "a feed": ("a.rss", "<rss><channel></channel></rss>", COLLECT),
    "a feed as xml": ("a.xml", "<rss><channel></channel></rss>", COLLECT),
    "a feed called jsonl": ("a.jsonl", "<rss>\n<channel></channel></rss>", f"{COLLECT}.*E_JSON"),
    "a page": ("a.html", "<html></html>", COLLECT), "an archive of pages": ("a.warc", "WARC/1.0\r\n", COLLECT),
    "a packed archive of pages": ("a.warc.gz", b"\x1f\x8b", COLLECT),
    "a letter": ("a.docx", "x", "unknown kind of file; known endings are"),
}  # fmt: skip


def put(folder: Path, name: str, content: str | bytes | Callable[[Path], None]) -> Path:
    path = folder / name
    if callable(content):
        content(path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("kind", WHOLE)
def test_read_whole_by_itself(kind: str, tmp_path: Path) -> None:
    path = put(tmp_path, *WHOLE[kind])
    report = ReadingReport()
    found = list(read_documents(path, report=report))
    assert [one.id for one in found] == [row["id"] for row in PLAIN]
    assert report.read == report.used == 40
    expected = [f"<p>{text}</p>" for text in TEXTS] if "markup" in kind else TEXTS
    recognised = next((one for one in ("cp1251", "koi8-u") if one in kind), "utf-8")
    # What the encoding lacks (dashes, accents) was lost when the file was written.
    assert [one.text for one in found] == [text.encode(recognised, "replace").decode(recognised) for text in expected]


@pytest.mark.parametrize("kind", WITH_AN_OPTION)
def test_read_whole_with_the_option_that_the_error_names(kind: str, tmp_path: Path) -> None:
    name, content, advice, options = WITH_AN_OPTION[kind]
    path = put(tmp_path, name, content)
    with pytest.raises(BadDataError) as refused:
        list(read_documents(path))
    assert advice in refused.value.for_command_line
    found = list(read_documents(path, **options))
    assert len({one.id for one in found}) == 40
    expected = [text.encode("cp1251", "replace").decode("cp1251") for text in TEXTS] if "cp1251" in kind else TEXTS
    assert [one.text for one in found] == expected


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_whole(kind: str, tmp_path: Path) -> None:
    name, content, message = REFUSED[kind]
    with pytest.raises((BadDataError, ConfigurationError), match=message):
        list(read_documents(put(tmp_path, name, content)))


def test_missing_files_and_addresses_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match="does not exist"):
        read_documents(tmp_path / "none.jsonl")
    with pytest.raises(NoInputError, match="is an address"):
        read_documents("https://example.org/a.jsonl")
    with pytest.raises(NoInputError, match="no file name matches this pattern"):
        read_documents(str(tmp_path / "2024-*.jsonl"))


def test_folders_and_patterns(tmp_path: Path) -> None:
    for row in PLAIN:
        put(tmp_path, f"{row['id']}.txt", row["text"])
    put(tmp_path, ".hidden.txt", "x")
    (tmp_path / ".checkpoints").mkdir()
    put(tmp_path / ".checkpoints", "one.txt", "x")
    for source in (tmp_path, str(tmp_path / "*.txt")):
        found = list(read_documents(source))
        assert sorted((one.id, one.text) for one in found) == sorted((row["id"], row["text"]) for row in PLAIN)
    (tmp_path / "empty").mkdir()
    with pytest.raises(NoInputError, match=r"no file in this folder ends in .*, \.zip, or is a packed one"):
        read_documents(tmp_path / "empty")


def test_texts_in_memory() -> None:
    for make in [
        list, pd.Series, pl.Series, pd.Index, np.array, pa.array, lambda texts: pa.chunked_array([texts]),
        lambda texts: pl.LazyFrame(PLAIN),
    ]:  # fmt: skip
        assert [one.text for one in read_documents(make(TEXTS))] == TEXTS


@pytest.mark.parametrize("gap", [None, float("nan"), ""])
def test_a_missing_text_in_a_list_is_an_empty_one(gap: Any) -> None:
    assert [one.text for one in read_documents([TEXTS[0], gap])] == [TEXTS[0], ""]


@pytest.mark.parametrize("make", [iter, set, lambda texts: texts[0]], ids=["iterator", "set", "text"])
def test_long_texts_that_are_taken_for_names_are_refused(make: Callable[[list[str]], Any]) -> None:
    with pytest.raises(NoInputError, match="File name too long; to read texts that are in memory, give them as a list"):
        list(read_documents(make([TEXTS[0] * 50])))


def test_an_empty_name_is_not_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.jsonl").write_text('{"id": "1", "text": "Снег"}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for source in ("", ["other.jsonl", ""]):
        with pytest.raises(NoInputError, match="the name of the input is empty"):
            read_documents(source)
    assert [one.id for one in read_documents(".")] == ["1"]


def test_rows_of_a_data_frame_are_records() -> None:
    frame = pd.DataFrame(
        {
            "id": np.array([1, 2]), "text": ["Снег", "Дождь"], "title": pd.array(["Погода", pd.NA], dtype="string"),
            "published": pd.to_datetime(["2024-03-01T10:05", None]), "views": pd.array([7, pd.NA], dtype="Int64"),
            "when": pd.to_datetime(["2024-03-01", None]),
        }
    )  # fmt: skip
    read = {
        "records": frame.to_dict("records"), "rows": [dict(row) for _, row in frame.iterrows()],
        "numpy": [dict(zip(frame.columns, row, strict=True)) for row in frame.to_numpy()],
    }  # fmt: skip
    for records in read.values():
        first, second = read_documents(records)
        assert (first.id, first.title, first.published) == ("1", "Погода", "2024-03-01T10:05:00")
        assert (second.id, second.title, second.published, second.time) == ("2", "", None, None)
        assert second.extra == {"views": None, "when": None}
    types = {"id": np.int64(3), "text": np.str_("Снег"), "published": np.datetime64("2024-03-01T10:05", "ns")}
    (document,) = read_documents([types | {"vector": np.array([1, 2]), "share": np.float32(0.5)}])
    assert (document.id, document.published) == ("3", "2024-03-01T10:05:00")
    assert document.extra == {"vector": [1, 2], "share": 0.5}
    assert [type(value) for value in document.extra.values()] == [list, float]


def test_a_table_with_two_columns_of_one_name() -> None:
    frame = pd.concat([pd.DataFrame(PLAIN), pd.DataFrame(PLAIN)], axis=1)
    with pytest.raises(BadDataError, match="the table cannot be converted to an Arrow table: Duplicate column names"):
        list(read_documents(frame))


def test_workbooks(tmp_path: Path) -> None:
    book = pytest.importorskip("openpyxl", reason="writes the workbook that the test reads").Workbook()
    book.active.append(["ID", "Текст"])
    for number, text in enumerate(TEXTS, 1):
        book.active.append([number, text])
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(BadDataError, match="perhaps columns='id=ID,text=Текст'"):
        list(read_documents(tmp_path / "a.xlsx"))
    found = list(read_documents(tmp_path / "a.xlsx", columns="id=ID,text=Текст"))
    assert [(one.id, one.text) for one in found] == [(str(n), text) for n, text in enumerate(TEXTS, 1)]


def test_made_ids_depend_on_content_and_distinguish_equal_documents() -> None:
    rows = [{"text": "Снег"}, {"text": "Дождь"}, {"text": "Снег"}, {"id": "own", "text": "Снег"}]
    first = [one.id for one in read_documents(rows, make_ids=True)]
    assert first == [one.id for one in read_documents(rows, make_ids=True)]
    assert first[2] == first[0] + "-2"
    assert (first[3], len(set(first))) == ("own", 4)


@pytest.mark.parametrize("form", ["", "ndjson", "csv", "parquet"])
@pytest.mark.parametrize("read", [read_documents, read_document_blocks])
def test_columns_that_seem_to_be_fields_are_named(tmp_path: Path, form: str, read: Callable[..., Any]) -> None:
    source: Any = [{"id": str(one), "text": f"Снег {one}", "Date": "2026-11-01", "site": "a"} for one in range(99)]
    if form:
        getattr(pl.DataFrame(source), f"write_{form}")(source := tmp_path / f"docs.{form}")
    for columns, unread in ((None, "published=Date,source=site"), ("source=site,title=no", "published=Date")):
        more = {"reading": Reading(columns=columns)} if read is read_document_blocks else {"columns": columns}
        assert len(list(read(source, report=(report := ReadingReport()), **more)))
        assert (report.unread, report.absent) == (unread, ["no"] if columns else [])


def test_other_languages_are_counted_left_out_or_refused() -> None:
    rows = [{"id": "1", "text": "Schnee in Kiew", "lang": "de"}, {"id": "2", "text": "Снег", "lang": "rus"}]
    report = ReadingReport()
    german, russian = read_documents(rows, report=report)
    assert (german.lang, russian.lang) == ("de", "ru")
    assert [row_of(german)["lang"], row_of(russian)["lang"]] == ["de", "rus"], "the document is passed on as it came"
    assert report.summary() == "read 2 = used 2 + quarantined 0; other languages: de 1"
    report = ReadingReport()
    assert [one.id for one in read_documents(rows, report=report, other_languages="skip")] == ["2"]
    assert report.summary() == "read 2 = used 1 + quarantined 0 + left out 1; other languages: de 1"
    with pytest.raises(BadDataError, match="'de', expected one of ru, uk, en, or null; see other_languages"):
        list(read_documents(rows, other_languages="fail"))


@pytest.mark.parametrize("name", ["cp1251", "koi8-u", "cp866", "utf-16-le", "utf-16-be"])
def test_encodings_of_real_texts_are_recognised(name: str) -> None:
    for language in sorted({row["lang"] for row in ROWS} & {"ru", "uk"}):
        text = '{"text": "' + " ".join(row["text"] for row in ROWS if row["lang"] == language)
        assert recognised_encoding(text.encode(name, "replace")) == name


def test_stray_bytes_in_utf_8_are_not_another_encoding() -> None:
    text = "Погода в Києві: дощ. ".encode() * 20
    assert recognised_encoding(text) is None
    assert recognised_encoding(text[:-1]) is None, "cut within a letter"
    assert recognised_encoding(text + b"\xff\xfe\xfd") is None
    assert recognised_encoding(b'{"id": "a", "text": "\xff"}') is None


def test_columns() -> None:
    names = ColumnNames("text=body")
    assert dict(names.renamed({"text": "old", "body": "new", "id": "1"})) == {"text_": "old", "text": "new", "id": "1"}
    assert names.names(["text", "body"]) == ["text_", "text"]
    for wrong in ("body", "colour=x", "id=a,id=b", "text="):
        with pytest.raises(ConfigurationError):
            ColumnNames(wrong)
    assert "the first line must name" in advice_on(["Выгрузка за май"])
    assert "exports of Telegram" in advice_on({"name": "Канал", "messages": []})
    assert advice_on(["x", "y"]) == "; name the column that holds the text: --columns text=NAME"


# Unusual values of documented formats: each is read, or refused with its place; none is a bug of ours.
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
    assert len({next(iter(read_documents(source, make_ids=True))).id for source in sources}) == 1


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
    (block,) = read_document_blocks(str(path), reading=Reading(), report=ReadingReport())
    (found,) = single_documents(block)
    # A null title stays null; a number that is none becomes an empty title.
    assert row_of(found) == {"id": "a", "text": TEXT, field: "" if field == "title" and value is not None else None}


def test_numbers_in_a_column_of_texts_are_refused_with_their_row(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pyarrow.parquet.write_table(pa.table({"id": ["a", "b"], "text": [TEXT, TEXT], "url": [float("nan"), 1.5]}), path)
    with pytest.raises(BadDataError, match="a number, expected a string") as caught:
        list(read_documents(path))
    assert (caught.value.line, caught.value.field) == (2, "url")
