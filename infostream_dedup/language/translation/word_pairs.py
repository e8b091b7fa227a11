"""Pairs of equivalents from all tables, for one direction, and English words that are nouns and names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, permutations
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.lexicon import word_lists
from infostream_dedup.language.lexicon.tables import TableRow, data_folder, key_form, read_table
from infostream_dedup.language.morphology.form_cache import packed_parts, part_of, terms_of
from infostream_dedup.language.morphology.readings import is_listed_noun, lemma, readings_of, without_possessive
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.machine.arrays import Ints
from infostream_dedup.model import OUR_LANGUAGES, Language

# Imported tables of word pairs: TSV files in the user's data folder

COLUMNS: Final = ("source_language", "target_language", "source_term", "target_term", "pos", "direction")
"""Columns of an imported table; its file name without ``.tsv`` is the name of its source."""

_DIRECTIONS: Final = ("both", "forward")


def imported_folder() -> Path:
    """Return ``translations`` in the user's data folder; it need not exist."""
    return data_folder() / "translations"


def imported_tables() -> tuple[Path, ...]:
    """Return the imported tables by name; empty if the folder is missing."""
    return tuple(sorted(imported_folder().glob("*.tsv")))


def imported_pairs(source: Language, target: Language) -> list[tuple[str, str]]:
    """Return pairs of key forms for one direction, in the order of tables and rows; ``forward`` ones only forwards."""
    return [pair for path in imported_tables() for pair in _pairs(path).get((source, target), [])]


def forget_imported() -> None:
    """Read the tables again at the next call; for a process that has just changed them."""
    _pairs.cache_clear()


@cache
def _pairs(path: Path) -> dict[tuple[str, str], list[tuple[str, str]]]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in read_table(path, COLUMNS):
        one, other = _language(row, "source_language"), _language(row, "target_language")
        first, second = key_form(row.cells["source_term"]), key_form(row.cells["target_term"])
        if not first or not second:
            raise row.bad("source_term", "an empty term; expected a word in both languages")
        if row.cells["direction"] not in _DIRECTIONS:
            raise row.bad("direction", f"{row.cells['direction']!r}; expected one of {', '.join(_DIRECTIONS)}")
        found.setdefault((one, other), []).append((first, second))
        if row.cells["direction"] == "both":
            found.setdefault((other, one), []).append((second, first))
    return found


