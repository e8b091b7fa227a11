"""The latest documents of a stream, ready to be compared: most candidates are among them.

Each is arranged once, when it arrives, and not with every batch whose documents find it. The word triples of older
documents are in the store, and reading them takes longer than comparing them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.kernels.screening import LEAD_ROW
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.pair_model import PairModel
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.evidence.screening import Screen, ScreenedColumns, ScreenTools, screened_columns
from infostream_dedup.machine.arrays import Ints, Ragged
from infostream_dedup.stream.window import ComparedDocuments, EvenWindow, RowWindow, Window, triple_rows

WordingSource = Callable[[Sequence[int]], Sequence[bytes]]
"""Returns the word triples of earlier documents by ordinal, as ``KeptEvidence.triples``; empty for a forgotten one."""

_MOST_TRIPLES: Final = 32 << 20
"""Bytes of word triples that are kept: those of some 12,000 news items, whose other columns take as much again."""

_DROPPED: Final = 4
"""Documents are dropped once this fraction of them is not needed: the others are moved to the front then."""

_MOST_MISSED: Final = 10_000
"""Maximum number of documents, stored by other processes, to load; beyond it, rebuild the cache."""


class RecentDocuments:
    """Keeps the latest documents of a window, by ordinal minus ``first``; ``end`` is the ordinal of the next one."""

    def __init__(self, window: Window, wording: WordingSource, model: PairModel) -> None:
        self._window = window
        self._wording = wording
        self._model, self._tools = model, ScreenTools.of(model)
        self._begin_with(window.end)

    def _begin_with(self, ordinal: int) -> None:
        self._begin = self.end = ordinal
        self._numbered: dict[bytes, int] = {}
        self._terms, self._weights, self._heaviest = RowWindow(np.int32), RowWindow(np.int64), RowWindow(np.uint8)
        self._own, self._squares = EvenWindow(np.int64, 2), EvenWindow(np.float64)
        self._texts, self._triples = EvenWindow(np.int64), RowWindow(np.uint64)
        self._lengths, self._reach, self._doubled = EvenWindow(np.float64), EvenWindow(np.float64), EvenWindow(np.int64)
        self._leads, self._signatures = EvenWindow(np.uint32, LEAD_ROW), RowWindow(np.uint64)

    @property
    def _columns(self) -> tuple[RowWindow | EvenWindow, ...]:
        keys = (self._terms, self._weights, self._heaviest, self._own, self._squares, self._texts, self._triples)
        return (*keys, self._lengths, self._reach, self._doubled, self._leads, self._signatures)

    def __len__(self) -> int:
        return self.end - self.first

    @property
    def first(self) -> int:
        """Ordinal of the first document."""
        return min(max(self._begin, self._window.first), self.end)

    def tidy(self) -> None:
        """Drop documents that have left the window, and the oldest ones if there are too many."""
        ends = self._triples.rows_from(0).indptr
        too_many = int(np.searchsorted(ends, int(ends[-1]) - _MOST_TRIPLES // 8))
        gone = max(self.first - self._begin, too_many)
        if gone == 0 or _DROPPED * gone < len(self._triples):
            return
        for column in self._columns:
            column.drop(gone)
        self._begin += gone
        texts = self._texts.values_from(self.first - self._begin).tolist()
        rows = range(self.first - self._window.first, self.end - self._window.first)
        self._numbered = {self._window.hashes[row][0]: text for row, text in zip(rows, texts, strict=True) if text >= 0}

    def add(self, ordinal: int, triples: Sequence[bytes]) -> None:
        """Add documents that have entered the window."""
        missed = ordinal - self.end
        if missed > _MOST_MISSED or (missed and self.end < self._window.first):
            self._begin_with(ordinal)
        elif missed:
            self._add(self._wording(range(self.end, ordinal)))
        self._add(triples)

    def _add(self, blobs: Sequence[bytes]) -> None:
        window, evidence, begin = self._window, self._window.evidence_columns, self.end - self._window.first
        rows = np.arange(begin, begin + len(blobs))
        keys, triples = evidence.keys_of(rows, window), triple_rows(blobs)
        for ragged, values in (
            (self._terms, keys.terms), (self._weights, keys.weights), (self._heaviest, keys.heaviest),
        ):  # fmt: skip
            ragged.extend(Ragged(keys.begins, values))
        self._own.extend(keys.own)
        self._squares.extend(keys.squares)
        self._triples.extend(Ragged(triples.begins, triples.triples))
        self._texts.extend(self._numbers_of([window.hashes[row][0] for row in rows.tolist()]))
        self._prepare(rows, keys, triples)
        self.end += len(blobs)

    def _prepare(self, rows: Ints, keys: ComparedKeys, triples: TripleRows) -> None:
        prepared = screened_columns(keys, self._window.evidence_columns.records_of(rows), triples, self._model)
        self._lengths.extend(prepared.lengths)
        self._reach.extend(prepared.reach)
        self._doubled.extend(prepared.doubled)
        self._leads.extend(prepared.leads)
        self._signatures.extend(Ragged(prepared.signature_begins, prepared.signatures))

    def _numbers_of(self, texts: Sequence[bytes]) -> Ints:
        found = [
            self._numbered.setdefault(text, number) if text else -1 for number, text in enumerate(texts, start=self.end)
        ]
        return np.array(found, dtype=np.int64)

    @property
    def documents(self) -> ComparedDocuments:
        """All documents; a view that changes with ``add`` and ``tidy``."""
        window, skip = self._window, self.first - self._begin
        rows = slice(self.first - window.first, self.end - window.first)
        terms = self._terms.rows_from(skip)
        targets = window.targets.rows_from(rows.start, rows.stop)
        records = window.evidence_columns.records.rows_from(rows.start, rows.stop)
        keys = ComparedKeys(
            begins=terms.indptr,
            terms=terms.values,
            weights=self._weights.rows.values,
            heaviest=self._heaviest.rows.values,
            own=self._own.values_from(skip).reshape(-1, 2),
            squares=self._squares.values_from(skip),
            target_begins=targets.indptr,
            targets=targets.values,
        )
        facts = window.facts_of(rows, self._texts.values_from(skip))
        return ComparedDocuments(keys=keys, records=EvidenceRecords(records.values, records.indptr), facts=facts)

    @property
    def triples(self) -> TripleRows:
        """Word triples of all documents; a view like ``documents``."""
        rows = self._triples.rows_from(self.first - self._begin)
        return TripleRows(rows.values, rows.indptr)

    def screen(self, documents: ComparedDocuments, triples: TripleRows) -> Screen:
        """Return a screen of all documents."""
        skip = self.first - self._begin
        signatures = self._signatures.rows_from(skip)
        columns = ScreenedColumns(
            lengths=self._lengths.values_from(skip),
            reach=self._reach.values_from(skip),
            leads=self._leads.values_from(skip),
            signatures=signatures.values,
            signature_begins=signatures.indptr,
            doubled=self._doubled.values_from(skip),
        )
        return Screen.over(columns, documents.records, triples, self._tools)

    def triples_of(self, ordinals: Ints) -> TripleRows:
        """Word triples of documents of the window, perhaps older than these; ``ordinals`` are ascending."""
        stored, kept = np.split(ordinals, [int(np.searchsorted(ordinals, self.first))])
        before = triple_rows(self._wording(stored.tolist()) if len(stored) else [])
        after = self._triples.gathered(kept - self._begin)
        begins = np.concatenate([before.begins, before.begins[-1] + after.indptr[1:]])
        return TripleRows(np.concatenate([before.triples, after.values]), begins)
