"""Characters of UTF-8, read one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.machine.plain_work import use_loops
from infostream_dedup.text.kernels.code_points import sized_code_point


@pytest.mark.parametrize("loops", ["plain", "compiled"])
@example("a")
@example("я")
@example("aя\x7f\x80\u07ff\u0800€\uffff\U00010000😀")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_characters_and_their_bytes(loops, text):
    data, found, place = np.frombuffer(text.encode(), dtype=np.uint8), [], 0
    use_loops(loops)
    try:
        while place < len(data):
            point, size = sized_code_point(data, place, len(data))
            found.append(chr(point))
            assert size == len(found[-1].encode())
            place += size
    finally:
        use_loops("auto")
    assert "".join(found) == text
