"""What the engine knows of a word."""

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.lexicography.word_lookup import show


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
