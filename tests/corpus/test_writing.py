import io
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from infostream_dedup import errors
from infostream_dedup.documents import check_output, open_output, outputs, read_documents, row_of, write_documents
from infostream_dedup.documents import outputs as outputs_file
from infostream_dedup.documents.outputs import row_format, write_rows
from infostream_dedup.machine import files
from infostream_dedup.model import Document

DOCUMENTS = [
    Document(id="a", text="один", title="T", lang="uk", published=2024, extra={"topic": "x"}),
    Document(id="b", text="two\nlines", url="https://example.org/", extra={"n": 5}),
]
ENDINGS = [".jsonl", ".json", ".jsonl.gz", ".csv", ".csv.gz", ".parquet"]


def test_row_of_a_changed_document_loses_nothing() -> None:
    from dataclasses import replace

    [document] = read_documents([{"text": "t", "x": 1, "id": "a", "url": None}])
    assert list(row_of(replace(document, title="new", lang="ru")).items()) == [
        ("text", "t"), ("x", 1), ("id", "a"), ("url", None), ("title", "new"), ("lang", "ru"),
    ]  # fmt: skip
    assert row_of(replace(document, extra={"y": 2})) == {"id": "a", "text": "t", "y": 2}


def test_an_unknown_field_may_be_named_as_an_attribute() -> None:
    row = {"id": "a", "text": "t", "time": "noon", "extra": {"deep": 1}}
    [document] = read_documents([row])
    assert (document.time, document.extra) == (None, {"time": "noon", "extra": {"deep": 1}})
    assert row_of(document) == row


