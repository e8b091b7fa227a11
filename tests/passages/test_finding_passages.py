"""Documents in, passages out."""

from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.passages import PassageSettings, copied_sentences, find_passages, passages_of
from infostream_dedup.judging.passages.sentence_table import read_collection
from infostream_dedup.model import Document

QUOTE = "Мэр города открыл вчера новый мост через широкую реку."
SECOND = "На церемонии выступали школьники и ветераны из соседних районов."


def _document(name, text, day=None):
    return Document(id=name, text=text, time=None if day is None else datetime(2024, 1, day, tzinfo=UTC))


def test_who_copied_from_whom():
    documents = [_document("late", QUOTE, 9), _document("undated", QUOTE), _document("early", QUOTE, 2)]
    rows = [(row["a"], row["b"]) for row in find_passages(documents).as_dicts()]
    assert rows == [("late", "undated"), ("undated", "early"), ("early", "late")]


def test_titles_take_no_part():
    assert len(find_passages([Document(id="1", text="Снег.", title=QUOTE), Document(id="2", text=QUOTE)])) == 0


def test_sentences_can_be_left_out():
    collection = read_collection([_document("1", f"{QUOTE} {SECOND}"), _document("2", f"{QUOTE} {SECOND}")])
    without = np.array([True, False, False, False])
    found = passages_of(collection, without=without)
    assert [(row["sentences"], row["coverage_a"]) for row in found.as_dicts()] == [(1, 0.5)]
    assert copied_sentences(collection.sentences, without=without).pairs().tolist() == [[1, 3]]
    assert copied_sentences(collection.sentences).pairs().tolist() == [[0, 2], [1, 3]]


def test_edited_sentences_are_copies_by_tau():
    documents = [_document("1", QUOTE), _document("2", QUOTE.replace("широкую", "узкую"))]
    assert len(find_passages(documents, PassageSettings(tau=0.4))) == 1
    assert len(find_passages(documents, PassageSettings(tau=0.9))) == 0
    assert len(find_passages(documents, PassageSettings(feature="exact"))) == 0


@pytest.mark.parametrize("feature", ["shingles", "low-idf-sig", "exact", "i-match", "spotsigs:c=1"])
def test_every_feature_finds_whole_sentences(feature):
    documents = [_document("1", f"{QUOTE} {SECOND} Ура."), _document("2", f"Нет. {QUOTE} {SECOND}")]
    rows = list(find_passages(documents, PassageSettings(feature=feature)).as_dicts())
    assert [row["sentences"] for row in rows] == [2]


def test_an_unknown_feature():
    with pytest.raises(ConfigurationError, match="feature is 'md5'; expected one of"):
        find_passages([], PassageSettings(feature="md5"))


SENTENCES = st.sampled_from(
    [
        QUOTE, SECOND, "Ёлку 🎄 убрали с пло\u0301щади только к началу весны этого года!",
        "А\u00adгентство сообщает со ссылкой на «источники» в пра\u00adвительстве области.", "Short one.",
        "П'ять міст об’єднали зусилля заради нового шляху до самого моря?",
    ]
)  # fmt: skip
BETWEEN = st.sampled_from([" ", "\n", "\r\n", "\r", "\u2028", "\n\n \t", "\x85", "\u00a0 "])


@given(st.lists(st.lists(st.tuples(SENTENCES, BETWEEN), max_size=5), min_size=2, max_size=3))
def test_spans_read_back_on_both_sides(drawn):
    texts = ["".join(sentence + between for sentence, between in document) for document in drawn]
    found = find_passages([_document(str(number), text) for number, text in enumerate(texts)])
    whole = [{sentence for sentence, _ in document} for document in drawn]
    for pair in found.document_pairs():
        for passage in pair.passages:
            sides = texts[pair.a][passage.start_a : passage.end_a], texts[pair.b][passage.start_b : passage.end_b]
            for text, sentences in zip(sides, (whole[pair.a], whole[pair.b]), strict=True):
                assert any(text.startswith(sentence) for sentence in sentences)
                assert any(text.endswith(sentence) for sentence in sentences)
        assert 0 < pair.coverage_a <= 1
        assert 0 < pair.coverage_b <= 1
    shared = {
        (one, other)
        for one in range(len(texts))
        for other in range(one + 1, len(texts))
        if (whole[one] & whole[other]) - {"Short one."}
    }
    short = {pair for pair in combinations(range(len(texts)), 2) if "Short one." in whole[pair[0]] & whole[pair[1]]}
    # Short sentences one after another may be a passage.
    assert shared <= {(pair.a, pair.b) for pair in found.document_pairs()} <= shared | short
