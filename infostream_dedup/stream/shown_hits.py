"""Turns found documents into rows of a search."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.links.between_languages import LEAST_SHARE
from infostream_dedup.links.pair_rules import need, relation_of
from infostream_dedup.model import Document
from infostream_dedup.stream.near_documents import AskedTerms
from infostream_dedup.stream.question import Question
from infostream_dedup.stream.question_kinds import HitJudgement, QuestionJudge
from infostream_dedup.stream.search_hits import Hit
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.found_rows import FoundDocument, documents_of, term_names_of
from infostream_dedup.stream.store.summary import time_text

_TRANSLATION_TERMS: Final = 3
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document that was found.

    Attributes:
        asked: the text that found it.
        ordinal: its place in the stream.
        counts: number of key terms of the text found in it, and of its key terms found in the text.
        share_forward: share, by weight, of the text's key terms found in it.
        share_backward: share, by weight, of its key terms found in the text.
    """

    asked: AskedTerms
    ordinal: int
    counts: tuple[int, int]
    share_forward: float
    share_backward: float

    def rank(self) -> tuple[float, float, int]:
        """Sort key: the share of the text, then the other share, then the earliest."""
        return -self.share_forward, -self.share_backward, self.ordinal

    @property
    def translates(self) -> bool:
        """Whether enough matches in both directions for a translation."""
        share = min(self.share_forward, self.share_backward)
        enough = share >= LEAST_SHARE and min(self.counts) >= _TRANSLATION_TERMS
        return self.asked.language is not None and enough


class HitMaker:
    """Makes rows of found documents.

    Args:
        connection: open connection to the store.
        settings: settings of the stream.
        judge: judges them by evidence; ``None`` if key terms decide.
        semantic: whether a sentence encoder judges doubtful pairs.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        settings: StreamSettings,
        judge: QuestionJudge | None,
        *,
        semantic: bool = False,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._judge = judge
        self._semantic = semantic

    def hits(
        self, question: Question, itself: FoundDocument | None, document: Document, ranked: Sequence[RankedDocument]
    ) -> list[Hit]:
        """Make the rows."""
        stored = documents_of(self._connection, [one.ordinal for one in ranked])
        found = [stored[one.ordinal] for one in ranked]
        judged: Sequence[HitJudgement | None] = [None] * len(found)
        if self._judge is not None:
            judged = self._judge.judged(question, itself, found, semantic=self._semantic)
        text = itself.text_hash if itself is not None else equality_hash(document)
        lists = [_met_terms(near.asked, one, in_text=self._in_text) for near, one in zip(ranked, found, strict=True)]
        # Terms that match a key term of the text are among the terms with weights.
        names = term_names_of(self._connection, sorted({term for weights, _ in lists for term in weights}))
        return [
            self._hit(near, one, judgement, text, _Met.of(near.asked, *terms, names))
            for near, one, judgement, terms in zip(ranked, found, judged, lists, strict=True)
        ]

    @property
    def _in_text(self) -> bool:
        return self._settings.terms.target == "text"

    def _hit(
        self, near: RankedDocument, one: FoundDocument, judged: HitJudgement | None, text: bytes, met: _Met
    ) -> Hit:
        settings, terms = self._settings, self._settings.terms
        sizes = np.array([len(near.asked.sets), len(one.keys)], dtype=np.int64)
        least = int(need(settings.k_duplicate, sizes[:1], sizes[1:], n=terms.n, short=terms.short)[0])
        forward, backward = near.counts
        kind = "copy" if text and one.text_hash == text else "translation" if near.translates else None
        return Hit(
            ordinal=one.ordinal,
            id=one.id,
            title=one.title,
            source=one.source,
            published=time_text(one.published),
            url=one.url,
            language=one.language,
            group=one.group,
            forward=forward,
            backward=backward,
            share_forward=round(near.share_forward, _DECIMALS),
            share_backward=round(near.share_backward, _DECIMALS),
            relation=relation_of(forward, backward, least),
            kind=kind if judged is None else judged.kind,
            probability=None if judged is None else judged.probability,
            judged=self._judge is not None,
            terms=met.terms,
            met=met.pairs,
        )


@dataclass(frozen=True, slots=True)
class _Met:
    terms: list[str]
    pairs: list[dict[str, str]]

    @classmethod
    def of(
        cls, asked: AskedTerms, weights: Mapping[int, int], met: Sequence[tuple[int, int]], names: Mapping[int, str]
    ) -> _Met:
        ranked = sorted((-weight, names[term]) for term, weight in weights.items())
        pairs = [{"word": asked.words[place], "their_word": names[term]} for place, term in met]
        return cls([word for _, word in ranked], pairs)


def _met_terms(asked: AskedTerms, one: FoundDocument, *, in_text: bool) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Terms of a document that match in either direction, with their weights, and which key term each one matches."""
    theirs = set((one.targets if in_text else one.keys).tolist())
    weights: dict[int, int] = {}
    met: list[tuple[int, int]] = []
    for place, (terms, weight) in enumerate(zip(asked.sets, asked.weights.tolist(), strict=True)):
        common = [term for term in terms.tolist() if term in theirs]
        for term in common:
            weights[term] = max(weight, weights.get(term, 0))
        if common:
            met.append((place, common[0]))
    own = set((asked.targets if in_text else asked.matching).tolist())
    for term, weight in zip(one.keys.tolist(), one.weights.tolist(), strict=True):
        if term in own:
            weights[term] = weights.get(term, 0) + weight
    return weights, met
