"""Tables of the passages that documents share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.judging.passages.passage_runs import find_chains, join_runs
from infostream_dedup.judging.passages.sentence_classes import SentenceClasses
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.judging.passages.settings import PassageSettings
from infostream_dedup.model import NO_TIME

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Columns of a row with a and b swapped.
_OTHER_WAY: Final = (1, 0, 4, 5, 2, 3, 6, 7)


class Passage(NamedTuple):
    """A stretch of text that two documents share.

    Attributes:
        start_a: start in the raw text of a, in code points; the passage is ``text[start_a:end_a]``.
        end_a: end in a, exclusive.
        start_b: start in the raw text of b.
        end_b: end in b, exclusive.
        sentences: number of pairs of matching sentences; 0 in a run of words.
        words: number of words in the shorter sentences of the pairs, and in runs outside of them.
    """

    start_a: int
    end_a: int
    start_b: int
    end_b: int
    sentences: int
    words: int

    def as_dict(self) -> dict[str, Any]:
        """Return both spans and the counts as plain values."""
        return {
            "a": [self.start_a, self.end_a],
            "b": [self.start_b, self.end_b],
            "sentences": self.sentences,
            "words": self.words,
        }


class DocumentPair(NamedTuple):
    """Two documents that share passages.

    Attributes:
        a: number of the earlier document, from which b copied: by time if both have one, otherwise by input order.
        b: number of the later document.
        passages: passages in the order of a's text.
        coverage_a: share of a's words in sentences and runs that b also has.
        coverage_b: share of b's words in sentences and runs that a also has.
        sentences: number of pairs of matching sentences.
    """

    a: int
    b: int
    passages: tuple[Passage, ...]
    coverage_a: float
    coverage_b: float
    sentences: int

    def as_dict(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return a row of ``passages find``.

        Returns:
            ``a``, ``b``, ``spans`` (of each passage ``a`` and ``b`` as [start, end), ``sentences``, ``words``),
            ``coverage_a``, ``coverage_b`` (0 to 1, six decimals), ``sentences``.
        """
        return {
            "a": ids[self.a],
            "b": ids[self.b],
            "spans": [passage.as_dict() for passage in self.passages],
            "coverage_a": round(self.coverage_a, 6),
            "coverage_b": round(self.coverage_b, 6),
            "sentences": self.sentences,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PassageTable:
    """All passages of a collection, ordered by (a, b, position in a).

    Attributes:
        ids: ids of the documents.
        sentences: sentences of the collection.
        rows: int64 (passages, 8): document a (the earlier) and b, the fields of ``Passage``.
        first_match: int64 (passages + 1,), start of each passage's sentence pairs.
        matches: int64 (pairs, 2), sentence of a and sentence of b.
        first_run: int64 (passages + 1,), start of each passage's runs.
        runs: int64 (runs, 3), first word in a, first word in b (of the whole collection), number of words: the equal
            words outside of the matching sentences.
    """

    ids: tuple[str, ...]
    sentences: SentenceTable
    rows: NDArray[np.int64]
    first_match: NDArray[np.int64]
    matches: NDArray[np.int64]
    first_run: NDArray[np.int64]
    runs: NDArray[np.int64]

    def document_pairs(self) -> Iterator[DocumentPair]:
        """Yield pairs of documents that share passages, ordered by (a, b)."""
        table = self.sentences
        bounds = _runs(self.rows[:, 0] * max(len(table.first), 1) + self.rows[:, 1])
        words = np.concatenate(([0, 0], np.cumsum(table.lengths[self.matches], axis=0).ravel())).reshape(-1, 2)
        in_runs = offsets_of(self.runs[:, 2])
        documents = table.document_lengths
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            a, b = self.rows[begin, :2].tolist()
            copied = words[self.first_match[end]] - words[self.first_match[begin]]
            copied = copied + in_runs[self.first_run[end]] - in_runs[self.first_run[begin]]
            yield DocumentPair(
                a,
                b,
                tuple(self.passage(number) for number in range(begin, end)),
                float(copied[0] / documents[a]),
                float(copied[1] / documents[b]),
                int(self.rows[begin:end, 6].sum()),
            )

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield rows of ``passages find``."""
        return (pair.as_dict(self.ids) for pair in self.document_pairs())

    def __len__(self) -> int:
        """Number of passages."""
        return len(self.rows)

    def passage(self, number: int) -> Passage:
        """Return one passage with its spans."""
        return Passage(*self.rows[number, 2:].tolist())


def passage_table(
    sentences: SentenceTable,
    classes: SentenceClasses,
    settings: PassageSettings,
    *,
    ids: Sequence[str],
    times: NDArray[np.int64] | None = None,
    without: NDArray[np.bool_] | None = None,
) -> PassageTable:
    """Chain matching sentences of every two documents into passages, and add the runs of words that they share.

    Args:
        times: int64 (documents,), in any unit, ``NO_TIME`` if unknown; ``None`` if no document has a time.
        without: bool (sentences,), sentences that no run may touch.
    """
    chains = find_chains(sentences, classes, settings)
    found = join_runs(sentences, chains, settings, without)
    rows, matches, runs = found.rows, found.matches, found.runs
    if times is not None:
        late = _came_later(times, rows[:, 0], rows[:, 1])
        rows[late] = rows[late][:, _OTHER_WAY]
        turned = np.repeat(late, found.match_counts)
        matches[turned] = matches[turned][:, ::-1]
        turned = np.repeat(late, found.run_counts)
        runs[turned] = runs[turned][:, (1, 0, 2)]
    order = np.lexsort((rows[:, 4], rows[:, 2], rows[:, 1], rows[:, 0]))
    first_match, of_match = _regrouped(found.match_counts, order)
    first_run, of_run = _regrouped(found.run_counts, order)
    return PassageTable(
        ids=tuple(ids),
        sentences=sentences,
        rows=rows[order],
        first_match=first_match,
        matches=matches[of_match],
        first_run=first_run,
        runs=runs[of_run],
    )


def _regrouped(counts: NDArray[np.int64], order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bounds of groups in a new order, and the old position of each of their members."""
    first = offsets_of(counts)
    sizes = counts[order]
    bounds = offsets_of(sizes)
    return bounds, places_of(first[:-1][order], sizes)


def _came_later(times: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the pairs whose first document is the later one."""
    return np.asarray((times[a] > times[b]) & (times[b] != NO_TIME), dtype=np.bool_)


def _runs(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the start of each run of equal values, and the end of the last one."""
    return np.concatenate((np.flatnonzero(np.diff(values, prepend=-1)), [len(values)])).astype(np.int64)
