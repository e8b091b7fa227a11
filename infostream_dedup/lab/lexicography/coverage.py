"""How much of a language the translation ladder covers, by frequency mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import permutations
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import names, personal_names
from infostream_dedup.language.morphology.english_lemmas import noun_term
from infostream_dedup.language.morphology.form_cache import terms_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.frequent_words import frequent_words
from infostream_dedup.language.translation.ladder import Translator
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.language.translation.rungs.cognates import CognatesRung
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung
from infostream_dedup.language.translation.rungs.identity import IdentityRung
from infostream_dedup.language.translation.rungs.names import NamesRung
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["TOPS", "Coverage", "coverage", "frequent_nouns"]

TOPS: Final = (5_000, 10_000)
_FORMS: Final = 100_000
"""Number of most frequent forms whose nouns are counted: more than enough for the 10,000 most frequent lemmas."""

_LISTED: Final = 0.85
"""Minimum confidence of a name that is listed or in use; below it, the name was only spelt by rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Coverage of the most frequent nouns of a language, as shares of their frequency mass, 0 to 1.

    Attributes:
        source: language of the nouns.
        target: language of the equivalents.
        top: number of nouns.
        covered: share with an equivalent: the sum of the next four.
        identity: share spelt alike and in the target's lexicon.
        dictionary: share answered by our tables and imported ones.
        names: share of listed names, and of spellings that the target language uses.
        cognates: share answered by gated cognates.
        spelt: share of names spelt by rule that the target language is not known to use; not covered.
        none: share without an answer, or with only a skeleton or an identity that the target's lexicon lacks.
    """

    source: Language
    target: Language
    top: int
    covered: float
    identity: float
    dictionary: float
    names: float
    cognates: float
    spelt: float
    none: float

    def as_dict(self) -> dict[str, object]:
        """Return the values by name, with shares rounded to 4 decimals."""
        return {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()}


def coverage(progress: Callable[[str, int, int | None], None] | None = None) -> list[Coverage]:
    """Measure coverage in all six directions, for each of ``TOPS``.

    The rungs from identity to gated cognates count, using the tables directly: no cache, no installed model, no
    skeleton. Nouns are the terms of lower-case forms; their mass is the sum of their forms' frequencies in wordfreq.

    Args:
        progress: called for each direction.

    Raises:
        BadDataError: a table is malformed.
    """
    directions = list(permutations(OUR_LANGUAGES, 2))
    found: list[Coverage] = []
    for done, (source, target) in enumerate(directions):
        if progress:
            progress("coverage", done, len(directions))
        nouns = frequent_nouns(source)[: max(TOPS)]
        kinds = _classify([noun for noun, _ in nouns], source, target)
        found.extend(_measure(nouns[:top], kinds[:top], source, target, top) for top in TOPS)
    if progress:
        progress("coverage", len(directions), len(directions))
    return found


@cache
def frequent_nouns(language: Language) -> tuple[tuple[str, float], ...]:
    """Return the nouns of a language with the share of running words that their forms account for, largest first."""
    words, frequency = frequent_words(language)[:_FORMS], form_frequencies(language)
    forms = [Form(word, Shape.LOWER) for word in words]
    terms = (
        [noun_term(word, Shape.LOWER) for word in words] if language == "en" else terms_of(forms, language, strict=True)
    )
    mass: dict[str, float] = {}
    for word, term in zip(words, terms, strict=True):
        if term is not None:
            mass[term] = mass.get(term, 0.0) + frequency(word)
    return tuple(sorted(mass.items(), key=lambda item: (-item[1], item[0])))


def _measure(
    nouns: Sequence[tuple[str, float]], kinds: Sequence[str], source: Language, target: Language, top: int
) -> Coverage:
    total = sum(mass for _, mass in nouns)
    shares = dict.fromkeys(("identity", "dictionary", "names", "cognates", "spelt", "none"), 0.0)
    for (_, mass), kind in zip(nouns, kinds, strict=True):
        shares[kind] += mass / total
    covered = 1.0 - shares["spelt"] - shares["none"]
    return Coverage(source=source, target=target, top=top, covered=covered, **shares)


def _classify(nouns: Sequence[str], source: Language, target: Language) -> list[str]:
    rungs = (IdentityRung(), DictionaryRung(), NamesRung(), CognatesRung())
    answers = Translator(source, target, rungs=rungs).translate(nouns)
    return [_classify_answers(noun, found, target) for noun, found in zip(nouns, answers, strict=True)]


def _classify_answers(noun: str, answers: Sequence[Translation], target: Language) -> str:
    if not answers:
        return "none"
    rung = answers[0].rung
    if rung == NamesRung.name and all(one.confidence < _LISTED for one in answers):
        return "none" if _is_strange(noun, answers, target) else "spelt"
    if rung != DictionaryRung.name and _is_strange(noun, answers, target):
        return "none"
    return rung


def _is_strange(noun: str, answers: Sequence[Translation], target: Language) -> bool:
    """Return whether the noun is its own only equivalent and is missing from the target's lexicon."""
    if any(one.term != noun for one in answers):
        return False
    known = form_frequencies(target)(noun) > 0 or noun in names(target) or noun in personal_names(target)
    return not known
