"""Training a classifier from judged pairs (Andreev et al., section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria.calibration import calibrate
from infostream_dedup.judging.criteria.classifier import Calibration, Classifier
from infostream_dedup.judging.criteria.classifier_presets import ClassifierPreset, PairRule, chosen_criteria
from infostream_dedup.judging.criteria.criterion import Both
from infostream_dedup.judging.criteria.cross_validation import HeldOut, found_by_rule, held_out
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs
from infostream_dedup.judging.criteria.learned_authority import Authority, NoAuthority
from infostream_dedup.judging.criteria.pair_vectors import PairVectors
from infostream_dedup.judging.criteria.stories import by_time
from infostream_dedup.judging.criteria.svm import prior_plane
from infostream_dedup.model.version import VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["train"]


def train(
    models: DocumentModels,
    pairs: JudgedPairs,
    preset: ClassifierPreset,
    *,
    criteria: Sequence[str] | None = None,
    domain: str = "",
    authority: Authority | None = None,
    labels: str = "labels",
) -> Classifier:
    """Learn a classifier. It does not depend on the order of the labels.

    Learning starts from the preset's prior. Each pair teaches two planes: the later document against the earlier, and
    the other way round. Probabilities are calibrated on decision values from five folds by story; if these do not cover
    both classes, on the training values, which are overconfident.

    Args:
        models: models of the collection.
        pairs: judged pairs, from ``judged_pairs``.
        preset: what the classifier is for.
        criteria: names of ``CRITERIA`` instead of the preset's.
        domain: subject of the documents, empty for any.
        authority: authority of sources; by default all sources are unknown.
        labels: what the judgements are called in messages.

    Raises:
        BadDataError: the pairs lack repeats or originals.
        ConfigurationError: a criterion is unknown.
    """
    names = chosen_criteria(preset.criteria if criteria is None else criteria)
    authority = authority or NoAuthority()
    repeats = np.concatenate((pairs.i_repeats, pairs.j_repeats))
    if repeats.all() or not repeats.any():
        raise BadDataError(
            f"{int(pairs.repeats.sum())} of {len(pairs)} judged pairs repeat each other; a classifier needs some of "
            "both kinds: label more pairs",
            code="E_ONE_CLASS",
            source=labels,
        )
    prior = prior_plane(names, preset.prior)
    vectors = PairVectors(models, pairs, names, authority)
    everything = np.arange(len(pairs))
    planes = vectors.fit(everything, prior)
    unseen = held_out(models, pairs, names, authority, prior)
    calibration, out_of_fold = _calibration(unseen, vectors.values(everything, planes, everything))
    facts = _facts(unseen, preset, out_of_fold=out_of_fold)
    if (split := by_time(pairs, models.times)) is not None and len(split.test):
        later = held_out(models, pairs, names, authority, prior, split=[split])
        tested = HeldOut(later.pairs.at(split.test), later.forward[split.test], later.backward[split.test])
        facts["by_time"] = _scores(tested, facts["rule"]) | {"learned_from": len(split.training)}
    return Classifier(
        preset=preset.name,
        domain=domain,
        criteria=names,
        later=planes[0],
        earlier=planes[1],
        calibration=calibration,
        authority=authority.table(vectors.pairs),
        training=facts,
        statistics=models.statistics,
    )


def _calibration(unseen: HeldOut, trained: Both) -> tuple[Calibration, bool]:
    """Fit the sigmoid; also return whether it was fitted on out-of-fold values."""
    repeats = np.concatenate((unseen.pairs.i_repeats, unseen.pairs.j_repeats))
    values = np.concatenate((unseen.forward, unseen.backward))
    known = ~np.isnan(values)
    judged = repeats[known]
    out_of_fold = bool(judged.any() and not judged.all())
    found = calibrate(values[known], judged) if out_of_fold else calibrate(np.concatenate(trained), repeats)
    return Calibration(float(f"{found.slope:.10g}"), float(f"{found.offset:.10g}")), out_of_fold


def _facts(unseen: HeldOut, preset: ClassifierPreset, *, out_of_fold: bool) -> dict[str, Any]:
    pairs = unseen.pairs
    # If some judgements have a direction, "both" would leave hardly any pair to find.
    rule: PairRule = "either" if pairs.directed else preset.rule
    return {
        "pairs": len(pairs),
        "repeats": int(found_by_rule(pairs.i_repeats, pairs.j_repeats, rule).sum()),
        "rule": rule,
        "positive": list(preset.positive),
        "folds": _scores(unseen, rule),
        "directions": {
            "later_repeats_earlier": _counts(pairs.i_repeats, unseen.forward > 0),
            "earlier_repeats_later": _counts(pairs.j_repeats, unseen.backward > 0),
        },
        "calibrated_out_of_folds": out_of_fold,
        "infostream_dedup": VERSION,
    }


def _scores(unseen: HeldOut, rule: PairRule) -> dict[str, Any]:
    return _counts(found_by_rule(unseen.pairs.i_repeats, unseen.pairs.j_repeats, rule), unseen.found(rule))


def _counts(truth: NDArray[np.bool_], found: NDArray[np.bool_]) -> dict[str, Any]:
    hits = int((truth & found).sum())
    return {
        "tp": hits,
        "fp": int(found.sum()) - hits,
        "fn": int(truth.sum()) - hits,
        "f1": round(2 * hits / max(int(found.sum()) + int(truth.sum()), 1), 4),
    }
