"""Audit links without labels: draw pairs to judge, and estimate precision and recall from the judgements."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.lab.census import (
    COPY_WORDING,
    Copies,
    CopyCensus,
    DrawnPairs,
    SharedWording,
    hash_of_pairs,
    in_universe,
)
from infostream_dedup.lab.copy_scores import Bounds, Links
from infostream_dedup.lab.duplicate_scores import CANDIDATE_COUNT
from infostream_dedup.lab.kernels import Universe
from infostream_dedup.lab.sweep_estimator import SweepEstimator, figures_of
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, at_least
from infostream_dedup.machine.arrays import AlignedColumns, Bools, Floats, Ints
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.linking import LinkedPairs, LinkEstimate, link

_CUTS: Final = (0.02, 0.08, 0.15, 0.25, 0.4, 0.65)
_BANDS: Final = len(_CUTS) + 1
_GUESSES: Final = np.array([0.002, 0.01, 0.05, 0.3, 0.7, 0.95, 0.98, 0.1, 0.1, 0.2, 0.4, 0.7, 0.95, 0.98])
"""Guessed share of right pairs in each band of wording, for unlinked and for linked pairs; used to allocate judgements.
Links with little common wording are often right: the story is retold in other words."""

STRATA: Final = 2 * _BANDS
_LEAST: Final = 2
_NOTHING: Final = 0.01
_FACTOR: Final = 5.0
_FLOOR: Final = 0.1
_MOST_WEIGHT: Final = 0.5
"""Prior weight for right pairs that were not judged, in judgements: five times the guess, at least a tenth and at most
half (Jeffreys); half if at least a tenth of the stratum was judged. Likewise for wrong pairs."""
_MUCH: Final = 0.1
_DRAWS: Final = 4_000
_SEED: Final = 19_340_101
_ENDS: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedPairs(AlignedColumns):
    """Pairs that an audit covers, or a sample of them."""

    a: Ints  # int64 (pairs,), ordinals
    b: Ints  # int64 (pairs,), ordinals
    linked: Bools  # bool (pairs,), linked both ways
    wording: Floats  # float64 (pairs,), the larger direction, 0 to 1
    weights: Floats  # float64 (pairs,), number of pairs that each represents, at least 1

    @property
    def strata(self) -> Ints:
        """int64 (pairs,): band of wording, plus the number of bands if the pair is linked."""
        return np.searchsorted(_CUTS, self.wording, side="right") + _BANDS * self.linked

    @property
    def sizes(self) -> Floats:
        """float64 (STRATA,): pairs in each stratum."""
        return np.bincount(self.strata, self.weights, minlength=STRATA).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditScores:
    """Results of an audit."""

    judged: int  # number of judged pairs
    right: int  # number of judged pairs that are right
    precision: float | None  # share of the links that are right; `None` if there are no links
    recall: float | None  # share of the right pairs that are linked; `None` if no pair is right
    precision_bounds: Bounds | None  # 95 % interval
    recall_bounds: Bounds | None  # 95 % interval
    unjudged: int  # number of strata that have pairs but no judgements, for which the guess is used


def shared_out(sizes: Floats, rows: Ints, pairs: int) -> Ints:
    """Allocate judgements to strata: int64 (STRATA,), pairs to judge in each."""
    spread = sizes * np.sqrt(_GUESSES * (1.0 - _GUESSES))
    given = np.minimum(rows, _LEAST if pairs >= _LEAST * int((rows > 0).sum()) else 0)
    for _ in range(pairs - int(given.sum())):
        # One more judgement goes where it lowers the variance most.
        gain = np.where(given < rows, spread / np.sqrt(np.maximum(given, 0.5) * (given + 1.0)), -1.0)
        best = int(np.argmax(gain))
        if gain[best] < 0.0:
            break
        given[best] += 1
    return given


def pairs_to_judge(population: AuditedPairs, pairs: int, *, draw: int = 0) -> Ints:
    """Draw rows of the population to judge, in an order that reveals nothing about them."""
    strata = population.strata
    given = shared_out(population.sizes, np.bincount(strata, minlength=STRATA), pairs)
    shuffled = np.argsort(hash_of_pairs(population.a, population.b, seed=draw + 1), kind="stable")
    chosen = [shuffled[strata[shuffled] == stratum][: given[stratum]] for stratum in range(STRATA)]
    kept = np.zeros(len(population), dtype=np.bool_)
    kept[np.concatenate(chosen)] = True
    return shuffled[kept[shuffled]]


def audit_scores(population: AuditedPairs, rows: Ints, right: Bools) -> AuditScores:
    """Estimate precision and recall from judgements."""
    sizes, strata = population.sizes, population.strata[rows]
    weights = population.weights[rows]
    judged = np.bincount(strata, minlength=STRATA).astype(np.float64)
    weight = np.bincount(strata, weights, minlength=STRATA)
    hits = np.bincount(strata, weights * right, minlength=STRATA)
    shares = np.divide(hits, weight, out=_GUESSES.copy(), where=weight > 0)
    fewer, more = _drawn_shares(judged, shares, sizes, np.maximum(sizes - weight, 0.0))
    precision, recall = _scores(sizes, shares)
    in_links = np.arange(STRATA) >= _BANDS
    low, low_recall = _scores(sizes, np.where(in_links, fewer, more))
    high, high_recall = _scores(sizes, np.where(in_links, more, fewer))
    return AuditScores(
        judged=len(rows),
        right=int(right.sum()),
        precision=_known(precision),
        recall=_known(recall),
        precision_bounds=_bounds(low, high, precision),
        recall_bounds=_bounds(low_recall, high_recall, recall),
        unjudged=int(((sizes > 0) & (judged == 0)).sum()),
    )


def _scores(sizes: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Precision and recall for given shares: float64 (STRATA,), or (draws, STRATA)."""
    right = sizes * shares
    linked, links = right[..., _BANDS:].sum(axis=-1), sizes[_BANDS:].sum()
    every = right.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(linked / links), np.asarray(linked / every)


