"""Figures of one collection whose truth is known: what is said without labels, and what is true."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from old_rule import old_recommendation
from without_labels_audits import simulated_audits

from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.lab.estimation.candidates import compare_candidates, draw_candidates
from infostream_dedup.lab.estimation.census import CopyCensus, in_universe
from infostream_dedup.lab.estimation.copy_scores import CopyScores, count_copies
from infostream_dedup.lab.estimation.duplicate_scores import CHECKED_K, LOWEST_K, estimate_duplicates
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator, recommended_k
from infostream_dedup.lab.evaluation.labels import both_of, codes_of
from infostream_dedup.machine.engines import COMPILED_FROM
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from without_labels_sets import TrueSet

    from infostream_dedup.lab.estimation.candidates import ComparedCandidates
    from infostream_dedup.lab.estimation.copy_scores import Links
    from infostream_dedup.lab.estimation.duplicate_scores import DuplicateEstimate
    from infostream_dedup.lab.evaluation.labels import Truth
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.linking import Linked

__all__ = ["STEPS", "drawn_and_compared", "measure"]

STEPS: Final = range(3, 13)
_DECIMALS: Final = 6
_N: Final = 12


def measure(name: str, one: TrueSet, representation: str) -> dict[str, Any]:
    """Count, estimate and audit a set, and look up its truth.

    Args:
        name: of the set.
        one: the set.
        representation: ``stem`` or ``morph``.

    Returns:
        Figures; a list holds one for each of ``STEPS``, ``None`` where it is not defined.
    """
    begin = time.process_time()
    documents = one.documents()
    truth, reader, settings = one.truth(documents), EvidenceReader(), Settings(representation=representation)
    engine = "compiled" if len(documents) >= COMPILED_FROM else "auto"
    collection = collect(documents, evidence=reader, engine=engine)
    census = CopyCensus(collection.documents, reader.finish(collection.languages))
    linked = link(collection.key_terms(settings), settings, k_min=1)
    links, counted, copies, _ = SweepEstimator(collection, census).linked(linked.key_terms, linked.matrix, settings)
    languages = linked.key_terms.counts.languages
    scores = count_copies(links, copies, counted, languages, steps=STEPS)["all"]
    candidates = drawn_and_compared(collection, census, linked, links, languages)
    known = _judged(truth, candidates.a, candidates.b)
    estimate = estimate_duplicates(candidates, steps=STEPS, about=known != 0)

    a, b = np.repeat(np.arange(len(documents)), np.diff(links.indptr)), links.indices.astype(np.int64)
    a, b = a[a < b], b[a < b]
    grades = links.grades_of(a, b)
    inside, series = in_universe(counted.universe, a, b)
    kept = inside & ~series & (grades >= STEPS[0])
    verdicts, grades = _judged(truth, a[kept], b[kept]), grades[kept]
    inside, series = in_universe(counted.universe, *both_of(truth.positives, len(documents)))
    positives = int((inside & ~series).sum())
    right = np.array([((verdicts == 1) & (grades >= k)).sum() for k in STEPS], dtype=np.float64)
    wrong = np.array([((verdicts == -1) & (grades >= k)).sum() for k in STEPS], dtype=np.float64)
    measures = {row.k: row for row in linked.relation().measures()}
    check = estimate.check.as_dict()
    return {
        "set": name,
        "kind": one.kind,
        "representation": representation,
        "documents": len(documents),
        "positives": positives,
        "right_share": round(float((known == 1).sum() / max((known != 0).sum(), 1)), _DECIMALS),
        "true": _pair(_divided(right, right + wrong), _divided(right, np.full(len(right), float(positives)))),
        "counted": _counted(scores),
        "code": estimate.code,
        "check": check,
        "estimated": _estimated(estimate),
        "symmetry": [_rounded(measures[k].symmetry) for k in STEPS],
        "transitivity": [_rounded(measures[k].transitivity) for k in STEPS],
        "k": {
            "recommended": recommended_k(scores, estimate).k,
            "estimated": _greatest([_harmonic(one.precision, one.recall) for one in estimate.scores]),
            "counted": _greatest([one.f1 for one in scores]),
            "old": max(old_recommendation(linked).k or 6, STEPS[0]),
            "hits": _by_hits(candidates.grades),
            "greatest S T": _greatest([_harmonic(measures[k].symmetry, measures[k].transitivity) for k in STEPS]),
        },
        "audits": simulated_audits(linked.matrix, links, copies, census, lambda a, b: _judged(truth, a, b)),
        "cpu_seconds": round(time.process_time() - begin, 1),
    }


def drawn_and_compared(
    collection: Collection, census: CopyCensus, linked: Linked, links: Links, languages: NDArray[np.uint8]
) -> ComparedCandidates:
    """Candidates as a sweep by counts draws and compares them.

    Args:
        collection: the documents.
        census: the pairs that are counted.
        linked: key terms and counts.
        links: the same counts with grades.
        languages: only pairs within one of these are drawn.
    """
    drawn = draw_candidates(
        linked.matrix,
        links,
        facts=census.facts,
        universe=census.counted.universe,
        languages=languages,
        checked_step=CHECKED_K,
    )
    thirty = collection.key_terms_of(linked.settings.but(n=30), drawn.documents(), linked.key_terms)
    return compare_candidates(
        drawn,
        links,
        key_rows(thirty.keys, thirty.targets),
        records=census.records,
        wording=census.wording,
        facts=census.facts,
        checked_step=CHECKED_K,
        lowest_step=LOWEST_K,
    )


def _judged(truth: Truth, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int8]:
    codes = codes_of(a, b, truth.documents)
    order, found = np.argsort(codes, kind="stable"), np.empty(len(codes), dtype=np.int8)
    found[order] = truth.judge(codes[order])
    return found


def _counted(scores: list[CopyScores]) -> dict[str, Any]:
    return {
        "copies": scores[0].copies,
        "precision": [_rounded(one.precision) for one in scores],
        "recall": [_rounded(one.recall) for one in scores],
    }


def _estimated(estimate: DuplicateEstimate) -> dict[str, Any]:
    scores = estimate.scores
    return {
        "precision": [_rounded(one.precision) for one in scores],
        "recall": [_rounded(one.recall) for one in scores],
        "precision_bounds": [one.precision_bounds for one in scores],
        "recall_bounds": [one.recall_bounds for one in scores],
        "model_precision": [_rounded(one.model_precision) for one in scores],
    }


def _pair(precision: NDArray[np.float64], recall: NDArray[np.float64]) -> dict[str, Any]:
    return {
        "precision": [_rounded(one) for one in precision.tolist()],
        "recall": [_rounded(one) for one in recall.tolist()],
    }


def _by_hits(grades: NDArray[np.uint8]) -> int | None:
    """The k of the greatest F1 by a mixture of two binomial distributions of the count in both directions."""
    counts = np.bincount(grades, minlength=_N + 1)[: _N + 1].astype(np.float64)
    if counts.sum() == 0:
        return None
    hits, shares, prior = np.arange(_N + 1), np.array([0.1, 0.8]), 0.1
    right = np.zeros(_N + 1)
    for _ in range(200):
        log = np.log(shares)[:, None] * hits + np.log1p(-shares)[:, None] * (_N - hits)
        odds = np.exp(np.clip(log[0] - log[1] + np.log1p(-prior) - np.log(prior), -500, 500))
        right = 1.0 / (1.0 + odds)
        prior = float(np.clip((counts * right).sum() / counts.sum(), 1e-9, 1 - 1e-9))
        means = [(counts * part * hits).sum() / max((counts * part).sum(), 1e-9) / _N for part in (1.0 - right, right)]
        shares = np.clip(means, 1e-6, 1 - 1e-6)
    expected = (counts * right)[::-1].cumsum()[::-1]
    links = counts[::-1].cumsum()[::-1]
    return _greatest([_harmonic(expected[k] / max(links[k], 1.0), expected[k] / max(expected[0], 1e-9)) for k in STEPS])


def _divided(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.full(len(part), np.nan, dtype=np.float64)
    np.divide(part, whole, out=found, where=whole > 0)
    return found


def _harmonic(one: float | None, other: float | None) -> float:
    return 2.0 * one * other / (one + other) if one and other else 0.0


def _greatest(values: list[float]) -> int | None:
    """The k of the greatest value, the least such k; ``None`` without values."""
    return STEPS[int(np.argmax(values))] if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else round(value, _DECIMALS)
