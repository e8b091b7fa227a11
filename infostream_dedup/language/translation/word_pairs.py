"""Pairs of equivalents from all tables, for one direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from infostream_dedup.language.lexicon.name_tables import NAME_TABLES, name_rows, variants
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.translation_tables import concepts, false_friends
from infostream_dedup.language.morphology.english_lemmas import lemma
from infostream_dedup.language.morphology.form_cache import terms_of
from infostream_dedup.language.morphology.known_terms import packed_parts, part_of
from infostream_dedup.language.morphology.readings import readings_of
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.imported_tables import imported_pairs, imported_tables
from infostream_dedup.language.translation.pair_cache import RULES, Equivalent, PairCache
from infostream_dedup.model import Language

SHIPPED_FILE: Final = Path(__file__).with_name("known_pairs.bin")
"""Pairs of our own tables, made by ``reports/make_known_terms.py``."""

SHIPPED: Final[tuple[tuple[Language, Language], ...]] = (("uk", "ru"), ("en", "ru"), ("ru", "uk"), ("ru", "en"))
"""Directions to and from the pivot language, which most runs need."""

_STEP: Final = 0.05
"""Loss of confidence for each position of an equivalent after the first."""

_LEAST: Final = 0.75
_IMPORTED: Final = 0.9
_OF_LAST_WORD: Final = 0.8


@dataclass(frozen=True, slots=True)
class _Pair:
    source: str
    target: str
    confidence: float


@cache
def word_pairs(source: Language, target: Language) -> Mapping[str, tuple[Equivalent, ...]]:
    """Return equivalents by source term, best first; single words only.

    Both sides are terms as in documents: if the tables have a plural of a noun (кошти), the key is the noun (кошт).
    Among equals the one in the earlier row comes first, because rows are ordered by frequency. Pairs that do not come
    with the package are kept in the cache for the next process.
    """
    shipped = None if imported_tables() else _shipped(source, target)
    if shipped is not None:
        return MappingProxyType({term: tuple(map(Equivalent._make, every)) for term, every in shipped.items()})
    kept = PairCache()
    pairs = kept.pairs(source, target)
    if pairs is None:
        pairs = _made(source, target)
        kept.remember(source, target, pairs)
    return MappingProxyType(pairs)


def packed_pairs() -> bytes:
    """Pack pairs for ``SHIPPED_FILE``; no imported tables may be installed."""
    return packed_parts(
        {
            f"{RULES} {one}-{other}": {term: list(map(tuple, every)) for term, every in _made(one, other).items()}
            for one, other in SHIPPED
        }
    )


def _shipped(source: Language, target: Language) -> Mapping[str, list[tuple[str, float]]] | None:
    """Pairs that come with the package; ``None`` if they were made with other dictionaries or rules."""
    found: Mapping[str, list[tuple[str, float]]] | None = part_of(SHIPPED_FILE, f"{RULES} {source}-{target}")
    return found


def _made(source: Language, target: Language) -> dict[str, tuple[Equivalent, ...]]:
    pairs = [*_from_tables(source, target), *_read_imported(source, target)]
    sources = as_terms([pair.source for pair in pairs], source)
    targets = as_terms([pair.target for pair in pairs], target)
    found: dict[str, dict[str, float]] = {}
    for pair, source_term, target_term in zip(pairs, sources, targets, strict=True):
        known = found.setdefault(source_term, {})
        known[target_term] = max(known.get(target_term, 0.0), pair.confidence)
    return {term: _sort_equivalents(known) for term, known in found.items()}


def _sort_equivalents(known: Mapping[str, float]) -> tuple[Equivalent, ...]:
    """Sort by confidence; the order of equals is kept."""
    return tuple(Equivalent(term, known[term]) for term in sorted(known, key=lambda term: -known[term]))


def _from_tables(source: Language, target: Language) -> Iterator[_Pair]:
    for concept in concepts():
        yield from _cross_words(concept.words[source], concept.words[target])
    if {source, target} == {"ru", "uk"}:
        for friend in false_friends():
            ru = (friend.ru,)
            yield from _cross_words(ru, friend.right_uk) if source == "ru" else _cross_words(friend.right_uk, ru)
    for table in NAME_TABLES:
        for row in name_rows(table):
            sources, targets = ([*map(key_form, variants(row, language))] for language in (source, target))
            yield from _cross_words(sources, targets)
            yield from _last_words(sources, targets)


def _cross_words(sources: Sequence[str], targets: Sequence[str]) -> Iterator[_Pair]:
    """Yield every word with every equivalent, without phrases, which are not terms."""
    for i, one in enumerate(sources):
        for j, other in enumerate(targets):
            if not (" " in one or " " in other):
                yield _Pair(one, other, round(max(_LEAST, 1.0 - _STEP * (i + j)), 2))


def _last_words(sources: Sequence[str], targets: Sequence[str]) -> Iterator[_Pair]:
    """Yield names that are one hyphenated word in one language and several words in the other: Нью-Йорк, (New) York."""
    for one in sources:
        for other in targets:
            if one.count(" ") and one.count(" ") == other.count("-") and " " not in other:
                yield _Pair(one.rpartition(" ")[2], other, _OF_LAST_WORD)
            elif other.count(" ") and other.count(" ") == one.count("-") and " " not in one:
                yield _Pair(one, other.rpartition(" ")[2], _OF_LAST_WORD)


def _read_imported(source: Language, target: Language) -> Iterator[_Pair]:
    """Yield imported pairs, which follow our own."""
    for one, other in imported_pairs(source, target):
        yield _Pair(one, other, _IMPORTED)


def as_terms(words: Iterable[str], language: Language) -> list[str]:
    """Map words of tables to terms as in documents."""
    every = list(words)
    if language == "en":
        return [lemma(word) for word in every]
    distinct = list(dict.fromkeys(every))
    terms = terms_of([Form(word, Shape.LOWER) for word in distinct], language, strict=False)
    term_of = dict(zip(distinct, terms, strict=True))
    return [word if term_of[word] in (None, word) else _noun_of(word, term_of[word], language) for word in every]


@cache
def _noun_of(word: str, term: str, language: Language) -> str:
    """Return the word itself if it is a lemma that is also a form of another noun (робот, робота), or else the noun."""
    return word if any(reading.lemma == word for reading in readings_of(language).readings(word)) else term
