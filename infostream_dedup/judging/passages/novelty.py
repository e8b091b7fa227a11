"""Novelty: the sentences of a document that no earlier document has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.judging.passages.sentence_classes import SentenceClasses
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.model import NO_TIME

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Novelty", "novel_sentences", "novelties", "stream_order"]


@dataclass(frozen=True, slots=True)
class Novelty:
    """The novel part of one document.

    Attributes:
        document: its number.
        spans: [start, end) of each novel sentence in the raw text.
        sentences: number of sentences, novel or not.
        share: share of the words in novel sentences, 0 to 1; ``None`` for a document without words.
    """

    document: int
    spans: tuple[tuple[int, int], ...]
    sentences: int
    share: float | None

    def as_dict(self, identity: str, text: str) -> dict[str, Any]:
        """Return a row of ``passages find --novel``.

        Args:
            identity: id of the document.
            text: its raw body.
        """
        return {
            "id": identity,
            "novel_share": None if self.share is None else round(self.share, 6),
            "novel": len(self.spans),
            "sentences": self.sentences,
            "spans": [{"span": [start, end], "text": text[start:end]} for start, end in self.spans],
        }


def stream_order(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank documents by time, then by input order: int64 (documents,).

    A document without a time takes that of the document before it, so that it keeps its place.
    """
    filled = times.copy()
    for place in range(1, len(filled)):
        if filled[place] == NO_TIME:
            filled[place] = filled[place - 1]
    ranks = np.empty(len(times), dtype=np.int64)
    ranks[np.argsort(filled, kind="stable")] = np.arange(len(times))
    return ranks


def novel_sentences(sentences: SentenceTable, classes: SentenceClasses, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the sentences that no earlier document has: bool (sentences,).

    A sentence without features is novel.

    Args:
        sentences: sentences of the collection.
        classes: which of them are copies.
        ranks: order of the documents.
    """
    rank = ranks[sentences.documents]
    earliest = np.full(len(classes.members), np.iinfo(np.int64).max)
    np.minimum.at(earliest, classes.members.numbers, rank[classes.members.values])
    of_alike = earliest.copy()
    np.minimum.at(of_alike, classes.alike.numbers, earliest[classes.alike.values])
    copied = classes.class_of >= 0
    novel = ~copied
    novel[copied] = of_alike[classes.class_of[copied]] >= rank[copied]
    return np.asarray(novel, dtype=np.bool_)


def novelties(sentences: SentenceTable, novel: NDArray[np.bool_]) -> Iterator[Novelty]:
    """Collect the novel part of each document, in input order.

    Args:
        sentences: sentences of the collection.
        novel: result of ``novel_sentences``.
    """
    lengths, totals = sentences.lengths, sentences.document_lengths
    for document in range(len(totals)):
        begin, end = int(sentences.first[document]), int(sentences.first[document + 1])
        own = np.flatnonzero(novel[begin:end]) + begin
        spans = tuple(zip(sentences.starts[own].tolist(), sentences.ends[own].tolist(), strict=True))
        total = int(totals[document])
        yield Novelty(document, spans, end - begin, int(lengths[own].sum()) / total if total else None)
