"""How well links find duplicates where nobody labelled any: drawn candidates, a mixture of patterns, its check."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from infostream_dedup.judging.evidence.facts import DAY, DocumentFacts
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys
from infostream_dedup.judging.evidence.pair_evidence import compared, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.lab import kernels
from infostream_dedup.lab.census import SharedWording
from infostream_dedup.lab.copy_scores import Bounds, Links, bounds_of, drawn_documents, harmonic
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.arrays import Bools, Floats, Int8s, Ints, Uint8s
from infostream_dedup.machine.progress import Phrase
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import NO_TIME

CANDIDATE_COUNT: Final = 3  # key terms of one document that the other must contain in a candidate pair
MOST_CANDIDATES: Final = 50_000
MOST_LINKS: Final = 20_000  # maximum number of links that are checked
MOST_FAR_LINKS: Final = 5_000
_FAR: Final = 60 * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedLinks:
    """Links at the checked step and above, sampled separately."""

    sources: Ints  # int64 (2, pairs), source of each document, `NO_SOURCE` if it is unknown
    grades: Uint8s  # uint8 (pairs,), largest step at which both directions count
    evidence: Floats  # float64 (pairs, COLUMNS)
    # float64 (far pairs, COLUMNS), evidence of links between different sources more than 60 days apart, inside or
    # outside the window
    far: Floats
    far_links: int  # number of these links; `far` may be a sample


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedCandidates:
    """Candidates with the evidence of each pair."""

    a: Ints  # int64 (pairs,), ordinals
    b: Ints  # int64 (pairs,), ordinals
    grades: Uint8s  # uint8 (pairs,), largest step at which both directions count
    evidence: Floats  # float64 (pairs, COLUMNS)
    texts: Ints  # int64 (documents,), number of the text of each document, equal for equal texts
    links: CheckedLinks  # links used to check the fit
    checked_step: int  # step at which links are checked: k = 6
    lowest_step: int  # lowest step that may be recommended


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCandidates:
    """Sampled pairs: int64 (2, pairs) each, ordinals a < b, sorted by the later document."""

    pairs: Ints  # candidates
    linked: Ints  # links at the checked step
    far: Ints  # links between different sources more than 60 days apart
    far_links: int  # number of all such links

    def documents(self) -> Ints:
        """Ordinals of the documents of all pairs, ascending."""
        return np.unique(np.concatenate([self.pairs, self.linked, self.far], axis=1))


def draw_candidates(
    matrix: SimilarityMatrix,
    links: Links,
    *,
    facts: DocumentFacts,
    universe: kernels.Universe,
    languages: Uint8s,
    checked_step: int,
) -> DrawnCandidates:
    """Draw candidates and links."""
    most = (MOST_CANDIDATES, MOST_LINKS, MOST_FAR_LINKS)
    published = kernels.DatedSources(facts.sources, facts.times, facts.times != NO_TIME)
    threads = thread_count(0)
    samples = [tuple(map(_room_for_pairs, most)) for _ in range(threads)]
    rows = np.searchsorted(links.indptr, np.linspace(0, links.indptr[-1], threads + 1)).tolist()
    rows[0], rows[-1] = 0, len(links.indptr) - 1

    def draw(thread: int) -> None:
        drawn, linked, far = samples[thread]
        kernels.draw_pairs(
            links,
            matrix.counts.data,
            universe,
            languages,
            published,
            least=CANDIDATE_COUNT,
            step=checked_step,
            far_apart=_FAR,
            first=rows[thread],
            last=rows[thread + 1],
            drawn=drawn,
            linked=linked,
            far=far,
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(draw, range(threads)))
    drawn, linked, far = (_smallest(parts, size) for parts, size in zip(zip(*samples, strict=True), most, strict=True))
    return DrawnCandidates(pairs=drawn, linked=linked, far=far, far_links=sum(int(one[2].state[1]) for one in samples))


def compare_candidates(
    drawn: DrawnCandidates,
    links: Links,
    keys: ComparedKeys,
    *,
    records: EvidenceRecords,
    wording: SharedWording,
    facts: DocumentFacts,
    checked_step: int,
    lowest_step: int,
) -> ComparedCandidates:
    """Compare the documents of candidates."""
    documents = drawn.documents()
    records = records.some(documents)

    def compare(pairs: Ints) -> Floats:
        a, b = np.searchsorted(documents, pairs)
        found = compared(a, b, shares_of_pairs(a, b, keys), keys=keys, records=records, triples=None)
        wording.fill_in(pairs[0], pairs[1], found)
        return found

    (a, b), (one, other) = drawn.pairs, drawn.linked
    # Equal numbers for equal texts; each document without a text has its own.
    own = np.arange(len(facts.texts)) + int(facts.texts.max(initial=-1)) + 1
    texts = np.unique(np.where(facts.texts >= 0, facts.texts, own), return_inverse=True)[1].astype(np.int64)
    return ComparedCandidates(
        a=a,
        b=b,
        grades=links.grades_of(a, b),
        evidence=compare(drawn.pairs),
        texts=texts,
        links=CheckedLinks(
            sources=facts.sources[drawn.linked],
            grades=links.grades_of(one, other),
            evidence=compare(drawn.linked),
            far=compare(drawn.far),
            far_links=drawn.far_links,
        ),
        checked_step=checked_step,
        lowest_step=lowest_step,
    )


def _room_for_pairs(most: int) -> kernels.SmallestPairs:
    room = 2 * most
    a, b = (np.empty(room, dtype=np.int32) for _ in range(2))
    bound = np.full(1, np.iinfo(np.uint64).max, dtype=np.uint64)
    return kernels.SmallestPairs(np.empty(room, dtype=np.uint64), a, b, np.zeros(2, dtype=np.int64), bound)


def _smallest(parts: Sequence[kernels.SmallestPairs], most: int) -> Ints:
    """The pairs with the smallest hashes of all threads."""
    hashes, a, b = (
        np.concatenate([getattr(one, name)[: one.state[0]] for one in parts]) for name in ("hashes", "a", "b")
    )
    chosen = np.argsort(hashes)[:most]
    pairs = np.stack([a[chosen], b[chosen]]).astype(np.int64)
    return pairs[:, np.lexsort(pairs)]


# Scores by the pair model and by a mixture of two populations, and how well each of them fits.


FIELDS: Final = ("wording", "numbers", "names", "opening_most", "opening_least", "share30")
"""Square root of wording (larger direction); numbers (larger); names (smaller); the lead in the other text (larger,
smaller); weight of 30 key terms in the other text (smaller)."""

CUTS: Final = (0.12, 0.25, 0.40, 0.55, 0.70, 0.85)
LEVELS: Final = len(CUTS) + 2  # level 0 means that a field cannot be compared; levels 1 to 7 are separated by the cuts
_ROUNDS: Final = 80
_ADDED: Final = 0.5  # added to the count of each level
_FEWEST: Final = 2  # minimum number of numbers or names that each document needs for this field to be compared
_WORDED: Final = 1 + CUTS.index(0.55) + 1  # first level of wording with three tenths shared: the field is a square root
_OTHER_NUMBERS: Final = 1 + CUTS.index(0.40)  # last level of numbers with less than two fifths shared
_STEEPEST: Final = 30.0
_LEAST_START: Final = 0.02


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """The two fitted classes."""

    prior: float  # share of the copy class
    m: Floats  # float64 (fields, levels), share of each level in the copy class
    u: Floats  # float64 (fields, levels), share of each level among other pairs

    def probabilities(self, levels: Int8s) -> Floats:
        """Probability of the copy class: float64 (pairs,)."""
        z = np.full(len(levels), np.log(self.prior + 1e-9) - np.log(1.0 - self.prior + 1e-9))
        weights = np.log(self.m) - np.log(self.u)
        for place in range(len(FIELDS)):
            z += weights[place][levels[:, place]]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -_STEEPEST, _STEEPEST))))

    @property
    def unworded(self) -> float:
        """Share of the copy class on the lowest level of wording: "copies" that share none."""
        return float(self.m[0, 1])

    def as_dict(self) -> dict[str, Any]:
        """Return the prior, and m and u of each level of each field; the first level is "not comparable"."""
        return {
            "prior": round(self.prior, 6),
            "cuts": list(CUTS),
            "fields": {
                field: {"m": np.round(self.m[place], 6).tolist(), "u": np.round(self.u[place], 6).tolist()}
                for place, field in enumerate(FIELDS)
            },
        }


def levels_of(evidence: Floats) -> Int8s:
    """Levels of pairs: int8 (pairs, fields)."""

    def both(name: str) -> Floats:
        return evidence[:, [COLUMNS.index(f"{name}_forward"), COLUMNS.index(f"{name}_backward")]]

    def known(values: Floats, least: str) -> Floats:
        return np.where(evidence[:, COLUMNS.index(least)] >= _FEWEST, values, -1.0)

    opening = both("opening")
    values = (
        np.sqrt(both("wording").max(axis=1)),
        known(both("numbers").max(axis=1), "numbers_least"),
        known(both("names").min(axis=1), "names_least"),
        opening.max(axis=1),
        opening.min(axis=1),
        both("share30").min(axis=1),
    )
    edges = np.array([0.0, *CUTS])
    return np.stack([np.searchsorted(edges, np.round(one, 9), side="right") for one in values], axis=1).astype(np.int8)


def are_refilled(levels: Int8s) -> Bools:
    """Whether pairs look like one template filled in twice, with common wording but other numbers: bool (pairs,)."""
    numbers = levels[:, FIELDS.index("numbers")]
    return are_worded(levels) & (numbers > 0) & (numbers <= _OTHER_NUMBERS)


def are_worded(levels: Int8s) -> Bools:
    """Whether pairs have three tenths of their wording in common: bool (pairs,)."""
    return np.asarray(levels[:, FIELDS.index("wording")] >= _WORDED, dtype=np.bool_)


def patterns_of(levels: Int8s) -> tuple[Int8s, Ints]:
    """Distinct rows of levels, and the index of each pair's row: int8 (patterns, fields), int64 (pairs,)."""
    codes = levels.astype(np.int64) @ (LEVELS ** np.arange(len(FIELDS)))
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return levels[first], which.astype(np.int64)


