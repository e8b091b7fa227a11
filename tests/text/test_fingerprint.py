"""Checksums of texts: many at once say what the plain code says of each."""

import unicodedata

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import fingerprint
from infostream_dedup.language.text.character_classes import COMMON
from infostream_dedup.language.text.fingerprint import text_hash, text_hashes
from infostream_dedup.language.text.kernels.scanning import ALWAYS_VISIBLE
from infostream_dedup.language.text.surface_pool import texts_of

PARTS = [
    "слово", "word", " ", "  ", "\n", "\r\n", "\t", "\x1c", "\x85", "\u00a0", "\u2000", "\u2003", "\u2028", "\u202f",
    "\u205f", "\u3000", "\u200b", "\ufeff", "и\u0306", "й", "e\u0301", "\u212b", "한", "\u1112\u1161", "😀\ufe0f", "中",
    "\ud800", "\ufffd", "«", "—", "№", "\x00",
]  # fmt: skip


def at_once(bodies: list[str], heading: str = "") -> list[bytes]:
    texts = texts_of([heading + body for body in bodies])
    return text_hashes(bodies.__getitem__, texts, texts.offsets[:-1] + len(heading.encode()))


# The first call compiles.
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=10).map("".join), max_size=4), st.sampled_from(["", " Нет "]))
@example(["", "   ", " a  b ", "a b", "a\u0301 b"], "x ")
def test_many_as_each(bodies: list[str], heading: str) -> None:
    assert at_once(bodies, heading) == [text_hash(body) for body in bodies]


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_text(bodies: list[str]) -> None:
    assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_every_character_between_words() -> None:
    points = np.array([*COMMON, *range(0x3000, 0x20000, 5)])
    bodies = [f" е{one}{one} {one} " for one in map(chr, points.tolist())]
    assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_what_is_taken_without_a_look_is_visible() -> None:
    for begin, end in ALWAYS_VISIBLE:
        together = "".join(map(chr, range(begin, end)))
        assert together.split() == [together]
        assert unicodedata.is_normalized("NFC", "а" + together)
        assert not any(map(unicodedata.combining, together))


def test_white_space_at_every_place_of_long_texts() -> None:
    for length in [1, 31, 63, 64, 65, 127, 128, 129, 200]:
        text = ("слово word, " * 20)[:length]
        bodies = [
            text[:place] + gap + text[place:] for place in range(length + 1) for gap in (" ", "  ", "\n", " \u2003 ")
        ]
        assert at_once(bodies) == [text_hash(body) for body in bodies]


def test_white_space_and_composition_change_nothing() -> None:
    composed, other = "Мэр  открыл\nМост — вчера", unicodedata.normalize("NFD", " Мэр открыл Мост — вчера\u00a0")
    assert text_hash(composed) == text_hash(other)
    assert at_once([composed, other, " \n"]) == [text_hash(composed), text_hash(composed), b""]


def test_blocks_give_what_one_block_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = ["раз  два", "", "три\u0301", "четыре пять шесть", " ", "семь"]
    whole = at_once(bodies, "Заголовок")
    monkeypatch.setattr(fingerprint, "_BLOCK_BYTES", 30)
    assert at_once(bodies, "Заголовок") == whole == [text_hash(body) for body in bodies]
