"""Key terms and vocabularies of documents as rows: what the links are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Document, Language, Settings
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.matched_words import kind_of_term, places_of_terms

_SCALE: Final = 1e9
TERM_COLUMNS: Final = (
    *("id", "language", "rank", "term", "number", "kind", "weight", "documents", "places", "places_in_title"),
    "equivalents",
)
VOCABULARY_COLUMNS: Final = ("id", "language", "term", "number", "equivalents")


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A key term of a document."""

    id: str  # the document
    language: Language  # its language
    rank: int  # 1 for the heaviest
    term: str  # the term; with `pivot` that of the pivot language
    number: int  # number of the term; rows with equal numbers match
    kind: str  # `surname`, `organisation`, `place` and other kinds of names, `noun`, or `stem`
    weight: float  # its weight in the document
    documents: int | None  # number of documents in this language that contain it; `None` with `pivot`
    places: list[list[int]]  # `[start, end]` of the words in the text that it stands for, in code points
    places_in_title: list[list[int]]  # the same in the title
    equivalents: list[str]  # with `pivot`, terms of the pivot language that match it; otherwise empty

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyRow:
    """A term in which key terms of other documents are looked up; attributes as in ``TermRow``."""

    id: str
    language: Language
    term: str
    number: int
    equivalents: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def term_rows(documents: Sequence[Document], key_terms: KeyTerms, settings: Settings) -> Iterator[TermRow]:
    """The key terms of each document, heaviest first."""
    labels, keys = key_terms.labels(), key_terms.keys
    languages, words, frequencies = _languages(key_terms), _words(key_terms), _frequencies(key_terms)
    of = None if key_terms.pivot is None else key_terms.pivot.language
    for number, document in enumerate(documents):
        row = slice(keys.indptr[number], keys.indptr[number + 1])
        order = np.lexsort((keys.indices[row], -keys.data[row]))
        columns, weights = keys.indices[row][order].tolist(), keys.data[row][order].tolist()
        language = languages[number]
        own = [words(number, column) for column in columns]
        in_text = _places(document.text, language, settings, own)
        in_title = _places(document.title, language, settings, own)
        for place, (column, weight) in enumerate(zip(columns, weights, strict=True)):
            yield TermRow(
                id=document.id,
                language=language,
                rank=place + 1,
                term=labels[column],
                number=column,
                kind=kind_of_term(labels[column], of or language, settings.representation),
                weight=weight / _SCALE,
                documents=int(frequencies[LANGUAGES.index(language)][column]) if frequencies else None,
                places=in_text[place],
                places_in_title=in_title[place],
                equivalents=_equivalents(key_terms, column),
            )


def vocabulary_rows(documents: Sequence[Document], key_terms: KeyTerms) -> Iterator[VocabularyRow]:
    """The terms of each document in which key terms of others are looked up, by number."""
    labels, targets, languages = key_terms.labels(), key_terms.targets, _languages(key_terms)
    for number, document in enumerate(documents):
        for column in np.sort(targets.indices[targets.indptr[number] : targets.indptr[number + 1]]).tolist():
            yield VocabularyRow(
                id=document.id,
                language=languages[number],
                term=labels[column],
                number=column,
                equivalents=_equivalents(key_terms, column),
            )


def _languages(key_terms: KeyTerms) -> list[Language]:
    return [LANGUAGES[number] for number in key_terms.counts.languages.tolist()]


def _equivalents(key_terms: KeyTerms, column: int) -> list[str]:
    space = key_terms.pivot
    if space is None:
        return []
    found = space.sets.indices[space.sets.indptr[column] : space.sets.indptr[column + 1]]
    return sorted(space.equivalents.vocabulary[number] for number in found.tolist())


def _words(key_terms: KeyTerms) -> Any:
    """What says which terms of a document a column stands for."""
    space, labels = key_terms.pivot, key_terms.labels()
    if space is None:
        return lambda _, column: {labels[column]}
    counts = space.sources.counts

    def words(document: int, column: int) -> set[str]:
        wanted = set(space.sets.indices[space.sets.indptr[column] : space.sets.indptr[column + 1]].tolist())
        sources = counts.indices[counts.indptr[document] : counts.indptr[document + 1]].tolist()
        return {space.sources.terms[one] for one in sources if wanted.intersection(space.equivalents.of(one))}

    return words


def _places(text: str, language: Language, settings: Settings, wanted: Sequence[set[str]]) -> list[list[list[int]]]:
    """Places of each set of terms."""
    found: list[list[list[int]]] = [[] for _ in wanted]
    for start, end, read in places_of_terms(text, language, settings):
        for place, terms in enumerate(wanted):
            if not terms.isdisjoint(read):
                found[place].append([start, end])
    return found


def _frequencies(key_terms: KeyTerms) -> dict[int, Any]:
    """How many documents of each language contain each term."""
    if key_terms.pivot is not None:
        return {}
    counts, languages = key_terms.counts.counts, key_terms.counts.languages
    return {
        number: np.bincount(counts[np.flatnonzero(languages == number)].indices, minlength=counts.shape[1])
        for number in np.unique(languages).tolist()
    }