def fit_mixture(patterns: Int8s, weights: Floats, start: Floats, *, rounds: int = _ROUNDS) -> MixtureFit:
    """Fit the two classes."""
    held = np.zeros((len(patterns), len(FIELDS) * LEVELS), dtype=np.float64)
    held[np.arange(len(patterns))[:, None], patterns + LEVELS * np.arange(len(FIELDS))] = 1.0
    everything = weights @ held
    probability = np.clip(start, _LEAST_START, 1.0 - _LEAST_START)
    for _ in range(rounds):
        probability = _maximised(held, weights, everything, probability).probabilities(patterns)
    return _maximised(held, weights, everything, probability)


def _maximised(held: Floats, weights: Floats, everything: Floats, probability: Floats) -> MixtureFit:
    shape = (len(FIELDS), LEVELS)
    inside = (weights * probability) @ held
    m, u = inside.reshape(shape) + _ADDED, (everything - inside).reshape(shape) + _ADDED
    prior = float((weights * probability).sum() / weights.sum())
    return MixtureFit(prior, m / m.sum(axis=1, keepdims=True), u / u.sum(axis=1, keepdims=True))


ReliableCode = Literal["reliable", "upper_bound", "refused"]
CHECKED_K: Final = 6
MOST_DISAGREEMENT: Final = 0.06
MOST_OVERALL: Final = 0.3
MOST_UNWORDED: Final = 0.05
MOST_REFILLED: Final = 0.06
MOST_FAR: Final = 0.1
FEWEST_FAR: Final = 100  # minimum number of far links; fewer do not count as a sign
FEWEST_CANDIDATES: Final = 200
FEWEST_LINKS: Final = 50
"""Minimum number of links at ``CHECKED_K``, of a collection or of a source; fewer do not tell two classes apart."""
MOST_DISPUTED: Final = 0.05  # the greatest error of a right figure: so large a share of the links may be judged wrongly
_MOST_OF_SOURCE: Final = 2 * MOST_DISAGREEMENT
"""Mean difference over the links of one source at which its two classes are wrong: over all links of wrong fits, it is
.128 or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCheck:
    """The signs of a wrong fit."""

    # mean difference between mixture and pair model over the links, at `CHECKED_K` or at the k of the greatest F1,
    # whichever is larger
    disagreement: float
    overall: float  # sum of the differences over all candidates, divided by the sum of probabilities
    unworded: float  # share of the copy class on the lowest level of wording
    refilled: float  # share of the copy class with three tenths of the wording but few numbers in common: templates
    # share of the links at `CHECKED_K` that belong to sources about whose links mixture and pair model disagree
    disputed: float
    far_links: int  # links between different sources more than 60 days apart at `CHECKED_K`
    far: float | None  # their mean probability; `None` if there are fewer than `FEWEST_FAR`
    candidates: int  # number of pairs that were fitted
    links: int  # how many of these are linked both ways at `CHECKED_K`

    @property
    def code(self) -> ReliableCode:
        """``reliable`` if no sign speaks against the fit, ``refused`` if there is too little data."""
        if self.candidates < FEWEST_CANDIDATES or self.links < FEWEST_LINKS:
            return "refused"
        alike = self.disagreement < MOST_DISAGREEMENT and self.overall < MOST_OVERALL
        alike &= self.disputed < MOST_DISPUTED
        near = self.far is None or self.far < MOST_FAR
        texts = self.unworded < MOST_UNWORDED and self.refilled < MOST_REFILLED
        return "reliable" if alike and near and texts else "upper_bound"

    @property
    def reason(self) -> Phrase:
        """What speaks against the fit, in words."""
        if self.code == "refused":
            return Phrase.of(
                "too few candidates ({candidates}) or links at k = {k} ({links}) to tell two classes",
                candidates=self.candidates,
                k=CHECKED_K,
                links=self.links,
            )
        signs = []
        if self.disagreement >= MOST_DISAGREEMENT:
            signs.append(Phrase.of("two ways of telling one text from two give different answers about the links"))
        if self.overall >= MOST_OVERALL:
            signs.append(
                Phrase.of(
                    "too few of the pairs with common terms are one text: about {share:.0f} in 100 of those that pass"
                    " for it are in doubt",
                    share=100 * self.overall,
                )
            )
        if self.unworded >= MOST_UNWORDED:
            signs.append(
                Phrase.of(
                    "{share:.0f} of 100 pairs that pass for one text have no wording in common",
                    share=100 * self.unworded,
                )
            )
        if self.refilled >= MOST_REFILLED:
            signs.append(
                Phrase.of(
                    "{share:.0f} of 100 pairs that pass for one text have other numbers: forms, rates, schedules",
                    share=100 * self.refilled,
                )
            )
        if self.disputed >= MOST_DISPUTED:
            signs.append(
                Phrase.of(
                    "for some sources, which hold {share:.0f} of 100 links, the answers differ most",
                    share=100 * self.disputed,
                )
            )
        if self.far is not None and self.far >= MOST_FAR:
            signs.append(
                Phrase.of(
                    "links of other sources 60 days apart pass for copies (probability {probability:.2f})",
                    probability=self.far,
                )
            )
        return Phrase.joined(signs or [Phrase.of("nothing speaks against the fit")])

    def as_dict(self) -> dict[str, Any]:
        """The signs as part of a result."""
        signs = {name: round(one, 6) if isinstance(one, float) else one for name, one in asdict(self).items()}
        return signs | {"reason": self.reason}


def disputed_share(sources: Ints, apart: Floats) -> float:
    """Share of the links that belong to sources about whose links the mixture and the pair model disagree."""
    if len(apart) == 0:
        return 0.0
    numbers, places = np.unique(sources, return_inverse=True)
    one, other = places.reshape(sources.shape)
    two = one != other
    links, sums = (
        np.bincount(one, weights, minlength=len(numbers))
        + np.bincount(other[two], weights[two], minlength=len(numbers))
        for weights in (np.ones(len(apart)), apart)
    )
    wrong = (links >= FEWEST_LINKS) & (sums >= _MOST_OF_SOURCE * links)
    return float((wrong[one] | wrong[other]).mean())


LOWEST_K: Final = 3
_DRAWS: Final = 100
_GRADES: Final = 256
_REFIT_ROUNDS: Final = 8
_RULE_OF_THREE: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateScores:
    """Duplicates among the links at one k, estimated."""

    step: int  # k, or the number of the threshold
    precision: float | None  # mean probability of the links; `None` if there are no links
    recall: float | None  # their share of the total probability
    precision_bounds: Bounds | None  # 95 % interval; `None` unless the estimate is reliable
    recall_bounds: Bounds | None  # 95 % interval; `None` unless the estimate is reliable
    # mean probability of the links by the shipped pair model: usually above the truth if the estimate is not reliable
    model_precision: float | None

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one is not defined."""
        return harmonic(self.precision, self.recall)


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateEstimate:
    """An estimate with its check."""

    scores: list[DuplicateScores]  # scores at each step; empty if the check refuses
    check: FitCheck  # the signs of a wrong fit
    fit: MixtureFit | None  # the two classes; `None` if the check refuses
    lowest_step: int  # lowest step at which all links are candidates
    # F1 of the links as copies that are not forms, at each step of `scores`
    without_forms: list[float] = field(default_factory=list)
    not_forms: int = 0  # number of candidates that are copies and not forms
    # expected F1 of the links by the shipped pair model, by step; also if the check refuses
    by_model: dict[int, float] = field(default_factory=dict)
    # mean probability of the links at `CHECKED_K` by the shipped pair model; also if the check refuses
    accepted: float = 0.0

    @property
    def code(self) -> ReliableCode:
        """How reliable the scores are."""
        return self.check.code


