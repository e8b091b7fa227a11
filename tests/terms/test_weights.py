"""Weights, worked by hand."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.model import Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.statistics import Statistics
from infostream_dedup.terms.weights import UNITS, bm25, bm25_idf, tf_idf, weigh


def test_bm25_by_hand():
    # A term in 1 of 10 documents, twice in a document of average length: tf / (tf + k1) = 2 / (2 + 2).
    idf = bm25_idf(np.array([1.0]), 10)
    assert idf[0] == pytest.approx(math.log(9.5 / 1.5))
    weight = bm25(np.array([2.0]), idf, np.array([7.0]), l_avg=7.0, k1=2.0, b=0.75)
    assert weight[0] == pytest.approx(math.log(9.5 / 1.5) * 2 * 3 / 4)


def test_bm25_of_a_long_document_is_smaller():
    idf = np.array([1.0, 1.0])
    short, long = bm25(np.array([1.0, 1.0]), idf, np.array([5.0, 50.0]), l_avg=10.0)
    assert short == pytest.approx(3 / (1 + 2 * (0.25 + 0.75 * 0.5)))
    assert long == pytest.approx(3 / (1 + 2 * (0.25 + 0.75 * 5)))


def test_idf_is_negative_in_more_than_half_of_the_documents():
    below, above = bm25_idf(np.array([4.0, 6.0]), 10)
    assert below > 0 > above


def test_tf_idf_by_hand():
    assert tf_idf(np.array([3.0]), np.array([5.0]), 20)[0] == pytest.approx(3 * math.log(4))


def _counts(rows, languages=None):
    table = np.array(rows, dtype=np.int32)
    languages = np.zeros(len(rows), dtype=np.uint8) if languages is None else np.array(languages, dtype=np.uint8)
    terms = [f"t{number}" for number in range(table.shape[1])]
    return TermCounts(sp.csr_array(table), terms, languages, table.sum(axis=1).astype(np.int64))


def _statistics(documents, df, average_length=4.0):
    df = np.array(df, dtype=np.float64)
    return Statistics(documents, df, df.astype(np.int64), average_length)


def test_weights_are_whole_units_and_the_middle_of_document_frequency():
    counts = _counts([[2, 1, 1, 0]])
    own = _statistics(100.0, [10, 1, 60, 5])
    weights = weigh(counts, [own, own, own], Settings())
    expected = bm25(np.array([2.0]), bm25_idf(np.array([10.0]), 100), np.array([4.0]), l_avg=4.0)[0]
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
