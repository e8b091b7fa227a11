"""The classifier of pairs: what it says, why, and which pairs it would like judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.criterion import CRITERIA, Both, ComparedPairs, authority_of
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.machine.arrays import AlignedColumns, Bools, Floats, Ints
from infostream_dedup.model.limits import OneOf

_CHUNK: Final = 20_000


def differences(
    models: DocumentModels, i: Ints, j: Ints, criteria: Sequence[str], authority: Both | None = None
) -> tuple[Floats, Floats]:
    """Compute difference vectors of pairs in both directions."""
    first, second = authority or (np.full(len(i), np.nan), np.full(len(i), np.nan))
    forward = np.empty((len(i), len(criteria)))
    backward = np.empty((len(i), len(criteria)))
    for start in range(0, len(i), _CHUNK):
        rows = slice(start, start + _CHUNK)
        pairs = ComparedPairs(models, i[rows], j[rows], (first[rows], second[rows]))
        for column, name in enumerate(criteria):
            forward[rows, column], backward[rows, column] = CRITERIA[name].measure(pairs)
    return forward, backward


_FARTHEST: Final = 3.0

OUTCOMES: Final = ("both original", "a repeats b", "b repeats a", "each repeats the other")
"""The paper's four; the index is 1 for "a repeats b" plus 2 for "b repeats a"."""


