"""Exact copies: equality of words, not of bytes, and not of a stub."""

from __future__ import annotations

import pytest

from infostream_dedup import dedup
from infostream_dedup.judging.repeated.equality import equality_hash, equality_hashes
from infostream_dedup.model import Document


def of(text: str, title: str = "") -> bytes:
    return equality_hash(Document(id="1", text=text, title=title))


@pytest.mark.parametrize(("one", "other"), [
    ("Рейс задержан на час.", "рейс ЗАДЕРЖАН на час!!!"), ("Рейс задержан на час", "✈️ Рейс — задержан… на час"),
    ("Рейс «Чайка» отменён", 'Рейс "Чайка" отменен'), ("Рейс задержан на час", "<p>Рейс задержан на&nbsp;час</p>"),
    ("Рейс задержан на час", "Рейс за\u200bдержан на час"),
    ("Рейс отменён https://a.example/5?utm_medium=x", "Рейс отменён http://www.a.example/5?gclid=1#top"),
    ("Торги 3,5 на 4", "торги 3.5 на 4"),
])  # fmt: skip
def test_signs_that_say_nothing_make_no_difference(one, other):
    assert of(one) == of(other) != b""


@pytest.mark.parametrize(("one", "other"), [
    ("Счёт стал 2:1", "Счёт стал 1:2"), ("Рейс отменён https://a.example/5", "Рейс отменён https://a.example/6"),
    ("Рейс отменён https://a.example/5?id=1", "Рейс отменён https://a.example/5?id=2"),
    ("Рейс задержан", "Рейс не задержан"),
])  # fmt: skip
def test_figures_addresses_and_words_do(one, other):
    assert of(one) != of(other)


def test_a_title_counts_wherever_it_stands():
    whole = of("Авария\nМост закрыли на ремонт")
    assert of("Мост закрыли на ремонт", "Авария") == whole == of("Авария мост закрыли на ремонт")
    assert of("", "Мост закрыли на ремонт") == of("Мост закрыли на ремонт")


def test_a_stub_under_other_titles_is_no_copy_and_a_long_body_is():
    stub, body = "Полный текст доступен подписчикам.", " ".join(f"слово{number}" for number in range(25))
    assert of(stub, "Пожарные потушили склад") != of(stub, "В зоопарке родился барс")
    assert of(body, "Пожарные потушили склад") == of(body, "В зоопарке родился барс")
    titles = ("Пожарные потушили склад", "В зоопарке родился барс")
    assert dedup([{"id": title, "title": title, "text": stub} for title in titles]).kept == 2


def test_one_word_proves_nothing():
    assert of("Comments") == of("") == of("…") == b""
    assert of("Комментарии закрыты") != b""


def test_many_documents_have_the_hashes_of_each():
    texts = [
        "Мост закрыт", "", "слово " * 40, "<b>Мост</b> закрыт", "\ud800 мост", "東京都知事選挙候補者一覧発表資料公開",
    ]  # fmt: skip
    documents = [Document(id=str(number), text=text, title="т" * (number % 2)) for number, text in enumerate(texts)]
    assert equality_hashes(documents) == list(map(equality_hash, documents))
    assert equality_hashes(documents)[5] != b""
