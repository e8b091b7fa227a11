"""Spot signatures and Low-IDF-Sig, by the papers' own examples."""

import numpy as np

from infostream_dedup.judging.features.fingerprints import (
    chain_places,
    frequent_words,
    low_idf_signatures,
    spot_places,
    spot_signatures,
)
from infostream_dedup.judging.features.words import hash_sequences, hash_words, read_words

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


def test_spot_signatures_of_the_paper():
    words = read_words(["at a rally to kick off a weeklong campaign"])
    stops = _among(words, "at a to off")
    places = spot_places(words.rows.row(0), _among(words, "a"), stops, c=2, d=1)
    assert _spelt(words, places) == ["a:rally:kick", "a:weeklong:campaign"]


def test_spot_signatures_lose_no_word_after_a_stop_word():
    # The authors' code would go from kick to campaign.
    words = read_words(["a rally to kick weeklong campaign"])
    places = spot_places(words.rows.row(0), _among(words, "a"), _among(words, "a to"), c=3, d=1)
    assert _spelt(words, places) == ["a:rally:kick:weeklong"]


def test_spot_signatures_at_a_distance():
    words = read_words(["a one two three four five six"])
    places = spot_places(words.rows.row(0), _among(words, "a"), _among(words, "a"), c=2, d=3)
    assert _spelt(words, places) == ["a:three:six"]


def test_incomplete_spot_signatures_are_left_out():
    words = read_words(["a rally", "", "a rally kick"])
    stops = _among(words, "a")
    found = spot_signatures(words, stops, stops, c=2, d=1)
    assert found.sizes.tolist() == [0, 0, 1]
    assert found.values.tolist() == hash_sequences(list(hash_words(["a", "rally", "kick"])[:, None])).tolist()
    alone = spot_signatures(words, stops, stops, c=2, d=1, with_antecedent=False)
    assert alone.values.tolist() == hash_sequences(list(hash_words(["rally", "kick"])[:, None])).tolist()


def test_golden_sentence_of_low_idf_sig():
    words = read_words([GOLDEN])
    places, inside = chain_places(_among(words, "as to that of from"), words.breaks, c=2, d=1)
    assert _spelt(words, places, inside) == [
        "as:we:are", "to:highlight:that", "that:intel:as", "as:an:organization", "of:ethical:behavior",
        "from:every:potential",
    ]  # fmt: skip


def test_chains_end_with_the_sentence():
    words = read_words(["One goes of two. Off of. Alone!"])
    places, inside = chain_places(_among(words, "of"), words.breaks, c=2, d=1)
    # The first word of a sentence always begins a chain; an antecedent at the very end does not.
    assert _spelt(words, places, inside) == ["one:goes:of", "of:two", "off:of", "alone"]


def test_chains_in_steps():
    words = read_words(["one two three four five six"])
    places, inside = chain_places(_among(words, "two"), words.breaks, c=2, d=2)
    assert _spelt(words, places, inside) == ["one:three:five", "two:four:six"]


def test_low_idf_features_belong_to_their_documents():
    words = read_words(["", "Mayor of Kyiv. Mayor of Kyiv.", "Mayor of Kyiv"])
    found = low_idf_signatures(words, _among(words, "of"), c=3, d=1)
    assert found.sizes.tolist() == [0, 4, 2]
    assert set(found.row(1).tolist()) == set(found.row(2).tolist())


def test_frequent_words_come_from_a_table_of_the_language():
    assert {"и", "в"} <= frequent_words("ru", 10)
    assert {"і", "в"} <= frequent_words("uk", 10)
    assert len(frequent_words("en", 50)) == 50
