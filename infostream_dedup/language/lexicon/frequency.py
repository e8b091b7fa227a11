"""Frequencies of forms in general language: the counts of wordfreq 3.1, in tables of our own."""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon import tables as lexicon_tables
from infostream_dedup.machine.arrays import Ints, Uint16s
from infostream_dedup.machine.files import AGAIN, checked_bytes, sealed
from infostream_dedup.model import OUR_LANGUAGES, Language

_COMMON: Final = 100 * 6  # loss in centibels down to which a form counts as common: 1e-6 of running words
_REMEMBERED: Final = 1 << 16


class ShareTable:
    """Forms in order of code points, as wordfreq spells them, with the loss of each: a share of 10 ** (-loss / 100)."""

    def __init__(self, forms: lexicon_tables.SortedLines, losses: Uint16s) -> None:
        self.forms = forms
        self.losses = losses

    @classmethod
    def of(cls, losses: Mapping[str, int]) -> ShareTable:
        """Make a table of losses by form."""
        forms = sorted(losses)
        return cls(
            lexicon_tables.SortedLines(lexicon_tables.as_lines(forms)),
            np.array([losses[form] for form in forms], np.uint16),
        )

    def share(self, form: str) -> float:
        """Return the share of a form; 0 if it is not there."""
        place = self.forms.place(form)
        return 0.0 if place < 0 else self.share_at(place)

    def share_at(self, place: int) -> float:
        """Return the share of a form by its place."""
        return float(10 ** (-int(self.losses[place]) / 100))

    def places_in_order(self) -> Ints:
        """Return the places of all forms, most frequent first, equal ones by code points."""
        return np.argsort(self.losses, kind="stable")

    def packed(self) -> bytes:
        """Return the content of the file of a language; the two bytes of losses apart compress better."""
        planes = np.ascontiguousarray(self.losses.astype("<u2").view(np.uint8).reshape(-1, 2).T)
        return lexicon_tables.packed_parts("wordfreq", {"forms": self.forms.text, "losses": planes.tobytes()})


def frequencies_file(language: Language) -> Path:
    """Return the path of the table of a language."""
    return Path(__file__).with_name(f"frequencies.{language}.bin")


@cache
def form_table(language: Language) -> ShareTable:
    """Return the table of a language, which takes 0.1 s once per process."""
    parts = lexicon_tables.PackedParts(frequencies_file(language))
    planes = np.frombuffer(parts.part("losses"), np.uint8).reshape(2, -1).astype(np.uint16)
    return ShareTable(lexicon_tables.SortedLines(parts.part("forms")), planes[0] | planes[1] << 8)


class FormFrequencies:
    """Share of running words that are a form, 0 to 1, 0 below 1e-8; a hyphenated form counts as its rarest part."""

    def __init__(self, table: ShareTable) -> None:
        self._table = table
        self._folded: dict[str, float] = {}
        for place in table.forms.containing("ё"):
            folded = table.forms[place].replace("ё", "е")
            self._folded[folded] = self._folded.get(folded, 0.0) + table.share_at(place)
        self._ordered = sorted(self._folded)
        self._look_up = lru_cache(_REMEMBERED)(self._share)

    def __call__(self, form: str) -> float:
        """Return the share of running words of ``form``, a key form."""
        if "-" in form:
            return min(self._look_up(part) for part in form.split("-"))
        return self._look_up(form)

    def any_begins(self, piece: str) -> bool:
        """Whether a form without hyphens may begin with a piece, a key form, and have a share."""
        spelt = piece.replace(lexicon_tables.APOSTROPHE, "'")
        place = bisect_left(self._ordered, spelt)
        is_folded = place < len(self._ordered) and self._ordered[place].startswith(spelt)
        return is_folded or self._table.forms.any_begins(spelt)

    def _share(self, form: str) -> float:
        spelt = form.replace(lexicon_tables.APOSTROPHE, "'")
        return self._table.share(spelt) + self._folded.get(spelt, 0.0)


@cache
def form_frequencies(language: Language) -> FormFrequencies:
    """Return the frequencies of a language; loaded once per process."""
    return FormFrequencies(form_table(language))


def common_forms(language: Language) -> Iterator[tuple[str, float]]:
    """Yield words of letters above 1e-6 of running words as key form and share, in falling order; only of ours."""
    if language in OUR_LANGUAGES:
        table = form_table(language)
        order = table.places_in_order()
        yield from _words_of(table, order[table.losses[order] < _COMMON])


def most_common_forms(language: Language, count: int) -> list[str]:
    """Return the most frequent words made of letters as key forms, in falling order, equal ones by code points."""
    table = form_table(language)
    return list(dict.fromkeys(key for key, _ in _words_of(table, table.places_in_order()[:count])))


def _words_of(table: ShareTable, places: Ints) -> Iterator[tuple[str, float]]:
    for place in places.tolist():
        key = lexicon_tables.key_form(table.forms[place])
        if key.replace(lexicon_tables.APOSTROPHE, "").isalpha():
            yield key, table.share_at(place)


def zipf(share: float) -> float:
    """Return the frequency on the Zipf scale: log10 of the occurrences per billion words; 0 for a share of 0."""
    return round(max(0.0, math.log10(share) + 9.0), 2) if share > 0 else 0.0


# The most frequent part of speech of English words, from the lexicon of Brill's tagger.
#
# 94 thousand forms, each with the Penn tag that it had most often in the Brown corpus and the Wall Street Journal.
# The file is shipped with the package: `tools/make_tables.py` makes it, and `LICENSE.lexicon` is its licence.

TAGS_FILE: Final = Path(__file__).with_name("english_tags.bin")
_LEVEL: Final = 9


def part_of_speech(word: str) -> str | None:
    """Return the most frequent Penn tag of a word as it is spelt, capitals included; ``None`` for an unknown one."""
    return _lexicon().get(word)


def packed(tags: Mapping[str, str]) -> bytes:
    """Pack the tags of words for the file: a line for each tag, followed by its words, all in order."""
    words: dict[str, list[str]] = {}
    for word, tag in sorted(tags.items()):
        words.setdefault(tag, []).append(word)
    lines = "\n".join(" ".join((tag, *found)) for tag, found in sorted(words.items()))
    return sealed(zlib.compress(lines.encode(), _LEVEL))


def unpacked(path: Path) -> dict[str, str]:
    """Return the content of a file."""
    _, _, content = checked_bytes(path, AGAIN).partition(b"\n")
    try:
        lines = zlib.decompress(content).decode().split("\n")
    except (zlib.error, UnicodeDecodeError):
        message = f"not a table of parts of speech; {AGAIN}"
        raise BadDataError(message, code="E_DICTIONARY", source=path.name) from None
    split = (line.split(" ") for line in lines)
    return {word: tag for tag, *words in split for word in words}


@cache
def _lexicon() -> Mapping[str, str]:
    return MappingProxyType(unpacked(TAGS_FILE))


def english_bases(word: str) -> frozenset[str]:
    """The base forms of an English word that a tagger knows, or else the word itself."""
    found = {word}
    for ending in ("ʼs", "ies", "es", "s", "ied", "ed", "d", "ing", "er", "est", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            found |= {stem, stem + "e", stem + "y", stem[:-1] if stem[-1] == stem[-2] else stem}
    return frozenset(one for one in found if part_of_speech(one) in ("VB", "VBP", "NN", "JJ")) or frozenset((word,))
