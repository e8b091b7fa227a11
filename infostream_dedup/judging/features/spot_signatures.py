"""SpotSigs: chains of content words that follow frequent words, which occur in news prose but not in navigation.

M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: robust and efficient near duplicate detection in large Web collections,
SIGIR 2008. A spot signature a(d, c) is the antecedent a and c words after it: the first word at distance d or later
that is not a stop word, and so on. "at a rally to kick off a weeklong campaign", a(1, 2) gives a:rally:kick,
a:weeklong:campaign.

The authors' code loses a word after every stop word it skips; this file follows the definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


def spot_places(
    row: NDArray[np.int32], antecedent: NDArray[np.bool_], stop: NDArray[np.bool_], *, c: int, d: int
) -> NDArray[np.int64]:
    """Find the words of every complete chain of one document.

    Args:
        row: int32 (words,), words of the document.
        antecedent: bool (words,), which of them begin a chain.
        stop: bool (words,), which of them are stop words.
        c: words after the antecedent, at least 1.
        d: distance from one word of the chain to where the search for the next begins, at least 1.

    Returns:
        int64 (chains, 1 + c), indices of words, the antecedent first. Incomplete chains are dropped.
    """
    end = len(row)
    # The first content word at or after every index; none after the end.
    content = np.full(end + d + 1, end, dtype=np.int64)
    content[:end] = np.where(stop, end, np.arange(end))
    content[:end] = np.minimum.accumulate(content[:end][::-1])[::-1]
    columns = [np.flatnonzero(antecedent)]
    for _ in range(c):
        columns.append(content[np.minimum(columns[-1] + d, end + d)])
    chains = np.stack(columns, axis=1)
    return np.asarray(chains[chains[:, -1] < end], dtype=np.int64)


def spot_signatures(
    words: Words,
    antecedents: NDArray[np.bool_],
    stops: NDArray[np.bool_],
    *,
    c: int,
    d: int,
    with_antecedent: bool = True,
    within_sentences: bool = False,
) -> Ragged:
    """Hash the chains of each row of words, in text order and with repetitions.

    Args:
        antecedents: bool (words of all rows,).
        stops: bool (words of all rows,).
        within_sentences: whether a chain must end within its sentence, not only within its row.

    Returns:
        uint64.
    """
    bounds = words.breaks if within_sentences else words.rows.indptr
    # Indices only grow along a chain, so a chain of the whole collection is right if it ends where it began.
    chains = spot_places(words.rows.values, antecedents, stops, c=c, d=d)
    chains = chains[chains[:, -1] < bounds[np.searchsorted(bounds, chains[:, 0], side="right")]]
    hashes = hash_words(words.vocabulary)[words.rows.values]
    columns = chains if with_antecedent else chains[:, 1:]
    indptr = np.searchsorted(chains[:, 0], words.rows.indptr).astype(np.int64)
    return Ragged(indptr, hash_sequences([hashes[column] for column in columns.T]))