def comes_later(times: Floats, i: Ints, j: Ints) -> Bools:
    """Find the pairs whose document i is the later one: by time; if times are equal or unknown, by input order."""
    known = ~(np.isnan(times[i]) | np.isnan(times[j])) & (times[i] != times[j])
    return np.asarray(np.where(known, times[i] > times[j], i > j), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Standardisation and hyperplane."""

    means: Floats  # float64 (criteria,), the values from which criteria are measured (`Typical`)
    scales: Floats  # float64 (criteria,), the unit of each
    weights: Floats  # float64 (criteria,), weights of the standardised criteria; positive means "repeats"
    bias: float  # decision value of the vector of means

    def standardised(self, vectors: Floats) -> Floats:
        """Standardise criteria by their means and scales, to -3 .. 3; an unknown criterion (NaN) becomes 0."""
        # The bounds keep a difference of years from outweighing everything else.
        standardised = np.clip((vectors - self.means) / self.scales, -_FARTHEST, _FARTHEST)
        return np.asarray(np.where(np.isnan(standardised), 0.0, standardised), dtype=np.float64)

    def contributions(self, vectors: Floats) -> Floats:
        """Return what each criterion adds to the decision value: weight times standardised value, 0 of NaN."""
        return self.standardised(vectors) * self.weights

    def values(self, vectors: Floats) -> Floats:
        """Return decision values; above 0 means "repeats", 0 itself does not."""
        # Columns are summed one by one: a matrix product may add in a different order for a different number of rows,
        # so the same pair could be decided in two ways.
        parts = self.contributions(vectors)
        values = np.full(len(vectors), self.bias)
        for column in range(parts.shape[1]):
            values += parts[:, column]
        return values


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability of "repeats" from a decision value: 1 / (1 + exp(slope * value + offset)) (Platt, 1999)."""

    slope: float  # negative if greater values are more likely
    offset: float  # 0 if a value of 0 means one half

    def probabilities(self, values: Floats) -> Floats:
        """Return probabilities: float64, shape of ``values``, 0 to 1."""
        # exp overflows beyond 700, where the probability has long been 0 or 1.
        exponents = np.clip(self.slope * values + self.offset, -700, 700)
        return np.asarray(1 / (1 + np.exp(exponents)), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Decisions(AlignedColumns):
    """Decisions of a classifier on pairs."""

    i: Ints  # int64 (pairs,), ordinals of a
    j: Ints  # int64 (pairs,), ordinals of b
    forward: Floats  # float64 (pairs,), decision values of i against j
    backward: Floats  # float64 (pairs,), decision values of j against i
    probability_forward: Floats  # float64 (pairs,), probability that i repeats j, 0 to 1
    probability_backward: Floats  # float64 (pairs,), probability that j repeats i, 0 to 1

    @property
    def outcomes(self) -> Ints:
        """Index into ``OUTCOMES``, int64 (pairs,)."""
        return (self.forward > 0).astype(np.int64) + 2 * (self.backward > 0).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Classifier:
    """A trained model."""

    preset: str  # what it was trained for, a name of `CLASSIFIER_PRESETS`
    domain: str  # subject it was trained on, empty for any
    criteria: tuple[str, ...]  # names of `CRITERIA`, in the order of the vector
    later: Plane  # judges the later document of a pair against the earlier
    earlier: Plane  # judges the earlier document against the later
    calibration: Calibration  # turns decision values into probabilities
    # authority of sources, 0 to 1, given by an expert or learned
    authority: Mapping[str, float] = field(default_factory=dict)
    # facts about the training, plain JSON values; for people, never used to decide
    training: Mapping[str, Any] = field(default_factory=dict)
    # word statistics used in training, one of `STATISTICS`; documents to judge need the same
    statistics: str = "collection"

    def vectors(self, models: DocumentModels, i: Ints, j: Ints) -> tuple[Floats, Floats]:
        """Return difference vectors of i against j and of j against i: two of float64 (pairs, criteria)."""
        known = authority_of(models.sources, self.authority)
        return differences(models, i, j, self.criteria, (known[i], known[j]))

    def decide_vectors(self, i: Ints, j: Ints, forward: Floats, backward: Floats, *, i_is_later: Bools) -> Decisions:
        """Decide pairs whose vectors are known."""
        one = np.where(i_is_later, self.later.values(forward), self.earlier.values(forward))
        other = np.where(i_is_later, self.earlier.values(backward), self.later.values(backward))
        probabilities = self.calibration.probabilities
        return Decisions(i, j, one, other, probabilities(one), probabilities(other))

    def decide(self, models: DocumentModels, i: Ints, j: Ints) -> Decisions:
        """Decide pairs of a collection."""
        forward, backward = self.vectors(models, i, j)
        return self.decide_vectors(i, j, forward, backward, i_is_later=comes_later(models.times, i, j))


PairRule = Literal["both", "either"]
"""When an undirected pair counts as found: each document repeats the other, or at least one does."""


@dataclass(frozen=True, slots=True)
class ClassifierPreset:
    """One use of a classifier."""

    name: str  # name of the preset
    criteria: tuple[str, ...]  # names of `CRITERIA`, in the order of the vector
    positive: tuple[str, ...]  # labels that mean "each repeats the other"
    rule: PairRule  # when an undirected pair counts as found, for scores
    # weights of criteria, measured from `Criterion.typical`, before learning, from the built-in evidence. All other
    # weights and the bias are 0
    prior: Mapping[str, float]


CLASSIFIER_PRESETS: Final[Mapping[str, ClassifierPreset]] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            ClassifierPreset(
                "duplicate",
                (
                    *("words", "title", "sentences", "paragraphs", "numbers", "number_order", "images", "links"),
                    *("time", "time_apart", "another_day", "source", "site", "key_terms", "evidence", "wording"),
                    *("wording_of_both", "lead", "names", "other_text"),
                ),
                ("dup",),
                "both",
                # Three quarters of the wording of both, published within a day: on another day, the same words are
                # mostly another edition of a template, or old background under new news, so 5 outweighs all wording
                # (at most 2.8). Equal texts are repeats on any day: 9 outweighs another day.
                {"wording_of_both": -2.1, "another_day": -5.0, "other_text": -3.0},
            ),
            ClassifierPreset(
                "story",
                ("words", "title", "numbers", "number_order", "time_apart", "key_terms", "evidence", "lead", "names"),
                ("dup", "similar"),
                "either",
                {"evidence": -1.0},
            ),
        )
    }
)
"""``duplicate``: the paper's nine criteria and eleven more. ``story`` finds documents of one event, the paper's further
work (section 8), without the site and features that only copies share (sentences, paragraphs)."""


def chosen_preset(name: str) -> ClassifierPreset:
    """Return a preset by name."""
    OneOf(*CLASSIFIER_PRESETS).check("preset", name)
    return CLASSIFIER_PRESETS[name]


