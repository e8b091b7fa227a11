"""TF, TF*IDF, TF*RIDF and Opt Freq, worked by hand."""

import math
from zlib import crc32

import numpy as np
import pytest

from infostream_dedup.judging.features.fingerprints import count_words
from infostream_dedup.judging.features.words import read_words
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.leading_words import optimal_weights, residual_weights


def test_the_most_frequent_words_in_alphabetical_order():
    texts = Texts.of("река мост река берег мост река")
    assert method("tf", words=2).sign(texts).values.tolist() == [crc32("мост река".encode())]


def test_equally_frequent_words_come_by_the_alphabet():
    assert method("tf", words=2).sign(Texts.of("яблоко мост берег")).values.tolist() == [crc32("берег мост".encode())]


def test_fewer_words_than_asked_for_are_all_taken():
    signatures = method("tf", bits=64).sign(Texts.of("мост мост", "мост"))
    assert signatures.values.dtype == np.uint64
    assert signatures.values[0] == signatures.values[1]


def test_tf_idf_takes_rare_words():
    # снег stands in all documents: its IDF is below 0.
    texts = Texts.of("снег снег мост река", "снег гром", "снег туча")
    assert method("tf-idf", words=2).sign(texts).row(0).tolist() == [crc32("мост река".encode())]


def test_residual_idf_by_hand():
    counts = count_words(read_words(["мост мост река", "снег", "снег", "гром"]))
    # мост: in one of four documents, twice in all; the most frequent word of its document.
    expected = math.log(4) + math.log(1 - math.exp(-2 / 4))
    weights = counts.rows(residual_weights(counts)).toarray()
    assert weights[0, 1] == pytest.approx(expected * 1e9, abs=1)
    # река: half as frequent, once in all.
    assert weights[0, 2] == pytest.approx(0.75 * (math.log(4) + math.log(1 - math.exp(-1 / 4))) * 1e9, abs=1)


def test_residual_idf_of_an_even_word_is_negative_and_kept():
    counts = count_words(read_words(["мост снег", "мост", "мост"]))
    weights = counts.rows(residual_weights(counts)).toarray()
    assert weights[1, 0] == pytest.approx(math.log(1 - math.exp(-1)) * 1e9, abs=1)


def test_optimal_frequency_by_hand():
    counts = count_words(read_words(["мост", "снег", "снег", "гром"]))
    idf = math.log(4)
    weights = counts.rows(optimal_weights(counts, 11.5)).toarray()
    assert weights[0, 1] == pytest.approx(math.sqrt(idf / 11.5) * 1e9, abs=1)
    # Rarer than the optimum: the hyperbola.
    weights = counts.rows(optimal_weights(counts, 1.0)).toarray()
    assert weights[0, 1] == pytest.approx(1 / idf * 1e9, abs=1)


def test_the_optimum_decides_which_words_are_taken():
    # Of four documents мост stands in two, река in one: IDF ln 2 and ln 4.
    texts = Texts.of("мост река", "мост", "снег", "гром")
    assert method("opt-freq", words=1).sign(texts).row(0).tolist() == [crc32("река".encode())]
    assert method("opt-freq", words=1, c=0.7).sign(texts).row(0).tolist() == [crc32("мост".encode())]
