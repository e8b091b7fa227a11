"""Models of documents, from which criteria measure pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys
from infostream_dedup.judging.evidence.numbers import numbers
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, compared, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, EvidenceRecords, changes_of, pack_evidence
from infostream_dedup.judging.features.sentences import leading_words
from infostream_dedup.judging.features.words import hash_words, scrambled
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.machine.arrays import Floats, Ints, Ragged, Uint64s, offsets_of, rows_from
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, Language, Settings, full_text, language_number
from infostream_dedup.model.document import outlet_of
from infostream_dedup.model.limits import OneOf
from infostream_dedup.terms import compiled
from infostream_dedup.terms.key_terms import KeyTerms, heaviest
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import (
    BACKGROUND_DOCUMENTS,
    BACKGROUND_WORDS,
    Statistics,
    TermCounts,
    document_probability,
    weigh,
)
from infostream_dedup.terms.weightings import bm25

TITLE_WORDS: Final = 10  # number of running words in the title of a pseudo-document


def background_statistics(
    terms: Sequence[str], languages: Collection[str], representation: str, *, words: int = BACKGROUND_WORDS
) -> list[Statistics]:
    """Make statistics from pseudo-documents alone, one for each of ``LANGUAGES``; those not in use stay empty."""
    found = []
    for language in LANGUAGES:
        df, length = np.zeros(len(terms)), 1.0
        if language in OUR_LANGUAGES and language in languages:
            shares = term_frequencies(language, representation)
            df = BACKGROUND_DOCUMENTS * document_probability(terms, shares, words=words)
            length = max(words * _share_of_terms(language, representation), 1.0)
        found.append(Statistics(float(BACKGROUND_DOCUMENTS), df, length))
    return found


@cache
def _share_of_terms(language: Language, representation: str) -> float:
    """Return the share of running words that are terms."""
    return math.fsum(term_frequencies(language, representation).values())


@dataclass(frozen=True, slots=True, eq=False)
class ShippedEvidence:
    """Evidence of documents."""

    keys: ComparedKeys  # their 30 key terms
    records: EvidenceRecords  # numbers, names, leads and openings
    triples: TripleRows  # word triples

    def of_pairs(self, i: Ints, j: Ints) -> Floats:
        """Compare pairs: float64 (pairs, COLUMNS), forward is the share of i's that j has."""
        # Fastest if pairs with the same j are adjacent.
        order = np.lexsort((i, j))
        a, b = i[order], j[order]
        found = compared(
            a, b, shares_of_pairs(a, b, self.keys), keys=self.keys, records=self.records, triples=self.triples
        )
        evidence = np.empty((len(i), len(COLUMNS)), dtype=np.float64)
        evidence[order] = found
        return evidence


def read_shipped_evidence(
    documents: Sequence[Document], languages: Sequence[str], key_terms: KeyTerms, *, background: bool
) -> ShippedEvidence:
    """Read the evidence of documents."""
    numbers = np.array([language_number(language) for language in languages], dtype=np.int8)
    raw = read_evidence(*evidence_texts(documents))
    frequencies = EvidenceFrequencies()
    if not background:
        frequencies.add(changes_of(raw, numbers))
    return ShippedEvidence(
        key_rows(key_terms.keys, key_terms.targets),
        pack_evidence(raw, numbers, frequencies),
        TripleRows(raw.triples, raw.ends[:, 0].copy()),
    )