def test_annotated_rows(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    rows = ({**row_of(document), "status": "new", "of": None} for document in DOCUMENTS)
    assert write_documents(rows, target) == 2
    assert target.read_text() == (
        "id,title,text,lang,published,topic,status,of,url,n\n"
        "a,T,один,uk,2024,x,new,,,\n"
        'b,,"two\nlines",,,,new,,https://example.org/,5\n'
    )


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_documents_give_the_same_bytes(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = tmp_path / f"one{ending}", tmp_path / "folder" / f"two{ending}"
    two.parent.mkdir()
    write_documents(DOCUMENTS, one)
    monkeypatch.setattr("time.time", lambda: 2e9)
    write_documents(iter(DOCUMENTS), two)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_documents_make_a_file_that_can_be_read(ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"none{ending}"
    assert write_documents([], target) == 0
    assert list(read_documents(target)) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_left_when_documents_break_off(ending: str, tmp_path: Path) -> None:
    def broken() -> Iterator[Document]:
        yield from DOCUMENTS
        raise errors.BadDataError("bad", code="E_JSON", source="in.jsonl", line=3)

    target = tmp_path / f"out{ending}"
    with pytest.raises(errors.BadDataError):
        write_documents(broken(), target)
    assert list(tmp_path.iterdir()) == []
    target.write_bytes(b"before")
    with pytest.raises(errors.BadDataError):
        write_documents(broken(), target)
    assert [(path, path.read_bytes()) for path in tmp_path.iterdir()] == [(target, b"before")]


def test_inputs_are_never_written_over(tmp_path: Path) -> None:
    source, link = tmp_path / "in.jsonl", tmp_path / "link.jsonl"
    source.write_bytes(b'{"id":"a","text":"t"}\n')
    link.symlink_to(source)
    for target in (source, link, tmp_path / ".." / tmp_path.name / "in.jsonl"):
        with pytest.raises(errors.CannotCreateError, match="one of the inputs") as caught:
            write_documents(read_documents(source), target, inputs=["-", source])
        assert caught.value.exit_code == 73
    assert source.read_bytes() == b'{"id":"a","text":"t"}\n'


def test_a_link_stays_a_link_and_a_file_keeps_its_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    real.write_bytes(b"")
    real.chmod(0o640)
    link.symlink_to(real)
    write_documents(DOCUMENTS, link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert len(real.read_bytes().splitlines()) == 2


def test_a_new_file_with_the_longest_name_has_the_usual_mode(tmp_path: Path) -> None:
    plain, target = tmp_path / "plain", tmp_path / ("x" * 249 + ".jsonl")
    plain.write_bytes(b"")
    write_documents(DOCUMENTS, target)
    assert target.stat().st_mode == plain.stat().st_mode


def test_pipes_are_written_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_documents(DOCUMENTS, pipe)
        assert len(reader.stdout.read().splitlines()) == 2
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_devices_are_outputs_and_folders_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Only root may write to the folder of a device, and permissions do not stop a test that root runs.
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) != "/dev")
    check_output("/dev/null")
    with pytest.raises(errors.CannotCreateError, match="Permission denied"):
        check_output("/dev/new.jsonl")
    for target, said in ((tmp_path, "it is a directory"), (tmp_path / "no" / "out.jsonl", "No such file")):
        with pytest.raises(errors.CannotCreateError, match=said):
            check_output(target)


def test_targets_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for target in (tmp_path / "folder.csv", tmp_path / "no" / "out.csv", tmp_path / "file" / "out.csv"):
        with pytest.raises(errors.CannotCreateError):
            write_documents(DOCUMENTS, target)
    with pytest.raises(errors.ConfigurationError, match="unknown kind of file"):
        write_documents(DOCUMENTS, tmp_path / "out.txt")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_full_disk(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.symlink_to("/dev/full")
    with pytest.raises(errors.CannotWriteError, match="No space left") as caught:
        write_documents(DOCUMENTS, target)
    assert caught.value.exit_code == 74


def test_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(outputs_file.os, "fsync", full)
    with pytest.raises(errors.CannotWriteError):
        write_documents(DOCUMENTS, tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert write_documents(DOCUMENTS, "-") == 2
    assert [orjson.loads(line)["id"] for line in capfdbinary.readouterr().out.splitlines()] == ["a", "b"]


INJECTIONS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=1", "'=1", "''@x", "=cmd|' /C calc'!A0"]


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_csv_cell_runs_in_a_spreadsheet_and_all_come_back(text: str, tmp_path: Path) -> None:
    import csv

    target = tmp_path / "out.csv"
    document = Document(id=text.strip() or "x", text=text, title=text, extra={text.strip(): text, "n": -5})
    write_documents([document], target)
    with target.open(newline="") as stream:
        for row in csv.reader(stream):
            assert all(not cell.startswith(("=", "+", "@", "\t", "\r")) for cell in row)
            assert all(cell == "-5" for cell in row if cell.startswith("-"))
    [back] = read_documents(target)
    assert (back.id, back.text, back.title) == (document.id, text, text)
    assert back.extra == {text.strip(): text, "n": "-5"}


def test_raw_csv_leaves_cells_alone(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    write_documents([Document(id="-1", text="=1")], target, raw=True)
    assert target.read_bytes() == b"id,text\n-1,=1\n"


def test_csv_of_all_kinds_of_values(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    values = {
        "none": None, "yes": True, "whole": 2**70, "number": -0.5, "decimal": Decimal("-1.50"),
        "day": date(2024, 5, 6), "time": datetime(2024, 5, 6, 10, tzinfo=UTC), "list": ["a", 1], "object": {"a": None},
        "bytes": b"\xff",
    }  # fmt: skip
    write_documents([Document(id="a", text="t", extra=values)], target)
    [back] = read_documents(target)
    assert list(back.extra.values()) == [
        "", "true", str(2**70), "-0.5", "-1.50", "2024-05-06", "2024-05-06T10:00:00+00:00", '["a",1]', '{"a":null}',
        "/w==",
    ]  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_text_that_is_not_unicode_is_named(ending: str, tmp_path: Path) -> None:
    with pytest.raises(errors.BadDataError) as caught:
        write_documents([Document(id="a", text="t", extra={"x": "\ud800"})], tmp_path / f"out{ending}")
    assert caught.value.code == "E_ENCODING"
    assert list(tmp_path.iterdir()) == []


def test_what_json_cannot_hold_is_named(tmp_path: Path) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value, code in ((deep, "E_DEPTH"), (object(), "E_TYPE"), ({1, 2}, "E_TYPE")):
        with pytest.raises(errors.BadDataError, match="document 'a'") as caught:
            write_documents([Document(id="a", text="t", extra={"x": value})], tmp_path / "out.jsonl")
        assert caught.value.code == code
    while deep:
        deep = deep.pop()


def test_nesting_that_is_read_is_written(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(b'{"id":"a","text":"t","x":' + b"[" * 249 + b"]" * 249 + b"}\n")
    for ending in ENDINGS:
        assert write_documents(read_documents(source), tmp_path / f"out{ending}") == 1
    assert (tmp_path / "out.jsonl").read_bytes() == source.read_bytes()
    assert [orjson.loads(source.read_bytes())] == orjson.loads((tmp_path / "out.json").read_bytes())


def test_parquet_columns_of_later_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "_BATCH_ROWS", 2)
    target = tmp_path / "out.parquet"
    extras: list[dict[str, Any]] = [
        {}, {"whole": 1, "number": 1, "mixed": 1, "list": [], "object": {"a": 1}, "wide": 2**60},
        {"whole": 2, "number": 2.5, "mixed": "x", "list": ["y"], "object": {"b": 1}, "wide": 0.5},
        {"whole": None, "late": True, "big": 2**64, "mixed": [1]}, {},
    ]  # fmt: skip
    documents = [Document(id=str(n), text="t", extra=extra) for n, extra in enumerate(extras)]
    assert write_documents(documents, target) == 5
    assert {field.name: str(field.type) for field in pq.read_schema(target)} == {
        "id": "string", "text": "string", "whole": "int64", "number": "double", "mixed": "string",
        "list": "list<element: string>", "object": "string", "wide": "string", "late": "bool", "big": "string",
    }  # fmt: skip
    back = [{name: value for name, value in d.extra.items() if value is not None} for d in read_documents(target)]
    assert back == [
        {}, {"whole": 1, "number": 1.0, "mixed": "1", "list": [], "object": '{"a":1}', "wide": str(2**60)},
        {"whole": 2, "number": 2.5, "mixed": "x", "list": ["y"], "object": '{"b":1}', "wide": "0.5"},
        {"late": True, "big": str(2**64), "mixed": "[1]"}, {},
    ]  # fmt: skip


def test_calendar_intervals_are_text_in_parquet(tmp_path: Path) -> None:
    day = pa.scalar((0, 1, 0), pa.month_day_nano_interval()).as_py()
    for ending in ("parquet", "jsonl"):
        write_documents([{"id": "1", "text": "", "iv": day, "ivs": [day]}], tmp_path / f"d.{ending}")
    expected = {"id": "1", "text": "", "iv": "[0,1,0]", "ivs": "[[0,1,0]]"}
    assert pq.read_table(tmp_path / "d.parquet").to_pylist() == [expected]
    assert (tmp_path / "d.jsonl").read_text() == '{"id":"1","text":"","iv":[0,1,0],"ivs":[[0,1,0]]}\n'


@pytest.mark.slow
def test_writing_and_reading_take_bounded_memory(tmp_path: Path) -> None:
    # Growth from a short input to one four times as long: 120 MB more, which do not compress, must not stay in memory.
    script = (
        "import base64, random, resource, sys\nimport pyarrow.parquet\nfrom infostream_dedup.documents import *\n"
        "def written(count):\n"
        "    texts = (base64.b64encode(random.Random(n).randbytes(60_000)).decode() for n in range(count))\n"
        "    write_documents(({'id': str(n), 'text': text} for n, text in enumerate(texts)), sys.argv[1])\n"
        "    assert sum(1 for _ in read_documents(sys.argv[1])) == count\n"
        "    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(-written(500) + written(2000))"
    )
    for ending in (".csv", ".parquet"):
        arguments = [sys.executable, "-c", script, str(tmp_path / f"out{ending}")]
        kilobytes = int(subprocess.run(arguments, capture_output=True, check=True).stdout)
        assert kilobytes < 50 * 1024, (ending, kilobytes)


KILLED = """
import os, signal, sys
from infostream_dedup.documents import open_output

with open_output(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_the_next_output_removes_what_a_killed_process_left(tmp_path):
    ran = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a.jsonl")], capture_output=True, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert len(list(tmp_path.glob(".infostream-dedup-*.part"))) == 1
    with open_output(tmp_path / "b.jsonl") as stream:
        stream.write(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="files cannot be locked here")
def test_an_output_that_is_being_written_is_not_taken_for_stale(tmp_path, monkeypatch):
    # In another container, the number of the process is that of no process.
    monkeypatch.setattr(files, "process_lives", lambda _: False)
    with open_output(tmp_path / "a.jsonl") as stream:
        assert files.remove_stale_parts(tmp_path) == 0
        with open_output(tmp_path / "b.jsonl"):
            stream.write(b"whole")
    assert (tmp_path / "a.jsonl").read_bytes() == b"whole"


ROWS = [
    {"a": "ї-1", "n": 7, "share": 1, "sure": True, "terms": ["мост", "снег"], "none": None},
    {"a": "=1+1", "n": None, "share": 0.5, "sure": False, "terms": None, "none": None},
]


def written(rows, tmp_path, **options):
    stream = io.BytesIO()
    assert write_rows(rows, stream, "sqlite", **options) == len(rows)
    path = tmp_path / "rows.sqlite"
    path.write_bytes(stream.getvalue())
    return sqlite3.connect(path)


def test_rows_come_back_with_their_types(tmp_path):
    with written(ROWS, tmp_path) as base:
        kinds = {name: kind for _, name, kind, *_ in base.execute("pragma table_info(rows)")}
        found = base.execute("select * from rows").fetchall()
    base.close()
    assert kinds == {
        "a": "TEXT", "n": "INTEGER", "share": "REAL", "sure": "INTEGER", "terms": "TEXT", "none": "TEXT",
    }  # fmt: skip
    assert found == [("ї-1", 7, 1.0, 1, '["мост", "снег"]', None), ("=1+1", None, 0.5, 0, None, None)]


def test_columns_without_rows_and_nothing_at_all(tmp_path):
    base = written([], tmp_path, columns=["a", "b"])
    assert [name for _, name, *_ in base.execute("pragma table_info(rows)")] == ["a", "b"]
    base.close()
    base = written([], tmp_path)
    assert base.execute("select count(*) from sqlite_master").fetchone() == (0,)
    base.close()


def test_equal_rows_give_equal_bytes():
    one, other = io.BytesIO(), io.BytesIO()
    write_rows(ROWS, one, "sqlite")
    write_rows(iter(ROWS), other, "sqlite")
    assert one.getvalue() == other.getvalue()


@pytest.mark.parametrize(("value", "code"), [("\ud800", "E_ENCODING"), (2**63, "E_SQLITE")])
def test_what_sqlite_cannot_hold_is_an_error(value, code):
    with pytest.raises(errors.BadDataError) as caught:
        write_rows([{"a": value}], io.BytesIO(), "sqlite")
    assert caught.value.code == code


def test_the_ending_chooses_the_format():
    assert [row_format(f"labels{end}") for end in (".SQLITE", ".csv", ".xlsx", ".jsonl", ".db", "")] == [
        "sqlite", "csv", "xlsx", "jsonl", "jsonl", "jsonl",
    ]  # fmt: skip


# Documents as a workbook.
def test_a_workbook_gives_the_documents_back(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    rows = [
        Document(id="1", text="Мост открыт.", title="=1+1", lang="ru", extra={"rank": 2, "flag": True, "tags": ["a"]}),
        Document(id="007", text="Міст\n@тут", published="2026-11-21T10:05:00Z", extra={"day": date(2026, 11, 21)}),
    ]
    target = tmp_path / "out.XLSX"
    assert write_documents(rows, target) == 2
    found = list(read_documents(target))
    for one, given in zip(found, rows, strict=True):
        assert (one.id, one.title, one.text, one.published) == (given.id, given.title, given.text, given.published)
    assert found[1].extra["day"] == "2026-11-21"
    sheet = openpyxl.load_workbook(target).active
    assert [cell.value for cell in sheet[1]][:3] == ["id", "title", "text"]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b"}, "no formulas"
    first = target.read_bytes()
    write_documents(rows, target)
    assert target.read_bytes() == first


def test_a_workbook_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.BadDataError, match="a cell holds 32,767; write CSV or Parquet instead"):
        write_documents([Document(id="1", text="т" * 32_768)], tmp_path / "out.xlsx")
    with pytest.raises(errors.ConfigurationError, match=r"\.parquet, \.xlsx"):
        write_documents([], tmp_path / "out.xlsx.gz")
    assert not list(tmp_path.iterdir())
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(errors.MissingExtraError, match=r"\[xlsx\]"):
        check_output(tmp_path / "out.xlsx")
