"""The ladder for one word."""

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.lexicography import word_lookup as module
from infostream_dedup.lab.lexicography.word_lookup import Step, coverage, frequent_nouns, ladder_of, show
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


def test_capitalised_surname_in_both_cyrillic_languages() -> None:
    entries = show("Шольца")
    assert [(entry.language, entry.shape, entry.term) for entry in entries] == [
        ("ru", "start", "шольц"), ("ru", "capital", "шольц"), ("uk", "start", "шольц"), ("uk", "capital", "шольц"),
    ]  # fmt: skip
    assert "surname" in entries[0].flags
    assert entries[0].source.startswith("surnames.tsv:")


def test_lower_case_noun_with_its_frequencies() -> None:
    (entry, _) = show("правительства", "ru")
    assert (entry.term, entry.lemma, entry.part_of_speech, entry.source) == (
        "правительство", "правительство", "NOUN", "pymorphy3",
    )  # fmt: skip
    assert entry.strict == entry.term
    assert 4 < entry.zipf < 6
    assert 4 < entry.lemma_zipf < 6


def test_guess_is_marked() -> None:
    entry = show("Курбанбердыева", "ru")[1]
    assert (entry.term, entry.strict, entry.known, entry.source) == ("курбанбердыев", None, False, "predicted")


@pytest.mark.parametrize(("word", "why"), [("января", "month"), ("и", "stop word"), ("быстро", "no noun")])
def test_what_is_not_a_term_says_why(word: str, why: str) -> None:
    entry = show(word, "ru")[0]
    assert entry.term is None
    assert why in entry.why


@pytest.mark.parametrize("word", ["", "  ", "два слова"])
def test_only_one_word(word: str) -> None:
    with pytest.raises(ConfigurationError, match="expected one word"):
        show(word)


def test_unknown_language() -> None:
    with pytest.raises(ConfigurationError, match="expected one of ru, uk, en"):
        show("слово", "de")  # type: ignore[arg-type]


def test_shares_are_counted_by_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = {
        "ru": (("правительство", 4e-4), ("неточность", 3e-4), ("гнатишин", 2e-4), ("бзыбрюмов", 1e-4)),
        "uk": (("уряд", 1e-4),),
    }
    monkeypatch.setattr(module, "frequent_nouns", nouns.__getitem__)
    monkeypatch.setattr(module, "TOPS", (2, 4))
    monkeypatch.setattr(module, "OUR_LANGUAGES", ("ru", "uk"))
    told: list[tuple[str, int, int | None]] = []
    found = coverage(lambda *one: told.append(one))
    assert len(found) == 4
    two, four = found[:2]
    assert (two.source, two.target, two.top, two.dictionary) == ("ru", "uk", 2, pytest.approx(4 / 7))
    shares = (four.dictionary, four.cognates, four.names, four.spelt, four.none, four.identity, four.covered)
    assert shares == pytest.approx((0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.9))
    assert four.as_dict()["covered"] == 0.9
    assert told[-1] == ("coverage", 2, 2)


def test_an_identity_the_target_lacks_does_not_count() -> None:
    # No sister word is known, and the spelling by rule is the word itself.
    assert module._classify(["гзмбров"], "ru", "uk") == ["none"]
    assert module._classify(["правительство", "мир"], "ru", "uk") == ["dictionary", "dictionary"]


def test_nouns_come_by_frequency_and_once() -> None:
    nouns = frequent_nouns("en")
    shares = [share for _, share in nouns]
    assert shares == sorted(shares, reverse=True)
    assert len({noun for noun, _ in nouns}) == len(nouns) > 10_000
    assert {"government", "president"} <= {noun for noun, _ in nouns[:1_000]}


@pytest.mark.slow
def test_goals_of_the_issue_are_met() -> None:
    covered = {(one.source, one.target): one.covered for one in coverage() if one.top == 5_000}
    assert covered["ru", "uk"] >= 0.98
    assert covered["ru", "en"] >= 0.95
    assert covered["uk", "en"] >= 0.95
