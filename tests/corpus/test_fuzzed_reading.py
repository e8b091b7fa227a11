"""Whatever bytes come: documents or `BadDataError`, never anything else, and no record lost."""

import gzip
import io
import tempfile
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents import ReadingReport, read_documents
from infostream_dedup.documents.json_files import is_json_lines
from infostream_dedup.documents.lines import recognised_encoding
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document

ROWS = [{"id": f"d{n}", "title": "Курс", "text": f'слово {n}, "two"', "published": "2024-05-06"} for n in range(4)]


def _parquet() -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), stream)
    return stream.getvalue()


JSONL = b"".join(orjson.dumps(row) + b"\n" for row in ROWS)
CSV = 'id;text\na;один\nb;"два\n""три"""\n'.encode()
GOOD = {
    "d.jsonl": JSONL, "d.jsonl.gz": gzip.compress(JSONL, mtime=0), "d.csv": CSV,
    "d.csv.gz": gzip.compress(CSV, mtime=0), "d.parquet": _parquet(),
}  # fmt: skip


def _read(name: str, content: bytes) -> tuple[list[Document], ReadingReport, list[dict[str, Any]]]:
    """Read with both ways of `on_error`; check what holds for any input."""
    with tempfile.TemporaryDirectory() as folder:
        path, aside = Path(folder) / name, Path(folder) / "aside.jsonl"
        path.write_bytes(content)
        report = ReadingReport()
        options: dict[str, Any] = {"max_line_bytes": 500}
        used = list(read_documents(path, on_error="skip", quarantine=aside, report=report, **options))
        rows = [orjson.loads(line) for line in aside.read_bytes().splitlines()]
        if rows:
            with pytest.raises(BadDataError) as caught:
                list(read_documents(path, **options))
            error = caught.value
            assert (error.code, error.line, error.field) == (rows[0]["code"], rows[0]["line"], rows[0]["field"])
        else:
            assert list(read_documents(path, **options)) == used
    assert (report.used, report.quarantined) == (len(used), len(rows))
    assert report.read == report.used + report.quarantined
    assert len({document.id for document in used}) == len(used)
    return used, report, rows


# fmt: off
JSON_PIECES = st.sampled_from([
    b'{"id":"a","text":"t"}', b'{"id":"b","text":"u"}', b'{"id":', b'"text"', b"null", b"{", b"}", b"[", b'"', b"\\",
    b"\n", b"\r\n", b" ", b",", b":", b"\xff", b"\x00", b"\xef\xbb\xbf", b"\xd0\xb9", b"\\ud83d", b"1e999", b"-",
    b"\xe2\x80\xa8",
])
CSV_PIECES = st.sampled_from([
    b"id,text", b"id;text;lang", b"a", b"b", b"ru", b",", b";", b"\t", b'"', b'""', b"\n", b"\r\n", b"\r", b"\xff",
    b"\x00", b"\xef\xbb\xbf", b"\xd0\xb9", b"'=", b" ", b"x" * 300,
])
# fmt: on


@given(st.lists(JSON_PIECES | st.binary(max_size=4), max_size=30).map(b"".join))
def test_any_json_lines(content: bytes) -> None:
    _, report, rows = _read("d.jsonl", content)
    if rows and rows[0]["line"] == 1 and "UTF-16" in rows[0]["message"]:
        return
    if _is_lines(content):
        assert report.read == sum(1 for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip())


def _is_lines(content: bytes) -> bool:
    """Whether the reader takes bytes for lines in UTF-8, not for an archive, an array or another encoding."""
    if content.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")) or recognised_encoding(content):
        return False
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.jsonl"
        path.write_bytes(content)
        return is_json_lines(str(path), None)


@given(st.lists(CSV_PIECES | st.binary(max_size=4), max_size=30).map(b"".join), st.booleans())
def test_any_csv(content: bytes, with_header: bool) -> None:
    _read("d.csv", b"id,text\n" + content if with_header else content)


@pytest.mark.parametrize("name", GOOD)
def test_random_bytes(name: str) -> None:
    @given(st.binary(max_size=200))
    def check(content: bytes) -> None:
        _read(name, content)

    check()


@pytest.mark.parametrize("name", GOOD)
def test_good_files_with_some_bytes_changed(name: str) -> None:
    good = GOOD[name]

    @given(st.lists(st.tuples(st.integers(0, len(good) - 1), st.integers(0, 255)), min_size=1, max_size=5))
    def check(changes: list[tuple[int, int]]) -> None:
        content = bytearray(good)
        for position, byte in changes:
            content[position] = byte
        _read(name, bytes(content))

    check()


def test_a_changed_byte_of_a_footer_does_not_end_the_process(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"], "text": ["b"]}), stream)
    good, codes = stream.getvalue(), set()
    for position in range(len(good) - 8 - int.from_bytes(good[-8:-4], "little"), len(good) - 8):
        report = ReadingReport()
        (tmp_path / "d.parquet").write_bytes(
            good[:position] + bytes([(good[position] + 1) % 256]) + good[position + 1 :]
        )
        list(read_documents(tmp_path / "d.parquet", on_error="skip", report=report))
        codes |= report.quarantined_by_code.keys()
    assert "E_PARQUET" in codes


@pytest.mark.parametrize("name", GOOD)
def test_the_good_files_are_good(name: str) -> None:
    used, report, _ = _read(name, GOOD[name])
    assert len(used) == report.read == (2 if "csv" in name else 4)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=3)
VALUES = st.recursive(
    SCALARS | st.text(st.characters(categories=["Cs"]), max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=5,
)  # fmt: skip
NAMES = st.sampled_from(["id", "text", "title", "lang", "published", "source", "url", "images", "links", "x"])
RECORDS = st.dictionaries(NAMES | st.integers(), VALUES, max_size=6)


@given(st.lists(RECORDS | VALUES.filter(lambda value: not isinstance(value, str)), max_size=4))
def test_any_values_in_memory(values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        report, aside = ReadingReport(), Path(folder) / "aside.jsonl"
        used = list(read_documents(values, on_error="skip", quarantine=aside, report=report))
        assert report.read == len(values) == len(used) + len(aside.read_bytes().splitlines())
