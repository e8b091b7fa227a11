"""A translation keeps the order of its words: the longest chains, and one rule for pairs, streams and searches."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import api
from infostream_dedup.links.pair_rules import LEAST_SHARE
from infostream_dedup.model import Document
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.word_order import LEAST_PLACES, WordOrder, word_orders

RUSSIAN = (
    "Рыбаки нашли у берега озера старую лодку с бронзовым колоколом.",
    "Директор музея приехал в деревню вместе с археологом и фотографом.",
    "Учёные считают, что корабль вёз зерно и соль из монастыря.",
    "Лаборатория исследовала древесину и назвала век постройки.",
    "Школьники нарисовали плакат, а учитель истории прочитал лекцию.",
    "Губернатор обещал деньги на ремонт пристани и дороги.",
    "Выставка откроется осенью в зале городской библиотеки.",
)
UKRAINIAN = (
    "Рибалки знайшли біля берега озера старий човен із бронзовим дзвоном.",
    "Директор музею приїхав до села разом з археологом і фотографом.",
    "Учені вважають, що корабель віз зерно й сіль із монастиря.",
    "Лабораторія дослідила деревину й назвала вік побудови.",
    "Школярі намалювали плакат, а вчитель історії прочитав лекцію.",
    "Губернатор обіцяв гроші на ремонт пристані та дороги.",
    "Виставка відкриється восени в залі міської бібліотеки.",
)
SHUFFLED = tuple(UKRAINIAN[place] for place in (6, 4, 5, 2, 3, 0, 1))
"""The same sentences told from the end: every key term matches, no order."""


Text = Sequence[Collection[str]]
"""Words, each with the terms by which it matches."""


def word_order(*texts: Text) -> WordOrder:
    told = [(i, ord(term), at) for i, text in enumerate(texts) for at, word in enumerate(text) for term in word]
    return word_orders(np.array([[0], [1]]), *np.array(told, dtype=np.int64).reshape(-1, 3).T)[0]


def longest_common(one: Text, other: Text) -> int:
    """The longest common subsequence, by the table of the textbook."""
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j], (table[i, j] + 1) * bool(set(a) & set(b)))
    return int(table[-1, -1])


def test_by_hand():
    assert word_order("abcdef", "abcxdef") == WordOrder(places=6, chain=6, against=1)
    assert word_order("abcdef", "fedcba") == WordOrder(places=6, chain=1, against=6)
    assert word_order("abc", "xyz") == WordOrder(places=0, chain=0, against=0)
    # (5 - 2) / (6 - 2): one word out of place.
    assert word_order("abcdef", "bcdefa").share == 0.75


def test_a_repeated_word_alone_says_nothing():
    order = word_order("aaaaaaaa", "aaaaaaaa")
    assert (order, order.share) == (WordOrder(places=8, chain=8, against=8), 0.0)
    assert not order.keeps(1.0)


def test_too_few_places_are_not_judged():
    few = WordOrder(places=LEAST_PLACES - 1, chain=1, against=LEAST_PLACES - 1)
    assert (few.share, few.keeps(LEAST_SHARE)) == (None, True)
    assert not WordOrder(places=LEAST_PLACES, chain=1, against=LEAST_PLACES - 1).keeps(LEAST_SHARE)
    assert [WordOrder(20, 18, 2, front).keeps(1.0) for front in (0.249, 0.25)] == [False, True]


@pytest.mark.parametrize(("places", "chain", "kept"), [(8, 7, True), (7, 7, False), (20, 17, True), (20, 13, False)])
def test_where_fewer_key_terms_match_nearly_all_of_the_order_is_kept(places, chain, kept):
    order = WordOrder(places=places, chain=chain, against=1)
    assert order.keeps(LEAST_SHARE - 0.01) == kept
    assert [order.keeps(LEAST_SHARE, numbers) for numbers in (0, -1)] == [True, chain != 13]
    assert not order.keeps(LEAST_SHARE - 0.01, -1)
    assert [WordOrder(places=20, chain=9, against=3).keeps(LEAST_SHARE, numbers) for numbers in (0, 1)] == [False, True]


TEXTS = st.lists(st.sets(st.sampled_from("abcde"), max_size=2), max_size=12)


@given(TEXTS, TEXTS)
def test_chains_are_longest_common_subsequences(one, other):
    found = word_order(one, other)
    assert (found.chain, found.against) == (longest_common(one, other), longest_common(one, other[::-1]))
    held = [{term for word in text for term in word} for text in (one, other)]
    assert found.places == min(sum(bool(word & held[1]) for word in one), sum(bool(word & held[0]) for word in other))


NUMBERED = "Суд в Одессе с адвокатом Кравцовой и свидетелем Бондарем присудил 316, 417 и 518 гривен."
NUMBERED_UKRAINIAN = "Суд в Одесі з адвокаткою Кравцовою і свідком Бондарем присудив 316, 417 та 518 гривень."
FIGURE = "При пожаре в Одессе погибли {} рабочих завода."
FIGURE_UKRAINIAN = "Під час пожежі в Одесі загинули {} робітників заводу."
COURT, CONVICTED = "Суд в Одессе оправдал директора порта.", "Суд в Одесі засудив директора порту."
TOLD_OTHERWISE = (*UKRAINIAN[4:], NUMBERED_UKRAINIAN, *UKRAINIAN[2:4], *UKRAINIAN[:2])
"""Another report of the same event: its numbers and names, and some of the order."""


@pytest.mark.parametrize(
    ("russian", "other", "kind"),
    [
        (RUSSIAN, UKRAINIAN, "translation"),
        (RUSSIAN, SHUFFLED, None),
        ((*2 * RUSSIAN[::-1], *6 * RUSSIAN), 8 * UKRAINIAN, None),  # A background in one order behind other leads.
        ((*RUSSIAN[:5], NUMBERED, *RUSSIAN[5:]), TOLD_OTHERWISE, "same-story"),
        ((*RUSSIAN[:5], NUMBERED, *RUSSIAN[5:]), [one.replace("417 та 518", "619") for one in TOLD_OTHERWISE], None),
        (RUSSIAN[:3], [one.replace("нашли", "потеряли") for one in RUSSIAN[:3]], "differs"),
        ((FIGURE.format(12), *RUSSIAN), (FIGURE_UKRAINIAN.format("пʼятнадцять"), *UKRAINIAN), "another figure"),
        ((FIGURE.format(12), *RUSSIAN), (FIGURE_UKRAINIAN.format("дванадцять"), *UKRAINIAN), "translation"),
        ((COURT, *RUSSIAN), (CONVICTED, *UKRAINIAN), "another word"),
        ((COURT, *RUSSIAN), (CONVICTED.replace("засуд", "не засуд"), *UKRAINIAN), "translation"),
    ],
)
def test_pairs_ingest_and_search_ask_the_same(russian, other, kind, tmp_path):
    russian = Document(id="ru", title="", text=" ".join(russian), lang="ru")
    other = Document(id="other", title="", text=" ".join(other), lang="ru" if kind == "differs" else "uk")
    rows = list(api.pairs([russian, other], preset="judged"))
    told = {"another figure": ("12", "пʼятнадцять"), "another word": ("оправдал", "засудив")}.get(kind)
    listed = [(row.a, row.b, row.differing.reason if told else row.kind) for row in rows]
    assert listed == ([] if kind is None else [("ru", "other", kind)])
    assert not told or (rows[0].kind, rows[0].differing.words) == ("differs", (told,))
    with Deduplicator.open(tmp_path / "store.db", StreamSettings.of({"preset": "judged", "keep_text": True})) as stream:
        verdict = stream.process([russian, other], batch_id="1")[1]
        assert stream.process([russian, other], batch_id="1")[1] == verdict
        assert verdict.as_dict(("id", "translation_of")).get("same_story_of") == verdict.same_story_of
    assert verdict.translation_of == ("ru" if kind == "translation" else None)
    assert verdict.same_story_of == ("ru" if told or kind == "same-story" else None)
    assert (verdict.translation is not None) == bool(told or kind == "translation")
    assert not told or verdict.translation.differing == rows[0].differing.words
    assert verdict.kind == ("differs" if kind == "differs" else None)
    assert (verdict.story is None) == (kind in (None, "differs"))
    if kind == "translation":
        assert verdict.translation.order >= 0.9
        assert verdict.translation.places >= 20
    for asked in ({"text": other.text}, {"id": "other"}):
        hits = api.search(tmp_path / "store.db", **asked, across=True, k_min=1)
        assert [hit.kind for hit in hits if hit.id == "ru"] == ["differs" if told else kind or "related"], asked
