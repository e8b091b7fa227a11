"""Planes, probabilities and outcomes, worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.criteria.classifier import OUTCOMES, Calibration, Classifier, Plane
from infostream_dedup.judging.criteria.training import calibrate
from reports.criteria_tables import best_threshold

PLANE = Plane(np.array([0.5, 0.0]), np.array([0.25, 2.0]), np.array([-2.0, 1.0]), 0.5)
MODEL = Classifier(
    preset="duplicate", domain="", criteria=("words", "links"), later=PLANE, earlier=PLANE,
    calibration=Calibration(-2.0, 0.0),
)  # fmt: skip


def test_contributions_are_weight_times_standardised_value_and_add_up():
    vectors = np.array([[0.25, 4.0], [0.75, 0.0]])
    assert PLANE.contributions(vectors).tolist() == [[2.0, 2.0], [-2.0, 0.0]]
    assert PLANE.values(vectors).tolist() == [4.5, -1.5]


def test_an_unknown_criterion_counts_as_the_mean():
    assert PLANE.values(np.array([[np.nan, 4.0]])).tolist() == PLANE.values(np.array([[0.5, 4.0]])).tolist()
    assert PLANE.values(np.array([[np.nan, np.nan]])).tolist() == [0.5]


def test_four_outcomes_and_a_tie_is_not_a_repeat():
    at_plane = np.array([0.5 + 0.25 * 0.25, 0.0])
    assert PLANE.values(at_plane[None, :]).tolist() == [0.0]
    yes, no = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    forward = np.array([no, yes, no, yes, at_plane])
    backward = np.array([no, no, yes, yes, at_plane])
    pairs = np.arange(5)
    found = MODEL.decide_vectors(pairs, pairs, forward, backward, i_is_later=pairs % 2 == 0)
    assert [OUTCOMES[outcome] for outcome in found.outcomes] == [
        "both original", "a repeats b", "b repeats a", "each repeats the other", "both original",
    ]  # fmt: skip
    assert found.probability_forward[4] == 0.5


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1e6, 1e6)), min_size=1, max_size=40), st.integers(0, 39))
def test_a_pair_is_decided_alike_alone_and_among_others(vectors, row):
    table = np.array(vectors)
    row %= len(table)
    assert PLANE.values(table)[row] == PLANE.values(table[row : row + 1])[0]


def test_probabilities_stay_finite_far_from_the_plane():
    assert Calibration(-2.0, 0.0).probabilities(np.array([-1e30, 0.0, 1e30])).tolist() == pytest.approx([0, 0.5, 1])


def test_calibration_of_values_that_say_nothing_is_the_share_of_repeats():
    values = np.zeros(10)
    repeats = np.arange(10) < 4
    # Targets are 5/6 and 1/8, so the fitted share is (4 * 5/6 + 6 * 1/8) / 10.
    assert calibrate(values, repeats).probabilities(np.array([0.0])) == pytest.approx((4 * 5 / 6 + 6 / 8) / 10)


def test_calibration_meets_the_sigmoid_the_values_were_drawn_from():
    generator = np.random.default_rng(1)
    values = generator.normal(0, 2, 20_000)
    found = calibrate(values, generator.random(20_000) < Calibration(-1.5, 0.7).probabilities(values))
    assert found.slope == pytest.approx(-1.5, abs=0.06)
    assert found.offset == pytest.approx(0.7, abs=0.06)


def test_best_threshold_by_hand():
    grades = np.array([0.1, 0.2, 0.4, 0.8, np.inf])
    assert best_threshold(grades, np.array([True, True, False, True, False])) == pytest.approx((0.8, 6 / 7))
    assert best_threshold(grades, np.array([True, True, False, False, False])) == pytest.approx((0.3, 1.0))
    assert best_threshold(grades, np.zeros(5, dtype=bool)) == (-np.inf, 0.0)
    assert best_threshold(np.full(2, np.inf), np.ones(2, dtype=bool)) == (-np.inf, 0.0)
