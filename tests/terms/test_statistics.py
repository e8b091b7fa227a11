"""Statistics and the background."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.language.morphology.readings import is_seldom_noun
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.terms.representation import representation, term_frequencies
from infostream_dedup.terms.statistics import (
    BACKGROUND_DOCUMENTS,
    BACKGROUND_WORDS,
    TermCounts,
    Totals,
    document_probability,
    filled_up,
)
from tests.oracles.key_terms import statistics_of


def _counts(rows, terms, languages):
    table = np.array(rows, dtype=np.int32)
    return TermCounts(
        sp.csr_array(table), terms, np.array(languages, dtype=np.uint8), table.sum(axis=1).astype(np.int64)
    )


def test_document_probability_by_hand():
    assert document_probability(["x", "y"], {"x": 0.01}).tolist() == pytest.approx([1 - 0.99**BACKGROUND_WORDS, 0.0])


def test_statistics_are_counted_per_language():
    counts = _counts([[1, 0], [3, 1], [0, 2]], ["a", "b"], [0, 0, 1])
    ru, uk, en, other = statistics_of(counts, Settings(background=False))
    assert (ru.documents, ru.df.tolist(), ru.average_length) == (2.0, [2.0, 1.0], 2.5)
    assert (uk.documents, uk.df.tolist(), uk.average_length) == (1.0, [0.0, 1.0], 2.0)
    assert (en.documents, en.average_length) == (other.documents, other.average_length) == (0.0, 1.0)


def test_background_fills_up_to_two_thousand_documents():
    counts = _counts([[1, 1]] * 3, ["qzxj", "год"], [0, 0, 0])
    ru, uk, *_ = statistics_of(counts, Settings(representation="stem"))
    assert (ru.documents, ru.df[0]) == (BACKGROUND_DOCUMENTS, 3.0)
    assert 500 < ru.df[1] < BACKGROUND_DOCUMENTS
    assert uk.documents == 0.0


def test_no_background_for_a_collection_that_is_large_enough():
    rows = [[1]] * BACKGROUND_DOCUMENTS
    ru, *_ = statistics_of(_counts(rows, ["год"], [0] * len(rows)), Settings(representation="stem"))
    assert (ru.documents, ru.df[0]) == (float(BACKGROUND_DOCUMENTS), float(BACKGROUND_DOCUMENTS))


def test_statistics_of_chunks_are_those_of_the_whole():
    rows, terms = [[1, 0], [3, 1], [0, 2], [1, 1]], ["год", "міст"]
    whole = statistics_of(_counts(rows, terms, [0] * 4), Settings(representation="stem"))[0]
    df = np.array([2, 1]) + np.array([1, 2])
    joined = filled_up(terms, df, Totals(2, 5) + Totals(2, 4), lambda: term_frequencies("ru", "stem"))
    assert (joined.documents, joined.average_length) == (whole.documents, whole.average_length)
    assert np.array_equal(joined.df, whole.df)


def test_without_documents_the_statistics_are_those_of_the_background():
    found = filled_up(["x", "y"], np.zeros(2, dtype=np.int64), Totals(), lambda: {"x": 0.01, "z": 0.03})
    assert (found.documents, found.average_length) == (BACKGROUND_DOCUMENTS, pytest.approx(BACKGROUND_WORDS * 0.04))
    assert found.df.tolist() == pytest.approx([BACKGROUND_DOCUMENTS * (1 - 0.99**BACKGROUND_WORDS), 0.0])


@pytest.mark.parametrize("language", OUR_LANGUAGES)
@pytest.mark.parametrize("kind", ["stem", "morph"])
def test_shares_are_of_running_words(language: Language, kind: str) -> None:
    shares = term_frequencies(language, kind)
    assert len(shares) > 8_000
    assert list(shares) == sorted(shares)
    assert 0 < sum(shares.values()) < 1


def test_forms_of_one_lemma_are_summed() -> None:
    assert term_frequencies("ru", "morph")["правительство"] > 2 * dict(common_forms("ru"))["правительство"]


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
    assert {one for one in terms if one and not is_seldom_noun(one)} <= set(term_frequencies("en", representation_name))
