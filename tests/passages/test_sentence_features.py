"""The five features of a sentence, by the papers' examples and by hand."""

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.fingerprints import chain_places
from infostream_dedup.judging.features.words import hash_sequences, hash_words
from infostream_dedup.judging.passages.features.sentences import SentenceIMatch, SentenceLowIdfSig, SentenceSpotSigs
from infostream_dedup.judging.passages.sentence_table import FEATURES, read_sentences, sentence_feature
from infostream_dedup.language.text.normalise import fold


def _chains(feature, *texts, language="en"):
    table = read_sentences(texts, [language] * len(texts))
    words = table.words
    skip = {fold(word) for word in feature.skip}
    skipped = np.array([word in skip for word in words.vocabulary], dtype=bool)[words.rows.values]
    antecedents = feature.antecedent_words(table)
    places, inside = chain_places(antecedents, words.breaks, c=feature.c, d=feature.d, skipped=skipped)
    rows = np.searchsorted(words.breaks, places[:, 0], side="right") - 1
    spelt = [[] for _ in range(len(table))]
    for row, chain, there in zip(rows.tolist(), places, inside, strict=True):
        spelt[row].append(":".join(words.vocabulary[words.rows.values[place]] for place in chain[there]))
    assert [len(row) for row in spelt] == feature.bags(table).sizes.tolist()
    return spelt


def _hash(*words):
    return hash_sequences(list(hash_words(words)[:, None]))[0]


def test_low_idf_sig_is_cut_at_the_end_of_the_sentence():
    # "of" ends its sentence and begins no chain; "Peace", which begins one, does alone.
    assert _chains(SentenceLowIdfSig(antecedents=("of",), c=3), "Fond of. Peace! Made of pure gold") == [
        ["fond:of"], ["peace"], ["made:of:pure:gold", "of:pure:gold"],
    ]  # fmt: skip


def test_low_idf_sig_steps_and_passes_over():
    text = "to one the two a three four"
    assert _chains(SentenceLowIdfSig(antecedents=("to",), c=2, d=2), text) == [["to:the:a"]]
    assert _chains(SentenceLowIdfSig(antecedents=("to",), c=3, skip=("the", "A")), text) == [["to:one:two:three"]]
    # The second and the fourth of what is left.
    assert _chains(SentenceLowIdfSig(antecedents=("to",), c=2, d=2, skip=("the", "a")), text) == [["to:two:four"]]


def test_a_word_that_is_passed_over_may_begin_a_chain():
    assert _chains(SentenceLowIdfSig(antecedents=("the",), c=2, skip=("the",)), "see the big the cat") == [
        ["see:big:cat", "the:big:cat", "the:cat"]
    ]


def test_antecedents_from_the_dictionary_and_from_the_corpus():
    text = "Вышли на берег"
    assert _chains(SentenceLowIdfSig(n=50, c=1), text, language="ru") == [["вышли:на", "на:берег"]]
    assert _chains(SentenceLowIdfSig(n=0, c=1), text, language="ru") == [["вышли:на"]]
    # In two of three documents there is "b", in one each of the others; of those the first by code point is "a".
    texts = ("x a b c", "y b d", "z e f")
    assert _chains(SentenceLowIdfSig(n=1, c=1, source="corpus"), *texts) == [["x:a", "b:c"], ["y:b", "b:d"], ["z:e"]]
    assert _chains(SentenceLowIdfSig(n=2, c=1, source="corpus"), *texts) == [
        ["x:a", "a:b", "b:c"], ["y:b", "b:d"], ["z:e"],
    ]  # fmt: skip


def test_corpus_antecedents_belong_to_a_language():
    # "b" is the most frequent word of two documents, "c" of the two others.
    table = read_sentences(["x b c", "y b d", "x b c", "c"], ["en", "en", "uk", "uk"])
    assert SentenceLowIdfSig(n=1, c=1, source="corpus").bags(table).sizes.tolist() == [2, 2, 1, 1]


def test_shingles_of_a_short_sentence_are_the_whole_sentence():
    bags = sentence_feature("shingles").bags(read_sentences(["One two. One two three four."], ["en"]))
    assert bags.sizes.tolist() == [1, 2]
    assert bags.row(1).tolist() == [_hash("one", "two", "three"), _hash("two", "three", "four")]


def test_exact_sentences():
    table = read_sentences(["Снег идёт. «Снег идет»! Идет снег."], ["ru"])
    values = sentence_feature("exact").bags(table).values
    assert values[0] == values[1] != values[2]


def test_spotsigs_end_within_the_sentence():
    table = read_sentences(["The mayor opened new bridges. The end. The mayor opened new bridges today"], ["en"])
    bags = SentenceSpotSigs(c=2).bags(table)
    assert bags.row(0).tolist() == [_hash("the", "mayor", "opened")]
    assert bags.row(1).tolist() == []
    assert bags.row(0).tolist() == bags.row(2).tolist()


def test_i_match_knows_neither_order_nor_repetition_nor_frequent_words():
    table = read_sentences(
        ["Zebra and giraffe. The giraffe, the zebra of the zebra! Zebra and lion. Zebra and. A giraffe"], ["en"]
    )
    bags = SentenceIMatch().bags(table)
    assert bags.sizes.tolist() == [1, 1, 1, 0, 0]
    assert bags.values[0] == bags.values[1] != bags.values[2]


@pytest.mark.parametrize("name", FEATURES)
def test_every_feature_copes_with_nothing(name):
    for texts in ([], ["", "!!!"], ["a"]):
        table = read_sentences(texts, ["en"] * len(texts))
        bags = sentence_feature(name).bags(table)
        assert len(bags) == len(table)
        assert bags.values.dtype == np.uint64
        assert 0 < sentence_feature(name).tau <= 1


@pytest.mark.parametrize("name", FEATURES)
def test_a_bag_does_not_depend_on_the_other_sentences(name):
    one = "Мэр города открыл вчера новый мост через реку, который строили три года."
    alone = sentence_feature(name).bags(read_sentences([one], ["ru"]))
    among = sentence_feature(name).bags(
        read_sentences([f"Снег. {one} Дождь был.", "Другой документ о другом."], ["ru"] * 2)
    )
    assert alone.row(0).tolist() == among.row(1).tolist() != []


def test_a_feature_and_its_parameters_in_one_word():
    assert sentence_feature("low-idf-sig:n=500:c=2:source=corpus:skip=the,an") == SentenceLowIdfSig(
        n=500, c=2, source="corpus", skip=("the", "an")
    )
    assert sentence_feature("i-match:low=0.2") == SentenceIMatch(low=0.2)


def test_what_is_not_a_feature_is_refused():
    for notation in [
        "minhash", "", "exact:w=3", "shingles:w", "shingles:w=3.5", "shingles:w=0", "shingles:tau=0.5",
        "low-idf-sig:n=-1", "low-idf-sig:c=0", "low-idf-sig:d=11", "low-idf-sig:source=web", "spotsigs:c=0",
        "spotsigs:d=0", "i-match:low=0.9:high=0.5", "i-match:high=nan", "i-match:least_words=0",
    ]:  # fmt: skip
        with pytest.raises(ConfigurationError, match=r"expected|parameter"):
            sentence_feature(notation)
