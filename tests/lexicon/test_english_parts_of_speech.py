"""The lexicon of English parts of speech."""

from __future__ import annotations

import subprocess
import sys

import pytest

from infostream_dedup.lexicon.english_parts_of_speech import is_usually_noun, part_of_speech


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


def test_only_the_file_is_read():
    code = (
        "import sys; from infostream_dedup.lexicon.english_parts_of_speech import part_of_speech; part_of_speech('a');"
        "assert not {'textblob', 'nltk'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
