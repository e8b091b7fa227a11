"""An array that grows holds what was appended, and gives up spare room."""

import numpy as np
import pytest

from infostream_dedup.machine.scratch import GrowingArray


@pytest.mark.parametrize("size", [0, 1, 5, 1000])
def test_elements_remain_in_order(size):
    array, random = GrowingArray(np.uint32), np.random.default_rng(size)
    parts = [random.integers(0, 1 << 32, length, dtype=np.uint32) for length in random.integers(0, 50, size)]
    for part in parts:
        array.append(part)
    found = array.taken()
    assert np.array_equal(found, np.concatenate([np.zeros(0, dtype=np.uint32), *parts]))
    assert found.flags.owndata
    assert len(array.taken()) == 0


def test_a_taken_array_is_not_written_to_again():
    array = GrowingArray(np.int64)
    array.append(np.arange(4))
    found = array.taken()
    array.append(np.full(3, 9))
    assert found.tolist() == [0, 1, 2, 3]
    assert array.taken().tolist() == [9, 9, 9]
