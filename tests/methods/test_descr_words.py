"""Descr Words, worked by hand."""

import numpy as np

from infostream_dedup.judging.features.fingerprints import count_words
from infostream_dedup.judging.features.words import read_words
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.lexicons import DescriptiveWords, support_words, thresholds


def test_a_threshold_is_where_no_document_is_near():
    # Frequencies of "мост" relative to the most frequent word: 1, 1, 1/4. In 4 steps: 4, 4, 1.
    words = read_words(["мост мост река", "мост река", "мост река река река река"])
    counts = count_words(words)
    level = np.array([4, 2, 4, 4, 1, 4])
    assert counts.tf.indices.tolist() == [0, 1, 0, 1, 0, 1]
    found, near = thresholds(counts, level, 4)
    # Nobody is near 2 of 4, for steps 2 and 3 are empty. "река": one document is near 1 and 2, two are near 3.
    assert found.tolist() == [2, 2]
    assert near.tolist() == [0, 1 / 3]


def test_words_that_are_never_above_a_threshold_have_none():
    counts = count_words(read_words(["мост", "мост река"]))
    found, near = thresholds(counts, np.array([1, 1, 1]), 4)
    assert found.tolist() == [4, 4]
    assert near.tolist() == [1.0, 1.0]


def test_training_drops_the_least_precise_words_while_documents_stay_covered():
    counts = count_words(read_words(["берег мост", "берег мост", "берег река", "снег"]))
    assert counts.tf.indices.tolist() == [0, 1, 0, 1, 0, 2, 3]
    above = np.ones(7, dtype=bool)
    near = np.array([0.5, 0.0, 0.9, 0.0])

    def kept(**parameters):
        return support_words(counts, above, near, DescriptiveWords(fewest=1, **parameters)).tolist()

    # Half of the words go: the two precise ones leave the third document without a bit.
    assert kept(rounds=1, dropped=0.5, coverage=0.7) == [False, True, False, True]
    assert kept(rounds=1, dropped=0.5, coverage=0.8) == [True] * 4
    assert kept(rounds=1, dropped=0.25, coverage=1.0) == [True, True, False, True]


def test_documents_without_a_bit_are_not_all_alike():
    run = method("descr-words").run(Texts.of("", "!!!", "и в на", "мост"))
    assert run.signatures.sizes.tolist() == [0, 0, 0, 1]


def test_the_same_words_in_other_proportions_are_another_document():
    texts = Texts.of("мост мост мост река", "река мост мост мост", "река река река мост")
    assert method("descr-words").run(texts).pairs.as_list() == [(0, 1, 1.0)]
