"""Add runs of equal words to passages of sentences: text copied across sentence boundaries, or from inside sentences.

Each word belongs to one passage. A run gives a passage the words that no matching sentence has; if the run meets a
matching sentence pair on both sides, it extends the passage of this pair; otherwise it is a separate passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.judging.passages.passage_chains import Chains
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.judging.passages.settings import PassageSettings
from infostream_dedup.judging.passages.word_runs import shared_runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["JoinedPassages", "join_runs"]

_Part = tuple[int, int, int, int]
"""Passage, first word in a, first word in b, number of words."""


@dataclass(frozen=True, slots=True, eq=False)
class JoinedPassages:
    """Passages of sentences and runs, in no particular order; document a has the smaller number.

    Attributes:
        rows: int64 (passages, 8): documents a and b, start and end in a, start and end in b (code points), sentence
            pairs, words.
        match_counts: int64 (passages,), sentence pairs of each.
        matches: int64 (pairs, 2), sentences of a and b, passage by passage.
        run_counts: int64 (passages,), runs of each.
        runs: int64 (runs, 3): first word in a, first word in b, number of words, passage by passage.
    """

    rows: NDArray[np.int64]
    match_counts: NDArray[np.int64]
    matches: NDArray[np.int64]
    run_counts: NDArray[np.int64]
    runs: NDArray[np.int64]


def join_runs(
    sentences: SentenceTable, chains: Chains, settings: PassageSettings, without: NDArray[np.bool_] | None = None
) -> JoinedPassages:
    """Add the runs of words that two documents share to the chains of sentences.

    Args:
        sentences: sentences of the collection.
        chains: chains of all pairs of documents.
        settings: ``min_run`` (0: only chains), ``min_words``, ``min_sentences``.
        without: bool (sentences,), sentences that no run may touch.
    """
    parts: list[_Part] = []
    documents = chains.rows[:, :2]
    if settings.min_run:
        runs = _open_runs(sentences, chains, shared_runs(sentences, settings.min_run, without))
        parts, new = _parts(sentences, chains, runs, settings)
        documents = np.concatenate((documents, np.array(new, dtype=np.int64).reshape(-1, 2)))
    rows = np.zeros((len(documents), 8), dtype=np.int64)
    rows[:, :2] = documents
    rows[:, 2] = rows[:, 4] = np.iinfo(np.int64).max
    old = len(chains.rows)
    rows[:old, 2], rows[:old, 3] = sentences.starts[chains.rows[:, 2]], sentences.ends[chains.rows[:, 3]]
    rows[:old, 4], rows[:old, 5] = sentences.starts[chains.rows[:, 4]], sentences.ends[chains.rows[:, 5]]
    rows[:old, 6:] = chains.rows[:, 6:]
    found = np.array(sorted(parts), dtype=np.int64).reshape(-1, 4)
    number, sizes = found[:, 0], found[:, 3]
    for column, side in ((2, 1), (4, 2)):
        np.minimum.at(rows[:, column], number, sentences.begins(found[:, side]))
        np.maximum.at(rows[:, column + 1], number, sentences.finishes(found[:, side] + sizes))
    np.add.at(rows[:, 7], number, sizes)
    counts = np.bincount(number, minlength=len(rows)).astype(np.int64)
    return JoinedPassages(rows, rows[:, 6].copy(), chains.matches.copy(), counts, found[:, 1:].copy())


def _open_runs(sentences: SentenceTable, chains: Chains, runs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the runs with words on both sides that are in no matching sentence of their pair, with both documents.

    Returns:
        int64 (runs, 5): documents a and b, first word in a, first word in b, number of words; by pair of documents,
        the longest first.
    """
    indptr, number = sentences.words.rows.indptr, len(sentences)
    documents = sentences.documents
    first = np.searchsorted(indptr, runs[:, :2], side="right") - 1
    last = np.searchsorted(indptr, runs[:, :2] + runs[:, 2:] - 1, side="right") - 1
    both = documents[first]
    codes = both[:, 0] * max(len(sentences.first), 1) + both[:, 1]
    chain_codes = chains.rows[:, 0] * max(len(sentences.first), 1) + chains.rows[:, 1]
    pairs = np.unique(np.concatenate((codes, chain_codes)))
    pair = np.searchsorted(pairs, codes) * number
    pair_of_match = np.repeat(np.searchsorted(pairs, chain_codes) * number, chains.rows[:, 6])
    is_open = np.ones(len(runs), dtype=np.bool_)
    for side in range(2):
        known = np.sort(pair_of_match + chains.matches[:, side])
        met = np.searchsorted(known, pair + last[:, side], side="right") - np.searchsorted(known, pair + first[:, side])
        is_open &= met < last[:, side] - first[:, side] + 1
    found = np.concatenate((both, runs), axis=1)[is_open]
    return found[np.lexsort((found[:, 3], found[:, 2], -found[:, 4], found[:, 1], found[:, 0]))]


