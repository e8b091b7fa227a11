"""Low-IDF-Sig: chains of words behind the most frequent words of the language and each sentence's first word.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese). A feature
a(d, c) is the antecedent a and the c words after it in steps of d, stop words and other antecedents among them; it is
cut at the end of the sentence.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.words import Words
from infostream_dedup.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["antecedent_places", "chain_places", "frequent_words", "low_idf_signatures"]


def frequent_words(language: Language, n: int) -> frozenset[str]:
    """The n words of lowest IDF of a language, by wordfreq: a table from outside, as the paper wants."""
    return frozenset(form for form, _ in islice(common_forms(language), n))


def antecedent_places(words: Words, languages: Sequence[Language], n: int) -> NDArray[np.bool_]:
    """Words of each document that are among the n most frequent of its language: bool (words of all documents,)."""
    frequent = np.zeros((len(LANGUAGES), len(words.vocabulary)), dtype=np.bool_)
    for number, name in enumerate(LANGUAGES):
        known = frequent_words(name, n)
        frequent[number] = [word in known for word in words.vocabulary]
    language = np.array([LANGUAGES.index(name) for name in languages], dtype=np.int64)
    return np.asarray(frequent[np.repeat(language, words.rows.sizes), words.rows.values], dtype=np.bool_)


def chain_places(
    antecedent: NDArray[np.bool_], breaks: NDArray[np.int64], *, c: int, d: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Places of the words of every chain of all sentences.

    Args:
        antecedent: bool (words,).
        breaks: int64 (sentences + 1,), where each sentence begins.
        c: words after the antecedent, at least 1.
        d: step, at least 1.

    Returns:
        int64 (chains, 1 + c) in text order, and bool of the same shape: false behind the end of the sentence. A chain
        of an antecedent alone is left out unless it is the first word of its sentence.
    """
    first = np.zeros(len(antecedent), dtype=np.bool_)
    first[breaks[:-1][np.diff(breaks) > 0]] = True
    starts = np.flatnonzero(antecedent | first)
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    places = starts[:, None] + d * np.arange(c + 1)
    inside = places < ends[:, None]
    keep = inside[:, 1] | first[starts]
    return places[keep], inside[keep]


def low_idf_signatures(words: Words, antecedent: NDArray[np.bool_], *, c: int, d: int) -> Rows:
    """Features of all sentences of each document, in text order and with repetitions.

    Args:
        words: all words of all documents, stop words too.
        antecedent: bool (words of all documents,).
        c: words after the antecedent.
        d: step.

    Returns:
        uint64.
    """
    places, inside = chain_places(antecedent, words.breaks, c=c, d=d)
    hashes = hash_words(words.vocabulary)[words.rows.values]
    last = max(len(hashes) - 1, 0)
    columns = [
        np.where(inside[:, step], hashes[np.minimum(places[:, step], last)], np.uint64(0)) for step in range(c + 1)
    ]
    indptr = np.searchsorted(places[:, 0], words.rows.indptr)
    return Rows(indptr.astype(np.int64), hash_sequences(columns))