def estimate_duplicates(
    candidates: ComparedCandidates, *, steps: Sequence[int], draws: int = _DRAWS, about: Bools | None = None
) -> DuplicateEstimate:
    """Estimate the duplicates among the links at every step."""
    linked = candidates.grades >= candidates.checked_step
    nothing = FitCheck(
        disagreement=1.0,
        overall=1.0,
        unworded=1.0,
        refilled=0.0,
        disputed=0.0,
        far_links=0,
        far=None,
        candidates=len(linked),
        links=int(linked.sum()),
    )
    model = shipped_model().probabilities(candidates.evidence)
    shown = np.ones(len(linked), dtype=np.bool_) if about is None else about
    grades, shown_model = candidates.grades[shown], model[shown]
    accepted = shown_model[grades >= candidates.checked_step]
    unfitted = DuplicateEstimate(
        scores=[],
        check=nothing,
        fit=None,
        lowest_step=candidates.lowest_step,
        by_model={step: _f1(grades >= step, shown_model) for step in steps},
        accepted=float(accepted.mean()) if len(accepted) else 0.0,
    )
    if unfitted.code == "refused":
        return unfitted
    levels = levels_of(candidates.evidence)
    patterns, which = patterns_of(levels)
    weights = np.bincount(which).astype(np.float64)
    fit = fit_mixture(patterns, weights, np.bincount(which, model) / weights)
    probability = fit.probabilities(patterns)[which]
    plain = [_scores(candidates.grades, probability, model, step) for step in steps]
    overall = float(np.abs(probability - model).sum() / probability.sum())
    forms = are_refilled(levels)
    refilled = float(probability[forms].sum() / probability.sum())
    check = _checked(candidates, fit, plain, overall, refilled)
    if about is not None:
        plain = [_scores(grades, probability[shown], shown_model, step) for step in steps]
    real = shown & are_worded(levels) & ~forms
    found = [_f1(candidates.grades[shown] >= step, real[shown]) for step in steps]
    estimate = replace(unfitted, scores=plain, check=check, fit=fit, without_forms=found, not_forms=int(real.sum()))
    if check.code != "reliable":
        return estimate
    drawn = _drawn(candidates, patterns, which, fit, steps, draws, shown)
    return replace(estimate, scores=[_bounded(grades, *one, shown_model) for one in zip(plain, drawn, strict=True)])


