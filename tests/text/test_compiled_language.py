"""Languages told by compiled code against ``detect``, which is the judge."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import scanner
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.model import LANGUAGES

LETTERS = "aZkбжЫыЭъЁёІіЇєґҐЄ\u212aİ№ééèЀѐ東𝐀\U0001f44d "


def told(strings):
    return [LANGUAGES[number] for number in scanner.detect(texts_of(strings))]


@given(st.lists(st.text(st.sampled_from(LETTERS) | st.characters(exclude_categories=["Cs"]), max_size=150), max_size=6))
@example(["мост https://example.org/bridge", "https://example.org/bridge", "Rio-де-Жанейро", "3-й и 4-й"])
@example(["\u212a" * 30, "İ" * 50 + "б" * 20, "ы" * 11, "і" * 11, "k" * 21 + "ж" * 10, "k" * 20 + "ж" * 10])
@example(
    [
        "<p class='lead text'>мост", "<script>" + "let a;" * 900 + "</script>міст", "bridge <b>",
        "<!-- bridge -->ї" + "i" * 20,
    ]
)  # fmt: skip
def test_every_text_has_the_language_that_plain_code_finds(strings):
    assert told(strings) == [detect(text) for text in strings]


@pytest.mark.slow
def test_every_character_counts_as_in_the_plain_code():
    """Twenty times each character, beside letters that leave the decision to it."""
    characters = [chr(point) for point in range(0x11000) if not 0xD800 <= point < 0xE000]
    for surroundings in ("k" * 21, "ж" * 20 + "ы" * 8 + "k" * 45, "ж" * 20 + "і" * 12 + "ы" * 5, "k" * 30 + "ж" * 10):
        strings = [surroundings + one * 11 for one in characters]
        assert told(strings) == [detect(text) for text in strings]
