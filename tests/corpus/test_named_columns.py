"""The columns of every kind of file: renamed in the same way, never lost, named in errors as they must be typed."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import xlsxwriter

from infostream_dedup.documents import read_documents, row_of
from infostream_dedup.documents.column_names import ColumnNames, advice_on
from infostream_dedup.documents.outputs import csv_line
from infostream_dedup.errors import BadDataError

pytestmark = pytest.mark.usefixtures("tables_read_here")

NAMES = ("id", "text", "summary")
ROWS = (("a", "Снег в горах", "Снег"), ("b", "Дождь в поле", "Дождь"))


def write_arrow(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)


def workbook(path: Path, rows: Sequence[Sequence[object]], *, above: int = 0, left: int = 0) -> Path:
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    for number, row in enumerate(rows, above):
        for column, cell in enumerate(row, left):
            if cell is not None:
                sheet.write(number, column, cell)
    book.close()
    return path


def files(folder: Path) -> list[Path]:
    records = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    table = pa.Table.from_pylist(records)
    (folder / "d.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    (folder / "d.json").write_text(json.dumps(records), encoding="utf-8")
    (folder / "d.csv").write_bytes(b"".join(map(csv_line, (NAMES, *ROWS))))
    pyarrow.parquet.write_table(table, folder / "d.parquet")
    pyarrow.feather.write_feather(table, folder / "d.feather")
    workbook(folder / "d.xlsx", (NAMES, *ROWS))
    return sorted(folder.iterdir())


@pytest.mark.parametrize(("columns", "row"), [
    ("text=summary", {"id": "a", "text_": "Снег в горах", "text": "Снег"}),
    ("text=summary,title=text", {"id": "a", "title": "Снег в горах", "text": "Снег"}),
    ("id=text,text=id", {"text": "a", "id": "Снег в горах", "summary": "Снег"}),
    ("text=text", {"id": "a", "text": "Снег в горах", "summary": "Снег"}),
])  # fmt: skip
def test_columns_are_renamed_once_and_kept_in_every_format(columns: str, row: dict[str, str], tmp_path: Path) -> None:
    for path in files(tmp_path):
        first = next(iter(read_documents(path, columns=columns)))
        assert list(row_of(first).items()) == list(row.items()), path.suffix


def test_a_replaced_column_takes_a_name_that_is_free() -> None:
    assert ColumnNames("text=body").names(["text", "text_", "body"]) == ["text__", "text_", "text"]


def test_blanks_around_a_name_do_not_hide_a_column() -> None:
    assert ColumnNames("text= text").names(["id", " text"]) == ["id", "text"]
    assert ColumnNames("text=Body,id=ID").names([" ID", "Body "]) == ["id", "text"]
    assert ColumnNames("text=Body").names(["Body", " Body"]) == ["text", " Body"], "the exact name comes first"


@pytest.mark.parametrize("names", [["id", " text"], ["ID", "Текст новости"], ["text_size", "postId", "Full Text"]])
def test_the_advice_can_be_pasted_into_a_shell(names: list[str]) -> None:
    words = shlex.split(advice_on(names).removeprefix("; perhaps "))
    assert len(words) == 2
    assert {"id", "text"} <= set(ColumnNames(words[1]).names(names))


def test_a_workbook_may_begin_anywhere_and_errors_name_its_rows(tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", [("id", "text"), ("a", "Снег"), (None, "Град")], above=3, left=2)
    with pytest.raises(BadDataError) as caught:
        list(read_documents(path))
    assert caught.value.line == 6


def test_an_empty_cell_is_an_empty_text_in_a_workbook_as_in_csv(tmp_path: Path) -> None:
    rows = [("id", "text", "source"), ("a", None, "s"), (None, None, None), ("b", "Снег", None)]
    book = workbook(tmp_path / "d.xlsx", rows)
    (tmp_path / "d.csv").write_text("id,text,source\na,,s\nb,Снег,\n", encoding="utf-8")
    found = list(read_documents(book))
    assert [(one.id, one.text, one.source) for one in found] == [("a", "", "s"), ("b", "Снег", None)]
    assert found == list(read_documents(tmp_path / "d.csv"))


def test_a_workbook_loses_no_column(tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", [("id", "text", None, 2024, None), ("a", "Снег", "note", 1, None)])
    assert row_of(next(iter(read_documents(path)))) == {"id": "a", "text": "Снег", "": "note", "2024": 1.0}


def test_numbers_in_columns_of_texts_are_texts(tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", [("id", "text", "title", "source"), (1, "Снег", 0.5, 24)])
    assert row_of(next(iter(read_documents(path)))) == {"id": "1", "text": "Снег", "title": "0.5", "source": "24"}


@pytest.mark.parametrize(("number", "published", "time"), [
    (45352, "2024-03-01", "2024-03-01T00:00:00+00:00"), (45352.42, "2024-03-01T10:04:48", "2024-03-01T10:04:48+00:00"),
    (45352.999999999, "2024-03-02T00:00:00", "2024-03-02T00:00:00+00:00"), (2024, 2024.0, "2024-01-01T00:00:00+00:00"),
    (20240301, 20240301.0, "2024-03-01T00:00:00+00:00"), (1709287500, 1709287500.0, "2024-03-01T10:05:00+00:00"),
], ids=["day", "time", "midnight", "year", "digits", "seconds"])  # fmt: skip
def test_dates_of_a_workbook_without_a_date_format_are_days(tmp_path, number, published, time):
    path = workbook(tmp_path / "d.xlsx", [("id", "text", "published"), ("a", "Снег", number)])
    (document,) = read_documents(path)
    assert (document.published, document.time.isoformat()) == (published, time)


@pytest.mark.parametrize("write", [pyarrow.parquet.write_table, pyarrow.feather.write_feather, write_arrow])
def test_a_file_without_rows_must_have_the_columns(tmp_path, write):
    suffix = "parquet" if write is pyarrow.parquet.write_table else "feather"
    path = tmp_path / f"d.{suffix}"
    write(pa.table({"a": pa.array([], pa.string())}), path)
    with pytest.raises(BadDataError, match="missing columns: id, text; the columns are: a"):
        list(read_documents(path))
    write(pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())}), path)
    assert list(read_documents(path)) == []


@pytest.mark.parametrize(("names", "shown"), [(("text", "text"), "text"), (("text", "n", "n"), "n")])
def test_doubled_columns_of_a_workbook_are_refused(names: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    path = workbook(tmp_path / "d.xlsx", [("id", *names), ("a", *("Снег", "Дождь", "Град")[: len(names)])])
    with pytest.raises(BadDataError, match=f"duplicate columns: {shown}") as caught:
        list(read_documents(path))
    assert caught.value.code == "E_SCHEMA"


def test_columns_without_a_name_are_called_so(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,,,text\na,,,b\n", encoding="utf-8")
    with pytest.raises(BadDataError, match=r"duplicate columns: \(no name\)"):
        list(read_documents(path))
