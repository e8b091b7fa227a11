from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.machine.scratch import row_blocks


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 25))
def test_blocks_cover_all_rows_within_the_limit(work: list[int], limit: int) -> None:
    blocks = list(row_blocks(np.array(work, dtype=np.int64), limit))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(len(work)))
    assert all(sum(work[block]) <= limit or block.stop - block.start == 1 for block in blocks)
    # No two neighbours would fit into one block.
    assert all(sum(work[a.start : b.stop]) > limit for a, b in pairwise(blocks))


def test_rows_without_work_need_no_block_of_their_own() -> None:
    assert list(row_blocks(np.zeros(1000, dtype=np.int64), 5)) == [slice(0, 1000)]
