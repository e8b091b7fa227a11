"""What two documents have in common, without their texts: for an expert, and next to examples in a report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.rows import Rows, distinct, rows_from
from infostream_dedup.judging.features.string_similarity import string_similarity
from infostream_dedup.lab.methods import Texts
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.pair_table import pair_table
from infostream_dedup.terms.reading import key_terms_of_surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairFeatures", "pair_features"]

_LONG_SENTENCE: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFeatures:
    """What the documents of a pair have in common.

    Attributes:
        similarity: String::Similarity of the texts as words without punctuation, 0 to 1.
        jaccard5: distinct word 5-grams common to both texts, divided by those in either, 0 to 1.
        containment5: distinct word 5-grams common to both texts, divided by those of the text with fewer, 0 to 1.
        same_sentences: number of distinct sentences of six or more words that occur in both texts.
        forward: number of key terms of the earlier document found in the later one (``morph``, 12 terms).
        backward: number of key terms of the later document found in the earlier one.
        terms: key terms found in either direction, heaviest first.
    """

    similarity: float
    jaccard5: float
    containment5: float
    same_sentences: int
    forward: int
    backward: int
    terms: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, with shares rounded to 4 decimals."""
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}


def pair_features(texts: Texts, a: NDArray[np.int64], b: NDArray[np.int64]) -> list[PairFeatures]:
    """Compute the features of pairs.

    Args:
        texts: the collection.
        a: int64 (pairs,), ordinals of the earlier documents.
        b: int64 (pairs,), ordinals of the later documents.
    """
    grams = distinct(texts.shingles(5, all_words=True))
    sentences = _hash_long_sentences(texts, np.unique(np.concatenate((a, b))))
    key_terms = key_terms_of_surfaces(texts.surfaces, Settings())
    table = pair_table(key_terms, a, b)
    found = []
    for pair, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        jaccard, containment = _compare_sets(grams.row(one), grams.row(other))
        found.append(
            PairFeatures(
                similarity=string_similarity(texts.plain[one], texts.plain[other]),
                jaccard5=jaccard,
                containment5=containment,
                same_sentences=len(np.intersect1d(sentences.row(one), sentences.row(other), assume_unique=True)),
                forward=int(table.forward[pair]),
                backward=int(table.backward[pair]),
                terms=table.terms_of(pair, key_terms.counts.terms),
            )
        )
    return found


def _compare_sets(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> tuple[float, float]:
    """Return the resemblance of two sets and the containment of the smaller in the larger; 0 if either is empty."""
    smaller = min(len(one), len(other))
    if not smaller:
        return 0.0, 0.0
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared), shared / smaller


def _hash_long_sentences(texts: Texts, documents: NDArray[np.int64]) -> Rows:
    """Return the distinct hashes of the given documents' long sentences; the rows of all other documents are empty."""
    words = texts.words
    hashes = hash_words(words.vocabulary)
    wanted = np.zeros(len(texts), dtype=np.bool_)
    wanted[documents] = True
    rows: list[list[int]] = [[] for _ in range(len(texts))]
    sizes = np.diff(words.breaks)
    for sentence in np.flatnonzero(wanted[words.sentence_documents] & (sizes >= _LONG_SENTENCE)).tolist():
        numbers = words.rows.values[words.breaks[sentence] : words.breaks[sentence + 1]]
        value = hash_sequences([hashes[number : number + 1] for number in numbers.tolist()])
        rows[int(words.sentence_documents[sentence])].append(int(value[0]))
    return distinct(rows_from(rows, np.uint64))
