"""The tables of compiled code give the answers of the readable ones."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.lexicon.tables import as_lines
from infostream_dedup.language.morphology.form_cache import (
    NO_TERM,
    UNKNOWN,
    KnownTable,
    KnownTerms,
    known_table,
    known_texts,
    row_of,
    terms_file,
)
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.representation import representation
from infostream_dedup.terms.representations import morph

SHAPES = len(Shape)
CASES = list(product(["ru", "uk", "en"], ["strict", "open"], [True, False]))


def answers(table: KnownTable, forms: list[str], shape: int, *, strict: bool) -> list[str | int]:
    numbers = table.numbers(SurfaceList.of(forms), np.arange(len(forms)) * SHAPES + shape, strict=strict)
    terms = table.terms.strings()
    return [terms[number] if number >= 0 else number for number in numbers.tolist()]


def test_answers_worked_by_hand() -> None:
    rows = [row_of("шольца", [None, ("шольц", False), ("шольц", False)]), row_of("суд", [("суд", True)] * 3)]
    table = KnownTable(as_lines(["шольца", "суд"]), as_lines(rows))
    assert sorted(table.terms) == ["суд", "шольц"]
    asked = ["щзж", "суд", "шольца"]
    assert answers(table, asked, Shape.LOWER, strict=False) == [UNKNOWN, "суд", NO_TERM]
    assert answers(table, asked, Shape.CAPITAL, strict=False) == [UNKNOWN, "суд", "шольц"]
    assert answers(table, asked, Shape.CAPITAL, strict=True) == [UNKNOWN, "суд", NO_TERM]
    assert answers(table, asked, Shape.UPPER, strict=False) == [UNKNOWN] * 3


def test_without_a_file_nothing_is_known() -> None:
    assert answers(KnownTable(b"", b""), ["суд"], Shape.LOWER, strict=True) == [UNKNOWN]


words = st.text("абв", min_size=1, max_size=3)
one_answer = st.none() | st.tuples(words, st.booleans())


@given(
    st.dictionaries(words, st.tuples(one_answer, one_answer, one_answer)), st.lists(words, unique=True), st.booleans()
)
def test_any_table_answers_as_the_readable_one(known, asked, strict):
    known = dict(sorted(known.items()))
    texts = as_lines(known), as_lines([row_of(form, found) for form, found in known.items()])
    table, plain = KnownTable(*texts), KnownTerms(*texts)
    for shape in range(SHAPES):
        rows = plain.rows([f"{shape}{form}" for form in asked])
        expected = [
            UNKNOWN if taken is None else NO_TERM if term is None or (strict and not taken) else term
            for term, taken in rows
        ]
        assert answers(table, asked, shape, strict=strict) == expected
        assert table.rows([f"{shape}{form}" for form in asked]) == rows


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_the_shipped_table_answers_as_the_readable_one(language: Language) -> None:
    texts = known_texts(terms_file(language))
    forms, plain = texts[0].decode().splitlines()[3::50], KnownTerms(*texts)
    for shape in (Shape.LOWER, Shape.CAPITAL):
        rows = plain.rows([f"{int(shape)}{form}" for form in forms])
        expected = [NO_TERM if term is None else term for term, _ in rows]
        assert answers(known_table(language), forms, shape, strict=False) == expected


@pytest.mark.parametrize(("language", "rule", "kept"), CASES)
def test_listed_terms_are_those_of_each_word(language, rule, kept, monkeypatch):
    monkeypatch.setattr(morph, "_MANY", 1)
    known_table.cache_clear()
    forms = ["суду", "щзжами", "шольца", "києва", "мінськ", "courts", "и", "зеленский"]
    shapes = [Shape.CAPITAL, Shape.LOWER, Shape.START, Shape.UPPER, Shape.LOWER, Shape.LOWER, Shape.LOWER, Shape.START]
    numbers = np.array([7, 0, 3, 2, 5, 1, 4, 6], dtype=np.int64)
    asked = numbers * SHAPES + [int(shapes[number]) for number in numbers.tolist()]
    given_settings = Settings(representation="morph", morph=rule)
    chosen = representation("morph")
    taken, terms = chosen.listed_terms(SurfaceList.of(forms), asked, language, given_settings, kept=kept)
    words = [Form(forms[number], shapes[number]) for number in numbers.tolist()]
    expected = chosen.terms(words, language, given_settings)
    assert taken.tolist() == [term is not None for term in expected]
    assert list(terms) == [term for term in expected if term is not None]
    assert bool(known_table.cache_info().currsize) == (language != "en")
