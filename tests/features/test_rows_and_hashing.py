"""Ragged rows, and hashes that are the same everywhere."""

from zlib import crc32

import numpy as np

from infostream_dedup.judging.features.words import hash_sequences, hash_text, hash_words, scrambled
from infostream_dedup.machine.arrays import distinct, rows_from, smallest


def test_rows_are_lists_of_any_length():
    rows = rows_from([[3, 1], [], [2]], np.int64)
    assert (len(rows), rows.row(0).tolist(), rows.row(1).tolist()) == (3, [3, 1], [])
    assert (rows.numbers.tolist(), rows.nbytes) == ([0, 0, 2], 24)


def test_chosen_values_stay_in_their_rows():
    rows = rows_from([[3, 1], [], [2, 3]], np.int64).chosen(np.array([True, False, False, True]))
    assert [rows.row(number).tolist() for number in range(3)] == [[3], [], [3]]


def test_distinct_sorts_each_row_for_itself():
    rows = distinct(rows_from([[3, 1, 3], [], [3, 2, 2]], np.int64))
    assert [rows.row(number).tolist() for number in range(3)] == [[1, 3], [], [2, 3]]


def test_smallest_skips_empty_rows():
    rows = rows_from([[3, 1], [], [7], []], np.uint64)
    assert smallest(rows.values, rows.indptr).tolist() == [1, 7]
    assert smallest(np.zeros(0, dtype=np.uint64), np.zeros(3, dtype=np.int64)).tolist() == []


def test_crc32_is_that_of_utf_8():
    assert hash_text("мост річка", 32) == crc32("мост річка".encode())
    assert hash_text("", 32) == 0


def test_hashes_never_change():
    # Fixed values: stored signatures must stay comparable with those of later versions.
    assert hash_words(["снег", "сніг"]).tolist() == [2359080518904748778, 17818189572739406352]
    assert scrambled(np.array([0, 1], dtype=np.uint64), 7).tolist() == [1593918348581160074, 11388497021295642190]


def test_scrambling_is_one_to_one():
    values = np.arange(50_000, dtype=np.uint64)
    assert len(np.unique(scrambled(values, 3))) == len(values)


def test_sequences_know_their_order_and_length():
    one, two = (np.array([value], dtype=np.uint64) for value in (5, 9))
    zero = np.zeros(1, dtype=np.uint64)
    hashes = [hash_sequences(list(columns))[0] for columns in ([one, two], [two, one], [one], [one, zero], [zero, one])]
    assert len(set(hashes)) == len(hashes)
