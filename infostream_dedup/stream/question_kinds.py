"""Judges the documents that a search found: kind and probability, by the evidence of preset ``judged``."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import orjson

from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.judging import judge_pairs
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.meaning import Meanings
from infostream_dedup.judging.evidence.pair_model import PairModel, shipped_model
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.features.rows import joined_rows
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.model import LANGUAGES, Document
from infostream_dedup.stream.compared_documents import triple_rows
from infostream_dedup.stream.evidence_counts import EvidenceCounts
from infostream_dedup.stream.evidence_judge import verdict_probability
from infostream_dedup.stream.evidence_window import compared_keys
from infostream_dedup.stream.store.found_rows import FoundDocument
from infostream_dedup.stream.store.restoring import closed_evidence
from infostream_dedup.stream.store.settings_checksum import check_settings

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
    from infostream_dedup.stream.question import Question
    from infostream_dedup.stream.store.store import Store


_LEAST_TERMS: Final = 3
"""A document with fewer key terms is compared only for equal text."""


@dataclass(frozen=True, slots=True)
class HitJudgement:
    """Kind and probability of a found document.

    Attributes:
        kind: kind of the pair, seen from the text.
        probability: probability that the two are copies or report the same event.
    """

    kind: str
    probability: float


class QuestionJudge:
    """Judges found documents as ``pairs`` and verdicts do.

    Args:
        store: store of preset ``judged``.
        n: number of key terms of a document that a search compares.
    """

    def __init__(self, store: Store, n: int) -> None:
        self._store = store
        self._n = n
        self._counts: EvidenceCounts | None = None
        self._model = shipped_model()

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Load the frequencies of the store's last closed epoch of evidence."""
        row = connection.execute("SELECT max(epoch) FROM evidence_frequency").fetchone()
        if self._counts is None or self._counts.epoch != (row[0] or 0):
            check_settings(connection, self._store.path)
            self._counts = EvidenceCounts.of(closed_evidence(connection))
            kept = connection.execute("SELECT value FROM state WHERE name = 'pair_model'").fetchone()
            if kept is not None:
                self._model = PairModel.from_json(orjson.loads(kept[0]), "the store's pair model")

    def judged(
        self,
        question: Question,
        itself: FoundDocument | None,
        found: Sequence[FoundDocument],
        *,
        semantic: bool = False,
    ) -> list[HitJudgement | None]:
        """Judge documents; ``None`` if the two cannot be compared: too short, or in different languages.

        Args:
            itself: the stored document that is searched for; ``None`` for any other text. A text is the later document
        """
        answers: list[HitJudgement | None] = [None] * len(found)
        asking = _Side.of_stored(itself) if itself is not None else self._read(question)
        long_enough = len(question.asked.words) >= _LEAST_TERMS
        places = [
            place
            for place, one in enumerate(found)
            if (asking.text and one.text_hash == asking.text)
            or (long_enough and len(one.keys) >= _LEAST_TERMS and LANGUAGES.index(one.language) == question.language)
        ]
        if not places:
            return answers
        sides = [*(_Side.of_stored(found[place]) for place in places), asking]
        triples = [*self._store.wording([found[place].ordinal for place in places]), self._triples(asking, itself)]
        last = len(places)
        later = np.array([itself is not None and found[place].ordinal > itself.ordinal for place in places])
        rows = np.arange(last, dtype=np.int64)
        pairs = judge_pairs(
            np.where(later, last, rows),
            np.where(later, rows, last),
            keys=self._compared([found[place] for place in places], question),
            records=EvidenceRecords.of_blobs([side.record for side in sides]),
            triples=triple_rows(triples),
            documents=DocumentFacts.of(
                [side.source for side in sides],
                [side.published for side in sides],
                [side.text for side in sides],
                [side.url for side in sides],
            ),
            model=self._model,
            filtered=False,
            meanings=self._meanings([found[place] for place in places], itself, question) if semantic else None,
        )
        for at, place in enumerate(places):
            kind = Kind(int(pairs.kinds[at]))
            name = KIND_NAMES[kind if later[at] else seen_from_later(kind)]
            answers[place] = HitJudgement(name, verdict_probability(float(pairs.probability[at])))
        return answers

    def _meanings(self, found: Sequence[FoundDocument], itself: FoundDocument | None, question: Question) -> Meanings:
        meanings = Meanings()
        for one in (*found, itself):
            if one is not None:
                meanings.add(Document(id=one.id, title=one.title, text=self._store.text(one.ordinal) or ""))
        if itself is None and question.document is not None:
            meanings.add(question.document)
        return meanings

    def _compared(self, found: Sequence[FoundDocument], question: Question) -> ComparedKeys:
        keys, weights, targets, firsts = [], [], [], []
        for one in found:
            keys.append(np.concatenate((one.keys, one.further_keys)))
            weights.append(np.concatenate((one.weights, one.further_weights)))
            targets.append(one.targets)
            firsts.append(len(one.keys))
        return compared_keys(
            joined_rows([*keys, question.keys]),
            joined_rows([*weights, question.weights]),
            joined_rows([*targets, question.targets]),
            firsts=np.array([*firsts, min(self._n, len(question.keys))], dtype=np.int64),
        )

    def _read(self, question: Question) -> _Side:
        document = question.document
        if document is None or self._counts is None:
            raise ValueError("the text has not been read, or the store has not been loaded")
        record, triples = self._counts.weigh(document, question.language)
        return _Side(text=equality_hash(document), record=record, triples=triples)

    def _triples(self, asking: _Side, itself: FoundDocument | None) -> bytes:
        return asking.triples if itself is None else self._store.wording([itself.ordinal])[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One of the two documents of a pair."""

    text: bytes
    record: bytes
    triples: bytes = b""
    source: str | None = None
    published: int | None = None
    url: str | None = None

    @classmethod
    def of_stored(cls, one: FoundDocument) -> _Side:
        published = one.published if one.published is not None and one.published > 0 else None
        return cls(text=one.text_hash, record=one.record, source=one.source, published=published, url=one.url)
