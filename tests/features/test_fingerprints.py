"""Shingles, samples of them, and the probability that megashingles meet."""

import math
from hashlib import sha1

import numpy as np
import pytest

from infostream_dedup.judging.features import fingerprints
from infostream_dedup.judging.features.words import hash_sequences, hash_words, read_words, scrambled, shingles
from infostream_dedup.machine.arrays import distinct, rows_from


def _expected(*words):
    return int(hash_sequences([hash_words([word]) for word in words])[0])


def test_every_w_words_in_a_row():
    found = shingles(read_words(["раз два три четыре"]), 3)
    assert found.values.tolist() == [_expected("раз", "два", "три"), _expected("два", "три", "четыре")]


def test_wrapping_joins_the_end_to_the_beginning():
    found = shingles(read_words(["раз два три"]), 2, wrap=True)
    assert found.values.tolist() == [_expected("раз", "два"), _expected("два", "три"), _expected("три", "раз")]


def test_a_short_document_is_one_shingle_and_no_part_of_a_longer_one():
    found = shingles(read_words(["раз два", "раз два раз", "", "раз два"]), 3)
    assert found.sizes.tolist() == [1, 1, 0, 1]
    assert found.row(0).tolist() == found.row(3).tolist() != found.row(1).tolist()


def test_samples_by_hand():
    rows = rows_from([[50, 7, 25, 50, 3], [], [1]], np.uint64)
    assert [fingerprints.sample_mod(rows, 25).row(number).tolist() for number in range(3)] == [[25, 50], [], []]
    assert [fingerprints.sample_min(rows, 2).row(number).tolist() for number in range(3)] == [[3, 7], [], [1]]


def test_groups_leave_out_the_rest_unless_it_is_all():
    found = fingerprints.grouped(rows_from([[1, 2, 3, 4, 5], [1, 2], [9], []], np.uint64), 2)
    assert found.sizes.tolist() == [2, 1, 1, 0]
    assert found.row(0)[0] == found.row(1)[0]


def test_minwise_values_are_the_smallest_images():
    samples = fingerprints.minwise(rows_from([[5, 6], [], [6]], np.uint64), 3)
    assert samples.shape == (2, 3)
    for function in range(3):
        images = scrambled(np.array([5, 6], dtype=np.uint64), function + 1)
        assert samples[:, function].tolist() == [images.min(), images[1]]


def test_minwise_functions_agree_as_often_as_sets_resemble():
    # 60 of 100 elements in common.
    samples = fingerprints.minwise(distinct(rows_from([range(1000, 1080), range(1020, 1100)], np.uint64)), 4000)
    assert (samples[0] == samples[1]).mean() == pytest.approx(0.6, abs=4 * math.sqrt(0.24 / 4000))


def test_two_equal_supershingles_at_the_same_places_make_a_megashingle():
    table = np.array([[1, 2, 3, 4, 5, 6], [1, 9, 9, 4, 9, 9], [1, 8, 8, 8, 8, 8], [4, 7, 7, 1, 7, 7]], dtype=np.uint64)
    found = fingerprints.megashingles(table)
    assert found.shape == (4, 15)
    assert len(set(found[0].tolist()) & set(found[1].tolist())) == 1
    assert not set(found[0].tolist()) & set(found[2].tolist())
    # The same two values, at other places.
    assert not set(found[0].tolist()) & set(found[3].tolist())


VOCABULARY = [f"слово{number}" for number in range(4000)]


def test_the_middle_of_idf_by_hand():
    # N = 3: idf is ln(4 / df) / ln 4, that is 1, .5 and .21 for words of one, two and three documents.
    words = read_words(["один два три", "два три", "три"])
    lexicon = fingerprints.middle_lexicon(fingerprints.count_words(words), 0.3, 0.9)
    assert [word for word, inside in zip(words.vocabulary, lexicon, strict=True) if inside] == ["два"]


def test_a_fingerprint_is_the_hash_of_the_sorted_words():
    words = read_words(["мост берег река мост", "берег"])
    found = fingerprints.lexicon_fingerprints(
        fingerprints.count_words(words), words.vocabulary, [np.ones(3, dtype=bool)], 2
    )
    assert found.sizes.tolist() == [1, 0]
    assert found.values.tobytes() == sha1("0 берег мост река".encode(), usedforsecurity=False).digest()[:8]


def test_each_random_lexicon_lacks_its_share_of_words():
    lexicons = fingerprints.random_lexicons(np.ones(len(VOCABULARY), dtype=bool), VOCABULARY, 10, 0.33)
    assert len(lexicons) == 11
    assert lexicons[0].all()
    assert [1 - lexicon.mean() for lexicon in lexicons[1:]] == pytest.approx([0.33] * 10, abs=0.03)


