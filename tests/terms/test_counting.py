"""Counting the terms of documents of every length against ``collections.Counter``."""

import itertools
from collections import Counter

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.terms import kernels
from infostream_dedup.terms.kernels import Counted, Row, TermsOfSurfaces, TokenRows
from infostream_dedup.terms.statistics import term_hashes


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
    end = kernels.count_terms(rows, mapping, largest, row, found)
    assert end == found.sizes.sum()
    ends = [0, *found.sizes.cumsum().tolist()]
    pairs = list(zip(found.indices[:end].tolist(), found.counts[:end].tolist(), strict=True))
    return [pairs[begin:end] for begin, end in itertools.pairwise(ends)], found.totals.tolist()


def test_one_several_and_no_terms():
    # Surface 0 is term 4, surface 1 is no term, surface 2 is the terms 9 and 4.
    rows, totals = counted([[0, 2, 1], [], [1], [2, 2]], [4, kernels.NOTHING, kernels.SEVERAL], [2, 9, 4], 9)
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
    codes[generator.random(500) < 0.1] = kernels.NOTHING
    documents = [generator.integers(0, 500, size).tolist() for size in sizes]
    rows, totals = counted(documents, codes, [], largest)
    terms = [[int(codes[token]) for token in one if codes[token] != kernels.NOTHING] for one in documents]
    assert rows == [sorted(Counter(one).items()) for one in terms]
    assert totals == [len(one) for one in terms]


RENUMBERED = np.array([3, 0, 4, 1, 2, 5, 9, 8, 6, 7], dtype=np.int32)


def mapped(held, entered_of_word):
    """Terms and lists for surfaces that hold these words each."""
    holders = np.repeat(np.arange(len(held)), [len(words) for words in held]).astype(np.int32)
    words = np.array([word for one in held for word in one], dtype=np.int32)
    by_language = np.array(entered_of_word, dtype=np.int32)
    terms = np.full((len(by_language), len(held)), kernels.NOTHING, dtype=np.int32)
    repeated = sum(max(len(one) - 1, 0) for one in held)
    more = np.full(kernels.ROOM_FOR_REPEATED * repeated * len(by_language) + 2, -99, dtype=np.int32)
    end, most = kernels.map_surfaces(holders, words, by_language, RENUMBERED, terms, more)
    assert end <= len(more) - 2
    return terms, more[:end], most


def test_terms_of_surfaces_by_hand():
    # Word 2 is a term in the second language only. Terms entered as 9, 7 and 8 are 7, 8 and 6 in the end.
    terms, more, most = mapped([[0], [1, 2], [], [2]], [[9, 7, kernels.NOTHING], [9, 7, 8]])
    assert terms.tolist() == [[7, 8, kernels.NOTHING, kernels.NOTHING], [7, kernels.SEVERAL, kernels.NOTHING, 6]]
    assert (more.tolist(), most) == ([2, 8, 6], 2)


@given(
    held=st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=12),
    entered_of_word=st.lists(st.lists(st.integers(kernels.NOTHING, 4), min_size=6, max_size=6), min_size=1, max_size=3),
)
def test_terms_read_back_are_those_of_the_words(held, entered_of_word):
    terms, more, most = mapped(held, entered_of_word)
    wanted = [
        [[RENUMBERED[one[word]] for word in words if one[word] != kernels.NOTHING] for words in held]
        for one in entered_of_word
    ]
    assert [[read(code, more) for code in row] for row in terms.tolist()] == wanted
    assert most == max([1, *(len(found) for row in wanted for found in row)])


def read(code, more):
    if code == kernels.NOTHING:
        return []
    if code > kernels.SEVERAL:
        return [code]
    place = kernels.SEVERAL - code
    return more[place + 1 : place + 1 + more[place]].tolist()


def test_words_are_used_where_one_of_their_surfaces_is():
    marks = np.zeros(3, dtype=np.uint8)
    holders, words = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 2], dtype=np.int32)
    kernels.mark_words(holders, words, np.array([1, 4], dtype=np.uint8), marks)
    assert marks.tolist() == [5, 0, 4]


ALL_BITS = 2**64 - 1
any_words = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20), max_size=20
)


def finished(mixed, first, second):
    mixed = (mixed ^ mixed >> 33) * first & ALL_BITS
    mixed = (mixed ^ mixed >> 33) * second & ALL_BITS
    return mixed ^ mixed >> 33


def defined(word):
    one, other = 0xCBF29CE484222325, 0x9E3779B97F4A7C15
    for byte in word.encode():
        one = (one ^ byte) * 0x100000001B3 & ALL_BITS
        other = other * 0xA0761D6478BD642F + byte + 1 & ALL_BITS
    return [
        finished(one, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53),
        finished(other, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB),
    ]


@given(any_words)
def test_hashes_are_as_defined(terms):
    assert term_hashes(SurfaceList.of(terms)).T.tolist() == [defined(term) for term in terms]


def test_hashes_never_change():
    assert [f"{number:016x}" for number in term_hashes(SurfaceList.of(["мост"]))[:, 0].tolist()] == [
        "2828f9e741356943",
        "54eacec28a5a8a22",
    ]
