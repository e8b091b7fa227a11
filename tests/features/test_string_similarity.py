"""String::Similarity against the longest common subsequence found the slow way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.features.words import string_similarities, string_similarity

TEXTS = st.text(alphabet="абвії ", max_size=25)


def _lcs(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        previous = 0
        for place, y in enumerate(b, start=1):
            previous, row[place] = row[place], previous + 1 if x == y else max(row[place], row[place - 1])
    return row[-1]


@given(TEXTS, TEXTS)
def test_it_is_twice_the_common_subsequence_over_both_lengths(a, b):
    expected = 2 * _lcs(a, b) / (len(a) + len(b)) if a or b else 1.0
    assert string_similarity(a, b) == pytest.approx(expected)


@given(TEXTS, TEXTS)
def test_a_text_longer_than_the_ratio_is_never_similar(a, b):
    shorter, longer = sorted((len(a), len(b)))
    if longer > 1.5 * shorter:
        assert string_similarity(a, b) < 0.8


def test_edges():
    assert string_similarity("", "") == 1
    assert string_similarity("а", "") == 0


def test_a_pair_at_the_threshold_is_kept():
    # 8 of 10 characters in order.
    scores = string_similarities(["абвгдежзик", "абвгдежзлм"], np.array([0]), np.array([1]), threshold=0.8)
    assert scores.tolist() == [pytest.approx(0.8)]


def test_pairs_below_the_threshold_are_zero():
    scores = string_similarities(["снегопад", "снегоход", "гром"], np.array([0, 0]), np.array([1, 2]), threshold=0.7)
    assert scores.tolist() == [0.75, 0.0]
