"""The lexicon of English parts of speech, and what it makes of words that only look like nouns."""

from __future__ import annotations

import subprocess
import sys

import pytest

from infostream_dedup.lexicon.english_parts_of_speech import is_usually_noun, part_of_speech
from infostream_dedup.morphology.english_lemmas import noun_term
from infostream_dedup.text.tokens import Shape


@pytest.mark.parametrize(
    ("word", "tag"), [("government", "NN"), ("countries", "NNS"), ("run", "VB"), ("old", "JJ"), ("Reading", "NNP")]
)
def test_tags_of_words(word, tag):
    assert part_of_speech(word) == tag


def test_capitals_are_looked_up_first_where_the_text_writes_them():
    assert part_of_speech("qwertz") is None
    assert is_usually_noun("qwertz", capital=True) is None
    assert is_usually_noun("polish", capital=False) is False
    assert is_usually_noun("polish", capital=True) is False
    assert is_usually_noun("poles", capital=True) is True
    assert is_usually_noun("lead", capital=True) is False


@pytest.mark.parametrize("word", ["lead", "find", "old", "running", "tap", "current", "good", "pay", "fix", "present"])
def test_verbs_and_adjectives_are_no_terms_though_a_noun_is_spelt_so(word):
    assert noun_term(word, Shape.LOWER) is None
    assert noun_term(word, Shape.START) is None


@pytest.mark.parametrize(("word", "term"), [("leaders", "leader"), ("gains", "gain"), ("stake", "stake")])
def test_nouns_stay_terms(word, term):
    assert noun_term(word, Shape.LOWER) == term


def test_only_the_file_is_read():
    code = (
        "import sys; from infostream_dedup.lexicon.english_parts_of_speech import part_of_speech; part_of_speech('a');"
        "assert not {'textblob', 'nltk'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