def _parts(
    sentences: SentenceTable, chains: Chains, runs: NDArray[np.int64], settings: PassageSettings
) -> tuple[list[_Part], list[tuple[int, int]]]:
    """Give the words of runs to passages.

    Returns:
        Parts of runs, and the documents of the new passages, whose numbers follow those of the chains.
    """
    parts: list[_Part] = []
    new: list[tuple[int, int]] = []
    chain_place = np.lexsort((chains.rows[:, 1], chains.rows[:, 0]))
    ordered = chains.rows[chain_place, 0] * len(sentences.first) + chains.rows[chain_place, 1]
    first_match = offsets_of(chains.rows[:, 6])
    codes = runs[:, 0] * len(sentences.first) + runs[:, 1]
    bounds = np.concatenate((np.flatnonzero(np.diff(codes, prepend=-1)), [len(codes)])) if len(codes) else codes
    for begin, end in pairwise(bounds.tolist()):
        own = slice(*np.searchsorted(ordered, [codes[begin], codes[begin] + 1]).tolist())
        owners = _Owners(sentences, *runs[begin, :2].tolist())
        for number in chain_place[own].tolist():
            owners.add_sentences(number, chains.matches[first_match[number] : first_match[number + 1]])
        for p, q, size in runs[begin:end, 2:].tolist():
            number, free = owners.give(p, q, size)
            if number < 0:
                words = sum(close - start for start, close in free)
                if words < max(settings.min_run, settings.min_words) or settings.min_sentences > 1:
                    continue
                number = len(chains.rows) + len(new)
                new.append((owners.a, owners.b))
            owners.take(p, q, number, free)
            parts += [(number, p + start, q + start, close - start) for start, close in free]
    return parts, new


class _Owners:
    """The passage of each word of two documents.

    Args:
        sentences: sentences of the collection.
        a: one document.
        b: the other.
    """

    def __init__(self, sentences: SentenceTable, a: int, b: int) -> None:
        self.a, self.b = a, b
        self._indptr = sentences.words.rows.indptr
        bounds = [self._indptr[sentences.first[[document, document + 1]]].tolist() for document in (a, b)]
        self._first = (bounds[0][0], bounds[1][0])
        self._of = tuple(np.full(end - start, -1, dtype=np.int64) for start, end in bounds)

    def add_sentences(self, number: int, matches: NDArray[np.int64]) -> None:
        """Give matching sentences to a passage."""
        for side in range(2):
            for sentence in matches[:, side].tolist():
                start, end = self._indptr[sentence : sentence + 2].tolist()
                self._of[side][start - self._first[side] : end - self._first[side]] = number

    def give(self, p: int, q: int, size: int) -> tuple[int, list[tuple[int, int]]]:
        """Find the passage that a run meets on both sides (-1: none), and the stretches of it that are free."""
        left, right = self._views(p, q, size)
        free = (left < 0) & (right < 0)
        edges = np.flatnonzero(np.diff(free.astype(np.int8), prepend=0, append=0))
        met = left[(left >= 0) & (left == right)]
        number = int(np.bincount(met - met.min()).argmax() + met.min()) if len(met) else -1
        return number, list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

    def take(self, p: int, q: int, number: int, stretches: list[tuple[int, int]]) -> None:
        """Give stretches of a run to a passage."""
        for start, end in stretches:
            for view in self._views(p + start, q + start, end - start):
                view[:] = number

    def _views(self, p: int, q: int, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        first, other = p - self._first[0], q - self._first[1]
        return self._of[0][first : first + size], self._of[1][other : other + size]
