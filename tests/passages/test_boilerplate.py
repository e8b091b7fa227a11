"""Sentences that a source repeats: found, listed, read, left out."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.judging.passages.boilerplate import (
    Boilerplate,
    BoilerplateRule,
    ListedSentence,
    find_boilerplate,
    marked_sentences,
    read_boilerplate,
)
from infostream_dedup.judging.passages.sentence_table import read_collection
from infostream_dedup.model import Document

PHRASE = "Подписывайтесь на наш канал!"
NEWS = "Мэр города открыл новый мост."


def _found(documents, **rule):
    return find_boilerplate(documents, read_collection(documents).sentences, BoilerplateRule(**rule))


def _texts(count, phrase=PHRASE, source="a.md", day=lambda number: number + 1):
    return [
        Document(
            id=f"{source}{number}", text=f"Новость номер {number} о погоде. {phrase}", source=source,
            time=datetime(2024, 1, day(number), tzinfo=UTC) if day else None,
        )
        for number in range(count)
    ]  # fmt: skip


def test_what_a_source_repeats_is_boilerplate():
    found = _found([*_texts(5), Document(id="other", text="Снег пошёл в горах.", source="a.md")])
    assert [row.as_dict() for row in found] == [
        {
            "source": "a.md", "sentence": PHRASE, "documents": 5, "share": round(5 / 6, 6),
            "first": "2024-01-01T00:00:00+00:00", "last": "2024-01-05T00:00:00+00:00", "checksum": found[0].checksum,
        }
    ]  # fmt: skip


def test_what_many_sources_reprint_is_not_boilerplate():
    documents = [Document(id=str(number), text=f"{number}. {NEWS}", source=f"{number}.md") for number in range(9)]
    assert _found(documents) == []


def test_a_text_published_again_counts_once():
    assert _found([Document(id=str(number), text=f"{NEWS} {PHRASE}", source="a.md") for number in range(9)]) == []


def test_days_count_where_they_are_known():
    assert _found(_texts(6, day=lambda number: 1 + number % 2)) == []
    assert len(_found(_texts(6, day=lambda number: 1 + number % 2), min_days=2)) == 1
    assert len(_found(_texts(6, day=None))) == 1


def test_thresholds():
    assert _found(_texts(4)) == []
    assert len(_found(_texts(4), min_documents=4)) == 1
    assert _found(_texts(9), min_documents=10) == []
    others = [Document(id=f"o{n}", text=f"Чем живёт {n} посёлок сегодня.", source="a.md") for n in range(45)]
    assert len(_found([*_texts(5), *others], min_share=0.1)) == 1
    assert _found([*_texts(5), *others], min_share=0.11) == []
    assert _found(_texts(5, phrase="Подробнее.")) == []
    assert len(_found(_texts(5, phrase="Подробнее."), min_words=1)) == 1
    for wrong in ({"min_documents": 1}, {"min_share": 2.0}, {"min_days": 0}, {"min_words": 0}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            BoilerplateRule(**wrong)


def test_only_the_own_source_loses_its_sentences():
    listed = Boilerplate([ListedSentence("a.md", PHRASE), ListedSentence(None, "Все права защищены.")])
    text = f"{NEWS} {PHRASE} Все права защищены"
    left = listed.left_out(Document(id=source or "", text=text, source=source) for source in ("a.md", "b.md", None))
    assert [document.text.split() for document in left] == [
        NEWS.split(), f"{NEWS} {PHRASE}".split(), f"{NEWS} {PHRASE}".split(),
    ]  # fmt: skip


def test_other_fields_and_texts_stay():
    document = Document(id="1", text=NEWS, title=PHRASE, source="a.md", url="https://a.md/1", extra={"x": 1})
    assert list(Boilerplate([ListedSentence(None, PHRASE)]).left_out([document])) == [document]


@given(st.lists(st.booleans(), max_size=12))
def test_exactly_the_listed_sentences_go(choice):
    words = "снег дождь град туман мороз ветер гроза радуга иней роса буря зной".split()
    rest = [f"Сегодня {word} над городом." for word, chosen in zip(words, choice, strict=False) if not chosen]
    text = " ".join(
        f"Реклама: наш {word}!" if chosen else f"Сегодня {word} над городом."
        for word, chosen in zip(words, choice, strict=False)
    )
    listed = Boilerplate(ListedSentence(None, f"РЕКЛАМА наш {word}") for word in words)
    assert next(listed.left_out([Document(id="1", text=text)])).text.split() == " ".join(rest).split()


def test_what_is_found_is_left_out_again(tmp_path):
    documents = _texts(5)
    rows = _found(documents)
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join(json.dumps(row.as_dict(), ensure_ascii=False) for row in rows), encoding="utf-8")
    left = list(read_boilerplate(path).left_out(documents))
    assert [one.text for one in left] == [one.text.removesuffix(PHRASE) for one in documents]
    collection = read_collection(documents)
    assert marked_sentences(path, collection).tolist() == [False, True] * 5
    assert marked_sentences(None, collection) is None


def test_a_tab_separated_list(tmp_path):
    path = tmp_path / "list.tsv"
    path.write_bytes(f"\ufeffsource\tsentence\r\n\r\na.md\t{PHRASE}\r\n\tВсе права защищены\r\n".encode())
    listed = read_boilerplate(path)
    documents = [Document(id="1", text=f"{PHRASE} Все права защищены.", source=source) for source in ("a.md", "b.md")]
    assert [one.text.strip() for one in listed.left_out(documents)] == ["", PHRASE]


@pytest.mark.parametrize("separator", [",", ";"])
def test_a_list_of_a_spreadsheet(tmp_path, separator):
    path = tmp_path / "list.CSV"
    rows = ("sentence", "source"), (f'"{PHRASE}, ""все"" права; защищены"', "a.md"), ("Пишите нам", "")
    path.write_text("\ufeff" + "\r\n".join(map(separator.join, rows)) + "\r\n", encoding="utf-8")
    listed = read_boilerplate(path)
    text = f'{PHRASE}, "все" права; защищены. Пишите нам.'
    documents = [Document(id="1", text=text, source=source) for source in ("a.md", "b.md")]
    assert [one.text.strip() for one in listed.left_out(documents)] == ["", text.removesuffix(" Пишите нам.")]


@pytest.mark.parametrize(("name", "content", "message"), [
    ("l.csv", b'sentence\n"a b', r"l\.csv:\d: not a table"),
    ("l.csv", b"sentence,source\nx", r"l\.csv:2: 1 columns; the header has 2"),
    ("l.jsonl", b"{", r"l\.jsonl:1: not JSON"), ("l.jsonl", b"\n[]", r"l\.jsonl:2: found a list"),
    ("l.jsonl", b"\xff", r"l\.jsonl:1: not JSON"),
    ("l.jsonl", b"{}", r"l\.jsonl:1: field 'sentence': expected a sentence"),
    ("l.jsonl", b'{"sentence": "..."}', r"field 'sentence'"),
    ("l.jsonl", b'{"sentence": "a b", "source": 1}', r"field 'source': expected the name of a source"),
    ("l.tsv", b"phrase\nx", r"l\.tsv:1: the header is \['phrase'\]"),
    ("l.tsv", b"source\tsentence\nx", r"l\.tsv:2: 1 columns; the header has 2"),
    ("l.tsv", b"\xff", r"l\.tsv:1: not UTF-8"),
])  # fmt: skip
def test_a_bad_list_says_where_and_what(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadDataError, match=message):
        read_boilerplate(tmp_path / name)


def test_a_list_that_is_not_there(tmp_path):
    with pytest.raises(NoInputError, match="list_boilerplate"):
        read_boilerplate(tmp_path / "none.jsonl")


def test_a_digest_distinguishes_lists():
    one, two = ListedSentence("a.md", "Читайте нас"), ListedSentence(None, "Пишите нам")
    digest = Boilerplate([one, two]).digest
    assert len(digest) == 32
    assert Boilerplate([two, ListedSentence("a.md", "читайте  нас!", documents=7), two]).digest == digest
    others = [[], [one], [two], [ListedSentence(None, one.sentence), two], [one, ListedSentence("a.md", two.sentence)]]
    assert len({digest, *(Boilerplate(other).digest for other in others)}) == 6


def test_a_line_of_ours_that_was_changed_is_refused(tmp_path):
    line = ListedSentence("a.md", PHRASE, 5, 0.5).as_dict()
    path = tmp_path / "list.jsonl"
    for field, value in (("sentence", PHRASE.replace("к", "н", 1)), ("source", "b.md"), ("source", None)):
        path.write_text(json.dumps(line | {field: value}), encoding="utf-8")
        with pytest.raises(BadDataError, match="does not match its checksum"):
            read_boilerplate(path)
    # What decides nothing may change, and so may a list that a person took over.
    for row in (line | {"documents": 7}, {"sentence": "Иначе.", "source": "a.md"}):
        path.write_text(json.dumps(row), encoding="utf-8")
        read_boilerplate(path)
    table = tmp_path / "list.tsv"
    table.write_text("\t".join(line) + "\n" + "\t".join(str(value or "") for value in line.values()), encoding="utf-8")
    read_boilerplate(table)
    table.write_text(table.read_text(encoding="utf-8").replace(PHRASE, PHRASE[1:]), encoding="utf-8")
    with pytest.raises(BadDataError, match="does not match its checksum"):
        read_boilerplate(table)
    assert ListedSentence(None, "x").checksum == ListedSentence("", "x").checksum
