"""The columns of a sweep that say how good its links are, without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.batch.judging import facts_of_documents
from infostream_dedup.batch.sweeping import SHARE_THRESHOLDS, LinkEstimate
from infostream_dedup.estimation.census import COPY_WORDING, Copies, find_all_copies
from infostream_dedup.estimation.copy_scores import BANDS, CopyScores, Links, count_copies
from infostream_dedup.estimation.universe import CountedPairs, counted_pairs
from infostream_dedup.links.pair_rules import count_grades, share_grades

if TYPE_CHECKING:
    from infostream_dedup.batch.collection import Collection
    from infostream_dedup.batch.evidence_reader import DocumentEvidence
    from infostream_dedup.evidence.facts import DocumentFacts
    from infostream_dedup.links import SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.key_terms import KeyTerms

__all__ = ["COLUMNS", "SweepEstimator"]

COLUMNS: Final = (
    "copies",
    *("copy_precision", "copy_precision_low", "copy_precision_high"),
    *("copy_recall", "copy_recall_low", "copy_recall_high"),
)
"""Columns that a sweep gets."""

_DECIMALS: Final = 6
_LEAST_NEED: Final = 3
"""Fewest key terms that any pair needs: links of fewer terms are not missed."""


class SweepEstimator:
    """Counts the copies among the links of a collection.

    The census is taken once, for all representations.

    Args:
        collection: read with text hashes.
        evidence: of its documents.
    """

    def __init__(self, collection: Collection, evidence: DocumentEvidence) -> None:
        self._collection = collection
        self._evidence = evidence
        self._copies: Copies | None = None

    @cached_property
    def facts(self) -> DocumentFacts:
        """Sources, dates and texts of the documents."""
        return facts_of_documents(self._collection)

    @cached_property
    def counted(self) -> CountedPairs:
        """The pairs that are counted."""
        return counted_pairs(self.facts, self._evidence.records)

    def copies(self, progress: Progress | None = None) -> Copies:
        """The census of copies."""
        if self._copies is None:
            self._copies = find_all_copies(self._evidence.triples, self.counted.universe, progress=progress)
        return self._copies

    def estimate(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix | None,
        settings: Settings,
        blocks: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> LinkEstimate:
        """As ``LinkEstimator.estimate``."""
        absent = dict.fromkeys(COLUMNS)
        if matrix is None:
            note = f"{settings.representation}: copies are not counted among links of large clusters of equal documents"
            return LinkEstimate({}, absent, {}, {}, [note])
        counted, copies, few = _of_key_terms(self.counted, self.copies(progress), key_terms, matrix, settings)
        links = Links.of(_grades(key_terms, matrix, settings))
        shares = settings.score == "share"
        steps = range(1, len(SHARE_THRESHOLDS) + 1) if shares else range(matrix.k_min, settings.n + 1)
        scores = count_copies(links, copies, counted, key_terms.counts.languages, steps=steps)
        columns = {(block, one.step): _columns(one) for block in blocks for one in scores[block]}
        summary = {"universe": {**counted.as_dict(), "few_terms": few}, "copies": _summary(scores["all"], copies)}
        return LinkEstimate(columns, absent, {}, summary, [])


def _grades(key_terms: KeyTerms, matrix: SimilarityMatrix, settings: Settings) -> Any:
    if settings.score == "share" and matrix.matched is not None:
        return share_grades(
            matrix.counts,
            matrix.matched,
            key_terms.own_weights,
            thresholds=SHARE_THRESHOLDS,
            min_terms=settings.min_terms,
        )
    return count_grades(matrix.counts, key_terms.sizes, n=settings.n, short=settings.short)


def _of_key_terms(
    counted: CountedPairs, copies: Copies, key_terms: KeyTerms, matrix: SimilarityMatrix, settings: Settings
) -> tuple[CountedPairs, Copies, int]:
    """Universe and copies without documents whose links are not all stored, and how many documents these are.

    Documents of fewer than n key terms need fewer to be linked, which a matrix may not hold.
    """
    if settings.score == "share" or settings.short == "strict" or matrix.k_min <= _LEAST_NEED:
        return counted, copies, 0
    whole = key_terms.sizes >= settings.n
    few = int((counted.universe.counted & ~whole).sum())
    kept = whole[copies.a] & whole[copies.b]
    part = replace(
        copies,
        a=copies.a[kept],
        b=copies.b[kept],
        wording=copies.wording[kept],
    )
    universe = counted.universe._replace(counted=np.asarray(counted.universe.counted & whole))
    return replace(counted, universe=universe), part, few


def _columns(scores: CopyScores) -> dict[str, Any]:
    values: list[float | None] = [scores.copies]
    for share, bounds in ((scores.precision, scores.precision_bounds), (scores.recall, scores.recall_bounds)):
        low, high = bounds or (None, None)
        values += [None if one is None else round(one, _DECIMALS) for one in (share, low, high)]
    return dict(zip(COLUMNS, values, strict=True))


def _summary(scores: Sequence[CopyScores], copies: Copies) -> Mapping[str, Any]:
    return {
        "wording": COPY_WORDING,
        "pairs": copies.total,
        "sampled": copies.sampled,
        "series": copies.series,
        "steps": [
            {
                "step": one.step,
                "links": one.links,
                "linked_copies": one.linked_copies,
                "recall_by_wording": {
                    f"{low}-{high}": None if value is None else round(value, _DECIMALS)
                    for (low, high), value in zip(BANDS, one.bands, strict=True)
                },
                "series_links": one.series_links,
                "series_copies": one.series_copies,
            }
            for one in scores
        ],
    }
