"""Rows of different lengths beside lists of lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import Ragged, offsets_of, places_of

LISTS = st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=6)


@given(LISTS, st.data())
def test_rows_are_those_of_the_lists(rows, data):
    made = Ragged(offsets_of([len(row) for row in rows]), np.array([n for row in rows for n in row], dtype=np.int64))
    assert [row.tolist() for row in made] == rows
    assert made.sizes.tolist() == [len(row) for row in rows]
    assert made.numbers.tolist() == [number for number, row in enumerate(rows) for _ in row]
    numbers = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=5)) if rows else []
    some = made.rows(np.array(numbers, dtype=np.int64))
    assert [row.tolist() for row in some] == [rows[number] for number in numbers]
    assert [row.tolist() for row in made.chosen(made.values > 0)] == [[one for one in row if one > 0] for row in rows]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_places_are_those_of_all_values(runs):
    starts, sizes = (np.array([run[part] for run in runs], dtype=np.int32) for part in (0, 1))
    assert places_of(starts, sizes).tolist() == [start + step for start, size in runs for step in range(size)]


def test_bounds_of_any_kind_of_sizes_are_int64():
    for sizes in (
        [], np.zeros(0), [True, False], np.array([2, 255], dtype=np.uint8), np.array([1, 2], dtype=np.uint64),
    ):  # fmt: skip
        assert offsets_of(sizes).dtype == np.int64
    assert offsets_of(np.array([200, 200], dtype=np.uint8)).tolist() == [0, 200, 400]
