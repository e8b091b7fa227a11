"""The morphological frequency dictionary: which share of running words each term makes up in the language at large."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lexicon.frequency import common_forms
from infostream_dedup.lexicon.word_lists import stop_words
from infostream_dedup.model import Language
from infostream_dedup.text.cache_file import cache_file
from infostream_dedup.text.form_cache import terms_of
from infostream_dedup.text.stemming import stems
from infostream_dedup.text.tokens import Form, Shape

__all__ = ["term_frequencies"]

_KINDS: Final = ("stem", "morph", "pivot")


@cache
def term_frequencies(language: Language, kind: str) -> Mapping[str, float]:
    """Frequencies of terms: those of their forms, summed.

    The forms are the 30 to 60 thousand of wordfreq above 1e-6 of all running words. They come without case, so each
    counts as if it opened a sentence.

    Args:
        language: the language.
        kind: ``stem``, ``morph`` or ``pivot``. The latter two differ in English only, where the terms of ``morph`` are
            stems and those of ``pivot`` lemmas of nouns.

    Returns:
        Term to share of running words, 0 to 1; terms in code point order.

    Raises:
        ConfigurationError: another kind, whose terms nothing here knows.
    """
    if kind not in _KINDS:
        raise ConfigurationError(
            f"representation {kind!r} has no frequencies of its own; known are {', '.join(_KINDS)}; switch the "
            "background off, or give it terms in text/term_frequency.py"
        )
    if kind == "pivot" and language != "en":
        kind = "morph"
    kept = cache_file().frequencies(language, kind)
    if kept:
        return MappingProxyType(kept)
    shares: dict[str, float] = defaultdict(float)
    forms, frequencies = zip(*common_forms(language), strict=True)
    for term, share in zip(_terms(forms, language, kind), frequencies, strict=True):
        if term is not None:
            shares[term] += share
    found = dict(sorted(shares.items()))
    cache_file().remember_frequencies(language, kind, found)
    return MappingProxyType(found)


def _terms(forms: tuple[str, ...], language: Language, kind: str) -> list[str | None]:
    if kind == "stem":
        stop = stop_words(language)
        return [None if form in stop else stem for form, stem in zip(forms, stems(forms, language), strict=True)]
    if kind == "pivot":
        from infostream_dedup.text.english_lemmas import noun_term

        return [noun_term(form, Shape.START) for form in forms]
    return terms_of([Form(form, Shape.START) for form in forms], language, strict=False)
