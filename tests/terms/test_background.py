"""The frequency dictionary that fills up small collections."""

from itertools import islice

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.terms.representation import representation, term_frequencies


@pytest.mark.parametrize("language", OUR_LANGUAGES)
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


def test_an_unknown_representation_has_no_background() -> None:
    with pytest.raises(ConfigurationError, match="representation is 'fives'; expected one of stem, morph, pivot"):
        term_frequencies("ru", "fives")


@pytest.mark.parametrize("representation_name", REPRESENTATIONS)
def test_the_background_consists_of_terms_of_the_representation(representation_name: str) -> None:
    forms = [Form(form, Shape.START) for form, _ in islice(common_forms("en"), 300)]
    terms = representation(representation_name).terms(forms, "en", Settings(representation=representation_name))
    known = {term for term in terms if term is not None}
    assert known <= set(term_frequencies("en", representation_name))