def test_which_words_are_left_out_does_not_depend_on_the_others():
    alone = fingerprints.random_lexicons(np.ones(100, dtype=bool), VOCABULARY[100:200], 3, 0.33)
    together = fingerprints.random_lexicons(np.ones(4000, dtype=bool), VOCABULARY, 3, 0.33)
    assert all((one == all_words[100:200]).all() for one, all_words in zip(alone, together, strict=True))


def test_split_lexicons_share_no_word_and_lose_none():
    parts = fingerprints.split_lexicons(np.ones(len(VOCABULARY), dtype=bool), VOCABULARY, 8)
    assert (np.sum(parts, axis=0) == 1).all()
    assert [part.mean() for part in parts] == pytest.approx([0.125] * 8, abs=0.03)


GOLDEN = (
    "As we are taking your candidature ahead we would like to highlight that INTEL as an organization believes and "
    "practices high standards of ethical behavior from every potential candidate."
)


def _among(words, chosen):
    return np.array([words.vocabulary[number] in chosen.split() for number in words.rows.values])


def _spelt(words, places, inside=None):
    inside = np.ones(places.shape, dtype=bool) if inside is None else inside
    return [
        ":".join(words.vocabulary[words.rows.values[place]] for place in row[there])
        for row, there in zip(places, inside, strict=True)
    ]


@pytest.mark.parametrize(("text", "stops", "c", "d", "spots"), [
    ("at a rally to kick off a weeklong campaign", "at a to off", 2, 1, ["a:rally:kick", "a:weeklong:campaign"]),
    # The authors' code would go from kick to campaign.
    ("a rally to kick weeklong campaign", "a to", 3, 1, ["a:rally:kick:weeklong"]),
    ("a one two three four five six", "a", 2, 3, ["a:three:six"]),
], ids=["those of the paper", "no word is lost after a stop word", "at a distance"])  # fmt: skip
def test_spot_signatures(text, stops, c, d, spots):
    words = read_words([text])
    places = fingerprints.spot_places(words.rows.row(0), _among(words, "a"), _among(words, stops), c=c, d=d)
    assert _spelt(words, places) == spots


def test_incomplete_spot_signatures_are_left_out():
    words = read_words(["a rally", "", "a rally kick"])
    stops = _among(words, "a")
    found = fingerprints.spot_signatures(words, stops, stops, c=2, d=1)
    assert found.sizes.tolist() == [0, 0, 1]
    assert found.values.tolist() == hash_sequences(list(hash_words(["a", "rally", "kick"])[:, None])).tolist()
    alone = fingerprints.spot_signatures(words, stops, stops, c=2, d=1, with_antecedent=False)
    assert alone.values.tolist() == hash_sequences(list(hash_words(["rally", "kick"])[:, None])).tolist()


GOLDEN_CHAINS = "as:we:are to:highlight:that that:intel:as as:an:organization of:ethical:behavior from:every:potential"


@pytest.mark.parametrize(("text", "antecedents", "d", "chains"), [
    (GOLDEN, "as to that of from", 1, GOLDEN_CHAINS),
    # The first word of a sentence always begins a chain; an antecedent at the very end does not.
    ("One goes of two. Off of. Alone!", "of", 1, "one:goes:of of:two off:of alone"),
    ("one two three four five six", "two", 2, "one:three:five two:four:six"),
], ids=["golden sentence", "they end with the sentence", "in steps"])  # fmt: skip
def test_chains_of_low_idf_sig(text, antecedents, d, chains):
    words = read_words([text])
    places, inside = fingerprints.chain_places(_among(words, antecedents), words.breaks, c=2, d=d)
    assert _spelt(words, places, inside) == chains.split()


def test_low_idf_features_belong_to_their_documents():
    words = read_words(["", "Mayor of Kyiv. Mayor of Kyiv.", "Mayor of Kyiv"])
    found = fingerprints.low_idf_signatures(words, _among(words, "of"), c=3, d=1)
    assert found.sizes.tolist() == [0, 4, 2]
    assert set(found.row(1).tolist()) == set(found.row(2).tolist())


def test_frequent_words_come_from_a_table_of_the_language():
    assert {"и", "в"} <= fingerprints.frequent_words("ru", 10)
    assert {"і", "в"} <= fingerprints.frequent_words("uk", 10)
    assert len(fingerprints.frequent_words("en", 50)) == 50
