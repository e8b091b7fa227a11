"""The quick finder of numbers says what the plain one says."""

from functools import partial
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.judging.evidence import numbers as fast_numbers
from infostream_dedup.judging.evidence.numbers import (
    NUMBER_WORDS,
    find_runs,
    may_contradict,
    numbers,
    numbers_of_run,
    other_figure,
    other_word,
)
from infostream_dedup.language.text.character_classes import COMMON
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.language.translation.told_sentences import meant_by
from infostream_dedup.machine.scratch import KeptMemory

PARTS = [
    *NUMBER_WORDS, "12", "41,25", "1 200", "05.03.2026", "2026-03-05", "G7", "٣٤", "７", "²", "x", "ё", "П’ЯТЬ",
    "५", " ", ".", ",", "-", "–", "_", "ʼ", "'", "’", "\u00a0", "\u2009", "\u202f", "\n", "«", "😀", "中", "ҳ", "İ",
    "ß", "\u212a", "\ud800", "Ѐ", "ЇҐЄ", "TEN", "№", "€", "\u0301",
]  # fmt: skip


def found_in(texts):
    """Numbers of each text, in the order in which they stand."""
    found = find_runs(texts_of(texts))
    runs = iter(found.runs)
    answers = [[one for run in islice(runs, size) for one in numbers_of_run(run)] for size in found.sizes.tolist()]
    assert next(runs, None) is None
    for number in found.left:
        assert answers[number] == []
        answers[number] = numbers(texts[number])
    return answers


# The first call compiles.
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=14).map("".join), max_size=3))
@example(["12ʼ345ʼ6 3", "12ʼx3", "два-три, 5٣4 6"])
@example(["1,200 people", "1,200 людей", "on 1,200.5 -  ", "5.03.2026.", "x5 'six' ʼ7", ""])
def test_joined_parts(texts):
    assert found_in(texts) == [numbers(text) for text in texts]


@given(st.text(max_size=40))
def test_any_text(text):
    assert found_in([text]) == [numbers(text)]


WORDS = [*NUMBER_WORDS, "слово", "Пятница", "The", "one-off", "п", "в", "fi", "х" * 70, "a" * 64, "п'ять", "Ѡ", "12-й"]
BETWEEN = [" ", "  ", ", ", "\n", " — ", ". ", "[", "«", "'", "_", "-"]


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BETWEEN)), max_size=60), st.booleans())
def test_words_of_many_blocks(words, upper):
    text = "".join(word + between for word, between in words)
    texts = [text, text.upper() if upper else text.title()]
    assert found_in(texts) == [numbers(text) for text in texts]


def test_every_beginning_of_words():
    # At every place of a block that compiled code reads at once.
    words = [word for one in NUMBER_WORDS for word in (one, one.title(), one.upper(), one.replace("е", "ё"))]
    texts = ["х" * place + " " + " и ".join(words) for place in range(64)]
    assert found_in(texts) == [numbers(text) for text in texts]


def test_every_character_beside_figures_and_words():
    texts = [f"{one}7 7{one}8 пять{one} {one}one" for one in map(chr, (*COMMON, *range(0x3000, 0x10000, 7)))]
    assert found_in(texts) == [numbers(text) for text in texts]
    # Few characters of the news' alphabets are left to the plain code.
    left = [ord(texts[number][0]) for number in find_runs(texts_of(texts)).left]
    assert not [point for point in left if point < 0x300 and point != 0x130]
    assert not [point for point in left if 0x400 <= point < 0x530 or 0x2010 <= point < 0x2070]


def test_words_and_figures_by_hand():
    texts = ["Пʼять із 12 300 чоловік, два-три на 1,5 %; G7, 5-й", "TEN of 1,200", "х" * 50 + " ноль"]
    assert found_in(texts) == [["5", "12300", "1.5", "5"], ["10", "1200"], ["0"]]
    # Behind the digit that tells of its surroundings.
    assert list(find_runs(texts_of(texts)).runs) == ["25", "212 300", "21,5", "37, 5", "010", "01,200", "20"]


@pytest.mark.parametrize("most", [0, 1 << 24])
def test_runs_stay_when_memory_is_used_again(monkeypatch, most):
    monkeypatch.setattr(fast_numbers, "_ROOM", KeptMemory(fast_numbers._empty_room, most))
    first = find_runs(texts_of(["12 и 345", "678"]))
    for texts in (["9" * 400, "8"], ["7 8 9 " * 40_000, ""], ["5"], []):
        assert found_in(texts) == [numbers(text) for text in texts]
    assert (list(first.runs), first.sizes.tolist()) == (["212", "2345", "0678"], [2, 1])


