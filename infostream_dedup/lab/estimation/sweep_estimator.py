"""Computes the columns of a sweep that show, without labels, how good its links are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.lab.estimation.candidates import compare_candidates, draw_candidates
from infostream_dedup.lab.estimation.census import COPY_WORDING, Copies
from infostream_dedup.lab.estimation.copy_scores import BANDS, CopyScores, Links, count_copies
from infostream_dedup.lab.estimation.duplicate_scores import LOWEST_K, DuplicateEstimate, estimate_duplicates
from infostream_dedup.lab.estimation.fit_check import CHECKED_K
from infostream_dedup.lab.estimation.recommending import recommended_k
from infostream_dedup.lab.estimation.sentences import said
from infostream_dedup.lab.estimation.universe import CountedPairs
from infostream_dedup.links.pair_rules import count_grades, share_grades
from infostream_dedup.machine.memory import give_back_memory
from infostream_dedup.runs.batch.link_estimate import LinkEstimate
from infostream_dedup.runs.batch.linking import SHARE_THRESHOLDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.lab.estimation.copy_census import CopyCensus
    from infostream_dedup.links import Recommendation, SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import Weighable
    from infostream_dedup.runs.batch.linking import Linked
    from infostream_dedup.terms.key_terms import KeyTerms

__all__ = ["COLUMNS", "SweepEstimator", "copy_columns"]

COLUMNS: Final = (
    "copies",
    *("copy_precision", "copy_precision_low", "copy_precision_high"),
    *("copy_recall", "copy_recall_low", "copy_recall_high"),
    *("precision", "recall", "f1", "precision_low", "precision_high", "recall_low", "recall_high"),
    *("reliable", "reliable_code"),
)
"""Columns added to a sweep."""

_DECIMALS: Final = 6
_KEY_TERMS: Final = 30
_CHECKED_SHARE: Final = SHARE_THRESHOLDS.index(0.4) + 1
"""Step of the share score at which links are checked."""
_LEAST_NEED: Final = 3
"""Minimum number of key terms that any pair needs; there are no links with fewer."""


class SweepEstimator:
    """Counts the copies among the links of a collection, and estimates the duplicates if possible.

    The census of copies is taken once, for all representations.

    Args:
        collection: the documents.
        census: the copies among them.
    """

    def __init__(self, collection: Weighable, census: CopyCensus) -> None:
        self._collection = collection
        self._census = census

    def linked(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix,
        settings: Settings,
        *,
        progress: Progress | None = None,
    ) -> tuple[Links, CountedPairs, Copies, int]:
        """Links with grades; universe and copies of documents whose links are all stored; number of other documents."""
        counted, copies, few = _of_key_terms(
            self._census.counted, self._census.copies(progress), key_terms, matrix, settings
        )
        return Links.of(_grades(key_terms, matrix, settings)), counted, copies, few

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
        absent = dict.fromkeys(COLUMNS) | {"reliable": False, "reliable_code": "refused"}
        if matrix is None:
            note = f"{settings.representation}: copies are not counted among links of large clusters of equal documents"
            return LinkEstimate(
                {}, absent, {name: recommended_k([], None, n=settings.n) for name in blocks}, {}, [note]
            )
        links, counted, copies, few = self.linked(key_terms, matrix, settings, progress=progress)
        shares = settings.score == "share"
        steps = range(1, len(SHARE_THRESHOLDS) + 1) if shares else range(matrix.k_min, settings.n + 1)
        scores = count_copies(links, copies, counted, key_terms.counts.languages, steps=steps)
        known = "mono" if "mono" in blocks else "all"
        estimate = self._duplicates(key_terms, matrix, links, settings, counted, steps)
        columns: dict[tuple[str, int], dict[str, Any]] = {}
        recommended: dict[str, Recommendation] = {}
        for block in blocks:
            estimated = estimate if block == known else None
            for place, one in enumerate(scores[block]):
                columns[block, one.step] = copy_columns(one) | _duplicate_columns(estimated, place)
            if not shares:
                # A link between languages is never a copy, however right it is, so links inside languages decide.
                inside = known if block == "all" else block
                chooses = estimate if inside == known else None
                recommended[block] = recommended_k(scores[inside], chooses, n=settings.n)
        summary = {
            "universe": {**counted.as_dict(), "few_terms": few},
            "copies": _summary(scores["all"], copies),
            "duplicates": _duplicate_summary(estimate, known),
        }
        notes = [] if shares else said(settings.representation, counted, scores, estimate, known, recommended)
        return LinkEstimate(columns, absent, recommended, summary, notes)

    def forget(self) -> None:
        """As ``LinkEstimator.forget``."""
        del self._census
        give_back_memory()

    def recommendation(
        self, linked: Linked, documents: NDArray[np.int64] | None = None, *, cross: bool = False
    ) -> Recommendation:
        """As ``KChooser.recommendation``."""
        census = self._census if documents is None else self._census.part(documents)
        part = SweepEstimator(self._collection, census)
        languages = linked.key_terms.counts.languages
        several = len(np.unique(languages if documents is None else languages[documents])) > 1
        apart = several and (cross or linked.key_terms.pivot is not None)
        blocks = ("all", "mono", "cross") if apart else ("all",)
        found = part.estimate(linked.key_terms, linked.matrix, linked.settings, blocks)
        return found.recommended["cross" if cross and apart else "all"]

    def _duplicates(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix,
        links: Links,
        settings: Settings,
        counted: CountedPairs,
        steps: Sequence[int],
    ) -> DuplicateEstimate:
        checked_step = _CHECKED_SHARE if settings.score == "share" else min(CHECKED_K, settings.n)
        drawn = draw_candidates(
            matrix,
            links,
            facts=self._census.facts,
            universe=counted.universe,
            languages=key_terms.counts.languages,
            checked_step=checked_step,
        )
        thirty = self._collection.key_terms_of(settings.but(n=_KEY_TERMS), drawn.documents(), key_terms)
        candidates = compare_candidates(
            drawn,
            links,
            key_rows(thirty.keys, thirty.targets),
            records=self._census.records,
            wording=self._census.wording,
            facts=self._census.facts,
            checked_step=checked_step,
            lowest_step=1 if settings.score == "share" else LOWEST_K,
        )
        return estimate_duplicates(candidates, steps=steps)


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
    """Universe and copies without documents whose links are not all stored, and the number of these documents.

    Documents with fewer than n key terms need fewer matches for a link; a matrix may not store these.
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


