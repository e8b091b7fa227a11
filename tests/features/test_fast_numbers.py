"""The quick finder of numbers says what the plain one says."""

from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.judging.features import numbers as fast_numbers
from infostream_dedup.judging.features.numbers import NUMBER_WORDS, find_runs, numbers, numbers_of_run
from infostream_dedup.language.text.character_classes import COMMON
from infostream_dedup.language.text.surface_pool import texts_of
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
    runs = ["25", "212 300", "21,5", "37, 5", "010", "01,200", "20"]
    assert list(find_runs(texts_of(texts)).runs) == runs


@pytest.mark.parametrize("most", [0, 1 << 24])
def test_runs_stay_when_memory_is_used_again(monkeypatch, most):
    monkeypatch.setattr(fast_numbers, "_ROOM", KeptMemory(fast_numbers._empty_room, most))
    first = find_runs(texts_of(["12 и 345", "678"]))
    for texts in (["9" * 400, "8"], ["7 8 9 " * 40_000, ""], ["5"], []):
        assert found_in(texts) == [numbers(text) for text in texts]
    assert list(first.runs) == ["212", "2345", "0678"]
    assert first.sizes.tolist() == [2, 1]
