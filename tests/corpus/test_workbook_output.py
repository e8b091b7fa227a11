"""Documents as a workbook."""

from pathlib import Path

import pytest

from infostream_dedup.documents import check_output, read_documents, write_documents
from infostream_dedup.errors import BadDataError, ConfigurationError, MissingExtraError
from infostream_dedup.model import Document


def test_a_workbook_gives_the_documents_back(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    rows = [
        Document(id="1", text="Мост открыт.", title="=1+1", lang="ru", extra={"rank": 2, "flag": True, "tags": ["a"]}),
        Document(id="007", text="Міст\nвідкрито @тут", published="2026-11-21T10:05:00Z"),
    ]
    target = tmp_path / "out.XLSX"
    assert write_documents(rows, target) == 2
    found = list(read_documents(target))
    assert [(one.id, one.title, one.text, one.published) for one in found] == [
        (one.id, one.title, one.text, one.published) for one in rows
    ]
    sheet = openpyxl.load_workbook(target).active
    assert [cell.value for cell in sheet[1]][:3] == ["id", "title", "text"]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b"}, "no formulas"
    first = target.read_bytes()
    write_documents(rows, target)
    assert target.read_bytes() == first


def test_an_empty_workbook_has_its_header(tmp_path: Path) -> None:
    assert write_documents([], tmp_path / "out.xlsx") == 0
    assert list(read_documents(tmp_path / "out.xlsx")) == []


def test_a_workbook_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadDataError, match="a cell holds 32,767; write CSV or Parquet instead"):
        write_documents([Document(id="1", text="т" * 32_768)], tmp_path / "out.xlsx")
    with pytest.raises(ConfigurationError, match=r"\.parquet, \.xlsx"):
        write_documents([], tmp_path / "out.xlsx.gz")
    assert not list(tmp_path.iterdir())
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError, match=r"\[xlsx\]"):
        check_output(tmp_path / "out.xlsx")
