"""From words to the terms of surfaces: a case by hand, and plain lists as the judge."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.terms.kernels.counting import NOTHING, ROOM_FOR_REPEATED, SEVERAL, map_surfaces, mark_words

RENUMBERED = np.array([3, 0, 4, 1, 2, 5, 9, 8, 6, 7], dtype=np.int32)


def mapped(held, entered_of_word):
    """Terms and lists for surfaces that hold these words each."""
    holders = np.repeat(np.arange(len(held)), [len(words) for words in held]).astype(np.int32)
    words = np.array([word for one in held for word in one], dtype=np.int32)
    by_language = np.array(entered_of_word, dtype=np.int32)
    terms = np.full((len(by_language), len(held)), NOTHING, dtype=np.int32)
    repeated = sum(max(len(one) - 1, 0) for one in held)
    more = np.full(ROOM_FOR_REPEATED * repeated * len(by_language) + 2, -99, dtype=np.int32)
    end, most = map_surfaces(holders, words, by_language, RENUMBERED, terms, more)
    assert end <= len(more) - 2
    return terms, more[:end], most


def test_one_several_and_no_terms():
    # Word 2 is a term in the second language only. Terms entered as 9, 7 and 8 are 7, 8 and 6 in the end.
    terms, more, most = mapped([[0], [1, 2], [], [2]], [[9, 7, NOTHING], [9, 7, 8]])
    assert terms.tolist() == [[7, 8, NOTHING, NOTHING], [7, SEVERAL, NOTHING, 6]]
    assert (more.tolist(), most) == ([2, 8, 6], 2)


@given(
    held=st.lists(st.lists(st.integers(0, 5), max_size=4), max_size=12),
    entered_of_word=st.lists(st.lists(st.integers(NOTHING, 4), min_size=6, max_size=6), min_size=1, max_size=3),
)
def test_terms_read_back_are_those_of_the_words(held, entered_of_word):
    terms, more, most = mapped(held, entered_of_word)
    wanted = [
        [[RENUMBERED[one[word]] for word in words if one[word] != NOTHING] for words in held] for one in entered_of_word
    ]
    assert [[read(code, more) for code in row] for row in terms.tolist()] == wanted
    assert most == max([1, *(len(found) for row in wanted for found in row)])


def read(code, more):
    if code == NOTHING:
        return []
    if code > SEVERAL:
        return [code]
    place = SEVERAL - code
    return more[place + 1 : place + 1 + more[place]].tolist()


def test_words_are_used_where_one_of_their_surfaces_is():
    marks = np.zeros(3, dtype=np.uint8)
    holders, words = np.array([0, 1, 1], dtype=np.int32), np.array([0, 0, 2], dtype=np.int32)
    mark_words(holders, words, np.array([1, 4], dtype=np.uint8), marks)
    assert marks.tolist() == [5, 0, 4]