_LINE: Final = re.compile(r"\n\s*")


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Sentences of all documents, in order."""

    surfaces: compiled.SurfaceTokens  # words of each sentence
    numbers: Ragged  # numbers of each sentence, in order, int64 index into `number_names`
    number_names: list[str]  # distinct canonical numbers in order of first occurrence
    paragraph_of: Ints  # int64 (sentences,), paragraph of each sentence, ascending
    document_of: Ints  # int64 (paragraphs,), document of each paragraph, ascending

    @property
    def sentence_documents(self) -> Ints:
        """Document of each sentence: int64 (sentences,)."""
        return self.document_of[self.paragraph_of]


def paragraphs(text: str) -> list[str]:
    r"""Split a text into its non-empty lines; a line that begins in lower case continues the one before.

    Example:
        >>> paragraphs("Первый абзац\nпродолжается.\n\nВторой.")
        ['Первый абзац продолжается.', 'Второй.']
    """
    found: list[str] = []
    for line in filter(None, _LINE.split(text.strip())):
        if found and line[0].islower():
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return found


def read_parts(texts: Iterable[str], languages: Sequence[str]) -> Parts:
    """Cut the bodies of a collection."""
    counter = compiled.SurfaceCounter()
    number_of: dict[str, int] = {}
    found: list[list[int]] = []
    paragraph_of: list[int] = []
    document_of: list[int] = []
    for document, (text, language) in enumerate(zip(texts, languages, strict=True)):
        for paragraph in paragraphs(text):
            for start, end in sentences(paragraph):
                sentence = paragraph[start:end]
                counter.add(sentence, language)
                found.append([number_of.setdefault(number, len(number_of)) for number in numbers(sentence)])
                paragraph_of.append(len(document_of))
            document_of.append(document)
    return Parts(
        counter.finish(),
        rows_from(found, np.int64),
        list(number_of),
        np.array(paragraph_of, dtype=np.int64),
        np.array(document_of, dtype=np.int64),
    )


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSets:
    """Set of weighted elements of each document."""

    weights: sp.csr_array  # float64 (documents, elements), sorted indices, no explicit zeros
    members: sp.csr_array  # float64 (documents, elements), 1 for each entry of `weights`
    totals: Floats  # float64 (documents,), summed weight of each document

    def lacking(self, i: Ints, j: Ints) -> Floats:
        """The share of i's weight that j lacks (Andreev et al., 8 and 9): 0 if i is empty, 1 if only j is empty."""
        shared = np.asarray(self.weights[i].multiply(self.members[j]).sum(axis=1), dtype=np.float64)
        total = self.totals[i]
        share = np.divide(shared, total, out=np.ones(len(i)), where=total > 0)
        # Rounding makes equal sets differ by exactly 0, whatever the order of summation.
        return np.asarray(np.clip(np.round(1 - share, 12), 0, 1), dtype=np.float64)


def weighted_sets(owners: Ints, elements: Uint64s, weights: Floats, documents: int) -> WeightedSets:
    """Make sets from a list of their elements."""
    heavy = weights > 0
    owners, weights = owners[heavy], weights[heavy]
    distinct, columns = np.unique(elements[heavy], return_inverse=True)
    codes, first = np.unique(owners * max(len(distinct), 1) + columns, return_index=True)
    rows, columns = np.divmod(codes, max(len(distinct), 1))
    indptr = offsets_of(np.bincount(rows, minlength=documents))
    shape = (documents, len(distinct))
    table = sp.csr_array((weights[first], columns, indptr), shape=shape)
    members = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=shape)
    return WeightedSets(table, members, np.bincount(rows, weights[first], minlength=documents).astype(np.float64))


WORDS: Final = Settings(representation="stem", df_min=1)
"""All words except stop words count, as stems, even those of a single document, because they distinguish it. A word in
more than half of the documents has no weight."""

_OF_ANY_WORD: Final = Settings(representation="stem", df_min=0)
"""The background knows only common words; other words count as rare."""


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Weighted words of each document."""

    weights: sp.csr_array  # float64 (documents, words), BM25, not negative
    unit: sp.csr_array  # the vectors scaled to norm 1; rows of zeros stay
    sizes: Ints  # int64 (documents,), number of words with repetition, without stop words

    def cosine(self, i: Ints, j: Ints) -> Floats:
        """Return the cosine of the vectors of i and j (Andreev et al., equation 5)."""
        products = self.unit[i].multiply(self.unit[j]).sum(axis=1)
        # Rounding gives equal texts exactly 1, whatever the order of summation.
        return np.clip(np.round(np.asarray(products, dtype=np.float64), 12), 0, 1)


def word_vectors(counts: TermCounts, given: list[Statistics] | None = None) -> tuple[WordVectors, list[Statistics]]:
    """Make BM25 vectors of documents; also return the statistics from which the weights come."""
    statistics = compiled.statistics_of(counts, WORDS) if given is None else given
    weights = weigh(counts, statistics, WORDS if given is None else _OF_ANY_WORD).astype(np.float64)
    weights.eliminate_zeros()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1), dtype=np.float64))
    scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    unit = sp.csr_array(
        (weights.data * np.repeat(scale, np.diff(weights.indptr)), weights.indices, weights.indptr), shape=weights.shape
    )
    return WordVectors(weights, unit, counts.lengths), statistics


def title_vectors(titles: list[str], languages: list[str], *, background: bool = False) -> WordVectors:
    """Make BM25 vectors of titles (empty if missing), weighted by the frequency of words in titles, not in bodies."""
    counter = compiled.SurfaceCounter()
    for title, language in zip(titles, languages, strict=True):
        counter.add(title, language)
    counts = compiled.count_terms(counter.finish(), WORDS)
    given = (
        background_statistics(counts.terms, languages, WORDS.representation, words=TITLE_WORDS) if background else None
    )
    return word_vectors(counts, given)[0]


def occurrence_weights(counts: TermCounts, statistics: list[Statistics]) -> Floats:
    """Sum the weights of all word occurrences of each row; a word's weight is its IDF, at least 0."""
    weights = np.zeros(counts.counts.shape[0])
    for number in range(len(LANGUAGES)):
        rows = np.flatnonzero(counts.languages == number)
        if len(rows):
            idf = np.maximum(bm25.idf(statistics[number].df, statistics[number].documents), 0)
            weights[rows] = counts.counts[rows] @ idf
    return weights


