"""What the engine knows of a word, for people who want to see why it is a key term or why not."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.lexicon.spelling import key_form
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.morphology.analysis import Analysis
from infostream_dedup.morphology.analyzer import Morphology
from infostream_dedup.morphology.stemming import stem
from infostream_dedup.text.tokens import Shape

__all__ = ["Entry", "shapes_of", "show"]

_CYRILLIC_LANGUAGES: tuple[Language, ...] = ("ru", "uk")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One language and way of capitalising a word.

    Attributes:
        language: ``ru``, ``uk`` or ``en``.
        form: key form that is looked up.
        shape: ``lower``, ``start`` (opens a sentence), ``capital`` (inside a sentence) or ``upper``.
        term: the ``morph`` term; ``None`` where it is none.
        strict: the term under the strict rule, dictionary words only.
        lemma: normal form.
        part_of_speech: OpenCorpora's mark; empty where unknown.
        flags: what a name names: surname, first_name, patronymic, place, organisation, abbreviation.
        known: whether a dictionary holds the word.
        zipf: frequency of the form, log10 of occurrences in a thousand million words; 0 for none.
        lemma_zipf: the same of the lemma.
        stem: the ``stem`` term, before stop words are left out.
        source: where the lemma is from: ``pymorphy3``, ``names-translator``, ``predicted``, ``latin``, ``stem`` or
            ``file:line``.
        why: why it is no term; empty where it is one.
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
        """Plain values for JSON; flags become a list."""
        return {**asdict(self), "flags": list(self.flags)}


def show(word: str, language: Language | None = None) -> list[Entry]:
    """What the engine makes of a word.

    Args:
        word: one word as a text would have it; a capital letter is kept in mind.
        language: only this language; else all those the letters allow.

    Returns:
        Entries by language, then by shape: a lower-case word inside a sentence and at its start, where it would have a
        capital; a capitalised one at a sentence start and inside a sentence; a word in capitals as such.

    Raises:
        ConfigurationError: the word is empty or holds white space, or the language is unknown.
    """
    if not word or len(word.split()) != 1:
        raise ConfigurationError(f"the word is {word!r}; expected one word without spaces")
    if language is not None and language not in LANGUAGES:
        raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(LANGUAGES)}")
    spelt = word.strip()
    languages = (language,) if language else _languages(spelt)
    return [_entry(spelt, one, shape) for one in languages for shape in shapes_of(spelt)]


def _languages(word: str) -> tuple[Language, ...]:
    latin = all(char < "\u0250" for char in word if char.isalpha() and char != "\u02bc")
    return LANGUAGES if latin else _CYRILLIC_LANGUAGES


def shapes_of(word: str) -> tuple[Shape, ...]:
    """The ways in which a word as it is written can stand in a text."""
    if sum(char.isalpha() for char in word) > 1 and word.isupper():
        return (Shape.UPPER,)
    return (Shape.START, Shape.CAPITAL) if word[0].isupper() else (Shape.LOWER, Shape.START)


def _entry(word: str, language: Language, shape: Shape) -> Entry:
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