def _language(row: TableRow, column: str) -> str:
    if row.cells[column] not in OUR_LANGUAGES:
        raise row.bad(column, f"{row.cells[column]!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    return row.cells[column]


RULES: Final = "1"  # version of ``word_pairs``; increase it whenever a pair changes: shipped ones are keyed by it


class Equivalent(NamedTuple):
    """A word of the target language with its confidence, 0 to 1."""

    term: str
    confidence: float


SHIPPED_FILE: Final = Path(__file__).with_name("known_pairs.bin")
"""Pairs of our own tables, made by ``tools/make_tables.py``."""

_STEP: Final = 0.05  # loss of confidence for each position of an equivalent after the first
_LEAST: Final = 0.75
_IMPORTED: Final = 0.9
_OF_LAST_WORD: Final = 0.8


class _Pair(NamedTuple):
    source: str
    target: str
    confidence: float


@cache
def word_pairs(source: Language, target: Language) -> Mapping[str, tuple[Equivalent, ...]]:
    """Return equivalents by source term, best first, among equals that of the earlier row; single words only."""
    # Both sides are terms as in documents: if the tables have a plural of a noun (кошти), the key is the noun (кошт)
    shipped = None if imported_tables() else _shipped(source, target)
    if shipped is not None:
        return MappingProxyType({term: tuple(map(Equivalent._make, every)) for term, every in shipped.items()})
    return MappingProxyType(_made(source, target))


def packed_pairs() -> bytes:
    """Pack pairs for ``SHIPPED_FILE``; no imported tables may be installed."""
    return packed_parts(
        {
            f"{RULES} {one}-{other}": {term: list(map(tuple, every)) for term, every in _made(one, other).items()}
            for one, other in permutations(OUR_LANGUAGES, 2)
        }
    )


def _shipped(source: Language, target: Language) -> Mapping[str, list[tuple[str, float]]] | None:
    """Pairs that come with the package; ``None`` if they were made with other dictionaries or rules."""
    found: Mapping[str, list[tuple[str, float]]] | None = part_of(SHIPPED_FILE, f"{RULES} {source}-{target}")
    return found


def _made(source: Language, target: Language) -> dict[str, tuple[Equivalent, ...]]:
    imported = (_Pair(one, other, _IMPORTED) for one, other in imported_pairs(source, target))
    pairs = [*_from_tables(source, target), *imported]
    sources = as_terms([pair.source for pair in pairs], source)
    targets = as_terms([pair.target for pair in pairs], target)
    found: dict[str, dict[str, float]] = {}
    for (_, _, confidence), source_term, target_term in zip(pairs, sources, targets, strict=True):
        known = found.setdefault(source_term, {})
        known[target_term] = max(known.get(target_term, 0.0), confidence)
    return {
        term: tuple(Equivalent(other, known[other]) for other in sorted(known, key=lambda other: -known[other]))
        for term, known in found.items()
    }


def _from_tables(source: Language, target: Language) -> Iterator[_Pair]:
    for concept in word_lists.concepts():
        yield from _cross_words(concept.words[source], concept.words[target])
    if {source, target} == {"ru", "uk"}:
        for friend in word_lists.false_friends():
            ru = (friend.ru,)
            yield from _cross_words(ru, friend.right_uk) if source == "ru" else _cross_words(friend.right_uk, ru)
    for table in word_lists.NAME_TABLES:
        for row in word_lists.name_rows(table):
            sources, targets = ([*map(key_form, word_lists.variants(row, language))] for language in (source, target))
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


_TARGETS: Final[tuple[Language, ...]] = ("ru", "uk")
_OWNER: Final = 32  # bits by which the number of a document is shifted to make room for that of a term


def marked_term(form: Form, term: str) -> str:
    """Return the term of an English word with a mark for its capitals, if the word is both a noun and a name."""
    if form.shape == Shape.LOWER:
        return term
    word = without_possessive(form.form)
    if word not in names_of_nouns():
        return term
    return word.capitalize() if form.shape == Shape.CAPITAL else word.upper()


def is_marked(term: str) -> bool:
    """Whether a term shows how the text writes it."""
    return "A" <= term[:1] <= "Z"


def plain_term(term: str) -> str:
    """Return a term without its mark: the lemma of the noun."""
    return lemma(term.lower()) if is_marked(term) else term


def names_first(term: str, answers: tuple[Translation, ...], target: Language) -> tuple[Translation, ...]:
    """Put the equivalents of the name first if the term is marked as one."""
    if not is_marked(term):
        return answers
    names = _names_by_form(target).get(term.lower(), ())
    known = {one.term: one for one in answers}
    first = [known[name] for name in names if name in known]
    return (*first, *(one for one in answers if one not in first))


def first_names(target: Language) -> list[tuple[str, str]]:
    """Return the first equivalent of each name, with its noun in English."""
    return [(names[0], lemma(form)) for form, names in _names_by_form(target).items() if names]


@cache
def names_of_nouns() -> frozenset[str]:
    """Key forms of names, none in capitals, that are (plurals of) nouns with another translation; not West (запад)."""
    kept = word_lists.translated_names("en")
    return frozenset(form for form, names in _named_nouns().items() if form not in kept and _differ(form, names))


def _differ(form: str, names: Mapping[Language, list[str]]) -> bool:
    """Whether the first equivalent of the noun and some equivalent of the name belong to one of the two only."""
    nouns = _nouns_by_lemma()[lemma(form)]
    return any(
        nouns[target] and nouns[target][0] not in names[target] and not set(names[target]) <= set(nouns[target])
        for target in _TARGETS
    )


@cache
def _named_nouns() -> Mapping[str, Mapping[Language, list[str]]]:
    """Names that are also nouns: key form to its equivalents in each target language, as the tables spell them."""
    found: dict[str, dict[Language, list[str]]] = {}
    for row in chain.from_iterable(map(word_lists.name_rows, word_lists.NAME_TABLES)):
        for form in _single(one for one in word_lists.variants(row, "en") if not one.isupper()):
            if is_listed_noun(lemma(form)):
                names = found.setdefault(form, {target: [] for target in _TARGETS})
                for target in _TARGETS:
                    names[target] += _single(word_lists.variants(row, target))
    return found


@cache
def _nouns_by_lemma() -> Mapping[str, Mapping[Language, list[str]]]:
    found: dict[str, dict[Language, list[str]]] = {}
    for concept in word_lists.concepts():
        for word in _single(concept.words["en"]):
            nouns = found.setdefault(lemma(word), {target: [] for target in _TARGETS})
            for target in _TARGETS:
                nouns[target] += _single(concept.words[target])
    return found


@cache
def _names_by_form(target: Language) -> Mapping[str, tuple[str, ...]]:
    """Terms of the target language by key form of the English name, in the order of the tables."""
    named = _named_nouns()
    found = {form: as_terms(named[form].get(target, []), target) for form in sorted(names_of_nouns())}
    return MappingProxyType({form: tuple(dict.fromkeys(terms)) for form, terms in found.items()})


def _single(spellings: Iterable[str]) -> list[str]:
    return [key_form(one) for one in spellings if " " not in one]


@dataclass(frozen=True, slots=True)
class Marked:
    """Which terms are marked, by their numbers."""

    plain: Ints  # int64 (terms,), the plain term of a marked one; every other term itself
    name: Ints  # int64 (terms,), the term of a marked one as a name; -1 for every other term

    def enter(self, number: int, term: str, number_of: Callable[[str], int]) -> None:
        """Enter a marked term."""
        self.plain[number] = number_of(plain_term(term))
        self.name[number] = number_of(term.capitalize())


def decided(owners: NDArray[Any], terms: NDArray[Any], marked: Marked) -> Ints:
    """Decide for each marked term of a document whether it is a name: if one is written so, and never the noun."""
    found: Ints = terms.astype(np.int64)
    names, plain = marked.name[found], marked.plain[found]
    asked = np.flatnonzero(names >= 0)
    if not len(asked):
        return found
    document = owners.astype(np.int64) << _OWNER
    written = np.unique((document | found)[np.isin(found, np.union1d(names[asked], plain[asked]))])
    as_name = np.isin(document[asked] | names[asked], written)
    as_name &= ~np.isin(document[asked] | plain[asked], written)
    found[asked] = np.where(as_name, names[asked], plain[asked])
    return found
