"""Decomposition, worked by hand."""

import pytest

from infostream_dedup.lab.methods import Texts, method

STORY = "мэр города открыл новый мост через реку и обещал начать ремонт набережной"


def test_the_score_is_string_similarity_of_the_words():
    edited = STORY.replace("открыл", "закрыл")
    pairs = method("decomposition").run(Texts.of(STORY, edited.upper())).pairs
    # Two letters of 73 differ: 71 in common.
    assert len(STORY) == 73
    assert pairs.scores.tolist() == [pytest.approx(71 / 73)]


def test_texts_without_a_common_shingle_are_never_compared():
    words = STORY.split()
    words[2::4] = ["открыли", "рек", "начал"]
    assert not method("decomposition").run(Texts.of(STORY, " ".join(words))).pairs.as_list()
    assert method("decomposition", w=1).run(Texts.of(STORY, " ".join(words))).pairs.as_list()


def test_the_ratio_of_lengths_loses_pairs_by_design():
    longer = f"{STORY} уже завтра утром"
    assert len(longer) / len(STORY) > 1.15
    assert not method("decomposition").run(Texts.of(STORY, longer)).pairs.as_list()
    assert method("decomposition", r=1.35).run(Texts.of(STORY, longer)).pairs.as_list() == [(0, 1, 0.896)]


def test_a_share_of_the_shingles_may_be_asked_for():
    edited = STORY.replace("открыл", "закрыл")
    # 12 words, 8 shingles; those without the third word are 5.
    assert method("decomposition", least_shared=0.6).run(Texts.of(STORY, edited)).pairs.as_list()
    assert not method("decomposition", least_shared=0.7).run(Texts.of(STORY, edited)).pairs.as_list()


def test_lengths_are_counted_in_words_or_in_characters():
    longer = STORY.replace("обещал", "торжественно-обещающе-провозгласил")
    assert len(longer) / len(STORY) > 1.15
    assert method("decomposition", t=0.5).run(Texts.of(STORY, longer)).pairs.as_list()
    assert not method("decomposition", t=0.5, unit="characters").run(Texts.of(STORY, longer)).pairs.as_list()
