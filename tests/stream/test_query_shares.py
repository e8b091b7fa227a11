"""Shares, rows and links of a stream, beside the definitions document by document."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.arrays import rows_from
from infostream_dedup.stream.across import _PastLinks
from infostream_dedup.stream.kernels.pivot import find_places
from infostream_dedup.stream.pivot_terms import without
from infostream_dedup.stream.question import AskedTerms, closeness, share_of_rows
from infostream_dedup.stream.search import RankedDocument


def test_the_share_of_the_question_comes_first() -> None:
    """Nine of twelve key terms, and three back, stand before four both ways; equal shares go to the earlier."""
    found = {5: (4, 4), 8: (9, 3), 6: (9, 3)}
    ranked = [RankedDocument(ASKED, one, counts, counts[0] / 12, counts[1] / 12, 0.0) for one, counts in found.items()]
    assert [one.ordinal for one in sorted(ranked, key=RankedDocument.rank)] == [6, 8, 5]


def test_a_sentence_is_answered_by_words_in_one_place_and_at_the_beginning() -> None:
    sets = [np.array([1, 2]), np.array([3])]
    asked = AskedTerms(sets=sets, weights=np.array([3, 1]), targets=np.arange(4), words=["", ""])
    orders = rows_from([[2, 0, 3], [*[0] * 9, 1, 3], [3, *[0] * 9, 1], [], [0] * 9 + [3, 3]], np.int64)
    assert closeness(asked, orders).tolist() == [2.0, 1.0, 1.0, 0.0, 0.25]


ASKED = AskedTerms(sets=[np.array([0])], weights=np.ones(1, dtype=np.int64), targets=np.arange(1), words=[""])
terms = st.integers(0, 9)
documents = st.lists(st.lists(terms, unique=True, max_size=6), max_size=5)


@given(documents, st.sets(terms))
def test_shares_of_documents(rows, targets):
    keys = rows_from(rows, np.int64)
    weights = rows_from([[1 + term for term in row] for row in rows], np.int64)
    found = share_of_rows(keys, weights, np.array(sorted(targets), dtype=np.int64)).tolist()
    for row, share in zip(rows, found, strict=True):
        whole = sum(1 + term for term in row)
        assert share == (round(sum(1 + term for term in row if term in targets) / whole, 9) if row else 0)


sets = st.lists(st.sets(st.integers(0, 9), max_size=6), max_size=5)


@given(one=sets, other=sets)
def test_values_that_the_other_row_lacks(one, other):
    size = min(len(one), len(other))
    left = without(*(rows_from([sorted(row) for row in rows[:size]], np.int64) for rows in (one, other)))
    assert [row.tolist() for row in left] == [sorted(mine - their) for mine, their in zip(one, other, strict=False)]


def test_places_of_terms_by_hand():
    keys = rows_from([[7, 4], [], [4]], np.int32)
    owners, terms = np.array([0, 0, 0, 1, 2, 3, -1]), np.array([4, 7, 5, 4, 4, 4, 4])
    places = np.zeros(7, dtype=np.int64)
    find_places(owners, terms, keys.indptr, keys.values, places)
    assert places.tolist() == [1, 0, -1, -1, 0, -1, -1]


# The later document, the earlier one, the smaller share.
LINKS = np.array([[5, 2, 700], [6, 2, 800], [6, 5, 900]], dtype=np.int64)


def test_each_link_is_known_at_both_ends():
    past = _PastLinks.of(LINKS)
    assert (sorted(past.of_document(2)), sorted(past.of_document(5))) == ([(5, 700), (6, 800)], [(2, 700), (6, 900)])
    assert sorted(past.of_document(6)) == [(2, 800), (5, 900)]
    assert past.of_document(3) == past.of_document(7) == []
    assert _PastLinks.of(LINKS[:0]).of_document(2) == []


def test_documents_that_left_the_window_are_forgotten_once_they_are_the_half():
    past = _PastLinks.of(LINKS)
    assert past.from_document(3) is past
    later = past.from_document(6)
    assert (later.ordinals.tolist(), sorted(later.of_document(6))) == ([6, 6], [(2, 800), (5, 900)])
    assert later.of_document(2) == []
