"""Pairs that a method predicts at every step of its threshold at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.lab.evaluation.pair_codes import codes_of
from infostream_dedup.links.pair_rules import count_grades, pair_grades, share_grades

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["Predictions", "predicted_by_count", "predicted_by_share", "predicted_pairs"]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Unordered pairs, each with the strictest threshold at which it is predicted.

    Attributes:
        codes: int64 (pairs,), ascending distinct codes (``pair_codes.codes_of``).
        grades: uint8 (pairs,), g if the pair is predicted at the first g steps; 0 if at none.
        steps: ascending values of the threshold.
        step_name: name of the threshold, ``k`` or ``threshold``.
    """

    codes: NDArray[np.int64]
    grades: NDArray[np.uint8]
    steps: tuple[float, ...]
    step_name: str


def predicted_by_count(
    counts: sp.csr_array, sizes: NDArray[np.int64], *, n: int, rule: str = "both", short: str = "scaled"
) -> Predictions:
    """Return the pairs linked at k = 1..n.

    Args:
        counts: uint8 (documents, documents), number of the row document's key terms found in the column document. If
            counts below some k_min were left out, their pairs are missed at smaller k, and at every k for which a
            short document needs fewer terms.
        sizes: int64 (documents,), number of key terms of each document.
        n: number of key terms of a full document, 1 to 255.
        rule: ``both`` directions or ``either``.
        short: see ``relations.need``.
    """
    grades = pair_grades(count_grades(counts, sizes, n=n, short=short), rule)
    return _make_predictions(grades, tuple(range(1, n + 1)), "k")


def predicted_by_share(
    counts: sp.csr_array,
    matched: sp.csr_array,
    own_weights: NDArray[np.int64],
    *,
    thresholds: Sequence[float],
    min_terms: int = 3,
    rule: str = "both",
) -> Predictions:
    """Return the pairs linked at each threshold of the share of matched weight.

    Args:
        counts: uint8 (documents, documents), number of the row document's key terms found in the column document.
        matched: int64 (documents, documents) with the same pattern, matched weight in units of 1e-9.
        own_weights: int64 (documents,), total weight of each document's key terms, in the same units.
        thresholds: ascending, each greater than 0 and at most 1; at most 255 of them.
        min_terms: number of key terms that must also be found.
        rule: ``both`` directions or ``either``.
    """
    grades = share_grades(counts, matched, own_weights, thresholds=thresholds, min_terms=min_terms)
    return _make_predictions(pair_grades(grades, rule), tuple(thresholds), "threshold")


def predicted_pairs(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> Predictions:
    """Return the pairs of a method without a threshold, as a single step k = 1.

    Args:
        a: int64 (pairs,), ordinals of one document of each pair.
        b: int64 (pairs,), ordinals of the other document. Pairs may be in any order, reversed or repeated.
        documents: number of documents.
    """
    codes = np.unique(codes_of(a, b, documents))
    return Predictions(codes, np.ones(len(codes), dtype=np.uint8), (1,), "k")


def _make_predictions(grades: sp.csr_array, steps: tuple[float, ...], step_name: str) -> Predictions:
    documents = grades.shape[0]
    rows = np.repeat(np.arange(documents, dtype=np.int64), np.diff(grades.indptr))
    return Predictions(rows * documents + grades.indices, grades.data, steps, step_name)