KEY_TERMS: Final = Settings(n=30)  # as in the preset ``best``: 30 terms describe a document better than 12

STATISTICS: Final = ("collection", "background")
"""Sources of word weights: the documents that are modelled together, or the general language."""

_KEY_TERMS_OF_ANY_WORD: Final = Settings(n=30, df_min=0)
_ADDRESS: Final = re.compile(r"https?://|\bwww\.")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DocumentModels:
    """Models of all documents of a collection."""

    ids: list[str]  # ids in input order
    words: WordVectors  # stems of the body, BM25
    titles: WordVectors  # stems of the title, BM25 by statistics of titles
    # distinct weighted sentences of the body; sentences are equal if their stems and numbers are, in any order
    sentences: WeightedSets
    paragraphs: WeightedSets  # distinct paragraphs, likewise
    numbers: WeightedSets  # distinct numbers of the body, each of weight 1
    number_rows: Ragged  # int64 numbers of the body in order, equal for equal numbers
    images: Floats  # float64 (documents,), number of pictures and films; 0 if unknown
    links: Floats  # float64 (documents,), number of links; number of addresses in the body if unknown
    times: Floats  # float64 (documents,), POSIX seconds of publication; NaN if unknown
    sources: list[str | None]  # site or agency of each document; `None` if unknown
    categories: list[str | None]  # field `category` of each document; `None` if missing
    languages: list[str]  # language of each document
    key_terms: KeyTerms  # the 30 heaviest key terms (`morph`) of title and body, and where they are looked up
    evidence: ShippedEvidence  # what the shipped pair model compares
    text_hashes: NDArray[np.object_]  # bytes (documents,), checksum of each body; empty for an empty one
    statistics: str = "collection"  # source of word weights, one of `STATISTICS`

    def __len__(self) -> int:
        return len(self.ids)


def document_models(
    documents: Sequence[Document], *, progress: Progress | None = None, statistics: str = "collection"
) -> DocumentModels:
    """Compute the models of a collection."""
    OneOf(*STATISTICS).check("statistics", statistics)
    background = statistics == "background"

    def tell(step: int) -> None:
        if progress is not None:
            progress("modelling documents", step, 4)

    languages = [document.lang or detect(full_text(document)) for document in documents]
    parts = read_parts((document.text for document in documents), languages)
    tell(1)
    of_sentences = compiled.count_terms(parts.surfaces, WORDS)
    of_documents = _sum_counts(of_sentences, parts.sentence_documents, languages)
    given = background_statistics(of_documents.terms, languages, WORDS.representation) if background else None
    words, weighed_by = word_vectors(of_documents, given)
    tell(2)
    marks, weights = _hash_sentences(parts, of_sentences), occurrence_weights(of_sentences, weighed_by)
    marks_of_paragraphs = np.zeros(len(parts.document_of), dtype=np.uint64)
    np.add.at(marks_of_paragraphs, parts.paragraph_of, marks)
    by_paragraph = np.bincount(parts.paragraph_of, weights, minlength=len(parts.document_of)).astype(np.float64)
    sizes = np.bincount(parts.sentence_documents, parts.numbers.sizes, minlength=len(documents))
    number_rows = Ragged(offsets_of(sizes), parts.numbers.values)
    tell(3)
    key_terms = _key_terms(documents, languages, background=background)
    models = DocumentModels(
        ids=[document.id for document in documents],
        words=words,
        titles=title_vectors([document.title for document in documents], languages, background=background),
        sentences=weighted_sets(parts.sentence_documents, marks, weights, len(documents)),
        paragraphs=weighted_sets(parts.document_of, marks_of_paragraphs, by_paragraph, len(documents)),
        numbers=weighted_sets(
            number_rows.numbers, number_rows.values.astype(np.uint64), np.ones(len(number_rows.values)), len(documents)
        ),
        number_rows=number_rows,
        images=np.array([_count_objects(document.images) or 0 for document in documents], dtype=np.float64),
        links=np.array([_links(document) for document in documents], dtype=np.float64),
        times=np.array([_seconds(document) for document in documents], dtype=np.float64),
        sources=[outlet_of(document.source, document.url) for document in documents],
        categories=[_category(document) for document in documents],
        languages=languages,
        key_terms=key_terms,
        evidence=read_shipped_evidence(documents, languages, key_terms, background=background),
        text_hashes=np.array([text_hash(document.text) for document in documents], dtype=object),
        statistics=statistics,
    )
    tell(4)
    return models