def test_by_hand():
    for text, expected in [
        ("", []), ("ни одного числа нет", ["1"]), ("курс доллара 41,25 грн", ["41.25"]),
        ("курс 41,2500 грн", ["41.25"]), ("39,250 грн", ["39.25"]), ("rate 39.250", ["39.25"]),
        ("12 300 человек", ["12300"]), ("12\u00a0300\u202f500 человек", ["12300500"]), ("1 200,50 грн", ["1200.5"]),
        ("1,200 people", ["1200"]), ("1,200,000.75 dollars", ["1200000.75"]), ("1,200,000 человек", ["1200000"]),
        ("5 % и 7,5%", ["5", "7.5"]), ("счёт 6:4, 3:6", ["6", "4", "3", "6"]), ("в 14:05", ["14", "5"]),
        ("05.03.2026", ["5", "3", "2026"]), ("05.03.26 г.", ["5", "3", "26"]), ("2026-03-05", ["2026", "3", "5"]),
        ("10-15 и 10–15", ["10", "15", "10", "15"]), ("5-й, 5-го, 5th", ["5", "5", "5"]),
        ("$3.50 and €20", ["3.5", "20"]), ("0,5 и 0.50 и 007", ["0.5", "0.5", "7"]),
        ("в 2024 100 человек", ["2024", "100"]),
        ("Пять шуток, п'ять жартів, п\u2019ять, п\u02bcять", ["5", "5", "5", "5"]), ("двух из десяти", ["2", "10"]),
        ("дві з трьох", ["2", "3"]), ("two of Seven", ["2", "7"]), ("двухэтажный, пятьсот, семья, тендер", []),
        ("G7, А320, iPhone15", []), ("10км, 20г", ["10", "20"]), ("версия 1.2.3", ["1", "2", "3"]), ("1.5.", ["1.5"]),
        ("стоит 100.", ["100"]), ("100, 200, 300", ["100", "200", "300"]), ("1 200–1 300 грн", ["1200", "1300"]),
        ("5,5 тыс. и 1 000 000 чел.", ["5.5", "1000000"]), ("12'300 и 12’300,5", ["12300", "12300.5"]),
        ("№5, № 17", ["5", "17"]), ("0:3 (20:25, 18:25)", ["0", "3", "20", "25", "18", "25"]),
        ("10:00-18:30", ["10", "0", "18", "30"]), ("2-х, 18-летний, в 2025-м", ["2", "18", "2025"]),
        ("-5…+12 °C", ["5", "12"]), ("10%—15%", ["10", "15"]), ("1/8 фіналу", ["1", "8"]),
        ("$1,200.50 and 3,5 percent", ["1200.5", "3.5"]), ("28.02-01.03", ["28.02", "1.03"]),
        ("трьох, чотирма, шістьох, сімома, вісьмом, десятьом", ["3", "4", "6", "7", "8", "10"]),
        ("двое из троих, четверо, п'ятеро, четырёх", ["2", "3", "4", "5", "4"]),
        ("одиннадцать, двадцять, сорок, fifteen", []),
    ]:  # fmt: skip
        assert numbers(text) == expected


@given(st.integers(0, 10**9), st.integers(0, 9999))
def test_figures_come_back(whole, decimals):
    number = f"{whole}.{decimals:04}".rstrip("0").rstrip(".")
    for written in (f"{whole}.{decimals:04}", f"{whole},{decimals:04}"):
        assert numbers(f"цена {written} грн") == [number]


@given(st.text())
def test_any_text_has_numbers_or_none(text):
    for number in numbers(text):
        assert number == number.strip()
        float(number)


@pytest.mark.parametrize(
    ("english", "russian", "differ"),
    [
        ("fifteen workers were killed", "погибли 12 рабочих", ("fifteen", "12")),
        ("twelve workers were killed", "погибли 12 рабочих", None),
        ("the bank sold 1,500,000 dollars", "банк продал 1,5 млн долларов", None),
        ("the bank sold $1.5m", "банк продал 2,5 млн долларов", ("1.5m", "2,5 млн")),
        ("about 1,200 people were killed", "погибли 1187 человек", None),
        ("a wave of 20 feet, people were killed", "волна в 6 метров, погибли люди", None),
        ("the meeting of ministers begins at 6:30 p.m.", "встреча министров начнется в 20:30", None),
        ("a Su-34 bomber was shot down", "сбит бомбардировщик Су-35", None),
    ],
)
def test_figures_of_translations_contradict_unless_they_are_written_otherwise(english, russian, differ):
    means = [partial(meant_by, language=language) for language in ("en", "ru")]
    assert may_contradict(english, russian) or differ is None
    assert other_figure((english, russian), means) == differ


@pytest.mark.parametrize(("english", "differ"), [
    ("Exports of grain rose in March.", ("rose", "упал")), ("Exports of grain did not rise in March.", None),
    ("Exports of grain rose in March, then fell.", None), ("Prices of cars rose as people queued.", None),
])  # fmt: skip
def test_words_of_translations_contradict_where_the_words_around_them_are_one(english, differ):
    means, russian = [partial(meant_by, language=one) for one in ("en", "ru")], "Экспорт зерна в марте упал."
    found = other_word((english, russian), ("en", "ru"), means)
    assert (found, other_word((russian, english), ("ru", "en"), means[::-1])) == (differ, differ and differ[::-1])
