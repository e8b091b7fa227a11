"""English nouns and names as lemmas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.readings import lemma, noun_term
from infostream_dedup.language.text.tokens import Shape


def test_plurals_and_possessives_become_singulars() -> None:
    for form, expected in [
        ("countries", "country"), ("elections", "election"), ("taxes", "tax"), ("houses", "house"), ("heroes", "hero"),
        ("matches", "match"), ("movies", "movie"), ("thieves", "thief"), ("drives", "drive"), ("men", "man"),
        ("women", "woman"), ("spokesmen", "spokesman"), ("children", "child"), ("people", "person"),
        ("crises", "crisis"), ("presidentʼs", "president"), ("womenʼs", "woman"),
        ("vice-presidents", "vice-president"),
    ]:  # fmt: skip
        assert lemma(form) == expected


def test_singulars_in_s_stay() -> None:
    for form in [
        "news", "series", "species", "politics", "status", "crisis", "press", "brussels", "athens", "jones",
        "specimen",
    ]:  # fmt: skip
        assert lemma(form) == form


@pytest.mark.parametrize("form", ["agreed", "running", "quickly", "went", "strong"])
def test_verbs_and_adjectives_stay_as_they_are(form: str) -> None:
    assert lemma(form) == form


def test_nouns_and_names_are_terms() -> None:
    for form, shape, term in [
        ("governments", Shape.LOWER, "government"), ("negotiations", Shape.START, "negotiation"),
        ("villagers", Shape.LOWER, "villager"), ("privatisation", Shape.LOWER, "privatisation"),
        ("zelenskyy", Shape.CAPITAL, "zelenskyy"), ("johnsonʼs", Shape.CAPITAL, "johnson"),
        ("brussels", Shape.CAPITAL, "brussels"), ("us", Shape.UPPER, "us"), ("nato", Shape.UPPER, "nato"),
        # What is a noun too, and an agency whose name is a common word.
        ("march", Shape.LOWER, "march"), ("sun", Shape.CAPITAL, "sun"),
        ("anti-aircraft", Shape.LOWER, "anti-aircraft"),
        # Nouns of our tables that are mostly other words.
        ("suspect", Shape.LOWER, "suspect"), ("stable", Shape.LOWER, "stable"),
    ]:  # fmt: skip
        assert noun_term(form, shape) == term


def test_other_words_are_none() -> None:
    for form, shape in [
        ("us", Shape.LOWER), ("the", Shape.CAPITAL), ("quickly", Shape.LOWER), ("announced", Shape.LOWER),
        ("said", Shape.LOWER), ("strong", Shape.LOWER),
        # In a title every word has a capital.
        ("strong", Shape.CAPITAL), ("become", Shape.CAPITAL),
        # The Russian год and январь are never key terms, so neither are these.
        ("year", Shape.LOWER), ("january", Shape.CAPITAL), ("уряд", Shape.LOWER),
        # Verbs and adjectives in most of their places, and no nouns of our tables.
        ("vulnerable", Shape.LOWER), ("announcing", Shape.START), ("estonian", Shape.START),
        # Numbers, months, agencies.
        ("two-year-old", Shape.LOWER), ("fifty-eight", Shape.LOWER), ("march", Shape.CAPITAL),
        ("reuters", Shape.CAPITAL), ("iii", Shape.UPPER), ("ltd", Shape.CAPITAL),
    ]:  # fmt: skip
        assert noun_term(form, shape) is None


@given(st.text(alphabet="abeiknorsty-ʼ", min_size=1, max_size=12), st.sampled_from(list(Shape)))
def test_any_form_has_a_lemma_and_a_term_is_that_lemma(form: str, shape: Shape) -> None:
    found = lemma(form)
    assert found
    assert lemma(form) == found
    term = noun_term(form, shape)
    assert term is None or (len(term) > 1 and (term == found or shape == Shape.UPPER))


@given(st.sampled_from(sorted(stop_words("en"))))
def test_no_stop_word_is_a_term_in_lower_case(word: str) -> None:
    assert noun_term(word, Shape.LOWER) is None
