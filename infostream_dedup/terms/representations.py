"""The representations: which term, if any, a form of a language becomes.

A new representation is one more function in the table at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infostream_dedup.lexicon.word_lists import stop_words
from infostream_dedup.model import Language, Settings
from infostream_dedup.text.form_cache import terms_of
from infostream_dedup.text.stemming import stems
from infostream_dedup.text.tokens import Form

__all__ = ["TERMS_OF_FORMS", "morph_terms", "stem_terms"]


def stem_terms(forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
    """Stems of all words but the stop words: the standard way (Lande, section 2).

    The three languages share one term space: equal stems meet.
    """
    del settings
    stop = stop_words(language)
    stemmed = stems([form.form for form in forms], language)
    return [None if form.form in stop else stem for form, stem in zip(forms, stemmed, strict=True)]


def morph_terms(forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
    """Lemmas of nouns, surnames and names of organisations by frequency dictionary: the new way (Lande, section 2).

    English has no such dictionary here and falls back to stems.
    """
    return terms_of(forms, language, strict=settings.morph == "strict")


TERMS_OF_FORMS: dict[str, Callable[[Sequence[Form], Language, Settings], list[str | None]]] = {
    "stem": stem_terms,
    "morph": morph_terms,
}
