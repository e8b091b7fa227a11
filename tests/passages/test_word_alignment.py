"""Aligning words: what it finds, and that long sequences of few words take no longer than others."""

import time
from difflib import SequenceMatcher
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages import sentence_table
from infostream_dedup.judging.passages.sentence_table import matching_blocks, replacements

WORDS = st.lists(st.integers(0, 6), max_size=60)


def check(left, right):
    """Blocks ascend and are equal words; replacements are all the rest."""
    at = other = 0
    rebuilt = []
    for start, end, begin, close in replacements(left, right):
        assert left[at:start] == right[other:begin]
        assert (start, begin) != (end, close)
        rebuilt += left[at:start] + right[begin:close]
        at, other = end, close
    assert left[at:] == right[other:]
    assert rebuilt + left[at:] == right
    places = [(i + step, j + step) for i, j, size in matching_blocks(left, right) for step in range(size)]
    assert all(left[i] == right[j] for i, j in places)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(places))
    return len(places)


@given(WORDS, WORDS)
def test_short_sequences_are_compared_as_by_difflib(left, right):
    opcodes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    assert [tuple(one) for one in replacements(left, right)] == [code[1:] for code in opcodes if code[0] != "equal"]
    check(left, right)


@given(WORDS, WORDS, st.integers(1, 8))
def test_long_sequences_are_cut_and_compared(left, right, window):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_table, "_FEW", 0)
        patch.setattr(sentence_table, "_WINDOW", window)
        check(left, right)


def test_triples_that_occur_once_hold_the_sequences_together(monkeypatch):
    monkeypatch.setattr(sentence_table, "_FEW", 0)
    monkeypatch.setattr(sentence_table, "_WINDOW", 1)
    left = "a b c x x x x x x x d e f".split()
    assert [tuple(one) for one in replacements(left, "a b c y y y y d e f".split())] == [(3, 10, 3, 7)]
    # Triples that changed places do not cross.
    assert [tuple(one) for one in replacements("a b c d e f g".split(), "d e f g a b c".split())] == [
        (0, 3, 0, 0),
        (7, 7, 4, 7),
    ]


@pytest.mark.parametrize(("left", "right", "equal"), [
    # Cleaning joins what an invisible character separates.
    ("снег и дождь", "сн ег и дождь", 2 / 3), ("снег", "снег", 1), ("снег и дождь", "снег и дождь шёл", 1),
    ("1 1 1 2", "1 1 2", 3 / 4),
])  # fmt: skip
def test_long_sequences_of_few_words_take_seconds_at_most(left, right, equal):
    left, right = left.split() * 6000, right.split() * 6000
    begun = time.process_time()
    found = sum(size for _, _, size in matching_blocks(left, right))
    assert time.process_time() - begun < 10
    assert found >= 0.9 * equal * len(left)


def test_a_long_text_without_full_stops_is_aligned_like_a_short_one():
    random = Random(7)  # noqa: S311 - words
    left = [int(random.paretovariate(0.8)) for _ in range(20_000)]
    right = [word for number, word in enumerate(left) if number % 50]
    right[9000:9000] = [-1] * 300
    begun = time.process_time()
    assert check(left, right) >= 0.97 * len(left)
    assert time.process_time() - begun < 10
