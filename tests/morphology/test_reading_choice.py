"""Which of several readings wins where the likeliest by frequency is hardly ever meant in news."""

import pytest

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.morphology.analyzer import Morphology, surname_instead
from infostream_dedup.language.morphology.readings import is_roman_numeral, readings_of, with_head_as_lemma
from infostream_dedup.language.text.tokens import Shape

_RU, _UK = Morphology("ru"), Morphology("uk")


@pytest.mark.parametrize("form", ["харитонов", "агапов", "изотов", "газиев", "вартанов"])
@pytest.mark.parametrize("shape", [Shape.START, Shape.CAPITAL])
def test_a_surname_is_no_genitive_of_several_first_names(form: str, shape: Shape) -> None:
    assert _RU.noun_term(form, shape) == form
    assert _RU.noun_term(f"{form}а", shape) == form


@pytest.mark.parametrize(("form", "term"), [("мантурова", "мантуров"), ("конакову", "конаков"), ("косова", "косово")])
def test_a_surname_is_no_case_of_a_village_unless_our_tables_list_it(form: str, term: str) -> None:
    assert _RU.noun_term(form, Shape.CAPITAL) == term


@pytest.mark.parametrize(("form", "lemma"), [("нидерландов", "нидерланды"), ("героев", "герой"), ("москва", "москва")])
def test_other_plurals_and_places_stay(form: str, lemma: str) -> None:
    assert surname_instead(form, lemma, readings_of("ru").readings(form), "ru") is None


@pytest.mark.parametrize("form", ["шумові", "виїмкові", "солодко", "струнко", "типові", "паперові"])
def test_ukrainian_adjectives_and_adverbs_are_no_datives_and_vocatives(form: str) -> None:
    assert _UK.noun_term(form, Shape.LOWER) is None


@pytest.mark.parametrize(
    ("form", "term"), [("президентові", "президент"), ("батькові", "батько"), ("цитрусові", "цитрусові")]
)
def test_ukrainian_datives_and_plurals_without_such_an_adjective_stay(form: str, term: str) -> None:
    assert _UK.noun_term(form, Shape.LOWER) == term


def test_at_the_start_of_a_sentence_a_ukrainian_adjective_precedes_the_noun() -> None:
    assert _UK.noun_term("мудрий", Shape.START) is None
    # A listed noun stays one.
    assert _UK.noun_term("слідчий", Shape.START) == "слідчий"


def test_at_the_start_of_a_sentence_a_function_word_is_no_rare_name() -> None:
    assert _UK.noun_term("досі", Shape.START) is None
    assert _UK.noun_term("досі", Shape.CAPITAL) == "доха"


def test_at_the_start_of_a_sentence_a_listed_name_precedes_a_rarer_noun() -> None:
    assert _RU.noun_term("шор", Shape.START) == "шор"
    assert _RU.noun_term("марта", Shape.START) is None


@pytest.mark.parametrize(("form", "term"), [("ковров", "ковер"), ("ангаре", "ангар"), ("выше", None)])
def test_in_small_letters_a_place_gives_way(form: str, term: str | None) -> None:
    assert _RU.noun_term(form, Shape.LOWER) == term


@pytest.mark.parametrize(("form", "term"), [("неваде", "невада"), ("яссах", "яссы"), ("ясс", "яссы")])
def test_a_name_nobody_has_heard_of_gives_way_to_a_listed_one(form: str, term: str) -> None:
    assert _RU.noun_term(form, Shape.CAPITAL) == term


@pytest.mark.parametrize(("form", "term"), [("ате", "ате"), ("амн", "амн"), ("мира", "мир"), ("вину", "вина")])
def test_short_rare_cases_in_capitals_are_abbreviations(form: str, term: str) -> None:
    assert _RU.noun_term(form, Shape.UPPER) == term


_TENS = ("", "x", "xx", "xxx")
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")


def test_all_numerals_of_two_letters_and_more_up_to_39_are_known():
    written = {tens + ones for tens in _TENS for ones in _ONES}
    assert all(is_roman_numeral(one) for one in written if len(one) > 1)


def test_other_forms_are_none():
    for form in ["i", "v", "iiii", "vv", "iix", "xi-fi", "ivan", "сі", "-", "ii-"]:
        assert not is_roman_numeral(form)


@pytest.mark.parametrize("form", ["хх", "хіі", "ііі", "ii-iii"])
def test_cyrillic_letters_of_the_same_looks_and_several_numerals_count(form):
    assert is_roman_numeral(form)


@pytest.mark.parametrize(("lemma", "expected"), [
    ("країн-член", "країна-член"), ("фірми-переможець", "фірма-переможець"),
    # віце, прес and контр are no cases of nouns; a nominative stays.
    ("віце-премʼєр", "віце-премʼєр"), ("прес-секретар", "прес-секретар"), ("контр-адмірал", "контр-адмірал"),
    ("країна-член", "країна-член"),
])  # fmt: skip
def test_the_head_of_a_compound_becomes_a_nominative(lemma, expected):
    assert with_head_as_lemma(lemma, readings_of("uk").readings, form_frequencies("uk")) == expected