def _f1(linked: Bools, right: Bools | Floats) -> float:
    """F1 of links; ``right`` says which pairs are right, or how probably."""
    both = float(linked.sum()) + float(right.sum())
    return 2.0 * float(right[linked].sum()) / both if both else 0.0


def _scores(grades: Uint8s, probability: Floats, model: Floats, step: int) -> DuplicateScores:
    linked = grades >= step
    some = bool(linked.any())
    return DuplicateScores(
        step=step,
        precision=float(probability[linked].mean()) if some else None,
        recall=float(probability[linked].sum() / probability.sum()),
        precision_bounds=None,
        recall_bounds=None,
        model_precision=float(model[linked].mean()) if some else None,
    )


def _checked(
    candidates: ComparedCandidates, fit: MixtureFit, scores: Sequence[DuplicateScores], overall: float, refilled: float
) -> FitCheck:
    """Look for signs of a wrong fit over the links, which are sampled separately from the candidates."""
    links = candidates.links
    probability = fit.probabilities(levels_of(links.evidence))
    apart = np.abs(probability - shipped_model().probabilities(links.evidence))
    best = max((one for one in scores if one.step >= candidates.lowest_step), key=lambda one: (one.f1, -one.step)).step
    checked = (links.grades >= step for step in (candidates.checked_step, max(best, candidates.checked_step)))
    return FitCheck(
        disagreement=max((float(apart[one].mean()) for one in checked if one.any()), default=1.0),
        overall=overall,
        unworded=fit.unworded,
        refilled=refilled,
        disputed=disputed_share(links.sources, apart),
        far_links=links.far_links,
        far=float(fit.probabilities(levels_of(links.far)).mean()) if links.far_links >= FEWEST_FAR else None,
        candidates=len(candidates.grades),
        links=int((candidates.grades >= candidates.checked_step).sum()),
    )


