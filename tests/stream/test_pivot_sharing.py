"""Key terms of the pivot language that pairs have in common: compiled code against sets."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.evidence.kernels.sharing import SLOTS
from infostream_dedup.stream.kernels.pivot import MOST_KEYS, PivotDocuments, PivotScratch, SharedKeys, share_pivot

# A document: for each key term, heaviest first, its weight and the terms that it counts as; and the terms that match.
keys = st.tuples(st.integers(1, 9), st.sets(st.integers(0, 9), min_size=1, max_size=3))
documents = st.lists(
    st.tuples(st.lists(keys, max_size=6), st.sets(st.integers(0, 9), max_size=6)), min_size=2, max_size=5
)


def arranged(made):
    weights = [[weight for weight, _ in own] for own, _ in made]
    members = [
        sorted(term * MOST_KEYS + place for place, (_, terms) in enumerate(own) for term in terms) for own, _ in made
    ]
    matched = [sorted(terms) for _, terms in made]
    columns = [
        part
        for rows, kind in ((weights, np.int64), (members, np.int64), (matched, np.int32))
        for part in (
            np.array([0, *accumulate(map(len, rows))], dtype=np.int64),
            np.array([value for row in rows for value in row], dtype=kind),
        )
    ]
    return PivotDocuments(*columns)


def shared(made, pairs, least):
    scratch = PivotScratch(np.zeros(SLOTS * 32, np.int32), np.zeros(SLOTS * 32, np.int32), np.zeros(64, np.int64))
    a, b = (np.array(ends, dtype=np.int64) for ends in zip(*pairs, strict=True))
    found = SharedKeys(*np.zeros((3, len(pairs), 2), dtype=np.int64))
    share_pivot(a, b, arranged(made), scratch, least, found)
    assert not scratch.members.any()
    assert not scratch.matched_by.any()
    return list(zip(*(column.tolist() for column in found), strict=True))


def met(one, other):
    """Number and weight of one's key terms that match the other, and weight of all."""
    hits = [weight for weight, terms in one[0] if terms & other[1]]
    return len(hits), sum(hits), sum(weight for weight, _ in one[0])


def plain(one, other, least):
    answering = met(other, one)
    here = met(one, other) if answering[1] >= least * answering[2] else (0, 0, 0)
    return tuple([first, second] for first, second in zip(here, answering, strict=True))


def test_by_hand():
    made = [([(5, {1, 2}), (3, {4})], {7}), ([(4, {7}), (2, {8})], {2, 3})]
    assert shared(made, [(0, 1)], 0.5) == [([1, 1], [5, 4], [8, 6])]
    assert shared(made, [(0, 1)], 0.7) == [([0, 1], [0, 4], [0, 6])]


@pytest.mark.parametrize("least", [0.0, 0.4])
@given(made=documents)
def test_as_sets(made, least):
    pairs = [(one, other) for one in range(len(made)) for other in range(len(made)) if one != other]
    assert shared(made, pairs, least) == [plain(made[one], made[other], least) for one, other in pairs]
