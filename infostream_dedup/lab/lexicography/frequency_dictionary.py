"""The morphological frequency dictionary of a language: its ``morph`` terms with their kinds and frequencies.

Lande's "new way" (section 2) keeps a normal form only if such a dictionary contains it. The engine has no such list: it
asks its sources for each form. This module asks them for all words that they know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.lexicon.name_tables import NameKind, names, personal_names
from infostream_dedup.language.lexicon.word_lists import added_nouns
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.form_cache import FormCache
from infostream_dedup.language.morphology.reading_choice import PROPER
from infostream_dedup.language.morphology.readings import readings_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.frequent_words import frequent_words
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["DictionaryEntry", "check_request", "frequency_dictionary"]

_FORMS_SHOWN: Final = 5
_BLOCK: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryEntry:
    """A term of a frequency dictionary.

    Attributes:
        term: the ``morph`` term: a lemma, in English a stem.
        kinds: what a name denotes (``surname``, ``first_name``, ``patronymic``, ``place``, ``organisation``,
            ``abbreviation``); otherwise ``noun``, in English ``stem``.
        share: share of running words that its forms make up, 0 to 1; 0 if wordfreq has none of them.
        source: origin of the lemma, as in ``dictionaries show``.
        forms: its most frequent forms, at most five, in falling order.
    """

    term: str
    kinds: tuple[str, ...]
    share: float
    source: str
    forms: tuple[str, ...]

    @property
    def zipf(self) -> float:
        """log10 of the occurrences in a billion words; 0 if there are none."""
        return zipf(self.share)


@dataclass(slots=True)
class _Found:
    """What is known about a term so far: the word that it was found by, its frequency and forms."""

    word: Form
    share: float = 0.0
    forms: list[str] = field(default_factory=list)


def frequency_dictionary(
    language: Language, *, most: int | None = None, progress: Progress | None = None
) -> list[DictionaryEntry]:
    """Return the terms that the sources of a language know, the most frequent first, equal ones by code points.

    They are the terms of the strict rule, which accepts no guesses. Words in use are wordfreq's; it has no case, so a
    word counts as if it opened a sentence, as in the background of BM25. Terms that only dictionaries and lists of
    names contain follow with a share of 0. Takes a minute or two.

    Args:
        language: language of the words.
        most: take only this number of the most frequent forms, and no words that are not in use.
        progress: called with the number of words.

    Raises:
        ConfigurationError: there is no such language, or ``most`` is below 1.
    """
    check_request([language], most)
    frequency = form_frequencies(language)
    found: dict[str, _Found] = {}
    used = [Form(word, Shape.START) for word in frequent_words(language)[:most]]
    for word, term in zip(used, _terms(used, language, "words in use", progress), strict=True):
        if term is not None:
            entry = found.setdefault(term, _Found(word))
            entry.share += frequency(word.form)
            if len(entry.forms) < _FORMS_SHOWN:
                entry.forms.append(word.form)
    if most is None and language != "en":
        listed = _listed_words(language)
        for word, term in zip(listed, _terms(listed, language, "words of dictionaries", progress), strict=True):
            if term is not None:
                found.setdefault(term, _Found(word))
    return _entries(found, language)


def check_request(languages: Sequence[str], most: int | None) -> None:
    """Refuse what no dictionary can be made of.

    Raises:
        ConfigurationError: there is no such language, or ``most`` is not a whole number above 0.
    """
    if not languages:
        raise ConfigurationError(f"no language is named; expected some of {', '.join(OUR_LANGUAGES)}")
    for language in languages:
        if language not in OUR_LANGUAGES:
            raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ConfigurationError(f"most is {most!r}; expected a whole number of forms, 1 or more")


def _listed_words(language: Language) -> list[Form]:
    """Return every noun and name of the dictionaries, capitalised as in a text."""
    words = {Form(word, _shape(kinds)) for word, kinds in readings_of(language).nouns()}
    words.update(Form(word, _shape(name.kinds)) for word, name in names(language).items())
    words.update(Form(word, Shape.CAPITAL) for word in personal_names(language))
    words.update(Form(word, Shape.LOWER) for word in added_nouns(language))
    return sorted(words)


def _shape(kinds: NameKind) -> Shape:
    if NameKind.ABBREVIATION in kinds:
        return Shape.UPPER
    return Shape.CAPITAL if kinds & PROPER else Shape.LOWER


def _terms(words: Sequence[Form], language: Language, step: str, progress: Progress | None) -> list[str | None]:
    """Return the strict term of each word, without a trace in the cache of this machine."""
    cache = FormCache(language, None)
    terms: list[str | None] = []
    for start in range(0, len(words), _BLOCK):
        keys = [f"{int(shape)}{form}" for form, shape in words[start : start + _BLOCK]]
        terms += cache.terms_of_new(keys, strict=True)
        if progress:
            progress(f"{language}: {step}", len(terms), len(words))
    return terms


def _entries(found: dict[str, _Found], language: Language) -> list[DictionaryEntry]:
    morphology = Morphology(language)
    common = "stem" if language == "en" else "noun"
    entries = []
    for term, one in found.items():
        analysis = morphology.analyse(*one.word)
        entries.append(
            DictionaryEntry(
                term=term,
                kinds=analysis.kinds.labels() or (common,),
                share=one.share,
                source=analysis.source,
                forms=tuple(one.forms),
            )
        )
    return sorted(entries, key=lambda entry: (-entry.share, entry.term))
