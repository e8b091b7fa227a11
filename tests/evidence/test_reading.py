"""Compiled reading against the plain one, and the plain one against cases worked by hand."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, lent_evidence, read_evidence
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.model import Document
from tests.oracles.plain_reading import date_hash, figure_hash, in_one_alphabet, read_plainly, skeleton_code, word_hash

LISTS = ("triples", "numbers", "names", "lead", "body")


def compare(documents: Sequence[Document]) -> RawEvidence:
    """Read documents both ways and return what the compiled code found."""
    texts, title_ends = evidence_texts(documents)
    raw = read_evidence(texts, title_ends)
    for number in range(len(documents)):
        title = texts.data[texts.offsets[number] : title_ends[number]].tobytes().decode()
        plain = read_plainly(texts[number], len(title))
        for place, name in enumerate(LISTS):
            begin, end = raw.ends[number, place], raw.ends[number + 1, place]
            assert getattr(raw, name)[begin:end].tolist() == getattr(plain, name), (documents[number], name)
        assert raw.tokens[number].tolist() == [plain.tokens, plain.title_figures]
        assert raw.titles[number].tolist() == [plain.title, plain.title_form]
    return raw


def figures(*written: str) -> list[int]:
    return sorted(figure_hash(one) for one in written)


def day(day_: int, month: int) -> int:
    return date_hash(month * 32 + day_)


def test_numbers_and_dates() -> None:
    for text, expected in [
        ("стоит17,76 лея", figures("17.76")), ("12 300 человек", figures("12300")),
        ("1,200 people, 1.200 and 1200", figures("1200")), ("1,234.50", figures("1234.5")),
        ("007 и 5,0", figures("7", "5")), ("версия 1.2.3.4", figures("1.2.3.4")), ("счёт 6:4", figures("6", "4")),
        ("17 апреля", [day(17, 4)]), ("April 17 and 5 May", sorted([day(17, 4), day(5, 5)])),
        ("05.03.26", sorted([day(5, 3), date_hash(2026)])), ("2024-05-06", sorted([day(6, 5), date_hash(2024)])),
        ("в 2024 году", [date_hash(2024)]), ("курс 17.04", figures("17.04")),
        ("41.04.2024 нет такого дня", figures("41.04.2024")),
    ]:  # fmt: skip
        assert [number & ~HEAD_BIT for number in read_plainly(text, 0).numbers] == expected
        compare([Document(id="1", text=text)])


def test_a_day_and_month_is_a_date_in_the_title_and_a_figure_elsewhere() -> None:
    plain = read_plainly("Курс на 17.04\nОдин за 17.04", len("Курс на 17.04"))
    assert [number & ~HEAD_BIT for number in plain.numbers] == sorted([day(17, 4), figure_hash("17.04")])
    assert all(number & HEAD_BIT for number in plain.numbers)


def test_numbers_far_from_the_title_are_not_in_the_head() -> None:
    far = read_plainly("слово " * 40 + "17 апреля", 0).numbers
    assert far == [day(17, 4)]
    assert far[0] & DATE_BIT


def test_names_do_not_open_a_sentence() -> None:
    plain = read_plainly("Вчера президент Зеленский был в Киеве. Вашингтон молчит, пишет В. Иванов", 0)
    assert plain.names == sorted({skeleton_code(name) for name in ("зеленскии", "киеве", "иванов")})


def test_a_headline_in_capitals_has_no_names_but_an_acronym_is_one() -> None:
    assert read_plainly("вот ПРЕЗИДЕНТ и НАТО", 0).names == [skeleton_code("нато")]


@pytest.mark.parametrize(("one", "other"), [("шойгу", "shoigu"), ("киев", "kiev"), ("хабаровск", "khabarovsk")])
def test_a_name_has_one_skeleton_in_both_alphabets(one: str, other: str) -> None:
    assert skeleton_code(one.replace("й", "и")) == skeleton_code(other) > 0


def test_glued_words_and_marks_come_apart() -> None:
    glued, plain = read_plainly("пишетАгора за\u0301мок п\u2019ять", 0), read_plainly("пишет агора замок пять", 0)
    assert glued.triples == plain.triples
    assert glued.body == plain.body == sorted(word_hash(word) >> 32 for word in ("пишет", "агора", "замок", "пять"))


@pytest.mark.parametrize(("one", "other"), [
    ("Курс валют на 17 апреля", "Курс валют на 18 мая 2024 года"),
    ("Отключат свет 17 апреля", "Отключат свет в среду 18 апреля"), ("5-й день войны", "6-й день войны"),
    ("Погода на 17.04", "ПОГОДА НА 18.04.2024"),
])  # fmt: skip
def test_dated_titles_have_one_form(one: str, other: str) -> None:
    first, second = (read_plainly(title, len(title)) for title in (one, other))
    assert first.title != second.title
    assert first.title_form == second.title_form != 0


@pytest.mark.parametrize(("disguised", "plain"), [
    ("Cрочнo: пoжар в Mocквe", "Срочно: пожар в Москве"), ("HАСА зaпуcтилo pакeту", "НАСА запустило ракету"),
    ("мiнicтp Ліcовий", "міністр Лісовий"), ("Mоldоva wins", "Moldova wins"),
])  # fmt: skip
def test_a_disguised_word_is_written_in_one_alphabet(disguised: str, plain: str) -> None:
    compare([Document(id="1", text=disguised, title=disguised)])
    assert read_plainly(disguised, 0) == read_plainly(plain, 0)


@pytest.mark.parametrize("word", ["wвоя", "ДZ", "зaдaчas", "чтоd"])
def test_a_word_with_a_letter_of_its_own_in_each_alphabet_stays(word: str) -> None:
    assert in_one_alphabet(word.lower(), [letter.isupper() for letter in word]) == word.lower()


def test_short_texts_have_a_triple_and_empty_ones_none() -> None:
    assert [len(read_plainly(text, 0).triples) for text in ("", "!", "одно", "два слова", "целых три слова")] == [
        0, 0, 1, 1, 1,
    ]  # fmt: skip


def test_lead_is_the_first_twenty_long_words() -> None:
    words = [f"{letter}бвгд" for letter in "абвгдежзиклмнопрстуфхцчшщ"]
    plain = read_plainly("и " + " ".join(words), 0)
    assert plain.lead == sorted(word_hash(word) >> 32 for word in words[:20])
    assert len(plain.body) == len(words)


_LETTERS = "абвАБВйёоОсСнНТтуі xXhHpPsScCzZkKeETiyø אя 0123456789 .,-/'’\n!?…\u00ad\u0301\U0001f600<&"
_PIECES = st.sampled_from([*_LETTERS, "17 апреля", "April ", "2024", "05.03.26", "12 300", "¶", "Ю"])


@given(st.lists(st.tuples(st.lists(_PIECES, max_size=12), st.lists(_PIECES, max_size=60)), min_size=1, max_size=20))
def test_compiled_reading_equals_plain_reading(drawn: list[tuple[list[str], list[str]]]) -> None:
    compare([Document(id=str(n), text="".join(text), title="".join(title)) for n, (title, text) in enumerate(drawn)])


def test_a_title_repeated_by_the_text_is_read_once() -> None:
    texts = ("Заголовок и текст", "и текст")
    raw = compare([Document(id=str(n), text=text, title="Заголовок") for n, text in enumerate(texts)])
    assert raw.tokens.tolist() == [[3, 0], [3, 0]]
    assert raw.titles[0].tolist() == raw.titles[1].tolist()
    assert np.array_equal(raw.triples_of(0), raw.triples_of(1))


TITLES = st.sampled_from(["", "Заголовок", "a<b", "x@y.md", "Киев:"])
BODIES = st.sampled_from(["", "Заголовок и 17 слов", "https://a.md текст", "&nbsp; дом", "//дом", "{x} : //"])


@given(st.lists(st.tuples(TITLES, BODIES), max_size=6), st.integers(0, 3))
def test_texts_that_are_already_encoded_give_the_same(rows: list[tuple[str, str]], first: int) -> None:
    documents = [Document(id=str(number), title=title, text=text) for number, (title, text) in enumerate(rows)]
    first = min(first, len(documents))
    texts, ends = evidence_texts(block_of(documents).part(first, len(documents)))
    expected, expected_ends = evidence_texts(documents[first:])
    assert [texts[number] for number in range(len(texts))] == [expected[number] for number in range(len(expected))]
    assert (ends - texts.offsets[:-1]).tolist() == (expected_ends - expected.offsets[:-1]).tolist()


def test_only_texts_with_markup_are_cleaned() -> None:
    texts, _ = evidence_texts(
        [
            Document(id="1", text="до\u00adм:"), Document(id="2", text="//до\u00adм"),
            Document(id="3", text="до\u00adм @ 7"), Document(id="4", title="<b>Дом</b>", text="до\u00adм"),
            Document(id="5", text="до\u00adм://дом"), Document(id="6", text="://до\u00adм"),
        ]
    )  # fmt: skip
    assert [texts[number] for number in range(6)] == [
        "до\u00adм:", "//до\u00adм", "дом @ 7", "Дом\nдом", "дом://дом", "://дом",
    ]  # fmt: skip


def test_lists_are_used_again_for_shorter_and_longer_texts() -> None:
    """What an earlier text left in the lists is in no later evidence."""
    for times in (3, 300, 1, 200_000, 2):
        text = "Иванов купил 17 домов в Киеве. " * times
        raw = read_evidence(*evidence_texts([Document(id="1", text=text)]))
        # What is repeated more often adds no new entries.
        plain = read_plainly("Иванов купил 17 домов в Киеве. " * min(times, 9), 0)
        assert {name: getattr(raw, name).tolist() for name in LISTS} == {name: getattr(plain, name) for name in LISTS}


def test_lent_evidence_is_that_which_is_copied() -> None:
    texts = evidence_texts(
        [Document(id="1", title="Киев", text="Иванов купил 17 домов."), Document(id="2", text="Дом")]
    )
    copied = read_evidence(*texts)
    with lent_evidence(*texts) as lent:
        assert {n: getattr(lent, n).tolist() for n in LISTS} == {n: getattr(copied, n).tolist() for n in LISTS}
        assert not any(np.shares_memory(getattr(copied, name), getattr(lent, name)) for name in LISTS if name != "ends")
    with pytest.raises(AttributeError, match="triples"):
        lent.triples_of(0)
