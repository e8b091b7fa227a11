"""An array that grows in place, because joining parts at the end would take their memory twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


_MOST_SPARE: Final = 1 << 23
"""Maximum number of spare elements: with more, memory would be wasted, with fewer, the array would move too often."""


class GrowingArray:
    """Takes elements at its end.

    Args:
        dtype: type of the elements.

    Example:
        >>> numbers = GrowingArray(np.uint8)
        >>> numbers.append(np.array([1, 2], dtype=np.uint8))
        >>> numbers.append(np.array([3], dtype=np.uint8))
        >>> numbers.taken().tolist()
        [1, 2, 3]
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._held: NDArray[Any] = np.empty(0, dtype=dtype)
        self._size = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add elements."""
        size = self._size + len(values)
        if size > len(self._held):
            self._held.resize(size + min(size // 8, _MOST_SPARE), refcheck=False)
        self._held[self._size : size] = values
        self._size = size

    def taken(self) -> NDArray[Any]:
        """Return the elements, as an array that owns its memory; no elements remain."""
        found, self._held = self._held, self._held[:0].copy()
        found.resize(self._size, refcheck=False)
        self._size = 0
        return found
