"""The frequency dictionary that fills up small collections."""

from __future__ import annotations

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.text.term_frequency import term_frequencies


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["stem", "morph"])
def test_shares_are_of_running_words(language: Language, kind: str) -> None:
    shares = term_frequencies(language, kind)
    assert len(shares) > 8_000
    assert list(shares) == sorted(shares)
    assert 0 < sum(shares.values()) < 1


def test_forms_of_one_lemma_are_summed() -> None:
    own = dict(common_forms("ru"))["правительство"]
    assert term_frequencies("ru", "morph")["правительство"] > 2 * own


def test_function_words_are_out() -> None:
    assert "the" not in term_frequencies("en", "stem")
    assert "the" not in term_frequencies("en", "morph")
    assert "или" not in term_frequencies("ru", "morph")


def test_disk_gives_back_what_was_built() -> None:
    built = dict(term_frequencies("uk", "morph"))
    term_frequencies.cache_clear()
    assert dict(term_frequencies("uk", "morph")) == built


def test_another_representation_does_not_get_the_frequencies_of_morph():
    with pytest.raises(ConfigurationError, match="representation 'letters' has no frequencies of its own"):
        term_frequencies("ru", "letters")
