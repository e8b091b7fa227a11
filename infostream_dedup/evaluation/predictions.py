"""Pairs that a method predicts, at every step of its threshold at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.evaluation.pair_codes import codes_of
from infostream_dedup.links.pair_rules import count_grades, pair_grades, share_grades

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["Predictions", "predicted_by_count", "predicted_by_share", "predicted_pairs"]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Unordered pairs and how strict a threshold each survives.

    Attributes:
        codes: int64 (pairs,), ascending, no pair twice (``pair_codes.codes_of``).
        grades: uint8 (pairs,): g says that the pair is predicted at the first g steps; 0 at none.
        steps: ascending values of the threshold.
        step_name: what the steps are: ``k`` or ``threshold``.
    """

    codes: NDArray[np.int64]
    grades: NDArray[np.uint8]
    steps: tuple[float, ...]
    step_name: str


def predicted_by_count(
    counts: sp.csr_array, sizes: NDArray[np.int64], *, n: int, rule: str = "both", short: str = "scaled"
) -> Predictions:
    """Pairs linked at k = 1..n.

    Args:
        counts: uint8 (documents, documents), row asks, column answers. Counts left out below some k_min are missed at
            smaller k, and at every k where a short document needs fewer.
        sizes: int64 (documents,), key terms of each document.
        n: key terms of a full document, 1 to 255.
        rule: ``both`` directions or ``either``.
        short: see ``relations.need``.
    """
    grades = pair_grades(count_grades(counts, sizes, n=n, short=short), rule)
    return _predictions(grades, tuple(range(1, n + 1)), "k")


def predicted_by_share(
    counts: sp.csr_array,
    matched: sp.csr_array,
    own_weights: NDArray[np.int64],
    *,
    thresholds: Sequence[float],
    min_terms: int = 3,
    rule: str = "both",
) -> Predictions:
    """Pairs linked at each threshold of the share of matched weight.

    Args:
        counts: uint8 (documents, documents), row asks, column answers.
        matched: int64 of the same pattern, matched weight in units of 1e-9.
        own_weights: int64 (documents,), weight of all key terms of a document.
        thresholds: ascending, each above 0 to 1; at most 255.
        min_terms: terms that must meet besides.
        rule: ``both`` directions or ``either``.
    """
    grades = share_grades(counts, matched, own_weights, thresholds=thresholds, min_terms=min_terms)
    return _predictions(pair_grades(grades, rule), tuple(thresholds), "threshold")


def predicted_pairs(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> Predictions:
    """Pairs of a method without a threshold: one step, k = 1.

    Args:
        a: int64 (pairs,), ordinals.
        b: int64 (pairs,), ordinals; the order within a pair, the order of pairs and repetitions do not matter.
        documents: size of the collection.
    """
    codes = np.unique(codes_of(a, b, documents))
    return Predictions(codes, np.ones(len(codes), dtype=np.uint8), (1,), "k")


def _predictions(grades: sp.csr_array, steps: tuple[float, ...], step_name: str) -> Predictions:
    documents = grades.shape[0]
    rows = np.repeat(np.arange(documents, dtype=np.int64), np.diff(grades.indptr))
    return Predictions(rows * documents + grades.indices, grades.data, steps, step_name)
