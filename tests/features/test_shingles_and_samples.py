"""Shingles, samples of them, and the probability that megashingles meet."""

import math

import numpy as np
import pytest

from infostream_dedup.judging.features.fingerprints import grouped, megashingles, minwise, sample_min, sample_mod
from infostream_dedup.judging.features.rows import distinct, rows_from
from infostream_dedup.judging.features.words import hash_sequences, hash_words, read_words, scrambled, shingles


def _expected(*words):
    return int(hash_sequences([hash_words([word]) for word in words])[0])


def test_every_w_words_in_a_row():
    found = shingles(read_words(["раз два три четыре"]), 3)
    assert found.values.tolist() == [_expected("раз", "два", "три"), _expected("два", "три", "четыре")]


def test_wrapping_joins_the_end_to_the_beginning():
    found = shingles(read_words(["раз два три"]), 2, wrap=True)
    assert found.values.tolist() == [_expected("раз", "два"), _expected("два", "три"), _expected("три", "раз")]


def test_a_short_document_is_one_shingle_and_no_part_of_a_longer_one():
    found = shingles(read_words(["раз два", "раз два раз", "", "раз два"]), 3)
    assert found.sizes.tolist() == [1, 1, 0, 1]
    assert found.row(0).tolist() == found.row(3).tolist() != found.row(1).tolist()


def test_samples_by_hand():
    rows = rows_from([[50, 7, 25, 50, 3], [], [1]], np.uint64)
    assert [sample_mod(rows, 25).row(number).tolist() for number in range(3)] == [[25, 50], [], []]
    assert [sample_min(rows, 2).row(number).tolist() for number in range(3)] == [[3, 7], [], [1]]


def test_groups_leave_out_the_rest_unless_it_is_all():
    rows = rows_from([[1, 2, 3, 4, 5], [1, 2], [9], []], np.uint64)
    found = grouped(rows, 2)
    assert found.sizes.tolist() == [2, 1, 1, 0]
    assert found.row(0)[0] == found.row(1)[0]


def test_minwise_values_are_the_smallest_images():
    rows = rows_from([[5, 6], [], [6]], np.uint64)
    samples = minwise(rows, 3)
    assert samples.shape == (2, 3)
    for function in range(3):
        images = scrambled(np.array([5, 6], dtype=np.uint64), function + 1)
        assert samples[:, function].tolist() == [images.min(), images[1]]


def test_minwise_functions_agree_as_often_as_sets_resemble():
    # 60 of 100 elements in common.
    rows = distinct(rows_from([range(1000, 1080), range(1020, 1100)], np.uint64))
    samples = minwise(rows, 4000)
    share = (samples[0] == samples[1]).mean()
    assert share == pytest.approx(0.6, abs=4 * math.sqrt(0.24 / 4000))


def test_two_equal_supershingles_at_the_same_places_make_a_megashingle():
    table = np.array([[1, 2, 3, 4, 5, 6], [1, 9, 9, 4, 9, 9], [1, 8, 8, 8, 8, 8], [4, 7, 7, 1, 7, 7]], dtype=np.uint64)
    found = megashingles(table)
    assert found.shape == (4, 15)
    assert len(set(found[0].tolist()) & set(found[1].tolist())) == 1
    assert not set(found[0].tolist()) & set(found[2].tolist())
    # The same two values, at other places.
    assert not set(found[0].tolist()) & set(found[3].tolist())
