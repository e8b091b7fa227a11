"""Words of two texts that translate each other, and where they are."""

import json
import time
from typing import cast

import pytest

from infostream_dedup.model import Language
from infostream_dedup.sample import documents_path, labels_path
from infostream_dedup.terms.matched_words import NO_WORDS, TranslatedWords, translated_words

UKRAINIAN = "Злодії вкрали гроші з банкомата в Ньюпорті. Поліція шукає злодіїв."
ENGLISH = "Thieves stole money from an ATM in Newport; a thief was seen. Police are looking."


def shown(found: TranslatedWords, texts: tuple[str, str]) -> list[tuple[int, str, str, list[str], list[str]]]:
    """Number, both words, and how each text writes them."""
    return [
        (
            one.number, one.words.a, one.words.b, [texts[0][start:end] for start, end in one.spans_a],
            [texts[1][start:end] for start, end in one.spans_b],
        )
        for one in found.met
    ]  # fmt: skip


def test_a_case_worked_by_hand() -> None:
    texts = (UKRAINIAN, ENGLISH)
    found = translated_words(texts, ("uk", "en"))
    assert shown(found, texts) == [
        (1, "злодій", "thief", ["Злодії", "злодіїв"], ["Thieves", "thief"]),
        (2, "гроші", "money", ["гроші"], ["money"]), (3, "банкомат", "atm", ["банкомата"], ["ATM"]),
        (4, "ньюпорт", "newport", ["Ньюпорті"], ["Newport"]), (5, "поліція", "police", ["Поліція"], ["Police"]),
    ]  # fmt: skip
    assert found.share_a == 1.0
    assert found.share_b == 1.0


def test_the_other_way_round_the_same_words_meet() -> None:
    there, back = (
        translated_words((UKRAINIAN, ENGLISH), ("uk", "en")),
        translated_words((ENGLISH, UKRAINIAN), ("en", "uk")),
    )
    pairs = {(one.words.a, one.words.b, one.spans_a, one.spans_b) for one in there.met}
    assert {(one.words.b, one.words.a, one.spans_b, one.spans_a) for one in back.met} == pairs
    assert (there.share_a, there.share_b) == (back.share_b, back.share_a)


def test_by_dictionaries_alone_unlisted_names_are_left_out() -> None:
    found = translated_words((UKRAINIAN, ENGLISH), ("uk", "en"), dictionaries_only=True)
    assert [one.words.b for one in found.met] == ["thief", "money", "atm", "police"]
    assert {one.words.rung for one in found.met} == {"dictionary"}
    assert found.share_a == pytest.approx(5 / 6)


def test_words_that_share_a_word_have_one_number() -> None:
    texts = ("Человек и мужчина вошли в дом.", "A man entered the house.")
    found = shown(translated_words(texts, ("ru", "en")), texts)
    assert [row[:3] for row in found] == [(1, "человек", "man"), (1, "мужчина", "man"), (2, "дом", "house")]


def test_words_of_addresses_and_entities_do_not_count() -> None:
    texts = ("Поліція вкрала пам&#39;ять.", "<b>Police</b>&nbsp;stole memory: https://police.com/memory/bridge &quot;")
    found = translated_words(texts, ("uk", "en"), dictionaries_only=True)
    assert [row[3:] for row in shown(found, texts)] == [(["Поліція"], ["Police"]), (["пам&#39;ять"], ["memory"])]
    assert (found.share_a, found.share_b) == (1.0, 1.0)


def test_a_word_repeated_all_over_takes_linear_time() -> None:
    number = 100_000
    began = time.process_time()
    found = translated_words(("мост " * number, "bridge " * number), ("ru", "en"), dictionaries_only=True)
    # Copying the tuple of its places at each of them would take a minute.
    assert time.process_time() - began < 10
    assert [len(one.spans_a) for one in found.met] == [number]


def language_of(name: str) -> Language:
    return cast("Language", name[:2])


@pytest.mark.parametrize("languages", [("ru", "ru"), ("other", "ru"), ("en", "other")])
def test_one_language_or_one_that_is_not_ours(languages) -> None:
    assert translated_words(("Мост", "Мост"), languages) is NO_WORDS


def test_nothing_in_common_and_nothing_at_all() -> None:
    assert translated_words(("Собака лает.", "A bridge."), ("ru", "en")) == NO_WORDS
    assert translated_words(("", "A bridge."), ("ru", "en")) == NO_WORDS


def test_versions_of_a_text_meet_in_more_words_than_other_texts() -> None:
    texts = {row["id"]: row["text"] for row in map(json.loads, documents_path().read_text("utf-8").splitlines())}
    labels = map(json.loads, labels_path().read_text("utf-8").splitlines())
    pairs = [(one["a"], one["b"]) for one in labels if one["kind"] == "translation"][:8]
    assert len(pairs) == 8
    for (a, b), (_, other) in zip(pairs, [*pairs[4:], *pairs[:4]], strict=True):
        same, unrelated = (
            translated_words((texts[a], texts[name]), (language_of(a), language_of(name))) for name in (b, other)
        )
        assert min(same.share_a, same.share_b) > 2 * max(unrelated.share_a, unrelated.share_b)
