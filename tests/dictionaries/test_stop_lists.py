from __future__ import annotations

from pathlib import Path

import pytest

from infostream_dedup.language.lexicon.tables import dictionaries_folder, key_form, read_words
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.model import OUR_LANGUAGES, Language

SIZES: dict[Language, tuple[int, int]] = {"ru": (350, 500), "uk": (350, 500), "en": (180, 350)}
ALPHABETS: dict[Language, str] = {
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюя-",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяʼ-",
    "en": "abcdefghijklmnopqrstuvwxyzʼ",
}


def path_of(language: Language) -> Path:
    return Path(dictionaries_folder() / f"stop_{language}.txt")


@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_every_line_is_a_key_form_in_its_alphabet_and_comes_once(language: Language) -> None:
    words = read_words(path_of(language))
    assert [word for word in words if key_form(word) != word or set(word) - set(ALPHABETS[language])] == []
    assert len(words) == len(set(words))
    least, most = SIZES[language]
    assert least <= len(words) <= most


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("ru", "и в не на с у к что это его которых были сообщает также будет очень"),
        ("uk", "і в не на з що це його яких були повідомляє також буде дуже"),
        ("en", "the of and in is its were said also would very donʼt"),
    ],
)
def test_the_words_of_every_text_are_there(language: Language, expected: str) -> None:
    assert set(expected.split()) <= stop_words(language)


@pytest.mark.parametrize(
    ("language", "telling"),
    [
        ("ru", "президент правительство россия война"),
        ("uk", "президент уряд україна війна"),
        ("en", "president war police"),
    ],
)
def test_words_that_distinguish_texts_are_not(language: Language, telling: str) -> None:
    assert not set(telling.split()) & stop_words(language)
