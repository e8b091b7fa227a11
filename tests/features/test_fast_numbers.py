"""The quick finder of numbers says what the plain one says."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infostream_dedup.corpus import read_documents
from infostream_dedup.features.fast_numbers import fast_numbers
from infostream_dedup.features.numbers import NUMBER_WORDS, numbers

PARTS = [
    *NUMBER_WORDS, "12", "41,25", "1 200", "05.03.2026", "2026-03-05", "G7", "٣٤", "７", "²", "x", "ё", "П’ЯТЬ",
    "५", " ", ".", ",", "-", "–", "_", "ʼ", "'", "\u00a0", "\u2009", "\u202f", "\n", "«", "😀", "中", "ҳ", "İ", "ß",
]  # fmt: skip


# The first call compiles.
@settings(deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
@example("12ʼ345ʼ6 3")
@example("12ʼx3")
@example("два-три, 5٣4 6")
def test_joined_parts(text):
    assert fast_numbers(text) == numbers(text)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text(text):
    assert fast_numbers(text) == numbers(text)


def test_words_and_figures_by_hand():
    assert fast_numbers("Пʼять із 12 300 чоловік, два-три на 1,5 %; G7, 5-й") == ["5", "12300", "1.5", "5"]


@pytest.mark.corpus
def test_real_news(corpora):
    for number, document in enumerate(read_documents(corpora / "mdnews.docs.jsonl.gz")):
        if number % 20 == 0:
            assert fast_numbers(document.text) == numbers(document.text)
