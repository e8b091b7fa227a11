"""Arrays of integers as little-endian bytes, many rows at a time."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

INT32: Final = np.dtype("<i4")
INT64: Final = np.dtype("<i8")
UINT32: Final = np.dtype("<u4")


def blobs_of(rows: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> list[bytes]:
    """Convert each row to bytes."""
    if len(rows) == 1:
        return [_converted(rows[0], dtype).tobytes()]
    if not rows:
        return []
    return _cut(np.concatenate(rows), [0, *accumulate(map(len, rows))], dtype)


def blobs_of_rows(indptr: NDArray[np.int64], values: NDArray[Any], dtype: np.dtype[Any]) -> list[bytes]:
    """Convert concatenated rows to bytes, like ``blobs_of``."""
    return _cut(values[indptr[0] : indptr[-1]], (indptr - indptr[0]).tolist(), dtype)


def _cut(values: NDArray[Any], bounds: Sequence[int], dtype: np.dtype[Any]) -> list[bytes]:
    whole, size = _converted(values, dtype).tobytes(), dtype.itemsize
    return [whole[size * begin : size * end] for begin, end in pairwise(bounds)]


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if values.dtype == dtype:
        return values
    converted = values.astype(dtype)
    if np.any(converted != values):
        raise ValueError(f"numbers from {values.min()} to {values.max()} do not fit {dtype}")
    return converted


def numbers_of(blob: bytes, dtype: np.dtype[Any]) -> NDArray[np.int64]:
    """Convert bytes back to a row."""
    return np.frombuffer(blob, dtype=dtype).astype(np.int64)
