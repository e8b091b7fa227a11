"""Frequencies of forms in general language, from wordfreq."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal, cast

from infostream_dedup.language.lexicon.spelling import APOSTROPHE, key_form
from infostream_dedup.model import OUR_LANGUAGES, Language


class FormFrequencies:
    """Returns the share of running words that a form accounts for, 0 to 1; 0 for forms below 1e-8.

    wordfreq holds 713k Russian, 444k Ukrainian and 321k English forms; it cuts words at hyphens, so a hyphenated form
    is as frequent as its rarest part.

    Args:
        entries: wordfreq's own table, forms as wordfreq spells them.
    """

    def __init__(self, entries: Mapping[str, float]) -> None:
        self._entries = entries
        # The table is large: only forms whose key differs are stored again.
        self._folded: dict[str, float] = {}
        for form, share in entries.items():
            if "ё" in form:
                folded = form.replace("ё", "е")
                self._folded[folded] = self._folded.get(folded, 0.0) + share

    def __call__(self, form: str) -> float:
        """Return the share of running words of ``form``, a key form."""
        if "-" in form:
            return min(self._look_up(part) for part in form.split("-"))
        return self._look_up(form)

    def _look_up(self, form: str) -> float:
        spelt = form.replace(APOSTROPHE, "'")
        return self._entries.get(spelt, 0.0) + self._folded.get(spelt, 0.0)


@cache
def form_frequencies(language: Language) -> FormFrequencies:
    """Return the large table of a language; loaded once per process (0.2 to 0.7 s)."""
    return FormFrequencies(_load_entries(language, "large"))


def share_of(language: Language, form: str) -> float:
    """Return the share of running words of a form; the first call for a language loads its table."""
    return form_frequencies(language)(form)


def common_forms(language: Language) -> Iterator[tuple[str, float]]:
    """Yield frequent words made of letters (above 1e-6 of all running words) as key form and share, in falling order.

    Apostrophes inside a word are allowed. Languages other than ours have none.
    """
    return _words_of(_load_entries(language, "small") if language in OUR_LANGUAGES else {})


def most_common_forms(language: Language, count: int) -> list[str]:
    """Return the most frequent words made of letters as key forms, in falling order, equal ones by code points."""
    entries = sorted(_load_entries(language, "large").items(), key=lambda entry: (-entry[1], entry[0]))
    return list(dict.fromkeys(key for key, _ in _words_of(dict(entries[:count]))))


def _words_of(entries: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    for form, share in entries.items():
        key = key_form(form)
        if key.replace(APOSTROPHE, "").isalpha():
            yield key, share


def zipf(share: float) -> float:
    """Return the frequency on the Zipf scale: log10 of the occurrences per billion words; 0 for a share of 0.

    >>> zipf(1e-6)
    3.0
    """
    return round(max(0.0, math.log10(share) + 9.0), 2) if share > 0 else 0.0


def _load_entries(language: Language, size: Literal["small", "large"]) -> Mapping[str, float]:
    from wordfreq import get_frequency_dict

    return cast("Mapping[str, float]", get_frequency_dict(language, size))
