"""The indexes that come with the package are those that its own code makes."""

import sys
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.tables import PackedParts, SortedLines, as_lines, packed_parts
from infostream_dedup.language.morphology.cache_file import package_versions
from infostream_dedup.language.morphology.form_cache import made_with, terms_file
from infostream_dedup.language.translation import target_lexicon
from infostream_dedup.language.translation.target_lexicon import WordsByKey, index_file, made_buckets, mark_of_today
from infostream_dedup.model import OUR_LANGUAGES, Language

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from make_translation_tables import INDEXES, indexes_of

AGAIN = "python tools/make_translation_tables.py makes the files anew"
with_their_versions = pytest.mark.skipif(
    made_with(terms_file("ru")) != package_versions(), reason="the files were made with other versions of packages"
)


@with_their_versions
@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_the_files_belong_to_the_dictionaries_and_rules_of_today(language: Language) -> None:
    assert PackedParts(index_file(language)).mark == mark_of_today(), AGAIN


def _check(name: str, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = INDEXES[name](language).buckets
    with monkeypatch.context() as patch:
        patch.setattr(target_lexicon, "_shipped", lambda _: None)
        made = INDEXES[name].__wrapped__(language).buckets  # type: ignore[attr-defined]
    assert np.array_equal(shipped.starts, made.starts), AGAIN
    assert np.array_equal(shipped.places, made.places), AGAIN


@with_their_versions
@pytest.mark.parametrize(("name", "language"), [("cognates", "uk"), ("personal names", "ru")])
def test_an_index_made_anew_is_equal(name: str, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(name, language, monkeypatch)


@with_their_versions
@pytest.mark.slow
@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_every_index_made_anew_is_equal(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in indexes_of(language):
        _check(name, language, monkeypatch)


def test_an_index_gives_what_a_dictionary_of_keys_gives() -> None:
    words = SortedLines(as_lines(sorted(f"{one}{other}{more}" for one in "абв" for other in "где" for more in "жз")))
    ranks = np.arange(len(words))[::-1].astype(np.uint16)

    def keys_of(word: str) -> list[str]:
        return [word[:1], word[-1:], word]

    index = WordsByKey(words, made_buckets(range(len(words)), words, keys_of), keys_of, ranks)
    expected: dict[str, list[str]] = {}
    for word in reversed(list(words)):
        for key in keys_of(word):
            expected.setdefault(key, []).append(word)
    assert {key: list(index.of(key)) for key in (*expected, "нет", "")} == {**expected, "нет": [], "": []}
    assert list(index.of("а", lambda word: word.endswith("ж"))) == [one for one in expected["а"] if one[-1] == "ж"]


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 100])
def test_lines_are_found_at_their_places(count: int) -> None:
    expected = [f"{number:03}ї" for number in range(count)]
    lines = SortedLines(as_lines(expected))
    assert list(lines) == expected
    assert len(lines) == count
    assert [lines[place] for place in range(count)] == expected
    assert [lines.place(line) for line in expected] == list(range(count))
    assert [lines.place(line) for line in ("", "0", "000", "999ї", "000ї\n001ї", "\ud800")] == [-1] * 6
    assert list(lines.containing("7ї")) == [place for place in range(count) if place % 10 == 7]


@pytest.mark.parametrize("place", [20, 60, 80, -1])
def test_a_damaged_file_is_refused(tmp_path: Path, place: int) -> None:
    path = tmp_path / "table.bin"
    content = bytearray(packed_parts("mark", {"one": b"text", "two": b""}))
    path.write_bytes(content)
    assert (PackedParts(path).part("one"), PackedParts(path).part("two")) == (b"text", b"")
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadDataError, match="install infostream-dedup again"):
        PackedParts(path).part("two")