def copy_columns(scores: CopyScores) -> dict[str, Any]:
    """The columns ``copies`` to ``copy_recall_high`` of one step."""
    found: dict[str, Any] = {"copies": scores.copies}
    for name, share, bounds in (
        ("copy_precision", scores.precision, scores.precision_bounds),
        ("copy_recall", scores.recall, scores.recall_bounds),
    ):
        low, high = bounds or (None, None)
        found |= {name: _rounded(share), f"{name}_low": _rounded(low), f"{name}_high": _rounded(high)}
    return found


def _duplicate_columns(estimate: DuplicateEstimate | None, place: int) -> dict[str, Any]:
    """Columns of the estimate at a step, given its index; for a block without an estimate, the columns of a refusal."""
    found: dict[str, Any] = dict.fromkeys(COLUMNS[COLUMNS.index("precision") :])
    code = "refused" if estimate is None else estimate.code
    found |= {"reliable": code == "reliable", "reliable_code": code}
    if estimate is None or code == "refused":
        return found
    scores = estimate.scores[place]
    if scores.step < estimate.lowest_step:
        # Pairs with fewer common terms are not candidates.
        return found | {"reliable": False, "reliable_code": "refused"}
    if code == "upper_bound":
        return found | {"precision_high": _rounded(scores.model_precision)}
    precision, recall = scores.precision_bounds or (None, None), scores.recall_bounds or (None, None)
    return found | {
        "precision": _rounded(scores.precision),
        "recall": _rounded(scores.recall),
        "f1": None if scores.precision is None else _rounded(scores.f1),
        "precision_low": _rounded(precision[0]),
        "precision_high": _rounded(precision[1]),
        "recall_low": _rounded(recall[0]),
        "recall_high": _rounded(recall[1]),
    }


def _duplicate_summary(estimate: DuplicateEstimate, block: str) -> Mapping[str, Any]:
    """Verdict of the check, and the two classes."""
    fit = None if estimate.fit is None else estimate.fit.as_dict()
    return {"block": block, "reliable_code": estimate.code, "check": estimate.check.as_dict(), "classes": fit}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DECIMALS)


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
                    f"{low}-{high}": _rounded(value) for (low, high), value in zip(BANDS, one.bands, strict=True)
                },
                "series_links": one.series_links,
                "series_copies": one.series_copies,
            }
            for one in scores
        ],
    }
