"""Small files that would need gigabytes, or abort the library that reads them, are refused before memory is taken."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from infostream_dedup import read_documents
from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.table_process import ALLOWED_BYTES, ALLOWED_RATIO

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
    'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxml'
    'formats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{RELATION}/%s" Target="%s"/>%s</Relationships>'
)
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
STRINGS = f'<Relationship Id="r2" Type="{RELATION}/sharedStrings" Target="sharedStrings.xml"/>'
HEADER = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1" t="inlineStr"><is><t>text</t></is></c></row>'
)


def workbook(path: Path, rows: str, strings: str = "") -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        file.writestr("[Content_Types].xml", TYPES)
        file.writestr("_rels/.rels", RELATIONS % ("officeDocument", "xl/workbook.xml", ""))
        sheets = f'<sheets><sheet name="a" sheetId="1" r:id="r1" xmlns:r="{RELATION}"/></sheets>'
        file.writestr("xl/workbook.xml", f"<workbook {MAIN}>{sheets}</workbook>")
        file.writestr("xl/_rels/workbook.xml.rels", RELATIONS % ("worksheet", "worksheets/sheet1.xml", STRINGS))
        file.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{strings}</sst>")
        file.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {MAIN}><sheetData>{HEADER}{rows}</sheetData></worksheet>"
        )


def equal_texts(rows: int) -> pa.Table:
    return pa.table({"id": [str(number) for number in range(rows)], "text": ["a " * 1_000_000] * rows})


def shared_cell(path: Path) -> None:
    cells = '<c r="A{0}"><v>{0}</v></c><c r="B{0}" t="s"><v>0</v></c>'
    rows = "".join(f'<row r="{number}">{cells.format(number)}</row>' for number in range(2, 2000))
    workbook(path, rows, f"<si><t>{'a ' * 1_000_000}</t></si>")


def dictionary(path: Path) -> None:
    pq.write_table(pa.table({"id": list("abcdefghij"), "text": ["a" * 8_000_000] * 10}), path, compression="zstd")


def long_list(path: Path) -> None:
    nothing = pa.array([[None] * 100_000_000], pa.list_(pa.int8()))
    pq.write_table(pa.table({"id": ["a"], "text": ["a"], "tags": nothing}), path)


def dictionary_feather(path: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 400, pa.int32()), pa.array(["a " * 1_000_000]))
    table = pa.table({"id": [str(number) for number in range(400)], "text": texts})
    feather.write_feather(table, path, compression="zstd")


LONG_CELL = '<row r="2"><c r="B2" t="inlineStr"><is><t>{}</t></is></c></row>'
BOMBS: dict[str, Callable[[Path], None]] = {
    "far.xlsx": lambda path: workbook(path, '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
    "wide.xlsx": lambda path: workbook(path, '<row r="60000"><c r="XFD60000"><v>1</v></c></row>'),
    "cell.xlsx": lambda path: workbook(path, LONG_CELL.format("a " * 150_000_000)), "shared.xlsx": shared_cell,
    "rle.parquet": lambda path: pq.write_table(equal_texts(400), path, compression="zstd"),
    "page.parquet": lambda path: pq.write_table(equal_texts(200), path, compression="zstd", use_dictionary=False),
    "dict.parquet": dictionary, "list.parquet": long_list, "dict.feather": dictionary_feather,
    "packed.feather": lambda path: feather.write_feather(
        equal_texts(400), path, compression="zstd", compression_level=19),
}  # fmt: skip


MEASURED = """
import sys
from pathlib import Path
from infostream_dedup.cli import main
try:
    main()
finally:
    print(*(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))
"""


SLOW = {"cell.xlsx", "rle.parquet", "list.parquet", "page.parquet", "packed.feather"}


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in BOMBS])
def test_it_is_refused_and_takes_no_gigabyte(name: str, tmp_path: Path) -> None:
    BOMBS[name](tmp_path / name)
    assert (tmp_path / name).stat().st_size < 1_000_000
    command = [sys.executable, "-c", MEASURED, "dedup", name, "--out", "out.jsonl"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert answer.returncode == 65, answer.stderr
    assert b"E_RATIO" in answer.stderr
    assert b"Traceback" not in answer.stderr
    assert int(answer.stdout.split()[1]) < 900_000
    # Of another process that reads for this one; its limit would have ended it.
    assert ALLOWED_BYTES + ALLOWED_RATIO * 1_000_000 < 900_000_000


def test_what_is_only_large_is_read(tmp_path: Path) -> None:
    texts = [f"Новость номер {number}: " + " ".join(str(number * one) for one in range(60)) for number in range(2000)]
    table = pa.table({"id": [str(number) for number in range(2000)], "text": texts})
    pq.write_table(table, tmp_path / "a.parquet")
    feather.write_feather(table, tmp_path / "a.feather")
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}" t="inlineStr"><is><t>{text}</t></is></c></row>'
        for n, text in enumerate(texts, start=2)
    )
    workbook(tmp_path / "a.xlsx", rows)
    for name in ("a.parquet", "a.feather", "a.xlsx"):
        assert [one.text for one in read_documents(tmp_path / name)] == texts
    (tmp_path / "b.xlsx").write_bytes(b"PK nothing")
    with pytest.raises(BadDataError, match="not a workbook"):
        list(read_documents(tmp_path / "b.xlsx"))
