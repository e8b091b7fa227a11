"""Edited copies have the edits that were asked for, at their rate, and no others."""

from random import Random

import pytest

from infostream_dedup import Document
from infostream_dedup.lab.estimation.planting import EDITS, Vocabulary, edited, sentences_of

SENTENCES = [f"Строители моста номер {number} закончили строительство опоры." for number in range(10, 110)]
ORIGINAL = Document(id="1", title="Мост", text=" ".join(SENTENCES))
VOCABULARY = Vocabulary(["Строителям, строительства, закончим. Опорами и опорам. Чужое предложение."])


def _copy(edit, rate):
    return edited(ORIGINAL, edit, rate, VOCABULARY, Random(4))  # noqa: S311


@pytest.mark.parametrize("edit", EDITS)
def test_nothing_is_changed_at_rate_0(edit):
    assert _copy(edit, 0.0).text == ORIGINAL.text


def test_cuts_leave_sentences_out():
    kept = sentences_of(_copy("cuts", 0.3).text)
    assert 60 <= len(kept) <= 80
    assert kept == [one for one in SENTENCES if one in kept]
    assert sentences_of(_copy("cuts", 1.0).text) == SENTENCES[:1]


def test_additions_come_from_other_documents():
    found = sentences_of(_copy("additions", 0.3).text)
    assert [one for one in found if one in SENTENCES] == SENTENCES
    assert 120 <= len(found) <= 140
    assert set(found) - set(SENTENCES) <= set(VOCABULARY.sentences)


def test_words_are_replaced_by_words_that_begin_alike():
    found = sentences_of(_copy("word forms", 1.0).text)
    assert len(found) == len(SENTENCES)
    first = {one.split()[0] for one in found}
    assert first <= {"Строителям", "Строительства"}
    assert all(one.split()[1] == "моста" for one in found)


def test_numbers_keep_their_length():
    changed = sentences_of(_copy("numbers", 1.0).text)
    pairs = [(one.split()[3], other.split()[3]) for one, other in zip(SENTENCES, changed, strict=True)]
    assert all(len(one) == len(other) for one, other in pairs)
    assert sum(one != other for one, other in pairs) > 80
