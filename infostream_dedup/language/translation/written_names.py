"""English words that are nouns and names with different translations: mark, turkey, gates.

Key forms have no capitals, so the term of such a word can show by capitals how a text writes it:

- ``Gates``: with a capital inside a sentence, as a name;
- ``GATES``: at the start of a sentence or all in capitals, which proves nothing;
- ``gate``: in lower case; this is the plain term, the lemma, as of every other word.

Only the first and the last are translated: ``decided`` tells which of them a document has. They have the same
equivalents; those of the name come first for ``Gates``, those of the noun for ``gate``. Russian and Ukrainian words
have no marks: their morphology already chooses by capitals between the lemma of a noun and that of a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.language.lexicon.tables import key_form
from infostream_dedup.language.lexicon.word_lists import NAME_TABLES, concepts, name_rows, translated_names, variants
from infostream_dedup.language.morphology.readings import is_listed_noun, lemma, without_possessive
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.word_pairs import as_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from infostream_dedup.language.translation.rung import Translation
    from infostream_dedup.model import Language


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
    kept = translated_names("en")
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
    for row in chain.from_iterable(map(name_rows, NAME_TABLES)):
        for form in _single(one for one in variants(row, "en") if not one.isupper()):
            if is_listed_noun(lemma(form)):
                names = found.setdefault(form, {target: [] for target in _TARGETS})
                for target in _TARGETS:
                    names[target] += _single(variants(row, target))
    return found


@cache
def _nouns_by_lemma() -> Mapping[str, Mapping[Language, list[str]]]:
    found: dict[str, dict[Language, list[str]]] = {}
    for concept in concepts():
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

    plain: NDArray[np.int64]  # int64 (terms,), the plain term of a marked one; every other term itself
    name: NDArray[np.int64]  # int64 (terms,), the term of a marked one as a name; -1 for every other term

    def enter(self, number: int, term: str, number_of: Callable[[str], int]) -> None:
        """Enter a marked term."""
        self.plain[number] = number_of(plain_term(term))
        self.name[number] = number_of(term.capitalize())


def decided(owners: NDArray[Any], terms: NDArray[Any], marked: Marked) -> NDArray[np.int64]:
    """Decide for each marked term of a document whether it is a name: if one is written so, and never the noun."""
    found: NDArray[np.int64] = terms.astype(np.int64)
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
