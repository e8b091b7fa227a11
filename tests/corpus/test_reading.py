import gzip
import io
import json
import resource
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents import Reading, ReadingReport, read_documents, row_of
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.json_files import doubled_name
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.model import Document
from infostream_dedup.model.document import single_documents

ROWS = [
    {"id": "a", "title": "T", "text": "one", "lang": "uk", "published": "2024-05-06", "source": "s", "url": "u"},
    {"id": "b", "title": None, "text": "two", "lang": None, "published": None, "source": None, "url": None},
]


def _jsonl(*rows: dict[str, Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def _ids(source: Any, **options: Any) -> list[str]:
    return [document.id for document in read_documents(source, **options)]


def test_fields_of_one_document() -> None:
    row = {"topic": {"deep": [1, 2]}, "id": "a", "text": "one", "images": 3, "links": ["x"], **ROWS[0], "n": None}
    [document] = read_documents([row])
    assert document == Document(
        id="a", text="one", title="T", lang="uk", published="2024-05-06", time=datetime(2024, 5, 6, tzinfo=UTC),
        source="s", url="u", images=3, links=["x"], extra={"topic": {"deep": [1, 2]}, "n": None},
    )  # fmt: skip
    assert list(row_of(document).items()) == list(row.items())


def test_control_characters_in_text_become_blanks_one_for_one() -> None:
    row = {"id": "a", "text": "\0x\x85y\x9f\x0b\t\r\n\u00adй", "title": "\x1b[1m", "extra": "\x01"}
    [document] = read_documents([row])
    assert (document.text, document.title) == (" x y  \t\r\n\u00adй", " [1m")
    assert document.extra["extra"] == "\x01"


def test_lines_end_at_newline_only(tmp_path: Path) -> None:
    texts = ["a\u2028b", "a\x85b".replace("\x85", "\u2029"), "a\x0cb".replace("\x0c", "\u00a0")]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(f'{{"id":"{n}","text":"{text}"}}\r\n' for n, text in enumerate(texts)), newline="")
    assert [document.text for document in read_documents(path)] == texts


def test_byte_order_mark_and_blank_lines_are_not_records(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n" + _jsonl(ROWS[0]) + b"\r\n  \t\n" + b'{"id":"b"}\n')
    report = ReadingReport()
    aside = tmp_path / "aside.jsonl"
    assert _ids(path, on_error="skip", quarantine=aside, report=report) == ["a"]
    assert report.summary() == "read 2 = used 1 + quarantined 1 (E_MISSING 1)"
    row = orjson.loads(aside.read_bytes())
    assert row["line"] == 5
    assert path.read_bytes()[row["byte_offset"] :] == b'{"id":"b"}\n'


SINGLE = b'{"id": "b", "text": ": \\": \\\\", "title": "\\"text\\"", "extra": {"text" : "text"}, "q\\\\": "a : b"}'
DOUBLED = [
    (b'{"id": "a", "text": "Snow.", "text": "Rain."}', "text"),
    (b'{"id": "a", "text": "Snow.", "te\\u0078t": "Rain."}', "text"),
    (b'{"id": "a", "text": "Snow.", "body": "Snow.", "x": 1, "body" : "Rain."}', "body"),
    ('{"id": "a", "text": "Snow.", "extra": [{"тег": 1, "\\u0442ег"\t: 2}]}'.encode(), "тег"),
]


@pytest.mark.parametrize(("row", "name"), DOUBLED)
def test_two_equal_keys_are_refused(tmp_path: Path, row: bytes, name: str) -> None:
    for ending, (begin, between, end) in {"jsonl": (b"", b"\n", b""), "json": (b"[", b",", b"]")}.items():
        path = tmp_path / f"d.{ending}"
        path.write_bytes(begin + SINGLE + end)
        assert _ids(path) == ["b"]
        path.write_bytes(begin + SINGLE + between + row + end)
        with pytest.raises(BadDataError, match=f"the name '{name}' comes twice"):
            list(read_documents(path))


_NAMES = st.sampled_from(["a", "b", r"\u0061", r"b\\", r"b\"", ":", ""])
_VALUES = st.recursive(
    st.sampled_from(["1", "null", '""', '":"', r'"\\"', r'"\\\":"', r'"a\": b"', '" :"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda some: f"[{','.join(some)}]")
        | st.lists(st.tuples(_NAMES, st.sampled_from(["", " ", "\t\n"]), inner), max_size=3).map(
            lambda some: "{" + ",".join(f'"{name}"{blank}:{value}' for name, blank, value in some) + "}"
        )
    ),
)


@given(_VALUES)
def test_doubled_names_are_told_as_a_parser_of_pairs_tells_them(text: str) -> None:
    doubled: list[bool] = []
    json.loads(text, object_pairs_hook=lambda pairs: doubled.append(len(dict(pairs)) < len(pairs)) or dict(pairs))
    assert (doubled_name(text.encode(), orjson.loads(text)) is not None) == any(doubled)


def test_lines_with_very_many_names_are_read(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    names = {f"name {number}": number for number in range(100)}
    path.write_bytes(_jsonl(*({**row, **names} for row in ROWS)))
    assert _ids(path) == ["a", "b"]


def test_an_archive_without_its_ending_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(gzip.compress(_jsonl(*ROWS)))
    assert _ids(path) == ["a", "b"]


def test_archive_of_several_members_and_padding(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(gzip.compress(_jsonl(ROWS[0])) + b"\0\0" + gzip.compress(_jsonl(ROWS[1])) + b"\0" * 100_000)
    assert _ids(path) == ["a", "b"]


def test_archive_that_unpacks_to_too_much_stops(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(_jsonl(ROWS[0]))
        for _ in range(80):
            stream.write(b" " * 2**20 + b"\n")
    reading = read_documents(path)
    assert next(reading).id == "a"
    with pytest.raises(BadDataError, match="times as many") as caught:
        next(reading)
    assert caught.value.code == "E_RATIO"


def test_documents_pass_and_keep_their_time() -> None:
    documents = list(read_documents(ROWS, tz="Europe/Kyiv"))
    assert documents[0].time == datetime(2024, 5, 5, 21, tzinfo=UTC)
    assert list(read_documents(documents)) == documents


def test_empty_inputs_have_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"")
    frames = [pd.DataFrame({"id": [], "text": []}), pd.DataFrame(), pl.DataFrame()]
    assert _ids(path) == _ids([]) == _ids(iter(())) == []
    assert [_ids(frame) for frame in frames] == [[], [], []]


def test_several_files_are_one_collection(tmp_path: Path) -> None:
    one, two, three = tmp_path / "1.jsonl", tmp_path / "2.csv", tmp_path / "3.parquet"
    one.write_bytes(_jsonl(*ROWS))
    two.write_text("id,text\nc,three\na,again\n")
    pq.write_table(pa.table({"id": ["d"], "text": ["four"]}), three)
    report = ReadingReport()
    aside = tmp_path / "aside.jsonl"
    assert _ids([one, two, str(three)], on_error="skip", quarantine=aside, report=report) == ["a", "b", "c", "d"]
    row = orjson.loads(aside.read_bytes())
    assert (row["source"], row["line"], row["code"]) == (str(two), 3, "E_ID_CONFLICT")
    assert f"{one}:1" in row["message"]
    assert report.summary() == "read 5 = used 4 + quarantined 1 (E_ID_CONFLICT 1)"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(_jsonl(*ROWS) + b"x\n")

    monkeypatch.setattr(sys, "stdin", Stdin)
    reading = read_documents("-")
    assert [next(reading).id, next(reading).id] == ["a", "b"]
    with pytest.raises(BadDataError) as caught:
        next(reading)
    assert (caught.value.source, caught.value.line) == ("-", 3)
    assert not Stdin.buffer.closed


def test_standard_input_is_read_as_it_comes() -> None:
    script = (
        "from infostream_dedup.documents import read_documents\nfor d in read_documents('-'): print(d.id, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdin.write(_jsonl(ROWS[0]))
        process.stdin.flush()
        assert process.stdout.readline() == b"a\n"
        process.stdin.close()


def test_missing_files_are_named_before_reading_begins(tmp_path: Path) -> None:
    there = tmp_path / "d.jsonl"
    there.write_bytes(_jsonl(*ROWS))
    with pytest.raises(NoInputError, match=r"no\.jsonl does not exist") as caught:
        read_documents([there, tmp_path / "no.jsonl"])
    assert caught.value.exit_code == 66
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(NoInputError, match="no file in this folder"):
        read_documents(tmp_path / "folder.csv")


def test_file_that_vanishes_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"")
    reading = read_documents(path)
    path.unlink()
    with pytest.raises(NoInputError, match="cannot open"):
        next(reading)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_device_that_fails_while_reading(ending: str, tmp_path: Path) -> None:
    memory, path = Path("/proc/self/mem"), tmp_path / f"d.{ending}"
    if not memory.exists():
        pytest.skip("this system has no file that fails while it is read")
    path.symlink_to(memory)
    with pytest.raises(NoInputError, match="cannot read "):
        list(read_documents(path))


@pytest.mark.parametrize("name", ["d.docx", "d", "d.parquet.gz", "d.gz", "d.xls", "d.jsonl.rar"])
def test_unknown_endings_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"\.jsonl.*\.csv.*\.parquet"):
        read_documents(tmp_path / name)


NO_INPUTS = [ROWS[0], Document(id="a", text=""), b"d.jsonl", 5, None]


@pytest.mark.parametrize("source", NO_INPUTS, ids=lambda source: type(source).__name__)
def test_what_is_not_an_input_is_refused(source: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a path"):
        read_documents(source)


def test_wrong_options_are_refused_at_once() -> None:
    for options in [
        {"on_error": "ignore"}, {"quarantine": "q.jsonl"}, {"max_errors": 5},
        {"on_error": "skip", "quarantine": "q.jsonl", "max_errors": -1}, {"max_line_bytes": 0},
        {"tz": "Mars/Olympus"},
    ]:  # fmt: skip
        with pytest.raises(ConfigurationError):
            read_documents(ROWS, **options)


def test_paths_and_values_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_bytes(b"")
    with pytest.raises(ConfigurationError, match="among paths"):
        read_documents([path, ROWS[0]])


def test_quarantine_in_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(CannotCreateError) as caught:
        list(read_documents(ROWS, on_error="skip", quarantine=tmp_path / "no" / "q.jsonl"))
    assert caught.value.exit_code == 73


def test_max_errors(tmp_path: Path) -> None:
    bad = [{"id": str(n)} for n in range(3)]
    aside = tmp_path / "q.jsonl"
    assert _ids([*ROWS, *bad], on_error="skip", quarantine=aside, max_errors=3) == ["a", "b"]
    with pytest.raises(BadDataError, match="more than 2 bad records") as caught:
        _ids([*bad, *ROWS], on_error="skip", quarantine=aside, max_errors=2)
    assert (caught.value.code, caught.value.line) == ("E_MAX_ERRORS", 3)
    assert len(aside.read_bytes().splitlines()) == 3


def test_rows_are_in_the_quarantine_before_reading_goes_on(tmp_path: Path) -> None:
    aside = tmp_path / "q.jsonl"
    reading = read_documents([{"id": "x"}, *ROWS], on_error="skip", quarantine=aside)
    assert next(reading).id == "a"
    assert orjson.loads(aside.read_bytes())["line"] == 1
    reading.close()  # type: ignore[attr-defined]


def test_mended_quarantine_gives_what_a_clean_run_gives(tmp_path: Path) -> None:
    import base64

    path, aside, mended = tmp_path / "d.jsonl", tmp_path / "q.jsonl", tmp_path / "m.jsonl"
    path.write_bytes(_jsonl(ROWS[0]) + b'{"id":"b","text":"two",}\n')
    used = list(read_documents(path, on_error="skip", quarantine=aside))
    rows = [orjson.loads(line) for line in aside.read_bytes().splitlines()]
    mended.write_bytes(b"".join(base64.b64decode(row["raw_b64"]).replace(b",}", b"}") for row in rows))
    assert used + list(read_documents(mended)) == list(read_documents(ROWS))


def test_a_line_of_any_length_takes_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with path.open("wb") as stream:
        stream.write(_jsonl(ROWS[0]) + b'{"id":"big","text":"')
        for _ in range(256):
            stream.write(b"x" * 2**20)
        stream.write(b'"}\n' + _jsonl(ROWS[1]))
    script = (
        "import resource, sys\nfrom infostream_dedup.documents import read_documents\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "ids = [d.id for d in read_documents(sys.argv[1], on_error='skip', quarantine=sys.argv[2])]\n"
        "print(*ids, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    arguments = [sys.executable, "-c", script, str(path), str(tmp_path / "q.jsonl")]
    first, second, kilobytes = subprocess.run(arguments, capture_output=True, check=True).stdout.split()
    assert (first, second) == (b"a", b"b")
    assert int(kilobytes) < 64 * 1024, resource.getpagesize()


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path):
    path = tmp_path / "marked.jsonl"
    row = b'{"id":"1","text":"%s"}' % (b"a" * 60)
    path.write_bytes(b"\xef\xbb\xbf" + row + b"\n" + row.replace(b'"1"', b'"2"'))
    assert [one.id for one in read_documents(path, max_line_bytes=len(row))] == ["1", "2"]
    with pytest.raises(BadDataError, match="longer than"):
        list(read_documents(path, max_line_bytes=len(row) - 1))


def test_csv_cells_are_text_and_may_be_long(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(f"id,text,published,title,topic\n7,{'слово ' * 50_000},1714557600,,\n\n")
    [document] = read_documents(path)
    assert (document.id, len(document.text), document.title) == ("7", 300_000, "")
    assert (document.published, document.time) == ("1714557600", datetime(2024, 5, 1, 10, tzinfo=UTC))
    assert document.extra == {"topic": ""}


def test_parquet_types(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    times = [datetime(2024, 5, 6, 10, tzinfo=UTC), None]
    table = pa.table(
        {
            "id": pa.array(["a", "b"]).dictionary_encode(), "text": pa.array(["one", "two"], pa.large_string()),
            "lang": pa.array(["uk", None], pa.string_view()),
            "published": pa.array(times, pa.timestamp("ns", "Europe/Kyiv")), "title": pa.nulls(2),
            "images": [["x"], []], "n": [1, None],
        }
    )  # fmt: skip
    pq.write_table(table, path)
    first, second = read_documents(path)
    assert (first.published, first.time) == ("2024-05-06T13:00:00+03:00", times[0])
    assert (first.lang, first.images, first.extra) == ("uk", ["x"], {"n": 1})
    assert (second.published, second.lang, second.title, second.images) == (None, None, "", [])


def test_nanoseconds_are_cut(tmp_path: Path) -> None:
    times = pa.array([1_714_557_600_123_456_789], pa.timestamp("ns"))
    [document] = read_documents(pa.table({"id": ["a"], "text": ["one"], "published": times}))
    assert document.time == datetime(2024, 5, 1, 10, 0, 0, 123_456, tzinfo=UTC)


def test_frame_with_a_column_of_two_types() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "text": ["one", 2]})
    with pytest.raises(BadDataError, match=r"text.*one type") as caught:
        list(read_documents(frame))
    assert (caught.value.code, caught.value.source) == ("E_SCHEMA", "<frame>")


def test_frame_of_many_batches_counts_its_rows() -> None:
    table = pa.table({"id": [f"d{n}" for n in range(3000)] + [None], "text": ["t"] * 3001})
    with pytest.raises(BadDataError) as caught:
        list(read_documents(table))
    assert caught.value.line == 3001


# Documents (ru, uk, en) as the README of the sets counts them, and how many have a date.


# Files that people have, as programs and sites write them.
TEXT = "Мост через реку закрыли на ремонт до конца лета."
ROW = {"id": "1", "text": TEXT}


def _rows(source: Any, **options: Any) -> list[dict[str, Any]]:
    """Rows as they are written back; both ways of reading must agree."""
    documents = list(read_documents(source, **options))
    blocks = read_document_blocks(source, reading=Reading(**options), report=ReadingReport())
    again = [one for block in blocks for one in single_documents(block)]
    assert [(one.id, one.text, one.title, one.source, one.lang, one.time) for one in again] == [
        (one.id, one.text, one.title, one.source, one.lang, one.time) for one in documents
    ]
    assert [row_of(one) for one in again] == [row_of(one) for one in documents]
    return [row_of(one) for one in documents]


def _write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", ["jl", "jsonlines", "ndjson"])
def test_lines_of_objects_have_many_endings(tmp_path: Path, ending: str) -> None:
    assert _rows(_write(tmp_path / f"d.{ending}", ROW)) == [ROW]


@pytest.mark.parametrize("ending", ["pq", "parq", "parquet.gzip", "snappy.parquet"])
def test_parquet_has_many_endings(tmp_path: Path, ending: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"id": ["1"], "text": [TEXT]}), tmp_path / f"d.{ending}", compression="gzip")
    assert _rows(tmp_path / f"d.{ending}") == [ROW]


@pytest.mark.parametrize(("inner", "content"), [("lenta.csv", f"id,text\n1,{TEXT}\n"), ("d.json", json.dumps([ROW]))])
def test_an_archive_of_one_file_is_read_as_that_file(tmp_path: Path, inner: str, content: str) -> None:
    path = tmp_path / "kaggle.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(inner, content)
        archive.writestr("__MACOSX/._x", "no document")
    assert _rows(path) == [ROW]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("second.csv", content)
    with pytest.raises(ConfigurationError, match="holds 2 files, expected one; unpack it first"):
        read_documents(path)


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "d.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d.csv", "id,text\n" + "".join(f"{n},{TEXT} {n * 7919}\n" for n in range(99)))
    whole = bytearray(path.read_bytes())
    whole[100:140] = bytes(40)
    path.write_bytes(whole)
    with pytest.raises(BadDataError, match="truncated or damaged"):
        list(read_documents(path))


@pytest.mark.parametrize("content", [
    f"id,text,,\n1,{TEXT},,\n", f'id, text\n1, "{TEXT}"\n', f"id|text\n1|{TEXT}\n",
    f"id\ttext\t\t\t\n1\t{TEXT}\t\t\t\n",
], ids=["columns of nothing", "blanks after commas", "bars", "tabs of nothing"])  # fmt: skip
def test_tables_as_spreadsheets_and_people_write_them(tmp_path: Path, content: str) -> None:
    assert _rows(_write(tmp_path / "d.csv", content)) == [ROW]


def test_a_value_in_a_column_without_a_name_is_not_lost(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="4 cells, expected 2"):
        list(read_documents(_write(tmp_path / "d.csv", f"id,text,,\n1,{TEXT},,here\n")))


def test_backslashes_before_quotes_are_named(tmp_path: Path) -> None:
    path = _write(tmp_path / "d.csv", 'id,text\n1,"Завод \\"Маяк\\" стоит"\n')
    with pytest.raises(BadDataError, match="escaped by backslashes"):
        list(read_documents(path))


def test_numbers_that_json_lacks_are_null(tmp_path: Path) -> None:
    line = '{"id":"1","text":"NaN в \\"тексте\\" Infinity","score":NaN,"other":[-Infinity,Infinity]}\n'
    expected = {"id": "1", "text": 'NaN в "тексте" Infinity', "score": None, "other": [None, None]}
    assert _rows(_write(tmp_path / "d.jsonl", line)) == [expected]
    assert _rows(_write(tmp_path / "d.json", f"[{line}]")) == [expected]


def test_ids_may_be_long_addresses(tmp_path: Path) -> None:
    address = "https://n.example/" + "%D0%BF" * 300
    assert _rows(_write(tmp_path / "d.jsonl", {"id": address, "text": TEXT})) == [{"id": address, "text": TEXT}]


ANSWERS: list[tuple[Any, dict[str, Any], dict[str, Any]]] = [
    ({"response": {"numFound": 1, "docs": [ROW]}}, {}, ROW),
    ({"status": "ok", "articles": [{"url": "1", "content": TEXT}]}, {"columns": "id=url,text=content"}, ROW),
    (
        {"hits": {"total": 1, "hits": [{"_id": "1", "_source": {"body": TEXT}}]}},
        {"columns": "id=_id,text=_source.body"},
        {"id": "1", "_source": {"body": TEXT}, "text": TEXT},
    ),
    ({"columns": ["id", "text"], "index": [0], "data": [["1", TEXT]]}, {}, ROW),
    ({"id": {"0": "1"}, "text": {"0": TEXT}}, {}, ROW),
]


@pytest.mark.parametrize(("answer", "options", "expected"), ANSWERS)
def test_answers_of_services_are_read_however_deep(tmp_path, answer, options, expected):
    path = _write(tmp_path / "d.json", answer)
    assert _rows(path, **options) == [expected]
    long = {**answer, "note": ["x" * 100_000]} if "columns" not in answer and "id" not in answer else answer
    assert _rows(_write(path, long), **options) == [expected]


def test_lines_with_arrays_of_objects_stay_lines(tmp_path: Path) -> None:
    lines = [{"id": str(n), "body": TEXT, "media": {"items": [{"a": "x" * size}]}} for n, size in ((1, 9), (2, 99_999))]
    for order in (lines, lines[::-1]):
        path = _write(tmp_path / "d.json", "".join(json.dumps(one) + "\n" for one in order))
        assert [row["id"] for row in _rows(path, columns="text=body")] == [one["id"] for one in order]


def test_exports_of_databases_and_messengers() -> None:
    rows = [
        {"id": {"$oid": "507f1f77bcf86cd799439011"}, "text": TEXT, "published": {"$date": "2024-05-01T10:00:00Z"}},
        {"id": "b", "text": ["Срочно. ", {"type": "bold", "text": TEXT}], "source": 12.0, "title": 2024},
        {"id": "c", "text": None, "source": {"id": None, "name": "Маяк"}},
    ]
    first, second, third = read_documents(rows)
    assert (first.id, str(first.time)) == ("507f1f77bcf86cd799439011", "2024-05-01 10:00:00+00:00")
    assert (second.text, second.source, second.title) == (f"Срочно. {TEXT}", "12", "2024")
    assert (third.text, third.source) == ("", "Маяк")
    assert [row_of(one) for one in (first, second, third)] == rows, "written back as it was given"


def test_a_column_can_be_left_out() -> None:
    row = {"id": "1", "text": TEXT, "source": ["a", "b"]}
    with pytest.raises(BadDataError, match="columns='source=' leaves the column out"):
        list(read_documents([row]))
    (document,) = read_documents([row], columns="source=")
    assert (document.source, row_of(document)) == (None, {"id": "1", "text": TEXT, "source_": ["a", "b"]})


def test_a_part_of_an_object_is_named_by_the_message_and_found() -> None:
    row = {"id": "1", "text": {"content": TEXT, "direction": "ltr"}}
    with pytest.raises(BadDataError, match=r"columns='text=NAME\.content'"):
        list(read_documents([row]))
    assert [one.text for one in read_documents([row], columns="text=text.content")] == [TEXT]


@pytest.mark.parametrize("label", ["unknown", "N/A", "none", "-", "ru,uk", "NA", "unk", "русский", "und"])
def test_labels_that_name_no_language_are_absent(label: str) -> None:
    (document,) = read_documents([ROW | {"lang": label}])
    assert document.lang == ("ru" if label == "русский" else None)
    assert row_of(document)["lang"] == label


RUSSIAN = "Подъезды к объекту закрыты, мэрия обещает объезд. Этот этап ремонта завершится в сентябре, сообщили нам."
UKRAINIAN = "Під'їзди до об'єкта закриті, мерія обіцяє об'їзд. Цей етап ремонту завершиться у вересні, повідомили нам."
ENGLISH = "The roads to the site are closed and the city promises a detour. This part of the work ends in September."


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        (RUSSIAN, "uk", None), (UKRAINIAN, "ru", None), (ENGLISH, "ru", None), (RUSSIAN, "en", None),
        (RUSSIAN, "ru", "ru"), (UKRAINIAN, "uk", "uk"), (ENGLISH, "en", "en"), ("Снег", "uk", "uk"),
        ("Apple iPhone 15 Pro Max", "ru", "ru"), (RUSSIAN + UKRAINIAN, "uk", "uk"), (UKRAINIAN, "be", "be"),
        (ENGLISH, "de", None), (ENGLISH, "xx", None),
        (RUSSIAN + " Об этом же сказал и мэр, но он не знает, когда это будет.", "fr", None),
        ("Der Bundestag hat das Gesetz über „The Lord of the Rings“ und die Renten mit den Stimmen", "de", "de"),
    ],
)  # fmt: skip
def test_letters_correct_a_language(tmp_path: Path, text: str, label: str, expected: str | None) -> None:
    row = {"id": "1", "text": text, "lang": label}
    report = ReadingReport()
    (document,) = read_documents([row], report=report)
    assert (document.lang, row_of(document)) == (expected, row)
    assert report.corrected_languages == (expected is None)
    rows = [row | {"id": str(number)} if number % 9 == 0 else ROW | {"id": str(number)} for number in range(99)]
    path = _write(tmp_path / "d.jsonl", "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows))
    assert _rows(path) == rows
