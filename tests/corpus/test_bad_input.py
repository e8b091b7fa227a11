"""The catalogue of bad input: one row, one fault, with the code, line and field in the message."""

import base64
import gzip
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from infostream_dedup.documents import Reading, ReadingReport, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.errors import BadDataError
from infostream_dedup.model.document import Document, single_documents

A = b'{"id":"a","text":"one"}\n'
Z = b'{"id":"z","text":"last"}\n'


class Case(NamedTuple):
    """A bad input and what must be said of it; `used` are the ids of the good documents when it is skipped."""

    name: str
    file: str
    content: bytes
    code: str
    line: int | None
    field: str | None
    used: str = "az"
    options: Mapping[str, Any] = MappingProxyType({})


def _line(content: bytes | dict[str, Any]) -> bytes:
    return A + (content if isinstance(content, bytes) else json.dumps(content).encode()) + b"\n" + Z


def _parquet(**columns: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def _damaged_parquet() -> bytes:
    data = bytearray(_parquet(id=[f"d{n}" for n in range(5000)], text=[f"word {n}" * 9 for n in range(5000)]))
    data[2000:60000] = b"\xff" * 58000
    return bytes(data)


def _invalid_utf8_column() -> Any:
    options = pc.CastOptions(target_type=pa.string(), allow_invalid_utf8=True)
    return pc.cast(pa.array([b"one", b"\xffx", b"last"]), options=options)


CSV = b"id,text\na,one\n"
THREE = gzip.compress(b"".join(b'{"id":"%d","text":"%d"}\n' % (n, n) for n in range(3)), mtime=0)
# Stored, not packed, so that a cut falls where it falls under every version of zlib.
STORED = gzip.compress(b"".join(b'{"id":"%d","text":"%d"}\n' % (n, n) for n in range(9)), compresslevel=0, mtime=0)

# fmt: off
JSONL = [
    Case("broken JSON", "d.jsonl", _line(b'{"id":"b","text":}'), "E_JSON", 2, None),
    Case("truncated string", "d.jsonl", _line(b'{"id":"b","text":"tw'), "E_JSON", 2, None),
    Case("truncated last line", "d.jsonl", A + Z + b'{"id":"b"', "E_JSON", 3, None),
    Case("text behind the object", "d.jsonl", _line(b'{"id":"b","text":"t"}{}'), "E_JSON", 2, None),
    Case("single quotes", "d.jsonl", _line(b"{'id':'b','text':'t'}"), "E_JSON", 2, None),
    Case("raw control character in JSON", "d.jsonl", _line(b'{"id":"b","text":"\x01"}'), "E_JSON", 2, None),
    Case("raw NUL bytes", "d.jsonl", _line(b"\0\0\0\0"), "E_JSON", 2, None),
    Case("NaN with more", "d.jsonl", _line(b'{"id":"b","text":"t","n":NaN5}'), "E_JSON", 2, None),
    Case("number too large for a double", "d.jsonl", _line(b'{"id":"b","text":"t","n":1e999}'), "E_JSON", 2, None),
    Case("array", "d.jsonl", _line(b'["b","t"]'), "E_TYPE", 2, None),
    Case("string", "d.jsonl", _line(b'"b"'), "E_TYPE", 2, None),
    Case("number", "d.jsonl", _line(b"5"), "E_TYPE", 2, None),
    Case("null", "d.jsonl", _line(b"null"), "E_TYPE", 2, None),
    Case("invalid UTF-8", "d.jsonl", _line(b'{"id":"b","text":"\xff"}'), "E_ENCODING", 2, None),
    Case("cut UTF-8", "d.jsonl", _line(b'{"id":"b","text":"\xd0"}'), "E_ENCODING", 2, None),
    Case("windows-1251", "d.jsonl", _line('{"id":"b","text":"курс"}'.encode("cp1251")), "E_ENCODING", 2, None),
    Case("encoded surrogate", "d.jsonl", _line(b'{"id":"b","text":"\xed\xa0\xbd"}'), "E_ENCODING", 2, None),
    Case("lone high surrogate", "d.jsonl", _line(b'{"id":"b","text":"\\ud83d"}'), "E_ENCODING", 2, None),
    Case("lone low surrogate", "d.jsonl", _line(b'{"id":"b","text":"x\\ude00"}'), "E_ENCODING", 2, None),
    Case("byte order mark inside", "d.jsonl", _line(b'\xef\xbb\xbf{"id":"b","text":"t"}'), "E_ENCODING", 2, None),
    Case("arrays nested 2,000 deep", "d.jsonl", _line(b"[" * 2000 + b"]" * 2000), "E_DEPTH", 2, None),
    Case("objects nested 100,000 deep", "d.jsonl", _line(b'{"a":' * 100_000), "E_DEPTH", 2, None),
    Case("arrays nested 251 deep", "d.jsonl", _line(b'{"id":"b","text":"t","x":' + b"[" * 250 + b"]" * 250 + b"}"),
         "E_DEPTH", 2, None),
    Case("line too long", "d.jsonl", _line({"id": "b", "text": "x" * 99}), "E_TOO_LARGE", 2, None, "az",
         {"max_line_bytes": 80}),
    Case("last line too long", "d.jsonl", A + Z + b'{"id":"b","text":"' + b"x" * 999, "E_TOO_LARGE", 3, None, "az",
         {"max_line_bytes": 80}),
    Case("id missing", "d.jsonl", _line({"text": "t"}), "E_MISSING", 2, "id"),
    Case("empty object", "d.jsonl", _line(b"{}"), "E_MISSING", 2, "id"),
    Case("id null", "d.jsonl", _line({"id": None, "text": "t"}), "E_MISSING", 2, "id"),
    Case("id empty", "d.jsonl", _line({"id": "", "text": "t"}), "E_MISSING", 2, "id"),
    Case("id true", "d.jsonl", _line({"id": True, "text": "t"}), "E_TYPE", 2, "id"),
    Case("id a fraction", "d.jsonl", _line({"id": 5.5, "text": "t"}), "E_TYPE", 2, "id"),
    Case("id of 65 bits", "d.jsonl", _line({"id": 2**64, "text": "t"}), "E_TYPE", 2, "id"),
    Case("id of 64 bits unsigned", "d.jsonl", _line({"id": 2**63, "text": "t"}), "E_TYPE", 2, "id"),
    Case("id of 5,000 digits", "d.jsonl", _line(b'{"id":' + b"9" * 5000 + b',"text":"t"}'), "E_JSON", 2, None),
    Case("id a list", "d.jsonl", _line({"id": ["b"], "text": "t"}), "E_TYPE", 2, "id"),
    Case("id an object", "d.jsonl", _line({"id": {"b": 1}, "text": "t"}), "E_TYPE", 2, "id"),
    Case("id of 2,049 bytes", "d.jsonl", _line({"id": "b" * 2049, "text": "t"}), "E_ID", 2, "id"),
    Case("id of 1,025 Cyrillic letters", "d.jsonl", _line({"id": "я" * 1025, "text": "t"}), "E_ID", 2, "id"),
    Case("NUL in id", "d.jsonl", _line({"id": "b\0", "text": "t"}), "E_ID", 2, "id"),
    Case("newline in id", "d.jsonl", _line({"id": "b\n", "text": "t"}), "E_ID", 2, "id"),
    Case("C1 control in id", "d.jsonl", _line({"id": "b\x85", "text": "t"}), "E_ID", 2, "id"),
    Case("text missing", "d.jsonl", _line({"id": "b"}), "E_MISSING", 2, "text"),
    Case("text a number", "d.jsonl", _line({"id": "b", "text": 5}), "E_TYPE", 2, "text"),
    Case("text a list", "d.jsonl", _line({"id": "b", "text": ["t"]}), "E_TYPE", 2, "text"),
    Case("title true", "d.jsonl", _line({"id": "b", "text": "t", "title": True}), "E_TYPE", 2, "title"),
    Case("source an object", "d.jsonl", _line({"id": "b", "text": "t", "source": {}}), "E_TYPE", 2, "source"),
    Case("url a list", "d.jsonl", _line({"id": "b", "text": "t", "url": ["u"]}), "E_TYPE", 2, "url"),
    Case("lang a number", "d.jsonl", _line({"id": "b", "text": "t", "lang": 1}), "E_TYPE", 2, "lang"),
    Case("30 February", "d.jsonl", _line({"id": "b", "text": "t", "published": "2024-02-30"}), "E_DATE", 2,
         "published"),
    Case("month 13", "d.jsonl", _line({"id": "b", "text": "t", "published": "2024-13"}), "E_DATE", 2, "published"),
    Case("garbage date", "d.jsonl", _line({"id": "b", "text": "t", "published": "вчера"}), "E_DATE", 2, "published"),
    Case("date of the far future", "d.jsonl", _line({"id": "b", "text": "t", "published": 10**20}), "E_DATE", 2,
         "published"),
    Case("date true", "d.jsonl", _line({"id": "b", "text": "t", "published": True}), "E_TYPE", 2, "published"),
    Case("date an object", "d.jsonl", _line({"id": "b", "text": "t", "published": {"y": 2024}}), "E_TYPE", 2,
         "published"),
    Case("same id and content", "d.jsonl", A + A + Z, "E_ID_DUPLICATE", 2, "id"),
    Case("same id, other text", "d.jsonl", _line({"id": "a", "text": "two"}), "E_ID_CONFLICT", 2, "id"),
    Case("same id, other title", "d.jsonl", _line({"id": "a", "text": "one", "title": "T"}), "E_ID_CONFLICT", 2, "id"),
    Case("number and text give one id", "d.jsonl", b'{"id":7,"text":"s"}\n{"id":"7","text":"s"}\n', "E_ID_DUPLICATE", 2,
         "id", "7"),
]

ARCHIVES = [
    Case("cut archive", "d.jsonl.gz", THREE[:-9], "E_GZIP", 4, None, "012"),
    Case("archive cut in its data", "d.jsonl.gz", STORED[: STORED.index(b'"5"') + 9], "E_GZIP", 6, None, "01234"),
    Case("archive of its magic number", "d.jsonl.gz", b"\x1f\x8b", "E_GZIP", 1, None, ""),
    Case("archive in an archive", "d.jsonl.gz", gzip.compress(gzip.compress(A)), "E_GZIP", 1, None, ""),
    Case("empty file named .gz", "d.jsonl.gz", b"", "E_GZIP", 1, None, ""),
    Case("plain file named .gz", "d.jsonl.gz", A + Z, "E_GZIP", 1, None, ""),
    Case("garbage behind the archive", "d.jsonl.gz", THREE + b"garbage", "E_GZIP", 4, None, "012"),
    Case("wrong checksum", "d.jsonl.gz", THREE[:-8] + b"\0\0\0\0" + THREE[-4:], "E_GZIP", 4, None, "012"),
    Case("second member cut", "d.jsonl.gz", THREE + gzip.compress(Z)[:-2], "E_GZIP", 5, None, "012z"),
    Case("bad line in an archive", "d.jsonl.gz", gzip.compress(_line(b"{")), "E_JSON", 2, None),
    Case("cut archive of CSV", "d.csv.gz", gzip.compress(CSV)[:-4], "E_GZIP", 3, None, "a"),
]

TABLES = [
    Case("empty CSV", "d.csv", b"", "E_SCHEMA", 1, None, ""),
    Case("CSV without text", "d.csv", b"id,body\na,one\n", "E_SCHEMA", 1, None, ""),
    Case("CSV without header", "d.csv", b"a,one\nz,last\n", "E_SCHEMA", 1, None, ""),
    Case("CSV column twice", "d.csv", b"id,text,x,x\na,one,1,2\n", "E_SCHEMA", 1, None, ""),
    Case("CSV row too short", "d.csv", CSV + b"b\nz,last\n", "E_CSV", 3, None),
    Case("CSV row too long", "d.csv", CSV + b"b,two,three\nz,last\n", "E_CSV", 3, None),
    Case("CSV quote inside", "d.csv", CSV + b'b,"two"x\nz,last\n', "E_CSV", 3, None),
    Case("CSV quote never closed", "d.csv", CSV + b'z,last\nb,"two\nc,three\n', "E_CSV", 4, None),
    Case("CSV invalid UTF-8", "d.csv", CSV + b"b,t\xff\nz,last\n", "E_ENCODING", 3, "text"),
    Case("CSV header not UTF-8", "d.csv", b"id,text,\xff\na,one,x\n", "E_ENCODING", 1, None, ""),
    Case("CSV cell too long", "d.csv", CSV + b"b," + b"x" * 99 + b"\nz,last\n", "E_TOO_LARGE", 3, None, "az",
         {"max_line_bytes": 50}),
    Case("CSV row of many lines too long", "d.csv", CSV + b'b,"' + b"x" * 99 + b"\n" + b"x" * 99 + b'"\n',
         "E_TOO_LARGE", 3, None, "a", {"max_line_bytes": 120}),
    Case("CSV without id", "d.csv", CSV + b",two\nz,last\n", "E_MISSING", 3, "id"),
    Case("CSV bad date behind a text of two lines", "d.csv", b'id,text,published\na,"o\nne",\nb,two,soon\nz,last,\n',
         "E_DATE", 4, "published"),
    Case("CSV id twice", "d.csv", CSV + b"a,two\nz,last\n", "E_ID_CONFLICT", 3, "id"),
    Case("not Parquet", "d.parquet", A + Z, "E_PARQUET", None, None, ""),
    Case("empty Parquet", "d.parquet", b"", "E_PARQUET", None, None, ""),
    Case("cut Parquet", "d.parquet", _parquet(id=["a"], text=["one"])[:-9], "E_PARQUET", None, None, ""),
    Case("damaged Parquet", "d.parquet", _damaged_parquet(), "E_PARQUET", None, None, ""),
    Case("Parquet without text", "d.parquet", _parquet(id=["a"], body=["one"]), "E_SCHEMA", None, None, ""),
    Case("Parquet of wrong types", "d.parquet", _parquet(id=[1], text=[2.5]), "E_SCHEMA", None, None, ""),
    Case("Parquet date of a wrong type", "d.parquet", _parquet(id=["a"], text=["t"], published=[True]), "E_SCHEMA",
         None, None, ""),
    Case("Parquet null id", "d.parquet", _parquet(id=["a", None, "z"], text=["one", "two", "last"]), "E_MISSING", 2,
         "id"),
    Case("Parquet invalid UTF-8", "d.parquet", _parquet(id=["a", "b", "z"], text=_invalid_utf8_column()), "E_ENCODING",
         2, "text"),
    Case("Parquet id twice", "d.parquet", _parquet(id=["a", "a", "z"], text=["one", "two", "last"]), "E_ID_CONFLICT", 2,
         "id"),
    Case("Parquet date beyond year 9999", "d.parquet",
         _parquet(id=["a", "b", "z"], text=["o", "t", "l"], published=pa.array([0, 2**60, 0], pa.timestamp("ms"))),
         "E_DATE", 2, "published"),
]
# fmt: on

CASES = JSONL + ARCHIVES + TABLES


def read_in_blocks(source: Path, *, report: ReadingReport | None = None, **options: Any) -> Iterator[Document]:
    reading = Reading(**options)
    for block in read_document_blocks(str(source), reading=reading, report=report or ReadingReport()):
        yield from single_documents(block)


WAYS = pytest.mark.parametrize("read", [read_documents, read_in_blocks], ids=["one by one", "in blocks"])


@WAYS
def test_fail_stops_with_code_line_and_field(tmp_path: Path, read: Any) -> None:
    for case in CASES:
        path = tmp_path / case.file
        path.write_bytes(case.content)
        with pytest.raises(BadDataError) as caught:
            list(read(path, **case.options))
        error = caught.value
        said = (error.code, error.line, error.field, error.source)
        assert said == (case.code, case.line, case.field, str(path)), case.name
        assert error.exit_code == 65
        assert str(error).startswith(str(path))
        del error, caught
        assert path not in [one.resolve() for one in Path("/proc/self/fd").glob("*")], case.name


@WAYS
def test_skip_sets_one_record_aside_with_its_bytes_and_goes_on(tmp_path: Path, read: Any) -> None:
    for number, case in enumerate(CASES):
        path, aside = tmp_path / case.file, tmp_path / f"aside-{number}.jsonl"
        path.write_bytes(case.content)
        report = ReadingReport()
        found = read(path, on_error="skip", quarantine=aside, report=report, **case.options)
        used = [document.id for document in found]
        assert "".join(used) == case.used, case.name
        rows = [orjson.loads(line) for line in aside.read_bytes().splitlines()]
        said = [(row["code"], row["line"], row["field"]) for row in rows]
        assert said == [(case.code, case.line, case.field)], case.name
        assert list(rows[0]) == ["source", "line", "byte_offset", "field", "code", "message", "raw_b64"]
        assert (report.read, report.used, report.quarantined) == (len(used) + 1, len(used), 1), case.name
        assert report.quarantined_by_code == {case.code: 1}
        if case in JSONL and case.line == 2:
            raw = base64.b64decode(rows[0]["raw_b64"])
            assert len(rows[0]["raw_b64"]) <= 2**16, case.name
            assert raw, case.name
            assert case.content[rows[0]["byte_offset"] :].startswith(raw), case.name
            assert rows[0]["byte_offset"] == case.content.index(b"\n") + 1, case.name


def test_every_cut_of_an_archive_keeps_the_whole_lines_before_it(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(STORED)
    whole = [document.id for document in list(read_documents(path))]
    longest = 0
    for size in range(2, len(STORED)):
        path.write_bytes(STORED[:size])
        came: list[str] = []
        with pytest.raises(BadDataError) as caught:
            came.extend(document.id for document in read_documents(path))
        assert caught.value.code == "E_GZIP"
        aside = tmp_path / "aside.jsonl"
        came = [document.id for document in read_documents(path, on_error="skip", quarantine=aside)]
        assert came == whole[: len(came)]
        assert len(came) >= longest
        longest = len(came)
    assert longest == len(whole)


def test_values_in_memory_fail_with_their_number() -> None:
    good = {"id": "a", "text": "one"}
    bad: list[tuple[Any, str, str | None]] = [
        ({"id": "b"}, "E_MISSING", "text"), ({"id": "b\ud800", "text": "t"}, "E_ENCODING", "id"),
        ({"id": "b", "text": "t\udfff"}, "E_ENCODING", "text"), ({"id": "b", "text": b"t"}, "E_TYPE", "text"),
        ({"id": 2**80, "text": "t"}, "E_TYPE", "id"),
        ({"id": "b", "text": "t", "published": float("inf")}, "E_DATE", "published"),
        ({"id": "b", "text": "t", "published": object()}, "E_TYPE", "published"),
        ({"id": "b", "text": "t", "lang": ["ru"]}, "E_TYPE", "lang"),
        ({"id": "b", "text": "t", 5: "x"}, "E_TYPE", None), (5, "E_TYPE", None), (None, "E_TYPE", None),
    ]  # fmt: skip
    for value, code, field in bad:
        with pytest.raises(BadDataError) as caught:
            list(read_documents([good, value]))
        error = caught.value
        assert (error.code, error.source, error.line, error.field) == (code, "<list>", 2, field)


def test_numbers_as_ids_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    path.write_bytes(_parquet(id=[1, -2], text=["one", "two"]))
    assert [document.id for document in read_documents(path)] == ["1", "-2"]


def test_one_message_lists_every_wrong_column(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    path.write_bytes(_parquet(id=[1.5], title=[2], lang=["ru"]))
    with pytest.raises(BadDataError, match=r"missing columns: text; .*id is double.*title is int64"):
        list(read_documents(path))


def test_messages_do_not_repeat_texts() -> None:
    with pytest.raises(BadDataError) as caught:
        list(read_documents([{"id": "a", "text": ["secret"]}]))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "column"), [('{"id":"б","text":}', 18), ('{"id":"б","text":', 18), ('{"id":"б","text":"дв', 21)]
)
def test_a_message_names_the_column_where_the_record_is_broken(tmp_path: Path, bad: str, column: int) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(_line(bad.encode()))
    with pytest.raises(BadDataError, match=rf"d\.jsonl:2: column {column}: "):
        list(read_documents(path))
