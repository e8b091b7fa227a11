import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.surface_pool import Utf8Texts, texts_of, texts_of_arrow
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

STRINGS = ["", "слово", "a", "東京\U0001f44d"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("part", [slice(0, 4), slice(1, 3), slice(2, 4), slice(4, 4)])
def test_texts_of_arrow(kind, part):
    texts = texts_of_arrow(pa.array(STRINGS, kind)[part])
    assert [texts[number] for number in range(len(texts))] == STRINGS[part]
    assert len(texts.data) >= texts.offsets[-1] + BLOCK + 2


def test_texts_of_strings_without_lone_surrogates():
    texts = texts_of(["a\ud800b", "в"])
    assert [texts[0], texts[1]] == ["a\ufffdb", "в"]
    assert len(texts_of([])) == 0
    assert texts_of(STRINGS).longest == 10


@pytest.mark.parametrize("array", [pa.array(["a", None]), pa.array([1, 2])])
def test_other_arrays_are_refused(array):
    with pytest.raises(ValueError, match="expected strings without nulls"):
        texts_of_arrow(array)


@pytest.mark.parametrize(("size", "runs"), [(1, [1, 1, 2]), (2, [1, 1, 2]), (4, [2, 2]), (5, [4])])
def test_blocks_by_hand(size, runs):
    texts = texts_of(["ab", "cd", "", "ef"])
    assert [len(block) for block in texts.blocks(size)] == runs


@given(strings=st.lists(st.text(max_size=5), max_size=12), size=st.integers(1, 20), skipped=st.integers(0, 3))
def test_blocks_are_all_texts_in_order(strings, size, skipped):
    whole = texts_of(["начало"] * skipped + strings)
    texts = Utf8Texts(whole.offsets[skipped:], whole.data)
    blocks = list(texts.blocks(size))
    assert [text for block in blocks for text in map(block.__getitem__, range(len(block)))] == strings
    assert all(len(block) for block in blocks)
    assert all(block.data is whole.data for block in blocks)
