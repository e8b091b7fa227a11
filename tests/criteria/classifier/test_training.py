"""Training on the sample: the same model every time, and one that is worth having."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.judging.criteria.classifier import CLASSIFIER_PRESETS, chosen_criteria, suggestions
from infostream_dedup.judging.criteria.document_models import document_models
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs, folds, judged_pairs, splits
from infostream_dedup.judging.criteria.model_file import model_bytes
from infostream_dedup.judging.criteria.training import (
    GivenAuthority,
    LearnedAuthority,
    PairVectors,
    curve_criteria,
    fit_plane,
    held_out,
    learning_curve,
    prior_plane,
    train,
)
from infostream_dedup.model import Document
from reports.criteria_tables import single_criterion

PRESET = CLASSIFIER_PRESETS["duplicate"]
PRIOR = prior_plane(PRESET.criteria, PRESET.prior)


def test_any_order_of_labels_gives_the_same_bytes(sample_models, sample_labels, trained):
    labels = [replace(label, a=label.b, b=label.a) for label in sample_labels]
    random.Random(1).shuffle(labels)  # noqa: S311
    again = train(sample_models, judged_pairs(labels, sample_models.ids, positive=["dup"]), PRESET)
    assert model_bytes(again) == model_bytes(trained)


def test_all_criteria_together_beat_most_alone(sample_models, sample_pairs, trained):
    truth = sample_pairs.repeats
    forward, backward = trained.vectors(sample_models, sample_pairs.i, sample_pairs.j)
    together = held_out(sample_models, sample_pairs, PRESET.criteria, GivenAuthority(sample_models, {}), PRIOR).found(
        "both"
    )
    assert _f1(truth, together) > 0.85
    title = PRESET.criteria.index("title")
    alone = single_criterion(forward[:, title], backward[:, title], sample_pairs, "both", folds(sample_pairs, 5))
    assert _f1(truth, together) > _f1(truth, alone)


def test_probabilities_rise_with_the_decision_value(trained):
    assert trained.calibration.slope < 0
    assert trained.training["calibrated_out_of_folds"]


def test_labels_of_one_kind_teach_nothing(sample_models, sample_pairs):
    for kind in (sample_pairs.repeats, ~sample_pairs.repeats):
        with pytest.raises(BadDataError, match="both kinds"):
            train(sample_models, sample_pairs.at(np.flatnonzero(kind)), PRESET)
    with pytest.raises(BadDataError, match="both kinds"):
        train(sample_models, sample_pairs.at(np.zeros(0, dtype=np.int64)), PRESET)


def test_two_pairs_are_enough_to_train_and_the_prior_judges_them_unseen(sample_models, sample_pairs):
    few = np.array([np.flatnonzero(sample_pairs.repeats)[0], np.flatnonzero(~sample_pairs.repeats)[0]])
    found = train(sample_models, sample_pairs.at(np.sort(few)), PRESET, criteria=["words"])
    assert found.training["calibrated_out_of_folds"]


def test_the_plane_starts_from_its_prior_and_moves_with_labels():
    prior = prior_plane(["wording", "links"], {"wording": -1.4})
    assert prior.values(np.array([[0.36, 5.0], [0.0, 0.0]])).tolist() == pytest.approx([0.0, 2.52])
    nothing = fit_plane(np.zeros((0, 2)), np.zeros(0, dtype=bool), prior)
    assert (nothing.weights.tolist(), nothing.bias) == (prior.weights.tolist(), 0.0)
    # Labels that say the opposite of the prior.
    vectors = np.array([[0.0, 3.0], [1.0, -3.0]] * 20)
    assert (fit_plane(vectors, np.array([False, True] * 20), prior).values(vectors) > 0).tolist() == [False, True] * 20
    wild = fit_plane(np.array([[0.0, 1e15], [np.nan, -1e15]]), np.array([True, False]), prior)
    assert np.isfinite(wild.weights).all()


@pytest.mark.parametrize(("repeats", "found"), [(10, [True, True, False]), (9, [True, False, False])])
def test_the_threshold_is_where_f1_is_greatest_if_there_are_ten_of_each_class(repeats, found):
    # 400 pairs of .36 lie on the prior's plane and push it past the three repeats of .28.
    vectors = np.array([[0.0]] * (repeats - 3) + [[0.28]] * 3 + [[0.36]] * 400)
    plane = fit_plane(vectors, np.arange(repeats + 400) < repeats, prior_plane(["wording"], {"wording": -1.4}))
    assert (plane.values(np.array([[0.0], [0.28], [0.36]])) > 0).tolist() == found


def test_half_a_point_of_f1_does_not_move_the_threshold():
    vectors = np.array([[0.0]] * 400 + [[0.25]] + [[0.9]] * 400)
    plane = fit_plane(vectors, np.arange(801) < 400, prior_plane(["wording"], {"wording": -1.4}))
    assert plane.values(np.array([[0.25]])) > 0


def test_the_rarer_class_counts_by_the_root_of_its_size():
    # One repeat and four originals that look alike, so only the bias b is learned. Roots 1 and 2 give the classes 1/3
    # and 2/3 of the mean, and five of eight labels 5/8 of C = 2. The minimum of
    # .01 b² / 2 + 1.25 ((1 - b)² / 3 + 2 (1 + b)² / 3) is where .01 b + 2.5 b + 2.5 / 3 = 0.
    prior = prior_plane(["links"], {})
    assert fit_plane(np.zeros((5, 1)), np.array([True] + [False] * 4), prior).bias == pytest.approx(-2.5 / 3 / 2.51)


def test_without_labels_equal_texts_repeat_each_other_on_any_day_and_a_form_filled_in_again_does_not():
    form = "Курс доллара на сегодня составил {} гривны, курс евро {} гривны, курс фунта {} гривны за единицу валюты."
    bodies = (form.format("41,25", "44,10", "52,30"), form.format("41,31", "44,02", "52,18"))
    models = document_models(
        [
            Document(id=f"{body}-{day}", text=bodies[body], lang="ru", time=datetime(2026, 3, day, tzinfo=UTC))
            for body, day in ((0, 1), (0, 2), (0, 30), (1, 4))
        ]
    )
    yes, i, j = np.ones(4, dtype=bool), np.array([0, 0, 1, 0]), np.array([1, 2, 2, 3])
    vectors = PairVectors(models, JudgedPairs(i, j, yes, yes, yes), PRESET.criteria, GivenAuthority(models, {}))
    values = vectors.values(np.arange(4), (PRIOR, PRIOR), np.zeros(0, dtype=np.int64))
    assert [(value > 0).tolist() for value in values] == [[True, True, True, False]] * 2


def test_directed_labels_have_an_f1_for_each_direction(sample_models, sample_labels):
    # Only the later document repeats the earlier one.
    time = dict(zip(sample_models.ids, sample_models.times.tolist(), strict=True))
    labels = [
        replace(label, extra={"repeats": "a" if time[label.a] > time[label.b] else "b"})
        if label.label == "dup" and time[label.a] != time[label.b]
        else replace(label, label="different")
        for label in sample_labels
    ]
    pairs = judged_pairs(labels, sample_models.ids, positive=["dup"])
    facts = train(sample_models, pairs, PRESET, authority=LearnedAuthority(sample_models)).training
    assert facts["rule"] == "either"
    later, earlier = (facts["directions"][name] for name in ("later_repeats_earlier", "earlier_repeats_later"))
    assert later["f1"] > 0.8
    assert earlier["tp"] == earlier["fn"] == 0
    assert facts["repeats"] == later["tp"] + later["fn"] > 10


@pytest.mark.parametrize("names", [[], ["word"], ["words", "words"]])
def test_wrong_criteria_are_refused(names):
    with pytest.raises(ConfigurationError, match="criteria are"):
        chosen_criteria(names)


def test_suggestions_are_near_the_plane_spread_and_not_judged_yet(sample_models, sample_pairs, trained):
    ids = sample_models.ids
    i, j = np.triu_indices(30, 1)
    judged = {(ids[a], ids[b]) for a, b in zip(sample_pairs.i.tolist(), sample_pairs.j.tolist(), strict=True)}
    chosen = suggestions(trained.decide(sample_models, i, j), ids, judged, 10)
    assert len(chosen) == 10
    assert not {tuple(sorted((ids[i[row]], ids[j[row]]))) for row in chosen} & judged
    order = np.random.default_rng(0).permutation(len(i))
    again = suggestions(trained.decide(sample_models, i[order], j[order]), ids, judged, 10)
    assert [(i[row], j[row]) for row in chosen] == [(i[order][row], j[order][row]) for row in again]


def test_no_component_gives_a_second_suggestion_before_every_other_gave_one(trained):
    from infostream_dedup.judging.criteria.classifier import Decisions

    i, j = np.array([0, 1, 3]), np.array([1, 2, 4])
    values = np.array([0.1, 0.2, -3.0])
    decisions = Decisions(i, j, values, values, values, values)
    assert suggestions(decisions, list("abcde"), set(), 2).tolist() == [0, 2]
    assert suggestions(decisions, list("abcde"), {("a", "b")}, 5).tolist() == [1, 2]


def test_learning_curve_has_its_sets_and_sizes_and_repeats_itself(sample_models, sample_pairs):
    def draw():
        return learning_curve(
            sample_models, sample_pairs, curve_criteria(["words", "sentences", "number_order"]), "both",
            sizes=(0, 20, 50, 10_000), prior={"sentences": -1.0}, draws=3,
        )  # fmt: skip

    points = draw()
    assert [(point.criteria, point.size) for point in points] == [
        ("words", 20), ("words", 50), ("paragraphs", 20), ("paragraphs", 50), ("all", 0), ("all", 20), ("all", 50),
    ]  # fmt: skip
    for point in points:
        mean, low, high = point.f1
        assert 0 <= low <= mean <= high <= 1
    assert [point.as_dict() for point in draw()] == [point.as_dict() for point in points]


def test_all_points_of_a_learning_curve_are_tested_on_the_same_pairs(sample_models, sample_pairs):
    """A size that only one third allowed was tested on that third alone: more pairs seemed to make it worse."""
    rooms = sorted({len(fold.training) for fold in splits(sample_pairs, 3)})
    assert len(rooms) > 1
    sizes = (rooms[0], rooms[0] + 1, rooms[-1])
    points = learning_curve(sample_models, sample_pairs, {"words": ("words",)}, "both", sizes=sizes, draws=3)
    assert [(point.size, point.draws) for point in points] == [(rooms[0], 3)]


def _f1(truth, found):
    return 2 * (truth & found).sum() / (truth.sum() + found.sum())
