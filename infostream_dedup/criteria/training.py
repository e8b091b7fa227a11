"""Training a classifier from judged pairs (Andreev et al., section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.criteria.authority import authority_of
from infostream_dedup.criteria.calibration import calibrate
from infostream_dedup.criteria.classifier import Calibration, Classifier, Plane
from infostream_dedup.criteria.classifier_presets import ClassifierPreset, chosen_criteria
from infostream_dedup.criteria.cross_validation import HeldOut, LearnAuthority, found_by_rule, held_out
from infostream_dedup.criteria.differences import differences
from infostream_dedup.criteria.document_models import DocumentModels
from infostream_dedup.criteria.judged_pairs import JudgedPairs
from infostream_dedup.criteria.svm import fit_plane, learner_version
from infostream_dedup.errors import BadDataError
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
    learn_authority: LearnAuthority | None = None,
) -> Classifier:
    """Learn a classifier. It does not depend on the order of the labels.

    Each pair gives two directed vectors, each with its label. Probabilities are calibrated on decision values from five
    folds by story; if these do not cover both classes, on the training values, which are overconfident.

    Args:
        models: models of the collection.
        pairs: judged pairs, from ``judged_pairs``.
        preset: what the classifier is for.
        criteria: names of ``CRITERIA`` instead of the preset's.
        domain: subject of the documents, empty for any.
        learn_authority: learns authority of sources from judged pairs; by default all sources are unknown.

    Raises:
        BadDataError: the pairs lack repeats or originals.
        ConfigurationError: a criterion is unknown.
        MissingExtraError: scikit-learn is not installed.
    """
    names = chosen_criteria(preset.criteria if criteria is None else criteria)
    learn_authority = learn_authority or _unknown
    repeats = np.concatenate((pairs.i_repeats, pairs.j_repeats))
    if repeats.all() or not repeats.any():
        raise BadDataError(
            f"{int(pairs.repeats.sum())} of {len(pairs)} judged pairs repeat each other; a classifier needs some of "
            "both kinds: label more pairs",
            code="E_ONE_CLASS",
            source="labels",
        )
    authority = learn_authority(pairs)
    known = authority_of(models.sources, authority)
    vectors = np.concatenate(differences(models, pairs.i, pairs.j, names, known))
    plane = fit_plane(vectors, repeats)
    unseen = held_out(models, pairs, names, learn_authority)
    calibration, out_of_fold = _calibration(unseen, repeats, plane, vectors)
    facts = _facts(pairs, unseen, preset, out_of_fold=out_of_fold)
    known_authority = dict(sorted(authority.items()))
    return Classifier(
        preset=preset.name,
        domain=domain,
        criteria=names,
        plane=plane,
        calibration=calibration,
        authority=known_authority,
        training=facts,
        statistics=models.statistics,
    )


def _unknown(_: JudgedPairs) -> Mapping[str, float]:
    return {}


def _calibration(
    unseen: HeldOut, repeats: NDArray[np.bool_], plane: Plane, vectors: NDArray[np.float64]
) -> tuple[Calibration, bool]:
    """Fit the sigmoid; also return whether it was fitted on out-of-fold values."""
    values = np.concatenate((unseen.forward, unseen.backward))
    known = ~np.isnan(values)
    judged = repeats[known]
    out_of_fold = bool(judged.any() and not judged.all())
    found = calibrate(values[known], judged) if out_of_fold else calibrate(plane.values(vectors), repeats)
    return Calibration(float(f"{found.slope:.10g}"), float(f"{found.offset:.10g}")), out_of_fold


def _facts(pairs: JudgedPairs, unseen: HeldOut, preset: ClassifierPreset, *, out_of_fold: bool) -> dict[str, Any]:
    truth = found_by_rule(pairs.i_repeats, pairs.j_repeats, preset.rule)
    found = unseen.found(preset.rule)
    hits = int((truth & found).sum())
    return {
        "pairs": len(pairs),
        "repeats": int(truth.sum()),
        "rule": preset.rule,
        "positive": list(preset.positive),
        "folds": {
            "tp": hits,
            "fp": int(found.sum()) - hits,
            "fn": int(truth.sum()) - hits,
            "f1": round(2 * hits / max(int(found.sum()) + int(truth.sum()), 1), 4),
        },
        "calibrated_out_of_folds": out_of_fold,
        "infostream_dedup": VERSION,
        "scikit_learn": learner_version(),
    }
