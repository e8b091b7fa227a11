"""3+5 and 3+2: their records and every rule for a pair, worked by hand."""

from zlib import crc32

import pytest

from infostream_dedup.judging.features.sentences import DocumentRecord, Sentence, record_pairs, record_rows
from infostream_dedup.judging.features.words import read_words
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.sentences import five_sentences, five_words, frequency_dictionary

FIRST = DocumentRecord(100, 10, [1, 2, 3], [11, 12, 13, 14, 15])


def _linked(second, **changed):
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2, **changed}
    rows = record_rows([FIRST, second], sentences=3, words=5, bits=32)
    a, _, scores = record_pairs(rows, sentences=3, words=5, **rules)
    return scores.tolist() if len(a) else None


def test_an_equal_record_scores_one():
    assert _linked(FIRST) == [1.0]


@pytest.mark.parametrize(("length", "sentences", "longest", "words", "linked"), [
    # Lengths differ by at most 15 percent, numbers of sentences by at most 20.
    (115, 10, [1, 2, 3], [11, 12, 13, 14, 15], True), (116, 10, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (87, 10, [1, 2, 3], [11, 12, 13, 14, 15], True), (86, 10, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (100, 12, [1, 2, 3], [11, 12, 13, 14, 15], True), (100, 13, [1, 2, 3], [11, 12, 13, 14, 15], False),
    (100, 9, [1, 2, 3], [11, 12, 13, 14, 15], True), (100, 8, [1, 2, 3], [11, 12, 13, 14, 15], False),
    # Two words are shared.
    (100, 10, [1, 2, 3], [15, 99, 12], True), (100, 10, [1, 2, 3], [11, 98, 99], False),
    # The longest sentence is the same, or two are shared in any order.
    (100, 10, [1, 8, 9], [11, 12, 13, 14, 15], True), (100, 10, [3, 1, 9], [11, 12, 13, 14, 15], True),
    (100, 10, [9, 2, 8], [11, 12, 13, 14, 15], False), (100, 10, [2, 8, 9], [11, 12, 13, 14, 15], False),
])  # fmt: skip
def test_records_are_linked_within_their_limits(length, sentences, longest, words, linked):
    assert (_linked(DocumentRecord(length, sentences, longest, words)) is not None) == linked


def test_two_of_three_is_for_documents_of_more_than_five_sentences():
    first = DocumentRecord(100, 5, [1, 2, 3], [11, 12])
    rows = record_rows([first, DocumentRecord(100, 6, [3, 2, 9], [11, 12])], sentences=3, words=5, bits=32)
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2}
    assert not len(record_pairs(rows, sentences=3, words=5, **rules)[0])


def test_three_shared_sentences_may_be_asked_for():
    assert _linked(DocumentRecord(100, 10, [3, 1, 9], [11, 12]), shared_sentences=3) is None
    assert _linked(DocumentRecord(100, 10, [3, 1, 2], [11, 12]), shared_sentences=3) is not None


def test_missing_sentences_never_meet():
    short = DocumentRecord(10, 1, [7], [11, 12])
    other = DocumentRecord(10, 1, [8], [11, 12])
    rows = record_rows([short, other], sentences=3, words=5, bits=32)
    rules = {"length_ratio": 1.15, "sentence_ratio": 1.20, "shared_words": 2, "shared_sentences": 2}
    assert not len(record_pairs(rows, sentences=3, words=5, **rules)[0])


def test_the_record_of_three_plus_five():
    text = "Мэр открыл мост. Движение откроет мэрия города. Снег! Снег выпал."
    row = method("three-plus-five").sign(Texts.of(text)).row(0).tolist()
    # Ten words of three letters and more, four sentences.
    assert row[:2] == [10, 4]
    expected = ["движение откроет мэрия города", "открыл мост", "снег выпал"]
    assert row[2] == crc32(expected[0].encode())
    assert set(row[3:5]) == {crc32(sentence.encode()) for sentence in expected[1:]}
    assert row[3] < row[4]
    # Words of 8, 7, 6 and 6 letters; of those of 5 letters the smaller fingerprint.
    prints = [crc32(word.encode()) for word in ("движение", "откроет", "города", "открыл", "мэрия", "выпал")]
    assert row[5:] == [prints[0], prints[1], *sorted(prints[2:4]), min(prints[4:])]
    assert len(row) == 10


def test_the_dictionary_prefers_frequent_then_long_then_early_words():
    words = read_words(["мост река мост берег река снег набережная"])
    assert frequency_dictionary(words, 0, 5) == ["мост", "река", "набережная", "берег", "снег"]


def _sentences(*texts):
    return [Sentence(text, len(text.split()), 0, place) for place, text in enumerate(texts)]


def test_three_sentences_by_dictionary_words_then_two_by_length():
    sentences = _sentences("а б в г д е", "мост река", "мост мост мост мост", "мост река снег", "ж з и к", "л м")
    frequent = ["мост", "река", "снег"]
    assert five_sentences(sentences, frequent, occurrences=False) == [
        "мост река снег", "мост река", "мост мост мост мост", "а б в г д е", "ж з и к",
    ]  # fmt: skip
    assert five_sentences(sentences, frequent, occurrences=True)[0] == "мост мост мост мост"


def test_three_words_of_the_dictionary_then_the_longest():
    words = read_words(["мост мост река река снег снег набережная вокзал мост"])
    frequent = frequency_dictionary(words, 0, 10)
    assert five_words(words, 0, frequent) == ["мост", "река", "снег", "набережная", "вокзал"]


def test_n_of_three_plus_two_trades_recall_for_precision():
    lines = [f"Мост река снег номер{number} часть{number} город{number}." for number in range(7)]
    other = [f"Совсем другие слова город{number} вместо часть{number} тех." for number in range(7)]
    first = " ".join(lines)
    # The dictionary words are in all lines; two of the chosen five stay.
    row = method("three-plus-two").sign(Texts.of(first)).row(0)
    kept = [line for line in lines if crc32(_significant(line).encode()) in set(row[3:7].tolist())][:2]
    assert len(kept) == 2
    second = " ".join([*kept, *other[:5]])
    texts = Texts.of(first, second)
    rules = {"shared_words": 0, "length_ratio": 10.0}
    shared = set(method("three-plus-two").sign(texts).row(0)[2:7]) & set(
        method("three-plus-two").sign(texts).row(1)[2:7]
    )
    assert len(shared) == 2
    assert len(method("three-plus-two", n=2, **rules).run(texts).pairs) == 1
    assert len(method("three-plus-two", n=3, **rules).run(texts).pairs) == 0


def _significant(line):
    return line.rstrip(".").lower()


def test_fewer_than_five_sentences_are_kept_by_length():
    text = "Снег выпал. Мэр города открыл новый мост."
    row = method("three-plus-two").sign(Texts.of(text)).row(0).tolist()
    assert row[2:4] == [crc32("города открыл новый мост".encode()), crc32("снег выпал".encode())]
    assert row[4:7] == [0, 0, 0]
