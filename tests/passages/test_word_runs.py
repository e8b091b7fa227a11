"""Runs of equal words: by hand, against all pairs of places, and odd texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages.passage_runs import OCCURRENCES, shared_runs
from infostream_dedup.judging.passages.sentence_table import read_sentences


def _runs(texts, least, without=None):
    return shared_runs(read_sentences(texts, ["en"] * len(texts)), least, without).tolist()


def test_a_run_is_found_once_at_its_full_length():
    assert _runs(["x a b c d e y", "a b c d e", "z"], 3) == [[1, 7, 5]]
    assert _runs(["a b c. D e f.", "q a b. C d e."], 3) == [[0, 7, 5]]
    assert _runs(["a b c", "a b c"], 4) == []
    assert _runs([], 3) == _runs(["", "a"], 3) == []


def test_sentences_that_must_not_match_break_runs():
    texts = ["One two three. Four five six. Seven eight nine."] * 2
    without = np.array([False, True, False] * 2)
    assert _runs(texts, 3) == [[0, 9, 9]]
    assert _runs(texts, 3, without) == [[0, 9, 3], [6, 15, 3]]


def test_a_text_that_repeats_itself_ends():
    found = _runs(["a " * 5000, "a " * 5000], 10)
    assert len(found) <= 2 * OCCURRENCES
    assert max(size for _, _, size in found) == 5000


def _plainly(texts, least):
    documents = [text.split() for text in texts]
    firsts = np.concatenate(([0], np.cumsum([len(words) for words in documents]))).tolist()
    runs = []
    for a, one in enumerate(documents):
        for b in range(a + 1, len(documents)):
            other = documents[b]
            for p in range(len(one)):
                for q in range(len(other)):
                    if p and q and one[p - 1] == other[q - 1]:
                        continue
                    size = 0
                    while p + size < len(one) and q + size < len(other) and one[p + size] == other[q + size]:
                        size += 1
                    if size >= least:
                        runs.append([firsts[a] + p, firsts[b] + q, size])
    return sorted(runs)


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=4), st.integers(2, 5))
def test_runs_are_those_of_all_places_compared(texts, least):
    found = _runs(texts, least)
    expected = _plainly(texts, least)
    assert {tuple(run) for run in found} <= {tuple(run) for run in expected}
    words = [word for text in texts for word in text.split()]
    grams = [tuple(words[at : at + least]) for at in range(len(words))]
    assert not (max((grams.count(gram) for gram in set(grams)), default=0) <= OCCURRENCES) or found == expected
