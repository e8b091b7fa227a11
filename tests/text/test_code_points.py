"""Characters of UTF-8, read one after the other."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text.kernels.scanning import sized_code_point


@example("a")
@example("я")
@example("aя\x7f\x80\u07ff\u0800€\uffff\U00010000😀")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_characters_and_their_bytes(text):
    data, found, place = np.frombuffer(text.encode(), dtype=np.uint8), [], 0
    while place < len(data):
        point, size = sized_code_point(data, place, len(data))
        found.append(chr(point))
        assert size == len(found[-1].encode())
        place += size
    assert "".join(found) == text
