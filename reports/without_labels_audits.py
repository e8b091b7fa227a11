"""Audits of a collection whose labels are the judge: how far off their figures are, and how often intervals hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.lab.estimation.audit import AuditedPairs, audit_scores, audited_pairs, pairs_to_judge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.lab.estimation.census import Copies, CopyCensus
    from infostream_dedup.lab.estimation.copy_scores import Links
    from infostream_dedup.links import SimilarityMatrix

__all__ = ["AUDITED_K", "AUDITS", "JUDGEMENTS", "simulated_audits"]

AUDITED_K: Final = 6
AUDITS: Final = 200
JUDGEMENTS: Final = 100

_FIGURES: Final = ("precision", "recall")


def simulated_audits(
    matrix: SimilarityMatrix,
    links: Links,
    copies: Copies,
    census: CopyCensus,
    judge: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int8]],
) -> dict[str, Any]:
    """Audit a collection again and again, each time by other pairs; pairs that no label judges are left out.

    Args:
        matrix: counts of three key terms and more.
        links: the same with grades.
        copies: the copies that are counted.
        census: the pairs that are counted, and their wording.
        judge: 1 for right pairs, -1 for wrong ones, 0 where nothing is known.

    Returns:
        Of precision and recall the truth, the mean error, the share of intervals that hold the truth, and the mean
        width of these; ``None`` where there is no truth.
    """
    population = audited_pairs(
        matrix, links, copies, wording=census.wording, universe=census.counted.universe, step=AUDITED_K
    )
    verdicts = judge(population.a, population.b)
    population, right = _part(population, verdicts != 0), verdicts[verdicts != 0] == 1
    weights, linked = population.weights, population.linked
    found: dict[str, Any] = {"pairs": round(float(weights.sum())), "right": round(float(weights[right].sum()))}
    wholes = {"precision": float(weights[linked].sum()), "recall": float(weights[right].sum())}
    truth = {name: float(weights[linked & right].sum()) / whole for name, whole in wholes.items() if whole}
    audits = []
    for draw in range(AUDITS if truth else 0):
        rows = pairs_to_judge(population, JUDGEMENTS, draw=draw)
        audits.append(audit_scores(population, rows, right[rows]))
    for name in _FIGURES:
        figures = [(getattr(one, name), getattr(one, f"{name}_bounds")) for one in audits]
        found[name] = None if name not in truth else _judged(truth[name], figures)
    return found


def _judged(true: float, figures: list[tuple[float | None, tuple[float, float] | None]]) -> dict[str, float]:
    """Error, coverage and width; an audit that gives no figure errs as far as can be and covers."""
    errors = [max(true, 1.0 - true) if value is None else abs(value - true) for value, _ in figures]
    bounds = [(0.0, 1.0) if one is None else one for _, one in figures]
    return {
        "true": round(true, 6),
        "error": round(float(np.mean(errors)), 6),
        "covered": round(float(np.mean([low - 1e-9 <= true <= high + 1e-9 for low, high in bounds])), 6),
        "width": round(float(np.mean([high - low for low, high in bounds])), 6),
    }


def _part(population: AuditedPairs, kept: NDArray[np.bool_]) -> AuditedPairs:
    return AuditedPairs(**{name: getattr(population, name)[kept] for name in AuditedPairs.__slots__})
