"""Posting lists in one array against plain lists, and how long the array gets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links.compiled.kernels.window_lists import NOTHING, START, Pool, append_document, compact, find
from infostream_dedup.links.compiled.window_index import Piece, Postings, WindowTerms, with_room

NO_TERMS = Piece.of(WindowTerms(np.array([0, 0]), np.zeros(0, dtype=np.int64)), slice(0, 1))


@pytest.fixture(autouse=True, scope="module")
def small_arrays():
    """Arrays that are full often, and too long soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infostream_dedup.links.compiled.window_index._LEAST_SPARE", 8)
        yield


class PlainLists:
    """The same lists as Python lists."""

    def __init__(self):
        self.of = {}

    def append(self, document, terms):
        for term in terms:
            self.of.setdefault(term, []).append(document)

    def living(self, oldest):
        found = {term: [one for one in documents if one >= oldest] for term, documents in self.of.items()}
        return {term: documents for term, documents in found.items() if documents}


def append(postings, document, terms, oldest):
    """Append to the lists of targets as the window does: whenever the array is full, make room and go on."""
    given, done = np.array(sorted(terms), dtype=np.int64), 0
    postings.make_room_for_terms(len(given))
    slots = np.full(len(given), NOTHING)
    for place, term in enumerate(given):
        at = find(term, postings.terms.table)
        if postings.terms.table[at] == term:
            slots[place] = postings.terms.table_slots[at]
    while True:
        done = append_document(document, given, slots, done, oldest, postings.terms, postings.targets)
        if done == len(given):
            break
        postings.targets = with_room(postings.targets, oldest)


def append_at_once(postings, first, rows, oldest):
    ends = np.cumsum([0, *(len(row) for row in rows)])
    values = np.array([term for row in rows for term in sorted(row)], dtype=np.int64)
    postings.make_room_for_terms(len(values))
    piece = Piece.of(WindowTerms(ends, values), slice(0, len(rows)))
    postings.make_room_for_documents(first, NO_TERMS, piece, oldest=oldest)()


def living(postings, oldest):
    found = {}
    for slot, term in enumerate(postings.terms.slot_terms.tolist()):
        if term != NOTHING:
            _, begin, end, _ = postings.targets.lists[slot]
            documents = postings.targets.postings[begin:end]
            found[term] = documents[documents >= oldest].tolist()
    return {term: documents for term, documents in found.items() if documents}


def check_chunks(pool):
    """Every list is within its chunk, no two chunks overlap, and none reaches into unused memory."""
    lists = pool.lists[pool.lists[:, 3] > pool.lists[:, 0]]
    lists = lists[np.argsort(lists[:, 0])]
    assert np.all(np.diff(lists, axis=1) >= 0)
    assert np.all(lists[1:, 0] >= lists[:-1, 3])
    assert lists[-1:, 3].max(initial=0) <= pool.used[0] <= len(pool.postings)


rows = st.lists(st.sets(st.integers(0, 9)), max_size=40)
steps = st.one_of(
    st.tuples(st.just("one by one"), rows), st.tuples(st.just("at once"), rows),
    st.tuples(st.just("expire"), st.integers(0, 60)), st.tuples(st.just("tidy"), st.just(None)),
    st.tuples(st.just("compact"), st.just(None)),
)  # fmt: skip


@given(script=st.lists(steps, max_size=25))
def test_lists_are_those_of_python(script):
    postings, plain, document, oldest = Postings(), PlainLists(), 0, 0
    postings.targets = postings.targets._replace(postings=np.empty(1, dtype=np.uint32))
    for what, content in script:
        if what == "one by one":
            for place, terms in enumerate(content):
                append(postings, document + place, terms, oldest)
        elif what == "at once":
            append_at_once(postings, document, content, oldest)
        elif what == "expire":
            oldest = min(oldest + content, document)
        elif what == "tidy":
            postings.tidy(len(postings.terms.slot_terms), oldest=oldest, documents=1)
        else:
            postings.targets = with_room(postings.targets, oldest)
        if content and what in {"one by one", "at once"}:
            for place, terms in enumerate(content):
                plain.append(document + place, terms)
            document += len(content)
        assert living(postings, oldest) == plain.living(oldest)
        check_chunks(postings.targets)


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


def test_the_array_follows_the_living_postings_while_sizes_drift():
    # Terms come into fashion and go out again: all lists grow to hundreds of postings and shrink to none.
    random, postings, window, longest = np.random.default_rng(5), Postings(), 500, 0
    for document in range(20 * window):
        fashion = document / 40 + random.normal(0, 12, 60)
        append(postings, document, set(np.round(fashion).astype(int) + 100), max(document - window, 0))
        postings.tidy(1, oldest=max(document - window, 0), documents=window)
        if document % 100 == 0:
            held = sum(map(len, living(postings, document - window).values()))
            if document > window:
                assert len(postings.targets.postings) < 2 * held
                longest = max(longest, len(postings.targets.postings))
    assert 0 < longest < 1.1 * len(postings.targets.postings)
