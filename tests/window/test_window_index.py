"""The stream's index against plain sets kept in a list."""

import itertools
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links.compiled import window_index
from infostream_dedup.links.compiled.kernels.window_lists import START, Pool, compact
from infostream_dedup.links.compiled.window_index import WindowIndex


@pytest.fixture(autouse=True, scope="module")
def small_arrays():
    """Arrays that are full often, and too long soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_index, "_LEAST_SPARE", 8)
        patch.setattr(window_index, "_FIRST_SLOTS", 4)
        empty_pool = window_index._empty_pool
        one = np.empty(1, dtype=np.uint32)
        patch.setattr(window_index, "_empty_pool", lambda slots: empty_pool(slots)._replace(postings=one.copy()))
        yield


def check_chunks(index):
    """Every list is within its chunk, no two chunks overlap, and none reaches into unused memory."""
    for pool in (index._postings.keys, index._postings.targets):
        lists = pool.lists[pool.lists[:, 3] > pool.lists[:, 0]]
        lists = lists[np.argsort(lists[:, 0])]
        assert np.all(np.diff(lists, axis=1) >= 0)
        assert np.all(lists[1:, 0] >= lists[:-1, 3])
        assert lists[-1:, 3].max(initial=0) <= pool.used[0] <= len(pool.postings)


terms = st.sets(st.integers(0, 12).map(lambda term: term * 10**15), max_size=8)
KINDS = (("add", 1, 5), ("expire", 0, 12), ("ask", 1, 4))
step = st.one_of(*(st.tuples(st.just(kind), st.integers(least, most), terms, terms) for kind, least, most in KINDS))
steps = st.lists(step, max_size=60)


def expected(window, keys, targets, k_min):
    found = []
    for ordinal, old_keys, old_targets in window:
        forward, backward = len(keys & old_targets), len(old_keys & targets)
        if max(forward, backward) >= k_min:
            found.append((ordinal, forward, backward))
    return found


def answered(index, keys, targets, k_min):
    found = index.candidates(keys=sorted(keys), targets=sorted(targets), k_min=k_min)
    return list(zip(found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist(), strict=True))


def play(script):
    index, window, ordinal = WindowIndex(), [], 0
    for what, number, keys, targets in script:
        if what == "add":
            ordinal += number
            index.add(ordinal, keys=sorted(keys), targets=sorted(targets))
            window.append((ordinal, keys, targets))
        elif what == "expire":
            index.expire_before(ordinal - number)
            window = [entry for entry in window if entry[0] >= ordinal - number]
        else:
            assert answered(index, keys, targets, number) == expected(window, keys, targets, number)
        assert len(index) == len(window)
        check_chunks(index)


@given(script=steps)
def test_any_order_of_adding_expiring_and_asking(script):
    play(script)


@dataclass
class Lists:
    indptr: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, rows, dtype=np.int64):
        sizes = [len(row) for row in rows]
        return cls(np.cumsum([0, *sizes]), np.array([term for row in rows for term in sorted(row)], dtype=dtype))


documents = st.lists(st.tuples(terms, terms), max_size=30)
small = st.sets(st.integers(0, 40), max_size=8)
small_documents = st.lists(st.tuples(small, small), max_size=30)


@given(
    entries=st.one_of(
        st.tuples(st.just(np.int64), documents, documents, documents),
        st.tuples(st.sampled_from([np.int32, np.int64]), small_documents, small_documents, small_documents),
    ),
    gone=st.integers(0, 40),
    at_once=st.integers(1, 50),
)
def test_many_at_once_are_the_same_as_one_by_one(entries, gone, at_once):
    dtype, before, bulk, after = entries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infostream_dedup.links.compiled.window_index._TERMS_AT_ONCE", at_once)
        single, many = WindowIndex(), WindowIndex()
        for index, in_bulk in ((single, False), (many, True)):
            ordinal = add_one_by_one(index, before, 0)
            index.expire_before(gone)
            if in_bulk:
                keys, targets = (Lists.of([document[side] for document in bulk], dtype) for side in range(2))
                index.extend(np.arange(ordinal, ordinal + len(bulk)) * 3, keys=keys, targets=targets)
                ordinal += len(bulk)
            else:
                ordinal = add_one_by_one(index, bulk, ordinal)
            index.expire_before(3 * gone)
            add_one_by_one(index, after, ordinal)
            check_chunks(index)
        assert len(single) == len(many)
        for keys, targets in [*before, *bulk, *after]:
            assert answered(single, keys, targets, 1) == answered(many, keys, targets, 1)


def add_one_by_one(index, entries, ordinal):
    for keys, targets in entries:
        index.add(3 * ordinal, keys=sorted(keys), targets=sorted(targets))
        ordinal += 1
    return ordinal


def finds_of(rows):
    """What each question of a part found, as (ordinal, forward, backward)."""
    finds = list(zip(*(column.tolist() for column in (rows.ordinals, rows.forward, rows.backward)), strict=True))
    return [finds[begin:end] for begin, end in itertools.pairwise(rows.ends)]


@given(entries=documents, window=st.integers(1, 12), k_min=st.integers(1, 3), least_keys=st.sampled_from([0, 2]))
def test_asking_in_bulk_is_asking_and_adding_one_by_one(entries, window, k_min, least_keys):
    asked, plain, found = WindowIndex(), deque(maxlen=window), []
    ordinals = 3 * np.arange(len(entries))
    keys, targets = (Lists.of([entry[side] for entry in entries]) for side in range(2))
    # Who has fewer than four key terms needs one hit less.
    needs = [max(k_min - 1, 1)] * 4 + [k_min]
    oldest = ordinals - 3 * window
    for rows in asked.ask_and_extend(
        ordinals, keys=keys, targets=targets, oldest=oldest, needs=needs, least_keys=least_keys
    ):
        found += finds_of(rows)
    for ordinal, (own, looked_up), got in zip(ordinals.tolist(), entries, found, strict=True):
        sizes = {one: len(theirs) for one, theirs, _ in plain}
        enough = [
            one
            for one in expected(plain, own, looked_up, 1)
            if max(one[1:]) >= needs[min(len(own), sizes[one[0]], 4)] and len(own) >= least_keys
        ]
        assert got == enough
        plain.append((ordinal, own, looked_up))
    assert len(asked) == min(len(entries), window + 1 if len(entries) > window else len(entries))


@given(
    entries=st.lists(st.tuples(st.booleans(), terms, terms), max_size=30), window=st.integers(1, 12),
    k_min=st.integers(1, 3), cuts=st.sets(st.integers(0, 30)),
)  # fmt: skip
def test_some_documents_enter_and_the_others_ask(entries, window, k_min, cuts):
    index, held = WindowIndex(), []
    bounds = sorted({0, len(entries), *(cut for cut in cuts if cut < len(entries))})
    for begin, end in itertools.pairwise(bounds):
        ordinals = np.arange(begin, end)
        keys, targets = (Lists.of([entry[side] for entry in entries[begin:end]]) for side in (1, 2))
        asked = index.ask_and_extend(
            ordinals, keys=keys, targets=targets, oldest=ordinals - window, needs=(k_min,),
            enters=np.array([entry[0] for entry in entries[begin:end]], dtype=np.bool_),
        )  # fmt: skip
        found = [own for rows in asked for own in finds_of(rows)]
        for ordinal, own in zip(ordinals.tolist(), found, strict=True):
            enters, *sides = entries[ordinal]
            held = [one for one in held if one[0] >= ordinal - window]
            assert own == ([] if enters else expected(held, *sides, k_min))
            held += [(ordinal, *sides)] if enters else []


def test_finds_come_in_parts_when_there_are_many():
    index, size = WindowIndex(), 700
    rows = Lists.of([{1, 2}] * size)
    parts = [
        (part.first, len(part), part.ordinals.copy(), part.ends.copy())
        for part in index.ask_and_extend(np.arange(size), keys=rows, targets=rows)
    ]
    assert len(parts) > 1
    assert [first for first, *_ in parts] == np.cumsum([0, *(many for _, many, *_ in parts[:-1])]).tolist()
    assert sum(many for _, many, *_ in parts) == size
    for first, many, ordinals, ends in parts:
        for number in range(many):
            assert ordinals[ends[number] : ends[number + 1]].tolist() == list(range(first + number))
    assert answered(index, {1}, {1}, 1) == [(ordinal, 1, 1) for ordinal in range(size)]


def test_counts_of_many_key_terms_do_not_wrap():
    index = WindowIndex()
    index.add(0, keys=range(255), targets=range(255))
    found = index.candidates(keys=range(255), targets=range(255), k_min=200)
    assert (found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist()) == ([0], [255], [255])


def test_ordinals_must_ascend_and_rows_must_fit():
    index = WindowIndex()
    index.add(5, keys=[1], targets=[1])
    one, two = Lists.of([{1}]), Lists.of([{1}, {2}])
    with pytest.raises(ValueError, match="more than the last one, 5"):
        index.add(5, keys=[1], targets=[1])
    with pytest.raises(ValueError, match="more than the last one, 5"):
        index.extend([5], keys=one, targets=one)
    with pytest.raises(ValueError, match="do not ascend"):
        index.extend([7, 7], keys=two, targets=two)
    with pytest.raises(ValueError, match="1 ordinals for 2 rows of keys and 1 of targets"):
        index.extend([7], keys=two, targets=one)
    index.extend([], keys=Lists.of([]), targets=Lists.of([]))
    assert list(index.ask_and_extend([], keys=Lists.of([]), targets=Lists.of([]))) == []
    with pytest.raises(ValueError, match="more than the last one, 5"):
        next(index.ask_and_extend([5], keys=one, targets=one))
    assert len(index) == 1


def long_stream(documents, vocabulary, seed=7):
    """Documents with frequent and rare terms; the rare ones drift, as names in the news do."""
    random = np.random.default_rng(seed)
    for ordinal in range(documents):
        frequent = random.integers(0, 30, 6)
        rare = 1000 + ordinal // 3 + random.integers(0, vocabulary, 12)
        targets = np.unique(np.concatenate((frequent, rare)))
        yield ordinal, random.permutation(targets)[:5], targets


@pytest.mark.parametrize("largest", [2**32 - 2, 700])
def test_a_long_stream_stays_exact_however_documents_are_numbered(largest, monkeypatch):
    monkeypatch.setattr("infostream_dedup.links.compiled.window_index._LARGEST_NUMBER", largest)
    index, window = WindowIndex(), deque(maxlen=300)
    for ordinal, keys, targets in long_stream(3000, 50):
        if ordinal % 37 == 0:
            sets = set(keys.tolist()), set(targets.tolist())
            assert answered(index, *sets, 2) == expected(window, *sets, 2)
        index.add(ordinal, keys=keys, targets=targets)
        window.append((ordinal, set(keys.tolist()), set(targets.tolist())))
        index.expire_before(ordinal - 299)
    assert len(index) == 300


def test_memory_follows_the_window_not_the_stream(monkeypatch):
    monkeypatch.setattr(window_index, "_LEAST_SPARE", 1 << 17)
    monkeypatch.setattr(window_index, "_FIRST_SLOTS", 1 << 10)
    index, sizes = WindowIndex(), []
    for ordinal, keys, targets in long_stream(8000, 500):
        index.add(ordinal, keys=keys, targets=targets)
        index.expire_before(ordinal - 499)
        index.candidates(keys=keys, targets=targets, k_min=4)
        if ordinal % 2000 == 1999:
            sizes.append(index.nbytes)
    # Four times the documents, over more than twice the terms: nothing grows any more.
    assert sizes[-1] == sizes[0]


def test_the_array_follows_the_living_postings_while_sizes_drift():
    # Terms come into fashion and go out again: all lists grow to hundreds of postings and shrink to none.
    random, index, window, lengths = np.random.default_rng(5), WindowIndex(), deque(maxlen=500), []
    for document in range(20 * 500):
        fashion = np.unique(np.round(document / 40 + random.normal(0, 12, 60)).astype(int) + 100)
        index.add(document, keys=fashion[:1], targets=fashion)
        index.expire_before(document - 499)
        window.append(len(fashion))
        if document % 100 == 0 and document > 500:
            lengths.append(len(index._postings.targets.postings))
            assert lengths[-1] < 2 * sum(window)
    assert max(lengths) < 1.1 * lengths[-1]


def test_compaction_worked_by_hand():
    # Three chunks: 0-4 with 5 6, 4-9 left behind, 9-15 with 3 7 8 9, of which 3 has expired, and 15-16 with 4, expired.
    memory = np.array([0, 0, 5, 6, 1, 1, 1, 1, 1, 0, 3, 7, 8, 9, 0, 4, 0, 0, 0, 0], dtype=np.uint32)
    lists = np.array([[9, 10, 14, 15], [0, 2, 4, 4], [15, 15, 16, 16], [0, 0, 0, 0]])
    pool = Pool(lists, memory, np.array([16]))
    assert compact(np.argsort(lists[:, START], kind="stable"), 5, pool) == 3
    # A list of two gets a chunk of four, and one of three a chunk of five.
    assert lists[:3].tolist() == [[4, 4, 7, 9], [0, 0, 2, 4], [9, 9, 9, 9]]
    assert (memory[:2].tolist(), memory[4:7].tolist()) == ([5, 6], [7, 8, 9])
    assert pool.used.tolist() == [9]


def test_an_empty_index_answers_nothing():
    assert answered(WindowIndex(), {1}, {1}, 1) == []
