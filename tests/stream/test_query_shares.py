"""Shares of a query, beside the definition document by document."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.features.rows import rows_from
from infostream_dedup.stream.query_shares import share_of_query, share_of_rows
from infostream_dedup.stream.search import _Asked, _Near


def test_the_share_of_the_question_comes_first() -> None:
    """Nine of twelve key terms, and three back, stand before four both ways; equal shares go to the earlier."""
    counts = np.array([[4, 4], [9, 3], [9, 3]])
    asked = _Asked(np.arange(12), np.ones(12, dtype=np.int64), [], np.arange(12), [])
    near = _Near(np.array([5, 8, 6]), counts, counts / 12, asked)
    assert [ordinal for *_, ordinal, _, _ in sorted(near.ranks(0))] == [6, 8, 5]


terms = st.integers(0, 9)
term_sets = st.lists(st.sets(terms, min_size=1, max_size=3), max_size=4)
documents = st.lists(st.lists(terms, unique=True, max_size=6), max_size=5)


@given(term_sets, documents)
def test_a_key_term_counts_once_however_many_equivalents_meet(sets, rows):
    weights = np.arange(3, 3 + len(sets), dtype=np.int64)
    arrays = [np.array(sorted(one), dtype=np.int64) for one in sets]
    found = share_of_query(arrays, weights, rows_from(rows, np.int64)).tolist()
    for row, share in zip(rows, found, strict=True):
        met = sum(int(weight) for one, weight in zip(sets, weights, strict=True) if one & set(row))
        assert share == (round(met / int(weights.sum()), 9) if sets else 0)


@given(documents, st.sets(terms))
def test_shares_of_documents(rows, targets):
    keys = rows_from(rows, np.int64)
    weights = rows_from([[1 + term for term in row] for row in rows], np.int64)
    found = share_of_rows(keys, weights, np.array(sorted(targets), dtype=np.int64)).tolist()
    for row, share in zip(rows, found, strict=True):
        whole = sum(1 + term for term in row)
        assert share == (round(sum(1 + term for term in row if term in targets) / whole, 9) if row else 0)
