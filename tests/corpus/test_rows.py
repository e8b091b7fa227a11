import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents import csv_line, json_bytes, write_rows
from infostream_dedup.errors import BadDataError

ROWS = [{"k": 1, "symmetry": 0.25, "note": "a,b"}, {"k": 2, "symmetry": None, "note": "=x"}]


def _written(rows: Any, form: Any, **options: Any) -> str:
    stream = io.BytesIO()
    assert write_rows(rows, stream, form, **options) == len(rows)
    return stream.getvalue().decode()


def test_json_lines() -> None:
    assert _written(ROWS, "jsonl") == ('{"k":1,"symmetry":0.25,"note":"a,b"}\n{"k":2,"symmetry":null,"note":"=x"}\n')
    assert _written([], "jsonl") == ""


@pytest.mark.parametrize("rows", [[], ROWS[:1], ROWS], ids=len)
def test_json_is_one_array(rows: list[dict[str, Any]]) -> None:
    text = _written(rows, "json")
    assert json.loads(text) == rows
    assert text.endswith("\n")


def test_csv() -> None:
    assert _written(ROWS, "csv") == 'k,symmetry,note\n1,0.25,"a,b"\n2,,\'=x\n'
    assert _written(ROWS, "csv", raw=True).endswith("2,,=x\n")
    assert _written([{"k": 1}], "csv", columns=["note", "k"]) == "note,k\n,1\n"
    assert _written([], "csv", columns=["note", "k"]) == "note,k\n"
    assert _written([], "csv") == ""


def test_csv_rows_with_strange_columns_are_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"row 2 has columns that the header lacks: \['b'\]"):
        _written([{"a": 1}, {"b": 2}], "csv", columns=["a"])


def test_csv_has_the_columns_of_all_rows() -> None:
    assert _written([{"a": 1}, {"b": 2, "a": 3}, {"c": "x"}], "csv") == "a,b,c\n1,,\n3,2,\n,,x\n"


def test_numbers_of_numpy() -> None:
    row = {"k": np.int64(3), "share": np.float64(0.5), "terms": np.array([1, 2])}
    assert _written([row], "jsonl") == '{"k":3,"share":0.5,"terms":[1,2]}\n'
    assert _written([row], "csv") == 'k,share,terms\n3,0.5,"[1,2]"\n'
    assert csv_line([np.int64(-3), np.float64(-0.5)]) == b"-3,-0.5\n"


def test_json_text_of_odd_values() -> None:
    assert json_bytes({"a": float("nan"), "b": 0.1}) == b'{"a":null,"b":0.1}'
    odd = {"a": 2**70, "b": float("nan"), 3: ["й"]}
    assert json_bytes(odd).decode() == '{"a":1180591620717411303424,"b":null,"3":["й"]}'
    assert json_bytes([datetime(2024, 5, 6, tzinfo=UTC), b"\xff"]) == b'["2024-05-06T00:00:00+00:00","/w=="]'
    with pytest.raises(BadDataError):
        json_bytes("\ud800")


CELLS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_csv_is_read_by_others(cells: list[str]) -> None:
    assert next(csv.reader(io.StringIO(csv_line(cells, raw=True).decode(), newline=""), strict=True)) == cells


@given(st.lists(CELLS | st.integers() | st.floats() | st.none() | st.booleans(), min_size=1, max_size=5))
def test_no_text_cell_begins_like_a_formula(cells: list[Any]) -> None:
    row = next(csv.reader(io.StringIO(csv_line(cells).decode(), newline=""), strict=True))
    for cell, value in zip(row, cells, strict=True):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r")) or isinstance(value, int | float)
