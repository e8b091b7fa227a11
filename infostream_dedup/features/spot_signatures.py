"""SpotSigs: chains of content words that follow frequent words, which news prose has and navigation has not.

M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: robust and efficient near duplicate detection in large Web collections,
SIGIR 2008. A spot signature a(d, c) is the antecedent a and c words after it: the first word at distance d or later
that is no stop word, and so on. "at a rally to kick off a weeklong campaign", a(1, 2) gives a:rally:kick,
a:weeklong:campaign.

The authors' code loses a word after every stop word it skips; this file follows the definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["spot_places", "spot_signatures"]


def spot_places(
    row: NDArray[np.int32], antecedent: NDArray[np.bool_], stop: NDArray[np.bool_], *, c: int, d: int
) -> NDArray[np.int64]:
    """Places of the words of every complete chain of one document.

    Args:
        row: int32 (words,), words of the document.
        antecedent: bool (words,), which of them begin a chain.
        stop: bool (words,), which of them are stop words.
        c: words after the antecedent, at least 1.
        d: distance from one word of the chain to where the next is looked for, at least 1.

    Returns:
        int64 (chains, 1 + c), the antecedent first. A chain that runs out of the text is left out.
    """
    end = len(row)
    # For every place the first content word from it on; behind the end there is none.
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
) -> Rows:
    """Spot signatures of every document, in text order and with repetitions.

    Args:
        words: all words of all documents.
        antecedents: bool (words of all documents,).
        stops: bool (words of all documents,).
        c: words after the antecedent.
        d: distance.
        with_antecedent: whether the antecedent is part of the signature, as in the paper; in the authors' code it is
            not.

    Returns:
        uint64.
    """
    hashes = hash_words(words.vocabulary)
    sizes: list[int] = []
    found: list[NDArray[np.uint64]] = [np.zeros(0, dtype=np.uint64)]
    for document in range(len(words)):
        span = slice(words.rows.indptr[document], words.rows.indptr[document + 1])
        row = words.rows.values[span]
        chains = spot_places(row, antecedents[span], stops[span], c=c, d=d)
        sizes.append(len(chains))
        chosen = hashes[row[chains if with_antecedent else chains[:, 1:]]]
        found.append(hash_sequences(list(chosen.T)))
    indptr = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)
    return Rows(indptr, np.concatenate(found))