def _known(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)


def _bounds(low: Floats, high: Floats, value: Floats) -> Bounds | None:
    if np.isnan(value):
        return None
    lowest, highest = np.nanquantile(low, _ENDS[0]), np.nanquantile(high, _ENDS[1])
    return min(float(lowest), float(value)), max(float(highest), float(value))


def _drawn_shares(judged: Floats, shares: Floats, sizes: Floats, unjudged: Floats) -> tuple[Floats, Floats]:
    """Draw shares of right pairs, with the fewest and the most among unjudged pairs: float64 (draws, STRATA) each."""
    random = np.random.default_rng(_SEED)
    known = judged > 0
    right, wrong = judged * shares * known, judged * (1.0 - shares) * known
    seen = np.divide(sizes - unjudged, sizes, out=np.ones_like(sizes), where=sizes > 0)
    floor = np.clip(_MOST_WEIGHT * seen / _MUCH, _FLOOR, _MOST_WEIGHT)
    could_be_right, could_be_wrong = (np.clip(_FACTOR * one, floor, _MOST_WEIGHT) for one in (_GUESSES, 1.0 - _GUESSES))
    rest = np.divide(unjudged, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    pairs = np.rint(unjudged).astype(np.int64)
    found = []
    for alpha, beta in ((right + _NOTHING, wrong + could_be_wrong), (right + could_be_right, wrong + _NOTHING)):
        drawn = random.binomial(pairs, random.beta(alpha, beta, size=(_DRAWS, STRATA))) / np.maximum(pairs, 1)
        found.append(rest * drawn + (1.0 - rest) * shares)
    return found[0], found[1]


_MOST_DRAWN: Final = 100_000  # maximum number of linked candidates, and of unlinked ones
_WORDING: Final = [COLUMNS.index("wording_forward"), COLUMNS.index("wording_backward")]


def audited_pairs(
    matrix: SimilarityMatrix, links: Links, copies: Copies, *, wording: SharedWording, universe: Universe, step: int
) -> AuditedPairs:
    """Pairs with three matching key terms in either direction, and copies, in the universe and without series."""
    drawn = DrawnPairs(_MOST_DRAWN), DrawnPairs(_MOST_DRAWN)
    pairs = LinkedPairs(at_least(matrix.counts, CANDIDATE_COUNT))
    for block in pairs.blocks:
        a, b, _, _ = pairs.of(block)
        inside, series = in_universe(universe, a, b)
        a, b = a[inside & ~series], b[inside & ~series]
        linked = links.grades_of(a, b) >= step
        for part, group in ((~linked, drawn[0]), (linked, drawn[1])):
            group.add(a[part], b[part])
    parts = [_candidates(group, wording, linked) for linked, group in ((False, drawn[0]), (True, drawn[1]))]
    _, series = in_universe(universe, copies.a, copies.b)
    a, b = copies.a[~series], copies.b[~series]
    parts.append(
        AuditedPairs(
            a=a,
            b=b,
            linked=links.grades_of(a, b) >= step,
            wording=copies.wording[~series],
            weights=np.full(len(a), float(copies.sampled)),
        )
    )
    return AuditedPairs.concatenated(parts)


def _candidates(group: DrawnPairs, shared: SharedWording, linked: bool) -> AuditedPairs:
    """Candidates with less common wording than a copy; copies come from the census."""
    a, b = group.pairs()
    evidence = np.zeros((len(a), len(COLUMNS)), dtype=np.float64)
    shared.fill_in(a, b, evidence)
    wording = evidence[:, _WORDING].max(axis=1, initial=0.0)
    weights = np.full(len(a), group.total / max(len(a), 1))
    every = AuditedPairs(a=a, b=b, linked=np.full(len(a), linked), wording=wording, weights=weights)
    return every.at(wording < COPY_WORDING)


ASKED_COLUMNS = (
    *("a", "b", "label", "wording", "title_a", "title_b"),
    *("text_a", "text_b", "url_a", "url_b", "audit"),
)
AUDIT_COLUMNS = (
    *("source", "k", "pairs", "precision", "precision_low", "precision_high"),
    *("recall", "recall_low", "recall_high", "note"),
)


@dataclass(frozen=True, slots=True)
class AuditedCollection:
    """A collection with the pairs that an audit covers."""

    collection: Collection  # the documents
    population: AuditedPairs  # the pairs
    estimate: LinkEstimate  # estimate made without judgements
    k: int  # threshold at which pairs are linked

    @classmethod
    def of(
        cls,
        collection: Collection,
        evidence: DocumentEvidence,
        settings: Settings,
        *,
        k: int,
        progress: Progress | None = None,
    ) -> AuditedCollection:
        """Link a collection and find the pairs."""
        if settings.n < CANDIDATE_COUNT:
            raise UsageError(f"audit needs at least {CANDIDATE_COUNT} key terms; n is {settings.n} (--n)")
        if settings.score != "count" or not CANDIDATE_COUNT <= k <= settings.n:
            raise UsageError(
                f"audit needs the count score and k from {CANDIDATE_COUNT} to {settings.n}; got score "
                f"{settings.score} and k = {k}"
            )
        key_terms = collection.key_terms(settings)
        matrix = link(key_terms, settings, k_min=CANDIDATE_COUNT).matrix
        census = CopyCensus(collection.documents, evidence)
        estimator = SweepEstimator(collection, census)
        links, counted, copies, _ = estimator.linked(key_terms, matrix, settings, progress=progress)
        population = audited_pairs(matrix, links, copies, wording=census.wording, universe=counted.universe, step=k)
        estimate = estimator.estimate(key_terms, matrix, settings, ("all",), progress=progress)
        return cls(collection, population, estimate, k)

    @property
    def mark(self) -> str:
        """The pairs and their strata as 12 hexadecimal digits: other documents or settings have another mark."""
        population = self.population
        rows = np.stack([population.a, population.b, population.strata]).astype("<i8")
        return hashlib.sha256(rows.tobytes()).hexdigest()[:12]

    def ask(self, pairs: int) -> list[dict[str, Any]]:
        """Return rows to judge, in an order that reveals nothing about them; ``label`` is empty, texts are missing."""
        population, documents = self.population, self.collection.documents
        rows, mark = [], self.mark
        for row in pairs_to_judge(population, pairs).tolist():
            one, other = documents[int(population.a[row])], documents[int(population.b[row])]
            wording = round(float(population.wording[row]), SHOWN_DECIMALS)
            asked: dict[str, Any] = {"a": one.id, "b": other.id, "wording": wording, "audit": mark}
            asked |= {"title_a": one.title, "title_b": other.title, "url_a": one.url, "url_b": other.url}
            rows.append(dict.fromkeys(ASKED_COLUMNS) | asked)
        return rows

    def judged(
        self, labels: Mapping[tuple[str, str], bool], source: str, doubt: str = ""
    ) -> tuple[list[dict[str, Any]], int]:
        """Return count, estimate and judgements side by side, and how many judged pairs the audit does not cover."""
        places = {one.id: number for number, one in enumerate(self.collection.documents)}
        wanted = {
            tuple(sorted((places[a], places[b]))): right
            for (a, b), right in labels.items()
            if a in places and b in places
        }
        pairs = zip(self.population.a.tolist(), self.population.b.tolist(), strict=True)
        found = [(row, wanted[pair]) for row, pair in enumerate(pairs) if pair in wanted]
        if not found:
            raise BadDataError(
                f"none of its {len(labels)} judged pairs is among the {len(self.population)} that an audit of these "
                "documents covers; give the documents and settings with which the pairs were chosen",
                code="E_NOT_ASKED",
                source=source,
            )
        rows = np.array([row for row, _ in found], dtype=np.int64)
        scores = audit_scores(self.population, rows, np.array([right for _, right in found], dtype=np.bool_))
        guessed = f"strata without a judgement: {scores.unjudged}; their shares are guessed" if scores.unjudged else ""
        note = "; ".join(filter(None, [doubt, guessed]))
        audited = {
            "source": "audited",
            "k": self.k,
            "pairs": scores.judged,
            **figures_of("precision", scores.precision, scores.precision_bounds),
            **figures_of("recall", scores.recall, scores.recall_bounds),
            "note": note,
        }
        return [self._counted(), self._estimated(), audited], len(labels) - len(found)

    def _counted(self) -> dict[str, Any]:
        columns = self.estimate.columns["all", self.k]
        named = {name: columns[f"copy_{name}"] for name in AUDIT_COLUMNS[3:9]}
        note = "precision: links that are copies; recall: copies that are linked"
        return {"source": "counted", "k": self.k, "pairs": columns["copies"], **named, "note": note}

    def _estimated(self) -> dict[str, Any]:
        columns = self.estimate.columns["all", self.k]
        named = {name: columns[name] for name in AUDIT_COLUMNS[3:9]}
        check = self.estimate.summary["duplicates"]["check"]
        note = f"{columns['reliable_code']}: {check['reason']}"
        return {"source": "estimated", "k": self.k, "pairs": check["candidates"], **named, "note": note}
