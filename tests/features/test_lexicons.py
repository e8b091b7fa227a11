"""I-Match fingerprints and their lexicons."""

from hashlib import sha1

import numpy as np
import pytest

from infostream_dedup.judging.features.fingerprints import (
    count_words,
    lexicon_fingerprints,
    middle_lexicon,
    random_lexicons,
    split_lexicons,
)
from infostream_dedup.judging.features.words import read_words

VOCABULARY = [f"слово{number}" for number in range(4000)]


def test_the_middle_of_idf_by_hand():
    # N = 3: idf is ln(4 / df) / ln 4, that is 1, .5 and .21 for words of one, two and three documents.
    words = read_words(["один два три", "два три", "три"])
    lexicon = middle_lexicon(count_words(words), 0.3, 0.9)
    assert [word for word, inside in zip(words.vocabulary, lexicon, strict=True) if inside] == ["два"]


def test_a_fingerprint_is_the_hash_of_the_sorted_words():
    words = read_words(["мост берег река мост", "берег"])
    whole = np.ones(3, dtype=bool)
    found = lexicon_fingerprints(count_words(words), words.vocabulary, [whole], 2)
    assert found.sizes.tolist() == [1, 0]
    assert found.values.tobytes() == sha1("0 берег мост река".encode(), usedforsecurity=False).digest()[:8]


def test_each_random_lexicon_lacks_its_share_of_words():
    whole = np.ones(len(VOCABULARY), dtype=bool)
    lexicons = random_lexicons(whole, VOCABULARY, 10, 0.33)
    assert len(lexicons) == 11
    assert lexicons[0].all()
    shares = [1 - lexicon.mean() for lexicon in lexicons[1:]]
    assert shares == pytest.approx([0.33] * 10, abs=0.03)


def test_which_words_are_left_out_does_not_depend_on_the_others():
    some = VOCABULARY[100:200]
    alone = random_lexicons(np.ones(100, dtype=bool), some, 3, 0.33)
    together = random_lexicons(np.ones(4000, dtype=bool), VOCABULARY, 3, 0.33)
    assert all((one == all_words[100:200]).all() for one, all_words in zip(alone, together, strict=True))


def test_split_lexicons_share_no_word_and_lose_none():
    parts = split_lexicons(np.ones(len(VOCABULARY), dtype=bool), VOCABULARY, 8)
    assert (np.sum(parts, axis=0) == 1).all()
    assert [part.mean() for part in parts] == pytest.approx([0.125] * 8, abs=0.03)
