"""Documents of a batch on their way into the window: their columns, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from infostream_dedup.documents.documents import texts_as_given
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.repeated.lines import LeftOut
from infostream_dedup.machine.arrays import INT32, INT64, Ints, Ragged, Uint8s, blobs_of_rows
from infostream_dedup.model import LANGUAGES
from infostream_dedup.model.document import outlet_of
from infostream_dedup.model.stream_records import KeptEvidence, Remembered
from infostream_dedup.stream.window import EvidenceRows, Window, address_numbers, equal_to, published_times

if TYPE_CHECKING:
    from infostream_dedup.stream.across import EnteringAcross, LinkAcross
    from infostream_dedup.stream.analysis import Analysed, KeyRows
    from infostream_dedup.stream.evidence_judge import ReadEvidence
    from infostream_dedup.stream.pivot_terms import PivotRead
    from infostream_dedup.stream.preparation import Prepared


# Not frozen, like ``Remembered``.
@dataclass(slots=True, kw_only=True)
class ReadBatch:
    """A batch of which no document has been judged."""

    prepared: Prepared  # hashes and times
    analysed: Analysed  # its terms
    evidence: ReadEvidence | None  # `None` if key terms decide
    pivot: PivotRead | None  # its terms in the pivot language; `None` if the stream keeps languages apart
    clock: int  # the stream's clock before it
    terms: int  # number of terms of the stream with those of the batch
    left_out: LeftOut  # lines that are not compared
    state: dict[str, Any]  # what the store keeps of how it was read


# Not frozen, like ``Remembered``.
@dataclass(slots=True, kw_only=True)
class Entering:
    """Consecutive documents of a batch that are weighted with the statistics of one epoch."""

    batch: ReadBatch
    start: int  # first of the documents in the batch
    end: int  # one past the last
    targets: Ragged  # the distinct terms of each document, ascending
    keys: KeyRows  # their n key terms
    further: KeyRows  # the key terms after these that evidence compares; no terms if key terms decide
    # the documents in the pivot language; `None` if the stream keeps languages apart
    across: EnteringAcross | None = None

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def first(self) -> int:
        """Ordinal of the first document."""
        return self.batch.prepared.first + self.start

    @property
    def languages(self) -> Uint8s:
        """uint8 (documents,), index into ``LANGUAGES``."""
        return self.batch.analysed.languages[self.start : self.end]

    @property
    def lengths(self) -> Ints:
        """int64 (documents,), number of terms with repetition."""
        return self.batch.analysed.lengths[self.start : self.end]

    def put_into(self, window: Window) -> None:
        """Add the columns of the documents to the window."""
        prepared, part = self.batch.prepared, slice(self.start, self.end)
        documents, judged = prepared.documents, self.batch.evidence is not None
        urls = documents.urls[part] if judged else repeat(None)
        window.extend(
            list(documents.ids[part]),
            [equal_to(*hashes) for hashes in prepared.hashes[part]],
            list(map(outlet_of, documents.sources[part], urls)),
            prepared.clocks[part],
            prepared.times[part],
            (self.keys.keys, self.keys.weights, self.targets, prepared.numbers.part(self.start, self.end)),
            evidence=self._evidence_rows(),
        )
        if self.across is not None:
            window.pivot_columns.enter(self.across.rows)

    def _evidence_rows(self) -> EvidenceRows | None:
        if self.batch.evidence is None:
            return None
        prepared, part = self.batch.prepared, slice(self.start, self.end)
        records = EvidenceRecords.of_blobs(self.batch.evidence.records[part])
        return EvidenceRows(
            languages=self.languages,
            published=published_times(prepared.published[part]),
            addresses=address_numbers(prepared.documents.urls[part]),
            keys=self.further.keys,
            weights=self.further.weights,
            records=Ragged(records.begins, records.words),
        )

    def remembered(
        self, epoch: int, *, keep_text: bool, links: Sequence[Sequence[LinkAcross]] = ()
    ) -> list[Remembered]:
        """Make what is remembered of each document."""
        prepared, found = self.batch.prepared, []
        columns = (*self.keys, self.targets, prepared.numbers.part(self.start, self.end))
        keys, weights, targets, numbers = map(list, columns)
        languages, lengths = self.languages.tolist(), self.lengths.tolist()
        clocks, evidence = prepared.clocks[self.start : self.end].tolist(), self._kept_evidence()
        pivot = [None] * len(self) if self.across is None else self.across.kept(links)
        given, titles = prepared.given, prepared.given.listed_titles()
        for row, number in enumerate(range(self.start, self.end)):
            text, opening = prepared.hashes[number]
            whole = given.whole(number)
            if whole is None:
                title, body = titles[number], given.text(number) if keep_text else ""
            else:
                title, body = texts_as_given(whole)
            found.append(
                Remembered(
                    ordinal=prepared.first + number,
                    id=given.ids[number],
                    version=prepared.versions[number],
                    source=given.sources[number],
                    clock=clocks[row],
                    published=prepared.published[number],
                    language=LANGUAGES[languages[row]],
                    content_hash=prepared.content_hashes[number],
                    text_hash=text,
                    opening_hash=opening,
                    epoch=epoch,
                    length=lengths[row],
                    keys=keys[row],
                    weights=weights[row],
                    targets=targets[row],
                    numbers=numbers[row],
                    title=title,
                    text=body if keep_text else None,
                    url=given.urls[number],
                    evidence=evidence[row],
                    pivot=pivot[row],
                    lines=None if prepared.lines is None else prepared.lines[number],
                )
            )
        return found

    def _kept_evidence(self) -> list[KeptEvidence] | list[None]:
        if self.batch.evidence is None:
            return [None] * len(self)
        part, (terms, own) = slice(self.start, self.end), self.further
        rows = zip(
            blobs_of_rows(terms.indptr, terms.values, INT32),
            blobs_of_rows(own.indptr, own.values, INT64),
            self.batch.evidence.records[part],
            self.batch.evidence.triples[part],
            strict=True,
        )
        return [
            KeptEvidence(keys=keys, weights=weights, record=record, triples=triples)
            for keys, weights, record, triples in rows
        ]
