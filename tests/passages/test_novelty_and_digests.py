"""What is new in a document, and what is made of others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages import copied_sentences, passages_of
from infostream_dedup.judging.passages.passage_table import DigestRule, find_digests
from infostream_dedup.judging.passages.provenance import novel_words, novelties, stream_order
from infostream_dedup.judging.passages.sentence_table import read_collection
from infostream_dedup.model import NO_TIME, Document
from tests.passages.test_finding_passages import _document

BRIDGE = "Мэр города открыл вчера новый мост через широкую реку."
CEREMONY = "На церемонии выступали школьники и ветераны из соседних районов."
SNOW = "Синоптики обещают на выходных сильный снег и метель в горах."
BUDGET = "Парламент принял во втором чтении бюджет страны на будущий год."
FOOTBALL = "Сборная выиграла решающий матч отборочного турнира со счётом два ноль."
FARE = "Проезд в городском транспорте подорожает до 25 рублей с января будущего года."


def _novel(documents):
    collection = read_collection(documents)
    classes = copied_sentences(collection.sentences)
    novel = novel_words(collection.sentences, classes, stream_order(collection.times))
    return [
        found.as_dict(documents[found.document].id, documents[found.document].text)
        for found in novelties(collection.sentences, novel)
    ]


def _digests(documents, **rule):
    collection = read_collection(documents)
    found = find_digests(passages_of(collection), collection.times, DigestRule(**rule))
    return [digest.as_dict(collection.ids) for digest in found]


def test_order_is_time_then_input():
    assert stream_order(np.array([NO_TIME, 5, NO_TIME, 3, 5], dtype=np.int64)).tolist() == [0, 2, 3, 1, 4]


def test_novel_is_what_no_earlier_document_has():
    rows = _novel([_document("late", f"{BRIDGE} {SNOW}", 9), _document("early", f"👍 {BRIDGE}\n{CEREMONY}", 2)])
    late, early = rows
    assert [one["text"] for one in late["spans"]] == [SNOW]
    assert late["spans"][0]["span"] == [len(BRIDGE) + 1, len(BRIDGE) + 1 + len(SNOW)]
    assert (late["id"], late["novel"], late["sentences"], late["novel_share"]) == ("late", 1, 2, round(10 / 19, 6))
    assert (early["novel"], early["novel_share"]) == (2, 1.0)


def test_a_changed_word_is_not_new_but_another_sentence_is():
    rows = _novel([_document("1", SNOW), _document("2", SNOW.replace(" в горах", "") + f" {BUDGET}")])
    assert [one["text"] for one in rows[1]["spans"]] == [BUDGET]


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ("Мэр города открыл вчера новый мост, а подрядчик пожаловался на долги.", ["а подрядчик пожаловался на долги"]),
        ("Как сообщили в полиции, мэр города открыл вчера новый мост.", ["Как сообщили в полиции"]),
        (BRIDGE.replace("вчера новый", "новый"), []),
        ("The snow fell on the old town and nobody went out at night.", ["The snow fell on the old town and nobody"]),
        (FARE.replace("25", "31"), ["31"]),
        (
            FARE.replace("с января", "с января, как и обещали водители трамваев,"),
            ["как и обещали водители трамваев, будущего года"],
        ),
    ],
)
def test_half_of_a_sentence_and_a_number_may_be_new(said, new):
    english = "Weather.  The shops are shut, went out at night."
    rows = _novel([_document("1", f"{BRIDGE} {FARE} {english}"), _document("2", said)])
    assert [one["text"] for one in rows[1]["spans"]] == new
    assert rows[1]["novel"] == (len(new) > 0)


def test_a_document_may_repeat_itself_and_be_empty():
    rows = _novel([_document("1", f"{BRIDGE} {BRIDGE}"), _document("2", "")])
    assert [(row["novel"], row["novel_share"]) for row in rows] == [(2, 1.0), (0, None)]


@given(st.lists(st.lists(st.sampled_from([BRIDGE, CEREMONY, SNOW, BUDGET]), max_size=4), max_size=6))
def test_novelty_equals_the_plain_definition(texts):
    documents = [_document(str(number), " ".join(text)) for number, text in enumerate(texts)]
    expected = [
        [sentence for sentence in text if not any(sentence in earlier for earlier in texts[:number])]
        for number, text in enumerate(texts)
    ]
    assert [[one["text"] for one in row["spans"]] for row in _novel(documents)] == expected


SOURCES = [_document("snow", SNOW, 1), _document("bridge", f"{BRIDGE} {CEREMONY}", 1), _document("budget", BUDGET, 2)]


def test_a_digest_names_its_sources_in_order():
    digest = _document("digest", f"Главное за день.\n{BUDGET}\n{BRIDGE}\n{SNOW}", 3)
    rows = _digests([digest, *SOURCES, _document("reprint", BUDGET, 3)])
    assert [row["id"] for row in rows] == ["digest"]
    assert [part["id"] for part in rows[0]["sources"]] == ["budget", "bridge", "snow"]
    assert rows[0]["share"] == round(29 / 32, 6)
    assert [digest.text[slice(*part["spans"][0])] for part in rows[0]["sources"]] == [BUDGET, BRIDGE, SNOW]
    assert sum(part["share"] for part in rows[0]["sources"]) == pytest.approx(rows[0]["share"], abs=1e-5)


def test_what_is_not_a_digest():
    whole = f"{BUDGET} {BRIDGE} {SNOW}"
    early = _document("early", whole, 1)
    assert _digests([early, *(_document(str(n), s, 2) for n, s in enumerate((BUDGET, BRIDGE, SNOW)))]) == []
    assert _digests([*SOURCES[:2], _document("two", f"{BRIDGE} {SNOW}", 3)]) == []
    reprint = [_document("first", whole, 1), *SOURCES, _document("again", whole, 4)]
    assert [row["id"] for row in _digests(reprint)] == []
    mostly_own = _document("own", f"{whole} " + " ".join(f"Слово{n} стоит тут само." for n in range(12)), 3)
    assert _digests([*SOURCES, mostly_own]) == []
    assert len(_digests([*SOURCES, mostly_own], least_share=0.3)) == 1


def test_sources_of_the_same_time_may_come_later():
    whole = _document("digest", f"{BUDGET} {BRIDGE} {SNOW}", 2)
    parts = [_document(str(n), s, 2) for n, s in enumerate((BUDGET, BRIDGE, SNOW, FOOTBALL))]
    assert [part["id"] for part in _digests([whole, *parts])[0]["sources"]] == ["0", "1", "2"]
    undated = [Document(id=one.id, text=one.text) for one in (whole, *parts)]
    assert [row["id"] for row in _digests(undated)] == ["digest"]


def test_digests_never_name_each_other():
    school = "Новая школа примет осенью четыреста учеников из трёх посёлков."
    sentences = (BRIDGE, CEREMONY, SNOW, BUDGET, FOOTBALL, school)
    parts = [Document(id=str(number), text=text) for number, text in enumerate(sentences)]
    one = Document(id="one", text=" ".join(sentences[:4]))
    other = Document(id="other", text=" ".join((*sentences[:2], *sentences[4:])))
    rows = {row["id"]: [part["id"] for part in row["sources"]] for row in _digests([other, one, *parts])}
    # Either could take the first two sentences from the other.
    assert rows == {"other": ["one", "4", "5"], "one": ["0", "1", "2", "3"]} or rows == {
        "one": ["other", "2", "3"],
        "other": ["0", "1", "4", "5"],
    }
