"""Tables as input: CSV, Parquet, frames and other values in memory."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document

ROWS = [
    {"id": "a", "title": "T", "text": "one", "lang": "uk", "published": "2024-05-06", "source": "s", "url": "u"},
    {"id": "b", "title": None, "text": "two", "lang": None, "published": None, "source": None, "url": None},
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_shows_its_delimiter(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    cells = ["topic", "id", "text", "lang"], ["x, y; z", "a", '"one\n""two"""', ""]
    quoted = [[f'"{cell}"' if ", y" in cell else cell for cell in row] for row in cells]
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(delimiter.join(row) for row in quoted).encode())
    assert list(read_documents(path)) == [Document(id="a", text='one\n"two"', extra={"topic": "x, y; z"})]


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


FRAMES = {
    "pandas": pd.DataFrame(ROWS), "pandas, filtered": pd.DataFrame([{"id": "x", "text": "0"}, *ROWS])[1:],
    "polars": pl.DataFrame(ROWS), "Arrow table": pa.Table.from_pylist(ROWS),
    "Arrow batch": pa.RecordBatch.from_pylist(ROWS), "Arrow reader": None, "list": ROWS, "generator": None,
}  # fmt: skip


def test_values_in_memory() -> None:
    for kind in FRAMES:
        source: Any = FRAMES[kind]
        if kind == "Arrow reader":
            source = pa.Table.from_pylist(ROWS).to_reader()
        if kind == "generator":
            source = (row for row in ROWS)
        assert list(read_documents(source)) == list(read_documents(ROWS))


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
