"""The ladder for one word."""

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.lexicography.word_lookup import Step, ladder_of
from infostream_dedup.language.translation import Translator

RUNGS = ["identity", "dictionary", "cache", "names", "cognates", "argos", "skeleton"]


def winners(steps: list[Step]) -> list[str | None]:
    return [step.answer for step in steps if step.wins]


def test_every_rung_is_shown_in_its_order() -> None:
    steps = ladder_of("уряду", "ru")
    assert {step.term for step in steps} == {"уряд"}
    assert list(dict.fromkeys(step.rung for step in steps)) == RUNGS
    assert winners(steps)[0] == "правительство"
    assert all(step.why == "" for step in steps if step.wins)
    assert all(step.why for step in steps if not step.wins)


@pytest.mark.parametrize(("word", "source", "target"), [("повестка", "ru", "uk"), ("Bakhmut", "en", "uk")])
def test_what_wins_is_what_the_ladder_gives(word: str, source: str, target: str) -> None:
    steps = ladder_of(word, target, source)  # type: ignore[arg-type]
    for term in {step.term for step in steps}:
        given = Translator(source, target).translate([term])[0]  # type: ignore[arg-type]
        assert winners([step for step in steps if step.term == term]) == [one.term for one in given]


def test_the_cache_wins_where_it_remembers() -> None:
    given = Translator("ru", "uk").translate(["неточность"])[0]
    steps = ladder_of("неточность", "uk", "ru")
    assert [(step.rung, step.answer) for step in steps if step.wins] == [("cache", one.term) for one in given]
    assert {step.why for step in steps if step.rung == "cognates" and step.answer} == {"a rung before it answers"}


def test_refusals_are_explained() -> None:
    # Three kinds: a false friend of a rule, a slur asked for, and a word that no document has.
    friend = [step for step in ladder_of("недели", "uk", "ru") if step.answer == "неділя"]
    assert {step.why for step in friend} <= {"refused: a false friend"}
    slur = ladder_of("москаль", "ru", "uk")
    assert winners(slur) == []
    assert "refused: the word is on the block-list" in {step.why for step in slur}
    assert not any(step.is_term for step in ladder_of("бежать", "uk", "ru"))


def test_the_language_is_found_by_letters_and_dictionaries() -> None:
    assert {step.source for step in ladder_of("урядовець", "en")} == {"uk"}
    assert {step.source for step in ladder_of("мир", "en")} == {"ru", "uk"}
    assert {step.source for step in ladder_of("government", "ru")} == {"en"}
    assert {step.source for step in ladder_of("мир", "uk")} == {"ru"}


@pytest.mark.parametrize(("word", "target", "source", "told"), [
    ("two words", "uk", None, "expected one word"), ("", "uk", None, "expected one word"),
    ("мир", "de", None, "expected one of ru, uk, en"), ("мир", "uk", "uk", "both languages are uk"),
    ("government", "en", None, "looks like en itself"),
])  # fmt: skip
def test_wrong_questions(word: str, target: str, source: str | None, told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        ladder_of(word, target, source)  # type: ignore[arg-type]


def test_an_english_noun_that_may_be_a_name_is_two_terms() -> None:
    steps = [step for step in ladder_of("Turkey", "ru") if step.rung == "dictionary"]
    assert [(step.term, step.answer) for step in steps] == [
        ("turkey", "индейка"), ("turkey", "турция"), ("Turkey", "турция"), ("Turkey", "индейка"),
    ]  # fmt: skip
    assert {step.term for step in ladder_of("turkey", "ru")} == {"turkey"}
