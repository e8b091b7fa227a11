"""Words, sentences and weights, worked by hand."""

import math

import numpy as np
import pytest

from infostream_dedup.judging.features.fingerprints import (
    count_words,
    normalised_idf,
    tf_idf_weights,
    weights_of_occurrences,
)
from infostream_dedup.judging.features.sentences import (
    fingerprints_of_words,
    leading_words,
    once_each,
    sentence_weights,
    sentences_by_document,
)
from infostream_dedup.judging.features.words import read_words, significant


def test_words_are_key_forms_with_numbers_and_hyphens():
    assert read_words(["Премьер-министр Пётр: 105 млн, з’їзд"]).text(0) == "премьер-министр петр 105 млн зʼїзд"


def test_vocabulary_is_in_code_point_order():
    assert read_words(["яма Арка 12", "арка бор"]).vocabulary == ["12", "арка", "бор", "яма"]


def test_sentences_break_before_punctuation_goes():
    words = read_words(["Мост открыт. Всё.", "", "Снег!"])
    assert (words.breaks.tolist(), words.sentence_documents.tolist()) == ([0, 2, 3, 4], [0, 0, 2])


def test_significant_words_have_four_letters_and_a_meaning():
    words = significant(
        read_words(["Мэр был также в новом доме. Так.", "Which house was it? Це також дім"]), ["ru", "en"]
    )
    assert words.text(0) == "новом доме"
    # Stop words are those of the document's language: the Ukrainian word stays in an English text.
    assert words.text(1) == "house також"
    assert words.breaks.tolist() == [0, 2, 2, 3, 4]


def test_tf_idf_by_hand():
    words = read_words(["мост мост река снег", "снег снег", "река дождь гром"])
    counts = count_words(words)
    weights = counts.rows(tf_idf_weights(counts)).toarray()
    column = words.vocabulary.index("мост")
    tf = 2 / (2 * (0.25 + 0.75 * 4 / 3) + 2)
    assert weights[0, column] == round(tf * math.log(2.5 / 1.5) * 1e9)
    # In two documents of three: ln(1.5 / 2.5) < 0.
    assert weights[0, words.vocabulary.index("река")] < 0
    assert counts.tf_max.tolist() == [2, 2, 1]


def test_weights_are_found_where_words_are():
    words = read_words(["река мост река", "", "мост"])
    assert weights_of_occurrences(count_words(words), words, np.array([10, 20, 30])).tolist() == [20, 10, 20, 30]


def test_normalised_idf_runs_from_one_down():
    idf = normalised_idf(np.array([1, 10, 99]), 99)
    assert idf.tolist() == pytest.approx([1.0, 0.5, 1 - math.log(99) / math.log(100)])


def test_the_heaviest_words_and_ties_by_the_alphabet():
    words = read_words(["река мост берег мост"])
    assert words.vocabulary == ["берег", "мост", "река"]
    chosen = leading_words(count_words(words).tf, 2)
    assert [words.vocabulary[number] for number in chosen.row(0).tolist()] == ["берег", "мост"]


def test_words_of_negative_weight_are_taken_when_there_are_no_others():
    assert leading_words(count_words(read_words(["а б в"])).rows(np.array([-3, -1, -2])), 2).row(0).tolist() == [1, 2]


def test_blanks_keep_words_apart():
    words = read_words(["аб в", "а бв"])
    prints = fingerprints_of_words(leading_words(count_words(words).tf, 6), words.vocabulary, 64)
    assert prints.row(0)[0] != prints.row(1)[0]


def test_sentences_weigh_what_their_occurrences_weigh():
    words = read_words(["Раз два. Два два! ..."])
    counts = count_words(words)
    each = {"раз": 5, "два": 7}
    weights = np.array([each[words.vocabulary[number]] for number in counts.tf.indices])
    found = sentences_by_document(words, sentence_weights(words, weights_of_occurrences(counts, words, weights)))
    assert [(one.text, one.length, one.weight) for one in found[0]] == [("раз два", 2, 12), ("два два", 2, 14)]


def test_of_equal_sentences_the_first_stays():
    found = sentences_by_document(read_words(["Раз. Два. Раз."]), np.zeros(3, dtype=np.int64))[0]
    assert [(one.text, one.place) for one in once_each(found)] == [("раз", 0), ("два", 1)]
