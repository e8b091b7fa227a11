"""Joint coverage of methods, by hand and by trying all."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.lab.evaluation.comparison import joint_coverage


def test_methods_that_complement_each_other_come_first():
    codes = {"a": np.array([1, 2, 3]), "b": np.array([1, 2, 3, 9]), "c": np.array([4]), "d": np.array([5, 8])}
    rows = joint_coverage(codes, np.array([1, 2, 3, 4, 5, 6]), most=2)
    assert [(row.methods, row.pairs, row.true) for row in rows] == [
        (("a", "c"), 4, 4), (("a", "d"), 5, 4), (("a", "c", "d"), 6, 5), (("b", "c", "d"), 7, 5),
    ]  # fmt: skip
    assert (rows[0].recall, rows[0].best_alone) == (round(4 / 6, 6), 0.5)


SETS = st.lists(st.sets(st.integers(0, 12)), min_size=2, max_size=5)


@given(SETS, st.sets(st.integers(0, 12)))
def test_the_best_is_the_best_of_all(found, true):
    codes = {f"m{place}": np.array(sorted(own), dtype=np.int64) for place, own in enumerate(found)}
    for size in (2, 3):
        rows = joint_coverage(codes, np.array(sorted(true), dtype=np.int64), sizes=(size,), most=1)
        adding = []
        for chosen in combinations(found, size):
            whole = len(set().union(*chosen) & true)
            fewer = [len(set().union(*rest) & true) for rest in combinations(chosen, size - 1)]
            if whole > max(fewer):
                adding.append(whole)
        assert [row.true for row in rows] == ([max(adding)] if adding else [])
