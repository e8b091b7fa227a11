"""Rows in an SQLite file that sqlite3 reads back."""

from __future__ import annotations

import io
import sqlite3

import pytest

from infostream_dedup.documents.outputs import row_format, write_rows
from infostream_dedup.errors import BadDataError

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
    with pytest.raises(BadDataError) as caught:
        write_rows([{"a": value}], io.BytesIO(), "sqlite")
    assert caught.value.code == code


def test_the_ending_chooses_the_format():
    assert [row_format(f"labels{end}") for end in (".SQLITE", ".csv", ".xlsx", ".jsonl", ".db", "")] == [
        "sqlite", "csv", "xlsx", "jsonl", "jsonl", "jsonl",
    ]  # fmt: skip
