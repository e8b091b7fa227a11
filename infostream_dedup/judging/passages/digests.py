"""Digests: documents that take most of their text from several others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.judging.passages.passage_table import PassageTable
from infostream_dedup.model import NO_TIME

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class DigestRule:
    """When a document is a digest.

    Attributes:
        least_sources: minimum number of documents it takes text from.
        least_share: minimum share of its words that come from them together.
        least_part: minimum share of its words that each of them must add.
        most_from_one: maximum share of its words in a single document; above it the text is a reprint with additions.
    """

    least_sources: int = 3
    least_share: float = 0.5
    least_part: float = 0.05
    most_from_one: float = 0.75


@dataclass(frozen=True, slots=True)
class DigestPart:
    """The part of a digest that comes from one document.

    Attributes:
        source: number of that document.
        spans: [start, end) of the sentences in the digest's raw text.
        share: share of the digest's words.
    """

    source: int
    spans: tuple[tuple[int, int], ...]
    share: float


@dataclass(frozen=True, slots=True)
class Digest:
    """A document made of others.

    Attributes:
        document: its number.
        parts: parts in the order in which they begin in its text.
        share: share of its words in all parts together.
    """

    document: int
    parts: tuple[DigestPart, ...]
    share: float

    def as_dict(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return a row of ``passages find --digests``."""
        return {
            "id": ids[self.document],
            "share": round(self.share, 6),
            "sources": [
                {"id": ids[part.source], "share": round(part.share, 6), "spans": [list(span) for span in part.spans]}
                for part in self.parts
            ],
        }


def find_digests(found: PassageTable, times: NDArray[np.int64], rule: DigestRule | None = None) -> list[Digest]:
    """Find documents that take most of their text from several others that are not later.

    Sources are chosen greedily: the next one covers the most words not yet covered; the earliest wins among equals. So
    only one of ten reprints of a report is listed. No two digests name each other.

    Args:
        times: int64 (documents,), ``NO_TIME`` if unknown; a source without a time may be anywhere in the input.
    """
    rule = rule or DigestRule()
    drawn = _find_sources(found, times)
    bounds = np.searchsorted(drawn[:, 0], np.arange(len(found.sentences.first))).tolist()
    digests = {
        document: digest
        for document, (begin, end) in enumerate(pairwise(bounds))
        if (digest := _digest(found, drawn[begin:end], times, rule)) is not None
    }
    banned: defaultdict[int, set[int]] = defaultdict(set)
    while mutual := _mutual(digests):
        # The document that takes text from more documents is the digest; the other loses it as a source.
        document, other = min(mutual, key=lambda pair: (len(digests[pair[0]].parts), digests[pair[0]].share, pair))
        own = slice(bounds[document], bounds[document + 1])
        kept = drawn[own][~np.isin(drawn[own, 1], sorted(banned[document] | {other}))]
        banned[document].add(other)
        digest = _digest(found, kept, times, rule)
        if digest is None:
            del digests[document]
        else:
            digests[document] = digest
    return [digests[document] for document in sorted(digests)]


def _mutual(digests: Mapping[int, Digest]) -> list[tuple[int, int]]:
    """Return the pairs (document, source) of digests that name each other."""
    named = {(document, part.source) for document, digest in digests.items() for part in digest.parts}
    return sorted(pair for pair in named if pair[::-1] in named)


def _find_sources(found: PassageTable, times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return distinct rows (document, source, sentence of the document), ordered."""
    sizes = np.diff(found.first_match)
    a, b = np.repeat(found.rows[:, 0], sizes), np.repeat(found.rows[:, 1], sizes)
    forth = np.stack((b, a, found.matches[:, 1]), axis=1)
    either = (times[a] == times[b]) | (times[a] == NO_TIME) | (times[b] == NO_TIME)
    back = np.stack((a, b, found.matches[:, 0]), axis=1)[either]
    return np.unique(np.concatenate((forth, back)), axis=0)


def _digest(found: PassageTable, drawn: NDArray[np.int64], times: NDArray[np.int64], rule: DigestRule) -> Digest | None:
    sources, first = np.unique(drawn[:, 1], return_index=True)
    if len(sources) < rule.least_sources:
        return None
    document, lengths = int(drawn[0, 0]), found.sentences.lengths
    total = int(found.sentences.document_lengths[document])
    kept = np.split(drawn[:, 2], first[1:])
    by_time = sorted(range(len(sources)), key=lambda place: (int(times[sources[place]]), int(sources[place])))
    open_sentences: dict[int, NDArray[np.int64]] = {place: kept[place] for place in by_time}
    parts: list[DigestPart] = []
    while open_sentences:
        # `max` returns the first of equals.
        best = max(open_sentences, key=lambda place: int(lengths[open_sentences[place]].sum()))
        own = open_sentences.pop(best)
        share = int(lengths[own].sum()) / total
        if share < rule.least_part or (not parts and share > rule.most_from_one):
            break
        spans = tuple(zip(found.sentences.starts[own].tolist(), found.sentences.ends[own].tolist(), strict=True))
        parts.append(DigestPart(int(sources[best]), spans, share))
        open_sentences = {place: rest[~np.isin(rest, own)] for place, rest in open_sentences.items()}
    share = sum(part.share for part in parts)
    if len(parts) < rule.least_sources or share < rule.least_share:
        return None
    return Digest(document, tuple(sorted(parts, key=lambda part: part.spans)), share)
