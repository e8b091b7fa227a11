"""Judged pairs by ordinal, and folds that keep each story on one side."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria.judged_pairs import folds, judged_pairs, splits, stories
from infostream_dedup.lab.labels import Label

IDS = [f"d{number:02}" for number in range(40)]


def _pairs(rows, positive=("dup",)):
    return judged_pairs([Label(f"d{a:02}", f"d{b:02}", label) for a, b, label in rows], IDS, positive=positive)


def test_pairs_are_ordered_by_id_and_judged_once():
    rows = [Label("d03", "d01", "dup"), Label("d00", "d02", "different"), Label("d01", "d03", "dup")]
    found = judged_pairs(rows, IDS, positive=["dup"])
    assert (found.i.tolist(), found.j.tolist()) == ([0, 1], [2, 3])
    assert found.i_repeats.tolist() == found.j_repeats.tolist() == found.joined.tolist() == [False, True]


def test_a_directed_judgement_goes_before_the_label_and_turns_with_the_pair():
    rows = [
        Label("d02", "d01", "similar", extra={"repeats": "a"}), Label("d03", "d04", "dup", extra={"repeats": "none"}),
        Label("d05", "d06", "translation", extra={"repeats": "both"}), Label("d07", "d08", "translation"),
    ]  # fmt: skip
    found = judged_pairs(rows, IDS, positive=["dup"])
    assert found.i_repeats.tolist() == [False, False, True]
    assert found.j_repeats.tolist() == [True, False, True]


FIRST = {"repeats": "a"}


@pytest.mark.parametrize(("rows", "code"), [
    ([Label("d01", "x", "dup")], "E_UNKNOWN_ID"),
    ([Label("d01", "d02", "dup", extra={"repeats": "yes"})], "E_REPEATS"),
    ([Label("d01", "d02", "dup", extra={"repeats": ["a"]})], "E_REPEATS"),
    ([Label("d01", "d02", "dup", extra=FIRST), Label("d02", "d01", "dup", extra=FIRST, line=2)], "E_CONTRADICTION"),
])  # fmt: skip
def test_wrong_judgements_are_refused(rows, code):
    with pytest.raises(BadDataError) as caught:
        judged_pairs(rows, IDS, positive=["dup"])
    assert caught.value.code == code


def test_random_pairs_do_not_join_stories_where_they_would_join_everything():
    one, other = stories(_pairs([(0, 30, "dup"), *[(number, number + 1, "different") for number in range(20)]]))
    assert len(set(one.tolist() + other.tolist())) == 21
    one, other = stories(_pairs([(a, a + 1, "different") for a in range(0, 20, 2)]))
    assert one.tolist() == other.tolist() == list(range(10))


ROWS = st.lists(
    st.tuples(st.integers(0, 39), st.integers(0, 39), st.sampled_from(["dup", "similar", "different"])),
    max_size=60,
    unique_by=lambda row: (min(row[:2]), max(row[:2])),
).map(lambda rows: [row for row in rows if row[0] != row[1]])


@given(ROWS, st.integers(2, 5))
def test_every_pair_is_tested_once_and_no_story_is_on_both_sides(rows, number):
    pairs = _pairs(rows)
    one, other = stories(pairs)
    for deal in (folds, splits):
        found = deal(pairs, number)
        tested = [fold.test for fold in found if len(fold.test)]
        assert sorted(np.concatenate([np.zeros(0, dtype=np.int64), *tested]).tolist()) == list(range(len(pairs)))
        for fold in found:
            learned = set(one[fold.training].tolist()) | set(other[fold.training].tolist())
            assert not learned & (set(one[fold.test].tolist()) | set(other[fold.test].tolist()))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(rows, shuffler: random.Random):
    other = [(b, a, label) if shuffler.random() < 0.5 else (a, b, label) for a, b, label in rows]
    shuffler.shuffle(other)
    one, two = _pairs(rows), _pairs(other)
    for name in ("i", "j", "i_repeats", "j_repeats", "joined"):
        assert getattr(one, name).tolist() == getattr(two, name).tolist()
