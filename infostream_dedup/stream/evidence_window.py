"""Additional columns that preset ``judged`` keeps for the documents of the window."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, sum_keys
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.model import NO_TIME
from infostream_dedup.stream.kernels.gathering import Arranged, arrange_keys
from infostream_dedup.stream.row_window import RowWindow, with_room, without_first

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.stream.window import Window


_NO_ADDRESS: Final = -1
_COLUMNS: Final = ("languages", "published", "addresses")
_HASH_BYTES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRows:
    """Columns of documents that enter the window.

    Attributes:
        languages: uint8 (documents,), index into ``LANGUAGES``.
        published: int64 (documents,), UTC microseconds since 1970, ``NO_TIME`` without a date.
        addresses: int64 (documents,), result of ``address_numbers``.
        keys: key terms after the first n, heaviest first.
        weights: their weights.
        records: packed evidence.
    """

    languages: NDArray[np.uint8]
    published: NDArray[np.int64]
    addresses: NDArray[np.int64]
    keys: Ragged
    weights: Ragged
    records: Ragged


class EvidenceWindow:
    """Columns with the same rows as the ``Window`` they belong to.

    Attributes:
        languages: uint8, index into ``LANGUAGES``.
        published: int64, ``NO_TIME`` without a date.
        addresses: int64, equal for equal addresses, negative if there is none.
        keys: key terms after the first n, heaviest first.
        weights: their weights.
        records: packed evidence.
    """

    def __init__(self) -> None:
        self.languages: NDArray[Any] = np.zeros(1 << 10, dtype=np.uint8)
        self.published: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.addresses: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.records = RowWindow(np.uint32)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes, without spare room."""
        rows = sum(column.nbytes for column in (self.keys, self.weights, self.records))
        return rows + sum(int(getattr(self, name).itemsize) for name in _COLUMNS) * len(self)

    def extend(self, rows: EvidenceRows) -> None:
        """Add documents."""
        held, more = len(self), len(rows.languages)
        for name in _COLUMNS:
            column = with_room(getattr(self, name), held + more)
            column[held : held + more] = getattr(rows, name)
            setattr(self, name, column)
        self.keys.extend(rows.keys)
        self.weights.extend(rows.weights)
        self.records.extend(rows.records)

    def drop(self, rows: int) -> None:
        """Drop the first documents."""
        for name in _COLUMNS:
            setattr(self, name, without_first(getattr(self, name), rows, len(self)))
        for ragged in (self.keys, self.weights, self.records):
            ragged.drop(rows)

    def records_of(self, rows: NDArray[np.int64]) -> EvidenceRecords:
        """Records of some documents, in the order given."""
        found = self.records.gathered(rows)
        return EvidenceRecords(found.values, found.indptr)

    def keys_of(self, rows: NDArray[np.int64], window: Window) -> ComparedKeys:
        """All compared key terms and all terms of some documents, in the order given.

        Args:
            rows: int64 (documents,).
        """
        firsts = window.keys.sizes_of(rows)
        bounds = offsets_of(firsts + self.keys.sizes_of(rows))
        keys, weights = np.empty(int(bounds[-1]), dtype=np.int32), np.empty(int(bounds[-1]), dtype=np.int64)
        for first, further, values in ((window.keys, self.keys, keys), (window.weights, self.weights, weights)):
            first.put(rows, bounds, values)
            further.put(rows, bounds[:-1] + firsts, values)
        return compared_keys(
            Ragged(bounds, keys), Ragged(bounds, weights), window.targets.gathered(rows), firsts=firsts
        )


def compared_keys(keys: Ragged, weights: Ragged, targets: Ragged, *, firsts: NDArray[np.int64]) -> ComparedKeys:
    """Arrange key terms for the comparison.

    Args:
        keys: key terms of each document, heaviest first, at most ``COMPARED_TERMS``.
        targets: all terms of each document, ascending.
        firsts: int64 (documents,), how many of each document's key terms count as the heaviest.
    """
    bounds, many = keys.indptr, len(keys.values)
    arranged = Arranged(np.empty(many, dtype=np.int32), np.empty(many, dtype=np.int64), np.empty(many, dtype=np.uint8))
    arrange_keys(
        bounds, firsts, keys.values.astype(np.int32, copy=False), weights.values.astype(np.int64, copy=False), arranged
    )
    own, squares = np.empty((len(keys), 2), dtype=np.int64), np.empty(len(keys), dtype=np.float64)
    sum_keys(bounds, arranged.weights, arranged.heaviest, own, squares)
    return ComparedKeys(
        begins=bounds,
        **arranged._asdict(),
        own=own,
        squares=squares,
        target_begins=targets.indptr,
        targets=targets.values.astype(np.int32, copy=False),
    )


def address_numbers(addresses: Iterable[str | None]) -> NDArray[np.int64]:
    """Number each address, the same in every process; ``-1`` if there is none."""
    return np.array([_number(one) if one else _NO_ADDRESS for one in addresses], dtype=np.int64)


def published_times(times: Sequence[int | None]) -> NDArray[np.int64]:
    """Times as a column; a date of 1970 or earlier, as broken feeds write, counts as missing."""
    return np.array([NO_TIME if time is None or time <= 0 else time for time in times], dtype=np.int64)


def _number(address: str) -> int:
    digest = blake2b(address.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
    return int.from_bytes(digest, "little") >> 1
