"""Finds what is new in a document: the sentences that no earlier document has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.passages.passage_table import NO_TIME
from infostream_dedup.passages.sentence_classes import SentenceClasses
from infostream_dedup.passages.sentence_table import SentenceTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Novelty", "novel_sentences", "novelties", "stream_order"]


@dataclass(frozen=True, slots=True)
class Novelty:
    """What one document adds.

    Attributes:
        document: number of the document.
        spans: [start, end) of each novel sentence, in code points of the raw text.
        sentences: number of sentences of the document, novel or not.
        share: share of words in novel sentences, 0 to 1; ``None`` for a document without words.
    """

    document: int
    spans: tuple[tuple[int, int], ...]
    sentences: int
    share: float | None

    def as_dict(self, identity: str, text: str) -> dict[str, Any]:
        """Return the row that ``passages find --novel`` prints.

        Args:
            identity: id of the document.
            text: raw body of the document.
        """
        return {
            "id": identity,
            "novel_share": None if self.share is None else round(self.share, 6),
            "novel": len(self.spans),
            "sentences": self.sentences,
            "spans": [{"span": [start, end], "text": text[start:end]} for start, end in self.spans],
        }


def stream_order(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank documents by time, then by input order.

    A document without a time gets that of the document before it, so that it keeps its position.

    Args:
        times: int64 (documents,), ``NO_TIME`` if unknown.

    Returns:
        int64 (documents,), ranks from 0.
    """
    filled = times.copy()
    for place in range(1, len(filled)):
        if filled[place] == NO_TIME:
            filled[place] = filled[place - 1]
    ranks = np.empty(len(times), dtype=np.int64)
    ranks[np.argsort(filled, kind="stable")] = np.arange(len(times))
    return ranks


def novel_sentences(sentences: SentenceTable, classes: SentenceClasses, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the sentences that no earlier document has.

    A sentence without features to compare is novel.

    Args:
        sentences: sentences of the collection.
        classes: which of them are copies.
        ranks: int64 (documents,), order of the documents.

    Returns:
        bool (sentences,), whether each sentence is novel.
    """
    rank = ranks[sentences.documents]
    earliest = np.full(len(classes.members), np.iinfo(np.int64).max)
    np.minimum.at(earliest, classes.members.numbers, rank[classes.members.values])
    earliest_similar = earliest.copy()
    np.minimum.at(earliest_similar, classes.alike.numbers, earliest[classes.alike.values])
    copied = classes.class_of >= 0
    novel = ~copied
    novel[copied] = earliest_similar[classes.class_of[copied]] >= rank[copied]
    return np.asarray(novel, dtype=np.bool_)


def novelties(
    sentences: SentenceTable, novel: NDArray[np.bool_], *, order: Sequence[int] | None = None
) -> Iterator[Novelty]:
    """Yield what each document adds.

    Args:
        sentences: sentences of the collection.
        novel: bool (sentences,), result of ``novel_sentences``.
        order: numbers of the documents in the order wanted; input order by default.
    """
    lengths, totals = sentences.lengths, sentences.document_lengths
    for document in range(len(totals)) if order is None else order:
        begin, end = int(sentences.first[document]), int(sentences.first[document + 1])
        own = np.flatnonzero(novel[begin:end]) + begin
        spans = tuple(zip(sentences.starts[own].tolist(), sentences.ends[own].tolist(), strict=True))
        total = int(totals[document])
        yield Novelty(document, spans, end - begin, int(lengths[own].sum()) / total if total else None)
