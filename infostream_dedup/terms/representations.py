"""The representations: which term, if any, a form of a language becomes.

A new representation is one more function in one of the tables at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infostream_dedup.lexicon.word_lists import stop_words
from infostream_dedup.model import Language, Settings
from infostream_dedup.morphology import form_cache
from infostream_dedup.morphology.form_cache import terms_of
from infostream_dedup.morphology.stemming import stems
from infostream_dedup.text.tokens import Form, Shape

__all__ = [
    "TERMS_OF_FORMS",
    "TERMS_OF_WORDS",
    "morph_terms",
    "stem_terms",
    "terms_of_distinct",
    "terms_of_new",
    "translatable_terms",
]


def stem_terms(words: Sequence[str], language: Language, settings: Settings) -> list[str | None]:
    """Stems of all words but the stop words: the standard way (Lande, section 2).

    The three languages share one term space: equal stems meet.
    """
    del settings
    stop = stop_words(language)
    return [None if word in stop else stem for word, stem in zip(words, stems(words, language), strict=True)]


def morph_terms(forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
    """Lemmas of nouns, surnames and names of organisations by frequency dictionary: the new way (Lande, section 2).

    English has no such dictionary here and falls back to stems.
    """
    return terms_of(forms, language, strict=settings.morph == "strict")


def translatable_terms(forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
    """What the pivot language translates: the terms of ``morph``, and lemmas of English nouns instead of stems."""
    if language != "en":
        return morph_terms(forms, language, settings)
    from infostream_dedup.morphology.english_lemmas import noun_term

    return [noun_term(form, shape) for form, shape in forms]


TERMS_OF_WORDS: dict[str, Callable[[Sequence[str], Language, Settings], list[str | None]]] = {"stem": stem_terms}
"""Representations that do not ask for the shape of a form."""

TERMS_OF_FORMS: dict[str, Callable[[Sequence[Form], Language, Settings], list[str | None]]] = {
    "morph": morph_terms,
    "pivot": translatable_terms,
}
"""Representations that do."""


def terms_of_distinct(forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
    """The term of each form, ``None`` where it is none.

    Args:
        forms: better each once.
        language: of the documents they stand in.
        settings: the representation and its rules.
    """
    of_words = TERMS_OF_WORDS.get(settings.representation)
    if of_words is not None:
        return of_words([form.form for form in forms], language, settings)
    return TERMS_OF_FORMS[settings.representation](forms, language, settings)


def terms_of_new(keys: Sequence[str], language: Language, settings: Settings) -> list[str | None]:
    """The same for forms that the caller remembers by itself.

    Args:
        keys: the digit of a ``Shape``, then the form; distinct, better in code point order.
        language: of the documents they stand in.
        settings: the representation and its rules.
    """
    if settings.representation == "morph":
        return form_cache.terms_of_new(keys, language, strict=settings.morph == "strict")
    return terms_of_distinct([Form(key[1:], Shape(int(key[0]))) for key in keys], language, settings)
