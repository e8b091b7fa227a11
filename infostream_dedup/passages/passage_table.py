"""Tables of the passages that documents share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.passages.kernels.passage_chains import find_passages
from infostream_dedup.passages.sentence_classes import SentenceClasses
from infostream_dedup.passages.sentence_table import SentenceTable
from infostream_dedup.passages.settings import PassageSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NO_TIME", "DocumentPair", "Passage", "PassageTable", "passage_table"]

NO_TIME: Final = np.iinfo(np.int64).min
"""Time of a document without a time."""

# Columns of a row with a and b swapped.
_OTHER_WAY: Final = (1, 0, 4, 5, 2, 3, 6, 7)


class Passage(NamedTuple):
    """A stretch of text that two documents share.

    Attributes:
        start_a: start in the raw text of a, in code points; the passage is ``text[start_a:end_a]``.
        end_a: end in a, exclusive.
        start_b: start in the raw text of b.
        end_b: end in b, exclusive.
        sentences: number of pairs of matching sentences.
        words: number of words in the shorter sentences of the pairs.
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
        coverage_a: share of a's words in sentences that b has, too.
        coverage_b: share of b's words in sentences that a has, too.
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

        Args:
            ids: ids of all documents.

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


@dataclass(frozen=True, slots=True, eq=False)
class PassageTable:
    """All passages of a collection, ordered by (a, b, position in a).

    Attributes:
        ids: ids of the documents.
        sentences: sentences of the collection.
        rows: int64 (passages, 8), ``passage_chains.COLUMNS``; a is the earlier document.
        first_match: int64 (passages + 1,), start of each passage's sentence pairs.
        matches: int64 (pairs, 2), sentence of a and sentence of b.
    """

    ids: tuple[str, ...]
    sentences: SentenceTable
    rows: NDArray[np.int64]
    first_match: NDArray[np.int64]
    matches: NDArray[np.int64]

    def document_pairs(self) -> Iterator[DocumentPair]:
        """Yield pairs of documents that share passages, ordered by (a, b)."""
        table = self.sentences
        bounds = _runs(self.rows[:, 0] * max(len(table.first), 1) + self.rows[:, 1])
        words = np.concatenate(([0, 0], np.cumsum(table.lengths[self.matches], axis=0).ravel())).reshape(-1, 2)
        documents = table.document_lengths
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            a, b = self.rows[begin, :2].tolist()
            copied = words[self.first_match[end]] - words[self.first_match[begin]]
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
        _, _, first_a, last_a, first_b, last_b, sentences, words = self.rows[number].tolist()
        starts, ends = self.sentences.starts, self.sentences.ends
        return Passage(
            int(starts[first_a]), int(ends[last_a]), int(starts[first_b]), int(ends[last_b]), sentences, words
        )


def passage_table(
    sentences: SentenceTable,
    classes: SentenceClasses,
    settings: PassageSettings,
    *,
    ids: Sequence[str],
    times: NDArray[np.int64] | None = None,
) -> PassageTable:
    """Chain matching sentences of every two documents into passages.

    Args:
        sentences: sentences of the collection.
        classes: which of them match.
        settings: ``gap``, ``min_sentences``, ``min_words``.
        ids: ids of the documents.
        times: int64 (documents,), in any unit, ``NO_TIME`` if unknown; ``None`` if no document has a time.
    """
    rows, matches = find_passages(
        sentences.first,
        sentences.documents.astype(np.int32),
        sentences.lengths,
        classes.class_of,
        (classes.members.indptr, classes.members.values),
        (classes.alike.indptr, classes.alike.values),
        (settings.gap, settings.min_sentences, settings.min_words),
    )
    sizes = rows[:, 6]
    if times is not None:
        late = _came_later(times, rows[:, 0], rows[:, 1])
        rows[late] = rows[late][:, _OTHER_WAY]
        turned = np.repeat(late, sizes)
        matches[turned] = matches[turned][:, ::-1]
    first = np.concatenate(([0], np.cumsum(sizes)))
    order = np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))
    sizes = sizes[order]
    ordered = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    source = np.repeat(first[:-1][order] - ordered[:-1], sizes) + np.arange(ordered[-1])
    return PassageTable(tuple(ids), sentences, rows[order], ordered, matches[source])


def _came_later(times: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the pairs whose first document is the later one."""
    return np.asarray((times[a] > times[b]) & (times[b] != NO_TIME), dtype=np.bool_)


def _runs(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the start of each run of equal values, and the end of the last one."""
    return np.concatenate((np.flatnonzero(np.diff(values, prepend=-1)), [len(values)])).astype(np.int64)
