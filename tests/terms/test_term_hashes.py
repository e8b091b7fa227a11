"""Hashes of terms against the definition in whole numbers."""

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.terms.statistics import term_hashes

ALL_BITS = 2**64 - 1
words = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20), max_size=20)


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


@given(words)
def test_hashes_are_as_defined(terms):
    assert term_hashes(SurfaceList.of(terms)).T.tolist() == [defined(term) for term in terms]


def test_hashes_never_change():
    assert [f"{number:016x}" for number in term_hashes(SurfaceList.of(["мост"]))[:, 0].tolist()] == [
        "2828f9e741356943",
        "54eacec28a5a8a22",
    ]
