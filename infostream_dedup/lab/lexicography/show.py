"""Shows what the engine knows about a word, and why it is or is not a key term."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.morphology.analysis import Analysis
from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.stemming import stem
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["Entry", "shapes_of", "show"]

_CYRILLIC_LANGUAGES: tuple[Language, ...] = ("ru", "uk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the engine knows about a word in one language and capitalisation.

    Attributes:
        language: ``ru``, ``uk`` or ``en``.
        form: key form that is looked up.
        shape: ``lower``, ``start`` (starts a sentence), ``capital`` (inside a sentence) or ``upper``.
        term: the ``morph`` term; ``None`` if the word is not a term.
        strict: the term under the strict rule, which accepts only dictionary words; ``None`` if it is not a term.
        lemma: normal form.
        part_of_speech: OpenCorpora tag; empty if unknown.
        flags: what a name denotes: surname, first_name, patronymic, place, organisation, abbreviation.
        known: whether a dictionary contains the word.
        zipf: frequency of the form, log10 of the occurrences per billion words; 0 if it does not occur.
        lemma_zipf: frequency of the lemma, on the same scale.
        stem: the ``stem`` term, before stop words are removed.
        source: origin of the lemma: ``pymorphy3``, ``names-translator``, ``predicted``, ``latin``, ``stem`` or
            ``file:line``.
        why: reason why the word is not a term; empty if it is.
    """

    language: Language
    form: str
    shape: str
    term: str | None
    strict: str | None
    lemma: str
    part_of_speech: str
    flags: tuple[str, ...]
    known: bool
    zipf: float
    lemma_zipf: float
    stem: str
    source: str
    why: str

    def as_dict(self) -> dict[str, object]:
        """Return the values by name for JSON, with flags as a list."""
        return {**asdict(self), "flags": list(self.flags)}


def show(word: str, language: Language | None = None) -> list[Entry]:
    """Show what the engine knows about a word.

    Args:
        word: one word as spelt in a text; its capitalisation matters.
        language: language of the word; by default all languages that its letters allow.

    Returns:
        Entries by language, then by shape: a lower-case word inside a sentence and at its start, where it would be
        capitalised; a capitalised word at the start of a sentence and inside one; a word in capitals as it is.

    Raises:
        ConfigurationError: the word is empty or contains white space, or the language is unknown.
    """
    if not word or len(word.split()) != 1:
        raise ConfigurationError(f"the word is {word!r}; expected one word without spaces")
    if language is not None and language not in OUR_LANGUAGES:
        raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    stripped = word.strip()
    languages = (language,) if language else _find_languages(stripped)
    return [_make_entry(stripped, one, shape) for one in languages for shape in shapes_of(stripped)]


def _find_languages(word: str) -> tuple[Language, ...]:
    latin = all(char < "\u0250" for char in word if char.isalpha() and char != "\u02bc")
    return OUR_LANGUAGES if latin else _CYRILLIC_LANGUAGES


def shapes_of(word: str) -> tuple[Shape, ...]:
    """Return the shapes in which a word of this spelling can occur in a text."""
    if sum(char.isalpha() for char in word) > 1 and word.isupper():
        return (Shape.UPPER,)
    return (Shape.START, Shape.CAPITAL) if word[0].isupper() else (Shape.LOWER, Shape.START)


def _make_entry(word: str, language: Language, shape: Shape) -> Entry:
    form = key_form(word)
    analysis: Analysis = Morphology(language).analyse(form, shape)
    frequency = form_frequencies(language)
    return Entry(
        language=language,
        form=form,
        shape=shape.name.lower(),
        term=analysis.term,
        strict=analysis.term if analysis.in_dictionary else None,
        lemma=analysis.lemma,
        part_of_speech=analysis.part_of_speech,
        flags=analysis.kinds.labels(),
        known=analysis.known,
        zipf=zipf(frequency(form)),
        lemma_zipf=zipf(frequency(analysis.lemma)),
        stem=stem(form, language),
        source=analysis.source,
        why=analysis.why,
    )
