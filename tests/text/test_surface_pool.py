"""Words in one piece of memory: read back, and put in code point order."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text import surface_pool
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, texts_of, texts_of_arrow
from infostream_dedup.machine.kernels.byte_blocks import BLOCK

# Beyond the basic plane UTF-16 would order otherwise; stretches of one letter make long common beginnings.
WORDS = st.lists(
    st.one_of(
        st.text(st.sampled_from("аяё-ʼz𐐷\uffee"), max_size=30),
        st.builds(lambda letter, times: letter * times, st.sampled_from("аz"), st.integers(0, 60)),
    ),
    unique=True,
    max_size=80,
)


def in_order(words):
    listed = SurfaceList.of(words)
    return listed.some(listed.code_point_order())


def test_words_worked_by_hand():
    assert in_order(["яма", "ям", "yam", "ёж", "яма-а", "ём"]) == ["yam", "ям", "яма", "яма-а", "ёж", "ём"]


@given(WORDS, st.data())
def test_picked_words_are_a_list_of_their_own(words, data):
    listed = SurfaceList.of(words)
    wanted = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=20, unique=True)) if words else []
    picked = listed.picked(np.array(wanted, dtype=np.int64))
    assert list(picked) == [words[number] for number in wanted]
    assert picked[:] == SurfaceList.of([words[number] for number in wanted])[:]
    assert picked.code_point_order().tolist() == sorted(range(len(wanted)), key=lambda one: words[wanted[one]])


@given(WORDS)
def test_few_words_are_converted_like_many(words):
    few = SurfaceList.of(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface_pool, "_FEW_WORDS", 0)
        many = SurfaceList.of(words)
    assert few.starts.tolist() == many.starts.tolist()
    assert few.pool.tolist() == many.pool.tolist()
    assert few.pool.flags.writeable


@given(WORDS)
def test_the_order_is_that_of_sorted(words):
    assert in_order(words) == sorted(words)


def test_more_words_than_are_sorted_by_insertion():
    words = [f"предпринимательство{number}" for number in range(3000)] + ["а" * size for size in range(1, 200)]
    assert in_order(words[::-1]) == sorted(words)


def test_it_is_a_sequence_of_strings():
    words = ["раз", "два", "", "три"]
    listed = SurfaceList.of(words)
    assert (list(listed), listed[-1], listed[1:3], len(listed)) == (words, "три", ["два", ""], 4)
    assert ("два" in listed, "пять" in listed, listed.index("три")) == (True, False, 3)
    with pytest.raises(IndexError):
        listed[4]


@given(st.lists(st.sampled_from(["а", "б", "вв", "ггг" * 20]), max_size=40))
def test_a_pool_numbers_words_as_they_come(words):
    pool = SurfacePool()
    numbers = pool.add(SurfaceList.of(words))
    distinct = list(dict.fromkeys(words))
    assert list(pool.listed()) == distinct
    assert numbers.tolist() == [distinct.index(word) for word in words]


@pytest.mark.parametrize("expected", [0, 3, 1500, 1 << 20])
def test_a_pool_made_for_few_words_takes_many(expected):
    words = [f"слово {number}" for number in range(3000)]
    pool = SurfacePool(expected)
    numbers = [pool.add(SurfaceList.of(words[:2])), pool.add(SurfaceList.of([*words, "слово 0"]))]
    assert np.concatenate(numbers).tolist() == [0, 1, *range(3000), 0]
    assert list(pool.listed()) == words


def test_long_words_enlarge_the_memory_of_the_words_only_and_many_words_the_table():
    pool, long = SurfacePool(0), ["слово" * 200 + str(number) for number in range(100)]
    before = pool.table
    pool.add(SurfaceList.of(long))
    assert len(pool.table.pool) > len(before.pool)
    assert pool.table.slots is before.slots
    pool.table = before = pool.table._replace(pool=np.concatenate([pool.table.pool, np.zeros(1 << 20, dtype=np.uint8)]))
    short = [f"и{number}" for number in range(1000)]
    pool.add(SurfaceList.of(short))
    assert pool.table.pool is before.pool
    assert len(pool.table.slots) > len(before.slots)
    assert pool.find(SurfaceList.of([*long, *short]), np.arange(1100)).tolist() == list(range(1100))


def test_words_are_found_among_others():
    pool = SurfacePool()
    pool.add(SurfaceList.of(["и", "¶и", "не", "слово" * 30]))
    asked = SurfaceList.of(["не", "ни", "слово" * 30, "", "¶и", "и", "слово" * 29 + "слова"])
    assert pool.find(asked, np.array([0, 1, 2, 3, 4, 5, 6, 0])).tolist() == [2, -1, 3, -1, 1, 0, -1, 2]


def test_an_emptied_pool_is_used_again_unless_it_is_far_too_large():
    pool = SurfacePool(0)
    pool.add(SurfaceList.of([f"слово{number}" for number in range(3000)]))
    assert pool.emptied(3000) is pool
    assert len(pool) == 0
    assert pool.add(SurfaceList.of(["слово7", "слово1", "слово7"])).tolist() == [0, 1, 0]
    pool.add(SurfaceList.of([f"слово{number}" for number in range(100_000)]))
    fewer = pool.emptied(0)
    assert fewer is not pool
    assert len(fewer) == 0


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
    blocks = list(Utf8Texts(whole.offsets[skipped:], whole.data).blocks(size))
    assert [text for block in blocks for text in map(block.__getitem__, range(len(block)))] == strings
    assert all(len(block) for block in blocks)
    assert all(block.data is whole.data for block in blocks)
