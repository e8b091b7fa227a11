"""The stream's index against plain sets kept in a list."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infostream_dedup.matching.window_index import WindowIndex

terms = st.sets(st.integers(0, 12).map(lambda term: term * 10**15), max_size=8)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(1, 5), terms, terms),
        st.tuples(st.just("expire"), st.integers(0, 12), terms, terms),
        st.tuples(st.just("ask"), st.integers(1, 4), terms, terms),
    ),
    max_size=60,
)


def expected(window, keys, targets, k_min):
    found = []
    for ordinal, old_keys, old_targets in window:
        forward, backward = len(keys & old_targets), len(old_keys & targets)
        if max(forward, backward) >= k_min:
            found.append((ordinal, forward, backward))
    return found


def answered(index, keys, targets, k_min):
    found = index.candidates(keys=sorted(keys), targets=sorted(targets), k_min=k_min)
    return list(zip(found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist(), strict=True))


def play(script):
    index, window, ordinal = WindowIndex(), [], 0
    for what, number, keys, targets in script:
        if what == "add":
            ordinal += number
            index.add(ordinal, keys=sorted(keys), targets=sorted(targets))
            window.append((ordinal, keys, targets))
        elif what == "expire":
            index.expire_before(ordinal - number)
            window = [entry for entry in window if entry[0] >= ordinal - number]
        else:
            assert answered(index, keys, targets, number) == expected(window, keys, targets, number)
        assert len(index) == len(window)


@given(script=steps)
@settings(max_examples=150, deadline=None)
def test_any_order_of_adding_expiring_and_asking(script):
    play(script)


def long_stream(documents, vocabulary, seed=7):
    """Documents with frequent and rare terms; the rare ones drift, as names in the news do."""
    random = np.random.default_rng(seed)
    for ordinal in range(documents):
        frequent = random.integers(0, 30, 6)
        rare = 1000 + ordinal // 3 + random.integers(0, vocabulary, 12)
        targets = np.unique(np.concatenate((frequent, rare)))
        yield ordinal, random.permutation(targets)[:5], targets


@pytest.mark.parametrize("largest", [2**32 - 2, 700])
def test_a_long_stream_stays_exact_however_documents_are_numbered(largest, monkeypatch):
    monkeypatch.setattr("infostream_dedup.matching.window_index._LARGEST_NUMBER", largest)
    index, window = WindowIndex(), deque(maxlen=300)
    for ordinal, keys, targets in long_stream(3000, 50):
        if ordinal % 37 == 0:
            sets = set(keys.tolist()), set(targets.tolist())
            assert answered(index, *sets, 2) == expected(window, *sets, 2)
        index.add(ordinal, keys=keys, targets=targets)
        window.append((ordinal, set(keys.tolist()), set(targets.tolist())))
        index.expire_before(ordinal - 299)
    assert len(index) == 300


def test_memory_follows_the_window_not_the_stream():
    index, sizes = WindowIndex(), []
    for ordinal, keys, targets in long_stream(16000, 4000):
        index.add(ordinal, keys=keys, targets=targets)
        index.expire_before(ordinal - 999)
        index.candidates(keys=keys, targets=targets, k_min=4)
        if ordinal % 4000 == 3999:
            sizes.append(index.nbytes)
    # Four times the documents, over more than twice the terms: nothing grows any more.
    assert sizes[-1] == sizes[0]


def test_more_candidates_than_documents_is_impossible_even_when_all_match():
    index = WindowIndex()
    for ordinal in range(2500):
        index.add(ordinal, keys=[1, 2], targets=[1, 2])
    found = index.candidates(keys=[1, 2], targets=[1, 2], k_min=2)
    assert found.ordinals.tolist() == list(range(2500))
    assert set(found.forward.tolist()) == set(found.backward.tolist()) == {2}


def test_ordinals_must_ascend():
    index = WindowIndex()
    index.add(5, keys=[1], targets=[1])
    with pytest.raises(ValueError, match="more than the last one, 5"):
        index.add(5, keys=[1], targets=[1])


def test_an_empty_index_answers_nothing():
    assert answered(WindowIndex(), {1}, {1}, 1) == []
