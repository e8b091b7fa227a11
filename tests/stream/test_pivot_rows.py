"""Rows of the pivot language against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.stream.kernels.pivot import find_places
from infostream_dedup.stream.pivot_terms import without

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
