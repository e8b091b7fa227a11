"""Winnowing and weighted SimHash, worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.judging.features.words import read_words, shingles, winnowed
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.sketches import projections

WORDS = st.lists(st.sampled_from(["мост", "река", "снег", "дом", "лес", "поле"]), min_size=1, max_size=30)


@given(WORDS, st.integers(1, 4), st.integers(1, 6))
def test_every_window_keeps_its_rightmost_smallest(words, w, window):
    read = read_words([" ".join(words)])
    values = shingles(read, w).values.tolist()
    expected = set()
    for first in range(max(len(values) - window + 1, 1)):
        part = values[first : first + window]
        expected.add(first + len(part) - 1 - part[::-1].index(min(part)))
    assert winnowed(read, w, window).values.tolist() == [values[place] for place in sorted(expected)]


@given(WORDS, WORDS, st.lists(st.sampled_from("абвгде"), min_size=8, max_size=12))
def test_a_shared_run_of_eight_words_always_shares_a_fingerprint(before, after, run):
    shared = " ".join(run)
    one, other = winnowed(read_words([f"{' '.join(before)} {shared}", f"{shared} {' '.join(after)}"]), 5, 4)
    assert set(one.tolist()) & set(other.tolist())


def test_a_text_inside_another_is_found_and_resemblance_asks_for_both():
    story = "мэр города торжественно открыл новый мост через реку движение начнется завтра утром"
    longer = (
        f"вчера вечером на площади у ратуши сообщили репортерам следующее {story} потом все разошлись по домам пить чай"
    )
    texts = Texts.of(story, longer, "мост закрыт")
    assert [pair[:2] for pair in method("winnowing").run(texts).pairs.as_list()] == [(0, 1)]
    assert not method("winnowing", measure="resemblance", tau=0.6).run(texts).pairs.as_list()
    (score,) = method("winnowing", tau=0.3).run(texts).pairs.scores
    assert 0.5 <= score <= 1


def test_votes_have_weights():
    # Bits: 3 = 011 weighs 5, 4 = 100 weighs 2, 1 = 001 weighs 1.
    features = rows_from([[3, 4, 1], [4], []], np.uint64)
    assert projections(features, np.array([5, 2, 1, 7])).tolist() == [3, 4]
    assert projections(features, np.array([1, 5, 1, 7])).tolist() == [4, 4]


@pytest.mark.parametrize("k", [0, 3])
def test_a_rare_word_outvotes_common_ones(k):
    texts = ["снег идёт в городе", "снег идёт в городе", "дождь идёт", "ветер дует", "город спит"]
    found = method("weighted-simhash", k=k).run(Texts.of(*texts)).pairs.as_list()
    assert (0, 1, 1.0) in found


def test_three_plus_two_takes_another_ratio():
    story = ". ".join(f"Предложение номер{number} говорит слово{number} мост река" for number in range(8))
    texts = Texts.of(story, f"{story}. Да.")
    assert method("three-plus-two", frequent=0).run(texts).signatures.values.tolist() != (
        method("three-plus-two", frequent=5).run(texts).signatures.values.tolist()
    )
    assert method("three-plus-two", frequent=4).run(texts).pairs.as_list()[0][:2] == (0, 1)