def _drawn(
    candidates: ComparedCandidates,
    patterns: Int8s,
    which: Ints,
    fit: MixtureFit,
    steps: Sequence[int],
    draws: int,
    shown: Bools,
) -> list[tuple[Floats, Floats]]:
    """Precision and recall at each step in each draw; equal texts are drawn together, and classes are refitted."""
    pairs = np.stack([candidates.texts[candidates.a], candidates.texts[candidates.b]])
    texts, places = np.unique(pairs, return_inverse=True)
    one, other = places.reshape(pairs.shape)
    # Only a few of all texts are in a pair; their draws alone fit into the cache.
    times = drawn_documents(int(texts.max(initial=-1)) + 1, draws=draws)[texts].T.copy()
    start = fit.probabilities(patterns)
    found = np.full((len(steps), 2, draws), np.nan)
    for draw in range(draws):
        weighted = times[draw, one].astype(np.float64) * times[draw, other]
        weights = np.bincount(which, weighted, minlength=len(patterns)).astype(np.float64)
        if weights.sum() == 0:
            continue
        again = fit_mixture(patterns, weights, start, rounds=_REFIT_ROUNDS)
        weighted *= shown
        expected = weighted * again.probabilities(patterns)[which]
        # Summed from the greatest grade downwards: at each step, the pairs linked there.
        drawn_links, drawn_duplicates = (
            np.bincount(candidates.grades, one, minlength=_GRADES)[::-1].cumsum()[::-1] for one in (weighted, expected)
        )
        for place, step in enumerate(steps):
            if drawn_links[step] > 0:
                found[place, 0, draw] = drawn_duplicates[step] / drawn_links[step]
            if drawn_duplicates[0] > 0:
                found[place, 1, draw] = drawn_duplicates[step] / drawn_duplicates[0]
    return [(one[0], one[1]) for one in found]


def _bounded(grades: Uint8s, scores: DuplicateScores, drawn: tuple[Floats, Floats], model: Floats) -> DuplicateScores:
    """Scores with intervals that also cover the pair model's value, and errors too rare to have been seen."""
    linked = grades >= scores.step
    precision_bounds = None
    if scores.precision is not None and scores.model_precision is not None:
        unseen = _RULE_OF_THREE / int(linked.sum())
        precision_bounds = _widened(bounds_of(drawn[0], scores.precision), scores.model_precision, unseen)
    recall = scores.recall or 0.0
    unseen = _RULE_OF_THREE / max(float(model.sum()), _RULE_OF_THREE)
    recall_bounds = _widened(bounds_of(drawn[1], recall), float(model[linked].sum() / model.sum()), unseen)
    return replace(scores, precision_bounds=precision_bounds, recall_bounds=recall_bounds)


def _widened(bounds: Bounds, other: float, unseen: float) -> Bounds:
    low, high = bounds
    return max(min(low, other) - unseen, 0.0), min(max(high, other) + unseen, 1.0)
