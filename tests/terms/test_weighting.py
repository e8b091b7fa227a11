"""Weights, worked by hand."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import WEIGHTINGS
from infostream_dedup.terms.statistics import (
    UNITS,
    DocumentFrequencies,
    Statistics,
    TermCounts,
    bounded_idf,
    weigh,
    weighting,
)
from infostream_dedup.terms.weightings import bm25, tfidf


def _bm25(f, idf, length, average):
    norm = bm25.norm(np.array(length), average, Settings(k1=2.0, b=0.75))
    return bm25.weight(np.array(f), np.array(idf), norm, Settings(k1=2.0, b=0.75))


def test_bm25_by_hand():
    # A term in 1 of 10 documents, twice in a document of average length: tf / (tf + k1) = 2 / (2 + 2).
    idf = bm25.idf(np.array([1.0]), 10)
    assert idf[0] == pytest.approx(math.log(9.5 / 1.5))
    assert _bm25([2.0], idf, [7.0], 7.0)[0] == pytest.approx(math.log(9.5 / 1.5) * 2 * 3 / 4)


def test_bm25_of_a_long_document_is_smaller():
    short, long = _bm25([1.0, 1.0], np.array([1.0, 1.0]), [5.0, 50.0], 10.0)
    assert short == pytest.approx(3 / (1 + 2 * (0.25 + 0.75 * 0.5)))
    assert long == pytest.approx(3 / (1 + 2 * (0.25 + 0.75 * 5)))


def test_idf_is_negative_in_more_than_half_of_the_documents():
    below, above = bm25.idf(np.array([4.0, 6.0]), 10)
    assert below > 0 > above


def test_tf_idf_by_hand():
    idf = tfidf.idf(np.array([5.0, 0.0]), 20)
    found = tfidf.weight(np.array([3.0, 1.0]), idf, np.zeros(2), Settings())
    assert found.tolist() == [pytest.approx(3 * math.log(4)), 0]


def _counts(rows, languages=None):
    table = np.array(rows, dtype=np.int32)
    languages = np.zeros(len(rows), dtype=np.uint8) if languages is None else np.array(languages, dtype=np.uint8)
    terms = [f"t{number}" for number in range(table.shape[1])]
    return TermCounts(sp.csr_array(table), terms, languages, table.sum(axis=1).astype(np.int64))


def _statistics(documents, df, average_length=4.0):
    df = np.array(df, dtype=np.float64)
    return Statistics(documents, df, average_length)


def test_weights_are_whole_units_and_the_middle_of_document_frequency():
    counts = _counts([[2, 1, 1, 0]])
    own = _statistics(100.0, [10, 1, 60, 5])
    weights = weigh(counts, [own, own, own], Settings())
    expected = _bm25([2.0], bm25.idf(np.array([10.0]), 100), [4.0], 4.0)[0]
    # The second is below df_min = 2, the third above df_max = half of all documents.
    assert weights.toarray().tolist() == [[round(expected * UNITS), 0, 0, 0]]


def test_df_bounds_below_one_are_shares():
    counts = _counts([[1, 1, 1]])
    own = _statistics(100.0, [3, 10, 30])
    weights = weigh(counts, [own, own, own], Settings(df_min=0.05, df_max=0.2))
    assert (weights.toarray()[0] > 0).tolist() == [False, True, False]


def test_each_document_is_weighed_by_its_own_language():
    counts = _counts([[1, 1], [1, 1]], languages=[0, 1])
    ru, uk = _statistics(100.0, [2, 40]), _statistics(100.0, [40, 2])
    weights = weigh(counts, [ru, uk, ru], Settings()).toarray()
    assert weights[0, 0] == weights[1, 1] > weights[0, 1] == weights[1, 0]


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_term_out_of_bounds_weighs_nothing(name):
    chosen = weighting(name)
    norm = chosen.norm(np.array([3.0, 900.0]), 40.0, Settings())
    assert chosen.weight(np.array([1.0, 70.0]), np.zeros(2), norm, Settings()).tolist() == [0, 0]
    assert np.isfinite(chosen.idf(np.array([0.0, 1.0, 5.0]), 5.0)).all()


def test_an_unknown_weighting_is_refused():
    with pytest.raises(ConfigurationError, match="weighting is 'bm26'; expected one of bm25, tfidf"):
        weighting("bm26")


def test_a_term_that_only_repeats_lift_above_df_max_counts_by_the_distinct_documents():
    # 100 documents, 60 of them repeats, df_max half. Of 80, 80, 50 and 1 documents with a term 10, 30, 10 and 1 are
    # distinct: the first term has the idf of 10 in 40, the second stays excluded, the others are as without repeats.
    everything = DocumentFrequencies(100.0, np.array([80.0, 80.0, 50.0, 1.0]))
    distinct = DocumentFrequencies(40.0, np.array([10.0, 30.0, 10.0, 1.0]))
    plain, kept = (bounded_idf(everything, Settings(), one) for one in (None, distinct))
    assert plain.tolist() == [0, 0, 0, 0]  # ln((100 - 50 + .5) / (50 + .5)) is 0
    assert kept.tolist() == [pytest.approx(np.log(30.5 / 10.5)), 0, 0, 0]
    by_count = bounded_idf(everything, Settings(df_max=25), distinct)
    assert by_count.tolist() == [pytest.approx(np.log(30.5 / 10.5)), 0, pytest.approx(np.log(30.5 / 10.5)), 0]
