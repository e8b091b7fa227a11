"""SimHash, worked by hand and against all pairs."""

from itertools import combinations

import numpy as np
import pytest

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.lab.methods import Texts, method
from infostream_dedup.lab.methods.sketches import projections


def test_every_feature_votes_for_every_bit():
    # Bits: 3 = 011, 5 = 101, 1 = 001. Bit 0 has three votes, bits 1 and 2 one of three.
    assert projections(rows_from([[3, 5, 1], [3], [], [3, 5]], np.uint64)).tolist() == [1, 3, 1]


@pytest.mark.parametrize("k", [0, 1, 3, 8])
def test_parts_of_the_bits_find_all_near_pairs(k):
    random = np.random.default_rng(4)
    values = random.integers(0, 2**63, 60, dtype=np.uint64)
    for place in range(1, 60, 2):
        flips = random.choice(64, size=random.integers(0, 12), replace=False)
        values[place] = values[place - 1] ^ np.bitwise_or.reduce(np.uint64(1) << flips.astype(np.uint64), initial=0)
    rows = Ragged(np.arange(61, dtype=np.int64), values)
    expected = [(a, b) for a, b in combinations(range(60), 2) if int(values[a] ^ values[b]).bit_count() <= k]
    pairs = method("simhash", k=k).link(Texts.of(), rows)
    assert list(zip(pairs.a.tolist(), pairs.b.tolist(), strict=True)) == expected
    assert len(expected) > 1


def test_the_score_is_the_share_of_equal_bits():
    rows = Ragged(np.arange(3, dtype=np.int64), np.array([0b1111, 0b1100], dtype=np.uint64))
    assert method("simhash").link(Texts.of(), rows).scores.tolist() == [62 / 64]
