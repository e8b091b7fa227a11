"""Roman numerals, and heads of compounds."""

import pytest

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.morphology.readings import is_roman_numeral, readings_of, with_head_as_lemma

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
