"""What everybody expects in the shipped dictionaries; their form is checked by ``dictionaries check``."""

from collections import Counter

import pytest

from infostream_dedup.language.lexicon.word_lists import name_rows, stop_words, variants

KINDS = {
    "places": {"capital": 110, "city": 500, "country": 185, "region": 180, "river": 30, "island": 30},
    "surnames": {"politician": 600, "business": 80, "sport": 150, "culture": 150, "military": 40, "media": 30},
    "first_names": {"female": 200, "male": 350},
}


@pytest.mark.parametrize(("name", "ru", "uk", "en", "kind"), [
    ("places", "Киев", "Київ", "Kyiv", "capital"), ("places", "Бахмут", "Бахмут", "Bakhmut", "city"),
    ("places", "Харьковщина", "Харківщина", "Kharkiv region", "region"),
    ("places", "Германия", "Німеччина", "Germany", "country"),
    ("surnames", "Зеленский", "Зеленський", "Zelenskyy", "politician"),
    ("surnames", "Залужный", "Залужний", "Zaluzhnyi", "military"), ("surnames", "Усик", "Усик", "Usyk", "sport"),
    ("first_names", "Владимир", "Володимир", "Volodymyr", "male"),
    ("first_names", "Елена", "Олена", "Olena", "female"), ("organisations", "ООН", "ООН", "UN", ""),
    ("organisations", "ВОЗ", "ВООЗ", "WHO", ""), ("organisations", "ВСУ", "ЗСУ", "AFU", ""),
    ("organisations", "Шахтёр", "Шахтар", "Shakhtar", ""), ("organisations", "ООО", "ТОВ", "LLC", ""),
])  # fmt: skip
def test_well_known_names_meet_in_one_row(name, ru, uk, en, kind):
    (row,) = [row for row in name_rows(f"{name}.tsv") if variants(row, "ru")[0] == ru]
    assert (variants(row, "uk")[0], variants(row, "en")[0]) == (uk, en)
    assert row.cells["kind"] == kind or not kind


@pytest.mark.parametrize(("name", "least"), KINDS.items())
def test_there_are_enough_rows_of_every_kind(name, least):
    counted = Counter(row.cells["kind"] for row in name_rows(f"{name}.tsv"))
    assert all(counted[kind] >= number for kind, number in least.items())


def test_usual_spellings_of_the_press_are_together():
    spellings = {variants(row, "ru")[0]: set(variants(row, "en")) for row in name_rows("places.tsv")}
    assert spellings["Киев"] >= {"Kyiv", "Kiev"}
    assert spellings["Днепр"] >= {"Dnipro", "Dnipropetrovsk"}


@pytest.mark.parametrize(("language", "empty", "telling"), [
    ("ru", "и в не на с у к что это его которых были сообщает также будет", "президент правительство россия война"),
    ("uk", "і в не на з що це його яких були повідомляє також буде дуже", "президент уряд україна війна"),
    ("en", "the of and in is its were said also would very donʼt", "president war police"),
])  # fmt: skip
def test_stop_words_are_those_of_every_text_and_tell_nothing(language, empty, telling):
    assert set(empty.split()) <= stop_words(language)
    assert not set(telling.split()) & stop_words(language)
