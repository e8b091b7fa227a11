"""What two documents have in common, told without their texts: for an expert, and beside examples in a report."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.batch.pair_table import pair_table
from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows, distinct, rows_from
from infostream_dedup.features.string_similarity import string_similarity
from infostream_dedup.methods import Texts
from infostream_dedup.model import Settings
from infostream_dedup.terms.reading import key_terms_of_surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairFeatures", "pair_features"]

_LONG_SENTENCE: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFeatures:
    """What meets in a pair.

    Attributes:
        similarity: String::Similarity of the texts as words without punctuation, 0 to 1.
        jaccard5: distinct word 5-grams in both texts over those in either, 0 to 1.
        containment5: the same over those of the text that has fewer, 0 to 1.
        same_sentences: distinct sentences of six and more words that stand in both.
        forward: key terms of the earlier document found in the later one (``morph``, 12 terms).
        backward: key terms of the later found in the earlier.
        terms: the key terms that meet in either direction, heaviest first.
    """

    similarity: float
    jaccard5: float
    containment5: float
    same_sentences: int
    forward: int
    backward: int
    terms: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Plain values; shares rounded to 4 decimals."""
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in asdict(self).items()}


def pair_features(texts: Texts, a: NDArray[np.int64], b: NDArray[np.int64]) -> list[PairFeatures]:
    """Features of some pairs.

    Args:
        texts: the collection.
        a: int64 (pairs,), ordinals of the earlier documents.
        b: int64 (pairs,), ordinals of the later ones.
    """
    grams = distinct(texts.shingles(5, all_words=True))
    sentences = _long_sentences(texts, np.unique(np.concatenate((a, b))))
    key_terms = key_terms_of_surfaces(texts.surfaces, Settings())
    table = pair_table(key_terms, a, b)
    found = []
    for pair, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        jaccard, containment = _shares(grams.row(one), grams.row(other))
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


def _shares(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> tuple[float, float]:
    """Resemblance of two sets and containment of the smaller; 0 where one is empty."""
    smaller = min(len(one), len(other))
    if not smaller:
        return 0.0, 0.0
    met = len(np.intersect1d(one, other, assume_unique=True))
    return met / (len(one) + len(other) - met), met / smaller


def _long_sentences(texts: Texts, documents: NDArray[np.int64]) -> Rows:
    """Distinct hashes of the long sentences of some documents; the rows of all others are empty."""
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
