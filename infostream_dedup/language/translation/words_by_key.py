"""Indexes of words by keys: of sounds, of endings, of common origin. They come ready made with the package.

Making them anew takes some ten seconds: that is done by ``tools/make_translation_tables.py``, and at the first use if
the package's tables were made from other dictionaries or by other rules.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from infostream_dedup.language.lexicon.frequency import form_table
from infostream_dedup.language.lexicon.tables import PackedParts, SortedLines
from infostream_dedup.language.morphology.cache_file import fingerprint
from infostream_dedup.language.translation.target_lexicon import as_key_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from infostream_dedup.model import Language

RULES: Final = 1
"""Version of the rules by which words are chosen and keys are made; increase it when they change."""

_WORDS_IN_BUCKET: Final = 3
_BYTES: Final = 3  # of the place of a word


class Buckets(NamedTuple):
    """Places of words by hashes of their keys."""

    starts: NDArray[np.int64]  # int64 (buckets + 1,)
    places: NDArray[np.int32]  # int32 (entries,)


class WordsByKey:
    """Finds all words under a key, in the order of ``ranks``; hashes only narrow the search, keys are compared."""

    def __init__(
        self,
        words: SortedLines,
        buckets: Buckets,
        keys_of: Callable[[str], Iterable[str]],
        ranks: NDArray[np.uint16] | None = None,
    ) -> None:
        self._words = words
        self.buckets = buckets
        self._keys_of = keys_of
        self._ranks = ranks

    def of(self, key: str, fits: Callable[[str], bool] | None = None) -> Iterator[str]:
        """Yield the words with a key as key forms, in order, among those that fit: thousands may share a short key."""
        starts, places = self.buckets
        bucket = crc32(key.encode()) % (len(starts) - 1)
        held = places[starts[bucket] : starts[bucket + 1]]
        if self._ranks is not None:
            held = held[np.argsort(self._ranks[held], kind="stable")]
        for place in held.tolist():
            word = as_key_form(self._words[place])
            if (fits is None or fits(word)) and key in self._keys_of(word):
                yield word


def made_buckets(places: Iterable[int], words: SortedLines, keys_of: Callable[[str], Iterable[str]]) -> Buckets:
    """Put the words at some places into buckets."""
    every = list(words)
    pairs = [(crc32(key.encode()), place) for place in places for key in keys_of(as_key_form(every[place]))]
    table = np.array(pairs, np.int64).reshape(-1, 2)
    count = max(1, len(table) // _WORDS_IN_BUCKET)
    entries = np.unique((table[:, 0] % count) << 32 | table[:, 1])
    sizes = np.bincount(entries >> 32, minlength=count)
    return Buckets(_starts(sizes), (entries & 0xFFFFFFFF).astype(np.int32))


def packed_buckets(name: str, buckets: Buckets) -> dict[str, bytes]:
    """Return the parts of a file that hold buckets; bytes of the same weight lie together and compress better."""
    sizes = np.diff(buckets.starts)
    planes = buckets.places.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :_BYTES].T
    return {f"{name} sizes": sizes.astype("<u4").tobytes(), f"{name} places": np.ascontiguousarray(planes).tobytes()}


def _unpacked_buckets(name: str, parts: PackedParts) -> Buckets:
    planes = np.frombuffer(parts.part(f"{name} places"), np.uint8).reshape(_BYTES, -1).astype(np.int32)
    places = planes[0] | planes[1] << 8 | planes[2] << 16
    return Buckets(_starts(np.frombuffer(parts.part(f"{name} sizes"), "<u4")), places)


def _starts(sizes: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


def index_file(language: Language) -> Path:
    """Return the path of the indexes of a language."""
    return Path(__file__).with_name(f"words_by_key.{language}.bin")


def mark_of_today() -> str:
    """Return a mark of all sources and rules of the indexes."""
    return f"{RULES} {fingerprint()}"


@cache
def _shipped(language: Language) -> PackedParts | None:
    path = index_file(language)
    parts = PackedParts(path) if path.exists() else None
    return parts if parts and parts.mark == mark_of_today() else None


def frequent_words_by_key(
    name: str, language: Language, keys_of: Callable[[str], Iterable[str]], places: Callable[[], Iterable[int]]
) -> WordsByKey:
    """Return an index of words of the table of frequencies."""
    table = form_table(language)
    return WordsByKey(table.forms, _buckets(name, language, table.forms, keys_of, places), keys_of, table.losses)


def names_by_key(
    name: str, language: Language, names: SortedLines, keys_of: Callable[[str], Iterable[str]]
) -> WordsByKey:
    """Return an index of all of a language's names, in order of code points."""
    return WordsByKey(names, _buckets(name, language, names, keys_of, lambda: range(len(names))), keys_of)


def _buckets(
    name: str,
    language: Language,
    words: SortedLines,
    keys_of: Callable[[str], Iterable[str]],
    places: Callable[[], Iterable[int]],
) -> Buckets:
    parts = _shipped(language)
    return made_buckets(places(), words, keys_of) if parts is None else _unpacked_buckets(name, parts)
