"""Runs of equal words that documents share, wherever their sentences begin and end.

Every run of ``least`` words is fingerprinted. Two places with the same fingerprint begin a run if the words before them
differ; comparing on from there finds its end. So each run is found once and at its full length: it cannot be extended
to either side. This is what a suffix array finds (U. Manber, G. Myers: Suffix arrays, 1993), for one minimum length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.passages.sentence_table import SentenceTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["OCCURRENCES", "shared_runs"]

OCCURRENCES: Final = 8
"""Maximum number of occurrences of the same words in one document that are considered, even in 10,000 equal lines."""

_AT_ONCE: Final = 4_000_000
_BLOCK: Final = 32


def shared_runs(sentences: SentenceTable, least: int, without: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Find the runs of equal words that any two documents share.

    Args:
        sentences: sentences of the collection.
        least: minimum number of words of a run, at least 1.
        without: bool (sentences,), sentences that must not match.

    Returns:
        int64 (runs, 3): first word in the document with the smaller number, first word in the other, number of words;
        words are those of the whole collection, counted from 0. Ordered by both places.

    Example:
        >>> from infostream_dedup.judging.passages.sentence_table import read_sentences
        >>> table = read_sentences(["Вчера мэр города открыл мост.", "Мэр. Города открыл новый мост."])
        >>> shared_runs(table, 3).tolist()
        [[1, 5, 3]]
    """
    values = sentences.words.rows.values.astype(np.int64)
    bounds = sentences.words.rows.indptr[sentences.first]
    document_of = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
    if without is not None:
        # Every such word is equal to no other.
        left_out = np.flatnonzero(np.repeat(without, sentences.lengths))
        values[left_out] = -1 - left_out
    starts = _starts(values, bounds, document_of, least)
    hashes = _fingerprints(sentences, values, starts, least)
    places, groups = _repeated(starts, hashes, document_of)
    before = np.where(places > bounds[document_of[places]], values[places - 1], -1 - len(values) - places)
    found = [np.zeros((0, 3), dtype=np.int64)]
    for one, other in _beginnings(places, groups, before):
        p, q = np.minimum(one, other), np.maximum(one, other)
        apart = document_of[p] != document_of[q]
        p, q = p[apart], q[apart]
        sizes = _sizes(values, p, q, bounds[document_of[p] + 1], bounds[document_of[q] + 1])
        kept = sizes >= least
        found.append(np.stack((p[kept], q[kept], sizes[kept]), axis=1))
    runs = np.concatenate(found)
    return np.asarray(runs[np.lexsort((runs[:, 1], runs[:, 0]))], dtype=np.int64)


def _starts(
    values: NDArray[np.int64], bounds: NDArray[np.int64], document_of: NDArray[np.int32], least: int
) -> NDArray[np.int64]:
    """Return the places from which ``least`` words of one document can match."""
    places = np.arange(len(values), dtype=np.int64)
    unmatched = offsets_of(values < 0)
    inside = places + least <= bounds[document_of + 1]
    places = places[inside]
    return np.asarray(places[unmatched[places + least] == unmatched[places]], dtype=np.int64)


def _fingerprints(
    sentences: SentenceTable, values: NDArray[np.int64], starts: NDArray[np.int64], least: int
) -> NDArray[np.uint64]:
    hashes = hash_words(sentences.words.vocabulary)
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    return hash_sequences([hashes[values[starts + step]] for step in range(least)])


def _repeated(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], document_of: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places whose fingerprint occurs in several documents, by fingerprint, and a number for each of these.

    Of the occurrences in one document, the first ``OCCURRENCES`` are returned.
    """
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    equal = ordered[1:] == ordered[:-1]
    kept = np.concatenate((equal, [False])) | np.concatenate(([False], equal)) if len(ordered) else equal
    places, ordered = starts[order[kept]], ordered[kept]
    documents = document_of[places]
    new_group = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, dtype=np.bool_)
    groups = np.cumsum(new_group) - 1
    new_document = new_group.copy()
    new_document[1:] |= documents[1:] != documents[:-1]
    several = np.bincount(groups, weights=new_document, minlength=1)[groups] > 1
    heads = np.flatnonzero(new_document)
    occurrence = np.arange(len(places)) - heads[np.cumsum(new_document) - 1] if len(heads) else groups
    kept = several & (occurrence < OCCURRENCES)
    return places[kept], groups[kept]


def _beginnings(
    places: NDArray[np.int64], groups: NDArray[np.int64], before: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the pairs of places in one group that differ in the word before, a part at a time."""
    order = np.lexsort((places, before, groups))
    places, groups, before = places[order], groups[order], before[order]
    if not len(places):
        return
    new_group = np.concatenate((groups[1:] != groups[:-1], [True]))
    new_word = new_group | np.concatenate((before[1:] != before[:-1], [True]))
    numbers = np.arange(len(places), dtype=np.int64)
    # Partners of a place: from the next word before to the end of the group.
    group_end, word_end = _next_end(numbers, new_group), _next_end(numbers, new_word)
    counts = group_end - word_end
    totals = np.cumsum(counts)
    begin = 0
    while begin < len(places):
        done = int(totals[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(totals, done + _AT_ONCE)), begin + 1)
        sizes = counts[begin:end]
        first = np.repeat(numbers[begin:end], sizes)
        offset = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        yield places[first], places[np.repeat(word_end[begin:end], sizes) + offset]
        begin = end


def _next_end(numbers: NDArray[np.int64], last: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each entry, the end (exclusive) of its stretch; ``last`` marks the last entry of each stretch."""
    ends = np.flatnonzero(last)
    return np.asarray(ends[np.searchsorted(ends, numbers)] + 1, dtype=np.int64)


def _sizes(
    values: NDArray[np.int64],
    p: NDArray[np.int64],
    q: NDArray[np.int64],
    p_end: NDArray[np.int64],
    q_end: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the number of equal words from each pair of places onwards."""
    room = np.minimum(p_end - p, q_end - q)
    sizes = np.zeros(len(p), dtype=np.int64)
    open_ones = np.flatnonzero(room > 0)
    steps = np.arange(_BLOCK, dtype=np.int64)
    last = len(values) - 1
    while len(open_ones):
        done = sizes[open_ones]
        left = np.minimum((p[open_ones] + done)[:, None] + steps, last)
        right = np.minimum((q[open_ones] + done)[:, None] + steps, last)
        equal = (values[left] == values[right]) & (done[:, None] + steps < room[open_ones][:, None])
        met = np.where(equal.all(axis=1), _BLOCK, equal.argmin(axis=1))
        sizes[open_ones] += met
        open_ones = open_ones[met == _BLOCK]
    return sizes
