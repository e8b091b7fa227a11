"""Sentences with the places where they stand in the raw text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages.sentence_table import read_sentences, word_sequence_hashes
from infostream_dedup.language.text.normalise import clean, fold
from infostream_dedup.language.text.tokens import surfaces

LETTERS = "абвгеёжийіїєґщьыэюяАБВЁЇabcxyzABCİǅßK09"
ODD = "\r\n\u2028\u2029\x85\x0b\x0c\t \u00a0\u00ad\u0301\u0308\u200b\u200d\ufeff👩‍👩‍👧🇺🇦.!?…;,-«»\"'’(){}<>%&@"


def _sentences(text):
    return [text[start:end] for start, end in read_sentences([text], ["ru"]).spans(0)]


def _words(table, sentence):
    return table.words.text(sentence).split()


def test_sentences_and_words_by_hand():
    table = read_sentences(["Снег! *** Зима пришла.", "", "Un mot. Пётр"], ["ru", "ru", "en"])
    assert (table.first.tolist(), table.documents.tolist()) == ([0, 2, 2, 4], [0, 0, 2, 2])
    assert table.spans(0) == [(0, 5), (6, 22)]
    assert [_words(table, number) for number in range(4)] == [["снег"], ["зима", "пришла"], ["un", "mot"], ["петр"]]
    assert (table.lengths.tolist(), table.document_lengths.tolist()) == ([1, 2, 2, 1], [3, 0, 3])
    assert table.sentence_languages == ["ru", "ru", "en", "en"]


def test_every_kind_of_line_end_ends_a_sentence():
    for end in ["\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c"]:
        assert _sentences(f"Заголовок{end}Первая фраза.{end}Вторая") == ["Заголовок", "Первая фраза.", "Вторая"]


def test_nothing_before_a_sentence_shifts_it():
    for mark in [
        "👩‍👩‍👧", "🇺🇦", "\u0301", "\u00ad", "\ufeff", "e\u0301", "\u200b", "\r\n", "&nbsp;", "https://a.b/c?d.",
    ]:  # fmt: skip
        copied = "Мэр открыл новый мост."
        text = f"{mark}Да {mark}. {mark}\n{copied}\nДа {mark}"
        table = read_sentences([text], ["ru"])
        start = text.index(copied)
        assert (start, start + len(copied)) in table.spans(0)


def test_combining_marks_stay_inside_the_span_and_outside_of_the_words():
    text = "Боя\u0301рский за\u00admок. Ещё"
    table = read_sentences([text], ["ru"])
    assert text[slice(*table.spans(0)[0])] == "Боя\u0301рский за\u00admок."
    assert _words(table, 0) == ["боярский", "замок"]


def test_a_long_list_is_cut_into_items():
    found = _sentences("Список: " + "; ".join(f"улица номер {number} дом" for number in range(20)) + ".")
    assert (len(found), found[1], found[-1]) == (20, "улица номер 1 дом;", "улица номер 19 дом.")


@given(st.lists(st.text(LETTERS + ODD, max_size=60), max_size=4))
def test_spans_are_in_the_text_and_hold_their_words(texts):
    table = read_sentences(texts, ["uk"] * len(texts))
    for document, text in enumerate(texts):
        before = 0
        for sentence, (start, end) in enumerate(table.spans(document), start=int(table.first[document])):
            assert before <= start < end <= len(text)
            assert not text[start].isspace()
            assert not text[end - 1].isspace()
            assert _words(table, sentence)
            before = end


@given(st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=30))
def test_words_are_the_key_forms(words):
    text = " ".join(words)
    table = read_sentences([text], ["ru"])
    expected = [fold(word) for word in clean(text).split()]
    # Marks and signs that are no letters cut a word; here only whole words of letters are drawn.
    found = [word for sentence in range(len(table)) for word in _words(table, sentence)]
    assert "".join(found) == "".join("".join(filter(str.isalnum, word)) for word in expected)


def test_equal_word_sequences_have_equal_hashes_and_others_do_not():
    table = read_sentences(["Мэр открыл мост. Мэр ОТКРЫЛ, мост! Мост открыл мэр. Мэр открыл."], ["ru"])
    hashes = word_sequence_hashes(table.words)
    assert hashes[0] == hashes[1]
    assert len(np.unique(hashes)) == 3


def test_surfaces_of_a_span_are_those_of_the_sentence():
    text = "Раз два.\r\nТри 👍 четыре!"
    assert [surfaces(sentence) for sentence in _sentences(text)] == [surfaces("Раз два."), surfaces("Три 👍 четыре!")]


def test_comments_scripts_and_style_sheets_are_no_sentences():
    block = "<script>let a = 1. Let b = 2.</script><!-- wp:paragraph. Да. --><style>p {}. Нет.</style>"
    text = f"{block}Снег пошёл. {block}Зима{block} пришла."
    table = read_sentences([text])
    assert [text[start:end] for start, end in table.spans(0)] == ["Снег пошёл.", f"Зима{block} пришла."]
    assert [table.words.vocabulary[one] for one in table.words.rows.values] == ["снег", "пошел", "зима", "пришла"]