def chosen_criteria(names: Sequence[str]) -> tuple[str, ...]:
    """Check names of criteria."""
    wrong = [name for name in names if name not in CRITERIA]
    if wrong or not names or len(set(names)) < len(names):
        raise ConfigurationError(
            f"criteria are {', '.join(map(repr, names)) or 'empty'}; expected one or more of {', '.join(CRITERIA)},"
            " each once"
        )
    return tuple(names)


def suggestions(decisions: Decisions, ids: Sequence[str], judged: set[tuple[str, str]], number: int) -> Ints:
    """Choose the next pairs to label.

    Uncertainty sampling (Lewis & Gale, SIGIR 1994; for planes Tong & Koller, JMLR 2, 2001): pairs nearest to the plane
    come first, by their nearer direction. Ten pairs of one story teach hardly more than one, so no connected component
    of candidates gives a second pair before every other component has given its first.
    """
    from scipy.sparse.csgraph import connected_components

    ordered = sorted(
        (min(ids[i], ids[j]), max(ids[i], ids[j]), row)
        for row, (i, j) in enumerate(zip(decisions.i.tolist(), decisions.j.tolist(), strict=True))
    )
    links = sp.coo_array((np.ones(len(decisions)), (decisions.i, decisions.j)), shape=(len(ids), len(ids)))
    _, component = connected_components(links.tocsr(), directed=False)
    distance = np.minimum(np.abs(decisions.forward), np.abs(decisions.backward))
    nearest = sorted(
        (float(distance[row]), one, other, row) for one, other, row in ordered if (one, other) not in judged
    )
    given: dict[int, int] = {}
    ranked = []
    for near, one, other, row in nearest:
        own = int(component[decisions.i[row]])
        ranked.append((given.get(own, 0), near, one, other, row))
        given[own] = given.get(own, 0) + 1
    return np.array([row for *_, row in sorted(ranked)[:number]], dtype=np.int64)


_SHOWN: Final = 0.005
_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """Contribution of one criterion to the decision on i against j."""

    criterion: str  # name of the criterion
    value: float | None  # its value, `None` if unknown
    contribution: float  # what it adds to the decision value; positive means "i repeats j"
    says: str  # the value in words

    @property
    def verdict(self) -> str:
        """``for``, ``against`` or ``neither`` (a negligible contribution)."""
        if abs(self.contribution) < _SHOWN:
            return "neither"
        return "for" if self.contribution > 0 else "against"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for a row of output."""
        # Adding 0 turns minus zero into zero.
        value = None if self.value is None else round(self.value, 6) + 0.0
        return {
            "criterion": self.criterion,
            "value": value,
            "contribution": round(self.contribution, 6) + 0.0,
            "says": self.says,
            "verdict": self.verdict,
        }


def reasons(classifier: Classifier, vector: Floats, *, later: bool = True) -> list[Reason]:
    """Explain the decision on one directed pair by criteria, the greatest contribution first."""
    # The contributions and the bias of the plane add up to the decision value.
    plane = classifier.later if later else classifier.earlier
    contributions = plane.contributions(vector[None, :])[0].tolist()
    found = [
        Reason(name, None if np.isnan(value) else value, contribution, _says(name, value))
        for name, value, contribution in zip(classifier.criteria, vector.tolist(), contributions, strict=True)
    ]
    return sorted(found, key=lambda reason: (-abs(reason.contribution), reason.criterion))


def in_words(found: list[Reason]) -> str:
    """Put the reasons with the greatest contributions into one line.

    Example:
        >>> in_words([Reason("numbers", 1.0, -1.2, "numbers differ"), Reason("site", 1.0, 0.3, "two sites")])
        'numbers differ: against (-1.20); two sites: for (+0.30)'
    """
    listed = [reason for reason in found if reason.verdict != "neither"][:_MOST]
    return "; ".join(f"{reason.says}: {reason.verdict} ({reason.contribution:+.2f})" for reason in listed)


def _says(name: str, value: float) -> str:
    if np.isnan(value):
        return f"{name.replace('_', ' ')} unknown"
    return CRITERIA[name].say(value)
