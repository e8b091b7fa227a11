"""English words that are nouns and names: the name's equivalents come first where a text writes a name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation import Translator
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung
from infostream_dedup.language.translation.rungs.identity import IdentityRung
from infostream_dedup.language.translation.written_names import (
    Marked,
    decided,
    is_marked,
    marked_term,
    names_of_nouns,
    plain_term,
)

RUNGS = (IdentityRung(), DictionaryRung())


def translated(term, target="ru"):
    return [one.term for one in Translator("en", target, rungs=RUNGS).translate([term])[0]]


@pytest.mark.parametrize(("form", "term", "marks"), [
    ("mark", "mark", ("mark", "MARK", "Mark", "MARK")),
    ("turkeyʼs", "turkey", ("turkey", "TURKEY", "Turkey", "TURKEY")),
    # Gates is a surname, but Gate is not.
    ("gates", "gate", ("gate", "GATES", "Gates", "GATES")), ("gate", "gate", ("gate",) * 4),
    # No name, a name that is no noun, and a noun that is translated in names.
    ("bridge", "bridge", ("bridge",) * 4), ("poland", "poland", ("poland",) * 4), ("west", "west", ("west",) * 4),
])  # fmt: skip
def test_a_mark_shows_how_the_text_writes_the_word(form, term, marks):
    assert tuple(marked_term(Form(form, shape), term) for shape in Shape) == marks
    assert {plain_term(mark) for mark in marks} == {term}


def test_the_equivalents_of_a_name_come_first_and_the_noun_stays():
    assert translated("turkey") == ["индейка", "турция"]
    assert translated("Turkey") == ["турция", "индейка"]
    assert translated("Gates") == ["гейтс", *(one for one in translated("gate") if one != "гейтс")]
    assert translated("Turkey", "uk")[0] == "туреччина"
    assert translated("Turkey", "en") == ["turkey"]


@pytest.mark.parametrize("target", ["ru", "uk"])
def test_noun_and_name_match_the_same_words(target):
    for form in sorted(names_of_nouns()):
        name = form.capitalize()
        assert is_marked(name)
        assert sorted(translated(name, target)) == sorted(translated(plain_term(name), target))


TERMS = ["Mark", "MARK", "mark", "Gates", "GATES", "gate", "bridge"]


def numbered():
    marked = Marked(np.arange(len(TERMS)), np.full(len(TERMS), -1))
    for number, term in enumerate(TERMS):
        if is_marked(term):
            marked.enter(number, term, TERMS.index)
    return marked


def by_definition(terms):
    """A document at a time: a name is written with a capital inside a sentence and never as a noun in lower case."""
    found = []
    for term in terms:
        name = term.capitalize()
        as_name = is_marked(term) and name in terms and plain_term(term) not in terms
        found.append(name if as_name else plain_term(term))
    return found


@pytest.mark.parametrize(("terms", "found"), [
    (["Mark"], ["Mark"]), (["MARK"], ["mark"]), (["Mark", "MARK"], ["Mark", "Mark"]),
    (["Mark", "MARK", "mark"], ["mark", "mark", "mark"]), (["Gates", "mark", "MARK"], ["Gates", "mark", "mark"]),
    (["bridge"], ["bridge"]),
])  # fmt: skip
def test_a_document_writes_a_name_if_nothing_in_it_says_noun(terms, found):
    assert by_definition(terms) == found
    numbers = np.array([TERMS.index(term) for term in terms])
    assert [TERMS[one] for one in decided(np.zeros_like(numbers), numbers, numbered())] == found


@given(st.lists(st.sets(st.sampled_from(TERMS)).map(sorted), max_size=6))
def test_documents_are_decided_one_by_one(documents):
    owners = np.repeat(np.arange(len(documents)), [len(terms) for terms in documents])
    terms = np.array([TERMS.index(term) for document in documents for term in document], dtype=np.int32)
    found = [TERMS[one] for one in decided(owners, terms, numbered())]
    assert found == [term for document in documents for term in by_definition(document)]
