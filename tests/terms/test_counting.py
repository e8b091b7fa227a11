"""Counting the terms of documents of every length against ``collections.Counter``."""

import itertools
from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.terms.kernels.counting import (
    NOTHING,
    SEVERAL,
    Counted,
    Row,
    TermsOfSurfaces,
    TokenRows,
    count_terms,
)


def counted(documents, codes, more, largest):
    """The terms and frequencies of documents of one language, and the number of terms of each with repetition."""
    tokens = np.array([token for one in documents for token in one], dtype=np.int32)
    lengths = np.array([len(one) for one in documents], dtype=np.int64)
    rows = TokenRows(tokens, lengths.cumsum() - lengths, lengths, np.zeros(len(documents), dtype=np.uint8))
    mapping = TermsOfSurfaces(np.array(codes, dtype=np.int32), len(codes), np.array([*more, 0, 0], dtype=np.int32))
    room = 2 * max([len(one) for one in documents], default=0) + 1
    row = Row(np.empty(room, np.int32), np.empty(room, np.int32), np.empty(256, np.int64))
    found = Counted(
        np.empty(2 * len(tokens), np.int32), np.empty(2 * len(tokens), np.int32), np.empty(len(documents), np.int64),
        np.empty(len(documents), np.int64),
    )  # fmt: skip
    end = count_terms(rows, mapping, largest, row, found)
    assert end == found.sizes.sum()
    ends = [0, *found.sizes.cumsum().tolist()]
    pairs = list(zip(found.indices[:end].tolist(), found.counts[:end].tolist(), strict=True))
    return [pairs[begin:end] for begin, end in itertools.pairwise(ends)], found.totals.tolist()


def test_one_several_and_no_terms():
    # Surface 0 is term 4, surface 1 is no term, surface 2 is the terms 9 and 4.
    rows, totals = counted([[0, 2, 1], [], [1], [2, 2]], [4, NOTHING, SEVERAL], [2, 9, 4], 9)
    assert rows == [[(4, 2), (9, 1)], [], [], [(4, 2), (9, 2)]]
    assert totals == [3, 0, 0, 4]


@given(
    sizes=st.lists(st.sampled_from([0, 1, 23, 24, 25, 300, 1024, 1025, 3000]), max_size=4),
    largest=st.sampled_from([0, 1, 255, 256, 70_000, 20_000_000]),
    seed=st.integers(0, 9),
)
@example(sizes=[3000, 25, 0, 24], largest=20_000_000, seed=1)
def test_documents_of_every_length(sizes, largest, seed):
    generator = np.random.default_rng(seed)
    codes = np.minimum(generator.zipf(1.2, 500).astype(np.float64), largest).astype(np.int32)
    codes[generator.random(500) < 0.1] = NOTHING
    documents = [generator.integers(0, 500, size).tolist() for size in sizes]
    rows, totals = counted(documents, codes, [], largest)
    terms = [[int(codes[token]) for token in one if codes[token] != NOTHING] for one in documents]
    assert rows == [sorted(Counter(one).items()) for one in terms]
    assert totals == [len(one) for one in terms]
