"""Numbers of terms against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.stream.analysis import TermNumbers, longer

letters = st.text(st.sampled_from("abаб¶ї'-зщ€𝔸"), max_size=70)
"""Few letters, so that words come again, of one to four bytes; ¶ is a mark elsewhere in the program."""


@given(st.lists(st.lists(letters, max_size=30), max_size=6))
def test_numbers_are_those_of_a_dictionary(batches):
    numbers, plain = TermNumbers(), {}
    for batch in batches:
        assert numbers.numbered(batch).tolist() == [plain.setdefault(term, len(plain)) for term in batch]
        assert (len(numbers), list(numbers.terms)) == (len(plain), list(plain))
    assert [numbers.number(term) for term in plain] == list(range(len(plain)))


def test_many_terms_keep_their_numbers():
    words = [f"слово{number * number}" for number in range(20_000)]
    numbers = TermNumbers()
    for first in range(0, len(words), 700):
        numbers.numbered(words[first : first + 700])
    assert (numbers.numbered(words[::-1]).tolist(), numbers.terms[5]) == (list(range(len(words)))[::-1], words[5])
    assert numbers.terms[19_990:] == words[19_990:]
    assert numbers.terms.some(np.array([7, 3])) == [words[7], words[3]]


def test_known_terms_go_on_where_the_last_ones_ended():
    numbers = TermNumbers()
    numbers.extend(["река", "мост"])
    numbers.extend([])
    numbers.extend(["суд"])
    assert [numbers.number(term) for term in ("суд", "мост", "новый", "река")] == [2, 1, 3, 0]
    with pytest.raises(ValueError, match="term 'мост' already has number 1"):
        numbers.extend(["порт", "мост"])
    with pytest.raises(ValueError, match="2 terms have 1 line breaks"):
        TermNumbers().extend(["две\nстроки", "одна"])


def test_longer_arrays_begin_as_before_and_go_on_with_zeros():
    array = np.array([3, 1, 2], dtype=np.uint32)
    assert longer(array, 3) is array
    grown = longer(array, 80)
    assert (grown.dtype, len(grown)) == (np.uint32, 90)
    assert grown.tolist() == [3, 1, 2] + [0] * 87
