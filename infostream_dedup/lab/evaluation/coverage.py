"""Joint coverage: how many of the true pairs two or three methods find together, as Zelenkov and Segalovich suggest.

They leave open (section 7) which methods complement each other. Methods that find the same pairs add nothing to one
another, however good each of them is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.lab.evaluation.overlap import found_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["JointCoverage", "joint_coverage"]

_MOST_METHODS: Final = 63
"""One bit per method must fit into one word."""


@dataclass(frozen=True, slots=True)
class JointCoverage:
    """What several methods find together.

    Attributes:
        methods: names of two or three methods.
        pairs: number of pairs that at least one of them finds.
        true: number of true pairs among them.
        recall: share of the true pairs, 0 to 1; ``None`` if there are none.
        best_alone: recall of the best of them alone.
    """

    methods: tuple[str, ...]
    pairs: int
    true: int
    recall: float | None
    best_alone: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "methods": list(self.methods),
            "pairs": self.pairs,
            "true": self.true,
            "recall": self.recall,
            "best_alone": self.best_alone,
        }


def joint_coverage(
    codes: Mapping[str, NDArray[np.int64]], true: NDArray[np.int64], *, sizes: Sequence[int] = (2, 3), most: int = 10
) -> list[JointCoverage]:
    """Find the pairs and triples of methods that cover most.

    Args:
        codes: for each method, int64 (pairs,), ascending codes of its pairs.
        true: int64 (pairs,), codes of the true pairs: labelled ones, or the verified ones of a pool.
        sizes: numbers of methods to combine.
        most: number of rows of each size.

    Returns:
        Rows by size, then by most true pairs, fewest pairs, and the order of the methods; triples in which one method
        adds no true pair to the other two are left out.

    Example:
        >>> found = {"a": np.array([1, 2]), "b": np.array([2, 3]), "c": np.array([1, 2])}
        >>> [(row.methods, row.true) for row in joint_coverage(found, np.array([1, 2, 3, 4]), sizes=(2,), most=1)]
        [(('a', 'b'), 3)]
    """
    names = list(codes)[:_MOST_METHODS]
    pairs, table = found_by([codes[name] for name in names])
    bits = (table @ (np.int64(1) << np.arange(len(names), dtype=np.int64))).astype(np.int64)
    patterns, which = np.unique(bits, return_inverse=True)
    everywhere = np.bincount(which, minlength=len(patterns))
    right = np.bincount(which, weights=np.isin(pairs, true), minlength=len(patterns)).astype(np.int64)
    total = len(np.unique(true))

    def count(members: Sequence[int], weights: NDArray[np.int64]) -> int:
        mask = np.int64(sum(1 << member for member in members))
        return int(weights[(patterns & mask) != 0].sum())

    found: list[JointCoverage] = []
    for size in sizes:
        rows = []
        for members in combinations(range(len(names)), size):
            covered = count(members, right)
            parts = [count(rest, right) for rest in combinations(members, size - 1)]
            if covered == max(parts):
                continue
            rows.append((-covered, count(members, everywhere), members))
        for covered, whole, members in sorted(rows)[:most]:
            alone = max(count((member,), right) for member in members)
            found.append(
                JointCoverage(
                    tuple(names[member] for member in members),
                    whole,
                    -covered,
                    round(-covered / total, 6) if total else None,
                    round(alone / total, 6) if total else None,
                )
            )
    return found
