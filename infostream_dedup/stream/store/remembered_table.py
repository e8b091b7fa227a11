"""Remembered documents as columns: creating a million objects would take longer than reading them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infostream_dedup.model.document import Language
from infostream_dedup.model.stream_records import Remembered
from infostream_dedup.stream.store.blobs import StoredRows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceTable:
    """Evidence of the same documents; empty rows if key terms decide.

    Attributes:
        keys: key terms after the first n.
        weights: their weights.
        records: packed evidence as 32-bit words.
        urls: address of each document.
    """

    keys: StoredRows
    weights: StoredRows
    records: StoredRows
    urls: Sequence[str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PivotTable:
    """Terms of these documents in the pivot language, as ``KeptPivot``; empty rows if languages are kept separate."""

    keys: StoredRows
    weights: StoredRows
    members: StoredRows
    canonical: StoredRows
    further: StoredRows
    links: StoredRows


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedTable:
    """Documents in the order of their ordinals; columns have the meaning and units of the fields of `Remembered`.

    A document that was forgotten or whose signature was deleted has empty hashes, keys, weights, targets and numbers.

    Attributes:
        groups: id of each document's current group, after all merges.
        statuses: status of each document's verdict.
        repeats: int64, 1 if the verdict is ``Verdict.repeats``, otherwise 0.
        leaves: int64, 0 if the verdict is ``Verdict.stands_for_kept``, otherwise 1.
        keys, weights, targets, numbers: one row for each document.
        evidence: what preset ``judged`` keeps.
        pivot: what a stream that looks across languages keeps.
    """

    ordinals: NDArray[np.int64]
    ids: Sequence[str]
    versions: NDArray[np.int64]
    sources: Sequence[str | None]
    clocks: NDArray[np.int64]
    published: Sequence[int | None]
    languages: Sequence[Language]
    text_hashes: Sequence[bytes]
    opening_hashes: Sequence[bytes]
    epochs: NDArray[np.int64]
    lengths: NDArray[np.int64]
    keys: StoredRows
    weights: StoredRows
    targets: StoredRows
    numbers: StoredRows
    statuses: Sequence[str]
    repeats: NDArray[np.int64]
    leaves: NDArray[np.int64]
    groups: Sequence[str]
    evidence: EvidenceTable
    pivot: PivotTable

    def __len__(self) -> int:
        return len(self.ordinals)

    def __iter__(self) -> Iterator[Remembered]:
        """Iterate over the documents, as `row` returns them."""
        return map(self.row, range(len(self)))

    def row(self, number: int) -> Remembered:
        """Return one document by its index, without title, text and content hash, which the engine never needs."""
        return Remembered(
            ordinal=int(self.ordinals[number]),
            id=self.ids[number],
            version=int(self.versions[number]),
            source=self.sources[number],
            clock=int(self.clocks[number]),
            published=self.published[number],
            language=self.languages[number],
            content_hash=b"",
            text_hash=self.text_hashes[number],
            opening_hash=self.opening_hashes[number],
            epoch=int(self.epochs[number]),
            length=int(self.lengths[number]),
            keys=self.keys.row(number),
            weights=self.weights.row(number),
            targets=self.targets.row(number),
            numbers=self.numbers.row(number),
            title="",
            text=None,
        )
