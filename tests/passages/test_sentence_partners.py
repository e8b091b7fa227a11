"""Partners of sentences: as the plain comparison of every pair finds them, in less time."""

import time
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages.provenance import sentence_partners

SENTENCES = st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=6).map(tuple), max_size=8)


def plain(before, after):
    places = {}
    for number, words in enumerate(before):
        places.setdefault(words, []).append(number)
    partner = {number: places[words].pop(0) for number, words in enumerate(after) if places.get(words)}
    candidates = []
    for number, words in enumerate(after):
        for other, others in enumerate(before):
            alike = 2 * (Counter(words) & Counter(others)).total() / (len(words) + len(others))
            if alike >= 0.5 and number not in partner and other not in partner.values():
                candidates.append((-alike, number, other))
    for _, number, other in sorted(candidates):
        if number not in partner and other not in partner.values():
            partner[number] = other
    return partner


def test_partners_by_hand():
    before = [(1, 2, 3), (4, 5, 6), (1, 2, 3), (7, 8)]
    after = [(9, 9), (1, 2, 3), (4, 5, 1), (1, 2, 4), (7,)]
    assert sentence_partners(before, after) == {1: 0, 2: 1, 3: 2, 4: 3}
    assert sentence_partners([], after) == sentence_partners(before, []) == {}


@given(SENTENCES, SENTENCES)
def test_partners_are_those_of_the_plain_comparison(before, after):
    assert sentence_partners(before, after) == plain(before, after)


def test_thousands_of_changed_sentences_take_seconds_at_most():
    random = Random(5)  # noqa: S311 - words
    before = [tuple(int(random.paretovariate(0.7)) for _ in range(12)) for _ in range(1000)]
    after = [(-1, *words[1:11], -2) for words in before]
    begun = time.process_time()
    found = sentence_partners(before, after)
    assert time.process_time() - begun < 10
    assert sum(number == other for number, other in found.items()) > 950


@given(SENTENCES, SENTENCES)
def test_words_of_too_many_sentences_are_not_looked_up(before, after):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infostream_dedup.judging.passages.provenance._MOST_HOLDERS", 1)
        found = sentence_partners(before, after)
    assert len(set(found.values())) == len(found)
    for number, other in found.items():
        common = (Counter(after[number]) & Counter(before[other])).total()
        assert 2 * common >= 0.5 * (len(after[number]) + len(before[other]))
    assert (Counter(before) & Counter(after)).total() <= len(found) <= len(sentence_partners(before, after))


def test_thousands_of_sentences_from_one_template_take_seconds_at_most():
    row = tuple(range(-6, 0))
    before, after = [(number, *row) for number in range(20_000)], [(2 * number, *row) for number in range(20_000)]
    begun = time.process_time()
    assert sentence_partners(before, after) == {number: 2 * number for number in range(10_000)}
    assert time.process_time() - begun < 5


def test_many_equal_sentences_that_were_all_changed_take_seconds_at_most():
    begun = time.process_time()
    assert sentence_partners([(1, 2, 3, 4)] * 5000, [(1, 2, 3, 5)] * 5000) == {number: number for number in range(5000)}
    assert time.process_time() - begun < 5
