"""Low-IDF-Sig: chains of words that follow the most frequent words of the language or begin a sentence.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese). A feature
a(d, c) is the antecedent a and the c words after it in steps of d, stop words and other antecedents included; it is
cut at the end of the sentence.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.words import Words
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language, language_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def frequent_words(language: Language, n: int) -> frozenset[str]:
    """Return the n words of lowest IDF of a language by wordfreq, an external table as in the paper."""
    return frozenset(form for form, _ in islice(common_forms(language), n))


def antecedent_places(words: Words, languages: Sequence[str], n: int) -> NDArray[np.bool_]:
    """Find the words of each row that are among the n most frequent of its language: bool (words of all rows,)."""
    frequent = np.zeros((len(LANGUAGES), len(words.vocabulary)), dtype=np.bool_)
    for number, name in enumerate(LANGUAGES):
        known = frequent_words(name, n)
        frequent[number] = [word in known for word in words.vocabulary]
    language = np.array([language_number(name) for name in languages], dtype=np.int64)
    return np.asarray(frequent[np.repeat(language, words.rows.sizes), words.rows.values], dtype=np.bool_)


def chain_places(
    antecedent: NDArray[np.bool_],
    breaks: NDArray[np.int64],
    *,
    c: int,
    d: int,
    skipped: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Find the words of every chain of all sentences.

    Args:
        antecedent: bool (words,), which words begin a chain.
        breaks: int64 (sentences + 1,), first word of each sentence.
        c: words after the antecedent, at least 1.
        d: step, at least 1.
        skipped: bool (words,), words that chains pass over; none by default.

    Returns:
        int64 (chains, 1 + c), indices of words in text order, and bool of the same shape: false after the end of the
        sentence, where the index is that of the antecedent. A chain of an antecedent alone is left out unless it is the
        first word of its sentence.
    """
    total = len(antecedent)
    first = np.zeros(total, dtype=np.bool_)
    first[breaks[:-1][np.diff(breaks) > 0]] = True
    starts = np.flatnonzero(antecedent | first)
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    kept = np.arange(total) if skipped is None else np.flatnonzero(~skipped)
    steps = np.searchsorted(kept, starts, side="right")[:, None] + d * np.arange(1, c + 1) - 1
    # The index after the last word of the collection is beyond the end of every sentence.
    taken = np.append(kept, total)[np.minimum(steps, len(kept))]
    places = np.concatenate((starts[:, None], taken), axis=1)
    inside = places < ends[:, None]
    chosen = inside[:, 1] | first[starts]
    return np.where(inside, places, starts[:, None])[chosen], inside[chosen]


def low_idf_signatures(
    words: Words,
    antecedent: NDArray[np.bool_],
    *,
    c: int,
    d: int,
    skipped: NDArray[np.bool_] | None = None,
) -> Ragged:
    """Hash the chains of all sentences of each row of words, in text order and with repetitions.

    Args:
        antecedent: bool (words of all rows,).

    Returns:
        uint64.
    """
    places, inside = chain_places(antecedent, words.breaks, c=c, d=d, skipped=skipped)
    hashes = hash_words(words.vocabulary)[words.rows.values]
    columns = [
        np.where(within_sentence, hashes[place], np.uint64(0))
        for place, within_sentence in zip(places.T, inside.T, strict=True)
    ]
    return Ragged(np.searchsorted(places[:, 0], words.rows.indptr).astype(np.int64), hash_sequences(columns))
