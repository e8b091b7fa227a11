"""Word shingles: every w consecutive words, as 64-bit fingerprints.

A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997. They use Rabin's
fingerprints; ours are scrambled polynomials over 64-bit hashes of the words, which are as fast and collide as rarely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


def shingles(words: Words, w: int, *, wrap: bool = False) -> Ragged:
    """Fingerprint the w-shingles of each document, in text order and with repetitions.

    Args:
        w: words in a shingle, at least 1.

    Returns:
        uint64. A document of fewer than w words has one shingle, the whole document (with ``wrap`` as many as words);
        an empty one has none.

    Example:
        >>> from infostream_dedup.judging.features.words import read_words
        >>> shingles(read_words(["раз два три четыре", "раз два", ""]), 3).sizes.tolist()
        [2, 1, 0]
    """
    hashes = hash_words(words.vocabulary)[words.rows.values]
    sizes = words.rows.sizes
    counts = sizes if wrap else np.where(sizes > 0, np.maximum(sizes - w + 1, 1), 0)
    indptr = offsets_of(counts)
    document = np.repeat(np.arange(len(words), dtype=np.int64), counts)
    start = words.rows.indptr[document]
    offset = np.arange(len(document), dtype=np.int64) - indptr[document]
    if not len(document):
        return Ragged(indptr, np.zeros(0, dtype=np.uint64))
    size = sizes[document]
    if wrap:
        columns = [hashes[start + (offset + step) % size] for step in range(w)]
    else:
        # Positions after the end of a short document count as 0.
        columns = [_at(hashes, start, offset + step, size) for step in range(w)]
    return Ragged(indptr, hash_sequences(columns))


def _at(
    hashes: NDArray[np.uint64], start: NDArray[np.int64], offset: NDArray[np.int64], size: NDArray[np.int64]
) -> NDArray[np.uint64]:
    inside = offset < size
    return np.where(inside, hashes[start + np.minimum(offset, size - 1)], np.uint64(0))
