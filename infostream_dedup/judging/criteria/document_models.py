"""Models of documents: what the criteria need, computed once (Andreev et al., section 5).

d = (words, title, sentences, paragraphs, numbers, images, links, time, source authority), equation 10. The authority of
a source is missing here because it belongs to the classifier: see ``authority``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.background_statistics import background_statistics
from infostream_dedup.judging.criteria.parts import Parts, read_parts
from infostream_dedup.judging.criteria.shipped_evidence import ShippedEvidence, read_shipped_evidence
from infostream_dedup.judging.criteria.weighted_sets import WeightedSets, weighted_sets
from infostream_dedup.judging.criteria.word_vectors import (
    WORDS,
    WordVectors,
    occurrence_weights,
    title_vectors,
    word_vectors,
)
from infostream_dedup.judging.features.hashing import hash_words, scrambled
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.language.text.language import detect
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Document, Settings, full_text, language_number
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.plain import count_terms
from infostream_dedup.terms.reading import SurfaceReader, key_terms_of_surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KEY_TERMS", "STATISTICS", "DocumentModels", "document_models"]

KEY_TERMS: Final = Settings(n=30)
"""As in the preset ``best``: 30 terms describe a document better than 12."""

STATISTICS: Final = ("collection", "background")
"""Sources of word weights: the documents that are modelled together, or the general language."""

_KEY_TERMS_OF_ANY_WORD: Final = Settings(n=30, df_min=0)

_ADDRESS: Final = re.compile(r"https?://|\bwww\.")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DocumentModels:
    """Models of all documents of a collection.

    Attributes:
        ids: ids in input order.
        words: stems of the body, BM25.
        titles: stems of the title, BM25 by statistics of titles.
        sentences: distinct weighted sentences of the body; sentences are equal if their stems and numbers are, in any
            order.
        paragraphs: distinct paragraphs, likewise.
        numbers: distinct numbers of the body, each of weight 1.
        number_rows: int64 numbers of the body in order, equal for equal numbers.
        images: float64 (documents,), number of pictures and films; 0 if unknown.
        links: float64 (documents,), number of links; number of addresses in the body if unknown.
        times: float64 (documents,), POSIX seconds of publication; NaN if unknown.
        sources: site or agency of each document; ``None`` if unknown.
        categories: field ``category`` of each document; ``None`` if missing.
        languages: language of each document.
        key_terms: the 30 heaviest key terms (``morph``) of title and body, and where they are looked up.
        evidence: what the shipped pair model compares.
        text_hashes: bytes (documents,), checksum of each body; empty for an empty one.
        statistics: source of word weights, one of ``STATISTICS``.
    """

    ids: list[str]
    words: WordVectors
    titles: WordVectors
    sentences: WeightedSets
    paragraphs: WeightedSets
    numbers: WeightedSets
    number_rows: Rows
    images: NDArray[np.float64]
    links: NDArray[np.float64]
    times: NDArray[np.float64]
    sources: list[str | None]
    categories: list[str | None]
    languages: list[str]
    key_terms: KeyTerms
    evidence: ShippedEvidence
    text_hashes: NDArray[np.object_]
    statistics: str = "collection"

    def __len__(self) -> int:
        return len(self.ids)


def document_models(
    documents: Sequence[Document], *, progress: Progress | None = None, statistics: str = "collection"
) -> DocumentModels:
    """Compute the models of a collection.

    Args:
        documents: documents with their texts, in input order; a missing ``lang`` is detected.
        progress: called after each step.
        statistics: ``collection`` weights words by these documents; ``background`` by the general language, so that
            the model of a document does not depend on the other documents.

    Raises:
        ConfigurationError: there are no such statistics.
    """
    if statistics not in STATISTICS:
        raise ConfigurationError(f"statistics is {statistics!r}; expected one of {', '.join(STATISTICS)}")
    background = statistics == "background"

    def tell(step: int) -> None:
        if progress is not None:
            progress("modelling documents", step, 4)

    languages = [document.lang or detect(full_text(document)) for document in documents]
    parts = read_parts((document.text for document in documents), languages)
    tell(1)
    of_sentences = count_terms(parts.surfaces, WORDS)
    of_documents = _sum_counts(of_sentences, parts.sentence_documents, languages)
    given = background_statistics(of_documents.terms, languages, WORDS.representation) if background else None
    words, weighed_by = word_vectors(of_documents, given)
    tell(2)
    marks, weights = _hash_sentences(parts, of_sentences), occurrence_weights(of_sentences, weighed_by)
    marks_of_paragraphs = np.zeros(len(parts.document_of), dtype=np.uint64)
    np.add.at(marks_of_paragraphs, parts.paragraph_of, marks)
    weights_of_paragraphs = np.bincount(parts.paragraph_of, weights, minlength=len(parts.document_of)).astype(
        np.float64
    )
    number_rows = Rows(_document_ends(parts, len(documents)), parts.numbers.values)
    tell(3)
    key_terms = _key_terms(documents, languages, background=background)
    models = DocumentModels(
        ids=[document.id for document in documents],
        words=words,
        titles=title_vectors([document.title for document in documents], languages, background=background),
        sentences=weighted_sets(parts.sentence_documents, marks, weights, len(documents)),
        paragraphs=weighted_sets(parts.document_of, marks_of_paragraphs, weights_of_paragraphs, len(documents)),
        numbers=weighted_sets(
            number_rows.numbers, number_rows.values.astype(np.uint64), np.ones(len(number_rows.values)), len(documents)
        ),
        number_rows=number_rows,
        images=np.array([_count_objects(document.images) or 0 for document in documents], dtype=np.float64),
        links=np.array([_links(document) for document in documents], dtype=np.float64),
        times=np.array([_seconds(document) for document in documents], dtype=np.float64),
        sources=[document.source or None for document in documents],
        categories=[_category(document) for document in documents],
        languages=languages,
        key_terms=key_terms,
        evidence=read_shipped_evidence(documents, languages, key_terms, background=background),
        text_hashes=np.array([text_hash(document.text) for document in documents], dtype=object),
        statistics=statistics,
    )
    tell(4)
    return models


def _sum_counts(counts: TermCounts, owners: NDArray[np.int64], languages: Sequence[str]) -> TermCounts:
    """Sum the counts of sentences to counts of documents."""
    shape = (len(languages), len(owners))
    sums = sp.csr_array((np.ones(len(owners), dtype=np.int32), (owners, np.arange(len(owners)))), shape=shape)
    summed = sp.csr_array(sums @ counts.counts)
    summed.sort_indices()
    numbers = np.array([language_number(language) for language in languages], dtype=np.uint8)
    return TermCounts(summed, counts.terms, numbers, np.asarray(summed.sum(axis=1), dtype=np.int64))


def _hash_sentences(parts: Parts, counts: TermCounts) -> NDArray[np.uint64]:
    """Hash the bag of stems and numbers of each sentence, whatever their order: uint64 (sentences,)."""
    of_terms = counts.counts.astype(np.uint64) @ scrambled(hash_words(counts.terms), seed=1)
    of_numbers = scrambled(hash_words(parts.number_names), seed=2)[parts.numbers.values]
    marks = np.asarray(of_terms, dtype=np.uint64).copy()
    np.add.at(marks, parts.numbers.numbers, of_numbers)
    return marks


def _document_ends(parts: Parts, documents: int) -> NDArray[np.int64]:
    """Return the start of the numbers of each document: int64 (documents + 1,)."""
    sizes = np.bincount(parts.sentence_documents, parts.numbers.sizes, minlength=documents)
    return offsets_of(sizes)


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
    reader = SurfaceReader()
    for document, language in zip(documents, languages, strict=True):
        reader.add(full_text(document), language)
    if not background:
        return key_terms_of_surfaces(reader.finish(), KEY_TERMS)
    return key_terms_of_surfaces(
        reader.finish(),
        _KEY_TERMS_OF_ANY_WORD,
        statistics=lambda terms: background_statistics(terms, languages, KEY_TERMS.representation),
    )