def _sum_counts(counts: TermCounts, owners: Ints, languages: Sequence[str]) -> TermCounts:
    """Sum the counts of sentences to counts of documents."""
    shape = (len(languages), len(owners))
    sums = sp.csr_array((np.ones(len(owners), dtype=np.int32), (owners, np.arange(len(owners)))), shape=shape)
    summed = sp.csr_array(sums @ counts.counts)
    summed.sort_indices()
    numbers = np.array([language_number(language) for language in languages], dtype=np.uint8)
    return TermCounts(summed, counts.terms, numbers, np.asarray(summed.sum(axis=1), dtype=np.int64))


def _hash_sentences(parts: Parts, counts: TermCounts) -> Uint64s:
    """Hash the bag of stems and numbers of each sentence, whatever their order: uint64 (sentences,)."""
    of_terms = counts.counts.astype(np.uint64) @ scrambled(hash_words(counts.terms), seed=1)
    of_numbers = scrambled(hash_words(parts.number_names), seed=2)[parts.numbers.values]
    marks = np.asarray(of_terms, dtype=np.uint64).copy()
    np.add.at(marks, parts.numbers.numbers, of_numbers)
    return marks


def _count_objects(given: Any) -> int | None:
    """Count the objects of a field that holds a list of addresses, a count, or nothing."""
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float):
        return max(int(given), 0) if math.isfinite(given) else None
    if isinstance(given, str):
        return _count_objects(int(given)) if given.isascii() and given.isdigit() else len(given.split())
    return len(given) if isinstance(given, list | tuple | np.ndarray) else None


def _links(document: Document) -> int:
    given = _count_objects(document.links)
    return len(_ADDRESS.findall(document.text)) if given is None else given


def _seconds(document: Document) -> float:
    return math.nan if document.time is None else document.time.timestamp()


def _category(document: Document) -> str | None:
    category = document.extra.get("category")
    return None if category is None or category == "" else str(category)


def _key_terms(documents: Sequence[Document], languages: Sequence[str], *, background: bool) -> KeyTerms:
    reader = compiled.SurfaceCounter()
    for document, language in zip(documents, languages, strict=True):
        reader.add(full_text(document), language)
    if not background:
        return compiled.key_terms_of_surfaces(reader.finish(), KEY_TERMS)
    return compiled.key_terms_of_surfaces(
        reader.finish(),
        _KEY_TERMS_OF_ANY_WORD,
        statistics=lambda terms: background_statistics(terms, languages, KEY_TERMS.representation),
    )


# Pairs worth comparing: the paper's filter before the criteria (Andreev et al., section 6), and ours

LINK_K: Final = 3  # key terms of one document that the other must contain: few enough to miss hardly any reprint
LINK_TERMS: Final = 12  # key terms that are looked up, as in the main job


def two_word_candidates(models: DocumentModels) -> tuple[Ints, Ints]:
    """Find pairs of equal signature: the two heaviest words of the body (BM25), in alphabetical order.

    This is the paper's filter. The signature of a document of one word is that word; an empty document has none.

    Returns two of int64 (pairs,): ordinals i < j, ascending by i, then by j.
    """
    words = models.words.weights
    leading = leading_words(words, 2)
    sizes = leading.sizes
    having = np.flatnonzero(sizes > 0)
    first = leading.values[leading.indptr[having]].astype(np.int64)
    last = leading.values[leading.indptr[having] + sizes[having] - 1].astype(np.int64)
    _, signatures = np.unique(first * max(words.shape[1], 1) + last, return_inverse=True)
    shape = (len(models), int(signatures.max(initial=-1)) + 1)
    holds = sp.csr_array((np.ones(len(having), dtype=np.int32), (having, signatures)), shape=shape)
    return _pairs_above(sp.csr_array(holds @ holds.T))


def key_term_candidates(models: DocumentModels, *, k: int = LINK_K, n: int = LINK_TERMS) -> tuple[Ints, Ints]:
    """Find pairs i < j, ascending, int64 each, in which one contains k of the n heaviest key terms of the other."""
    if not 1 <= k <= n:
        raise ConfigurationError(f"k is {k}; expected 1 to n = {n}")
    keys = heaviest(models.key_terms.keys, n)
    counts = match(keys, models.key_terms.targets, n=n, weights=False, k_min=k).counts
    linked = sp.csr_array((np.ones(counts.nnz, dtype=np.int32), counts.indices, counts.indptr), shape=counts.shape)
    return _pairs_above(sp.csr_array(linked + linked.T))


def _pairs_above(matrix: sp.csr_array) -> tuple[Ints, Ints]:
    above = sp.triu(matrix, k=1, format="csr")
    above.sort_indices()
    i = np.repeat(np.arange(above.shape[0], dtype=np.int64), np.diff(above.indptr))
    return i, above.indices.astype(np.int64)
