"""The mixture finds two classes that are there, and levels are cut where they should be."""

import numpy as np
import pytest

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.lab.estimation.duplicate_scores import (
    FIELDS,
    LEVELS,
    are_refilled,
    fit_mixture,
    levels_of,
    patterns_of,
)


def _row(**values):
    return [values.get(name, 0.0) for name in COLUMNS]


def test_levels_of_a_pair_worked_by_hand():
    pair = _row(
        wording_forward=0.09, wording_backward=0.01, numbers_forward=0.7, numbers_least=2, names_forward=0.9,
        names_backward=0.5, names_least=1, opening_forward=0.85, opening_backward=0.12, share30_forward=0.41,
        share30_backward=0.39,
    )  # fmt: skip
    # Roots: .09 is .3. One name is too few to compare. A cut belongs to the level above it.
    assert levels_of(np.array([pair])).tolist() == [[3, 6, 0, 7, 2, 3]]
    assert levels_of(np.array([_row()])).tolist() == [[1, 0, 0, 1, 1, 1]]


def test_a_form_filled_in_twice_has_the_wording_and_not_the_numbers():
    # Levels of wording: 5 is a root of .55, three tenths. Of numbers: 0 none to compare, 3 below .4, 4 from .4 on.
    levels = np.array(
        [[5, 3, 0, 7, 7, 7], [5, 4, 0, 7, 7, 7], [5, 0, 0, 7, 7, 7], [4, 1, 0, 7, 7, 7], [7, 1, 7, 1, 1, 1]]
    )
    assert are_refilled(levels.astype(np.int8)).tolist() == [True, False, False, False, True]


def test_patterns_are_distinct_and_lead_back():
    levels = np.random.default_rng(1).integers(0, 3, (500, len(FIELDS))).astype(np.int8)
    patterns, which = patterns_of(levels)
    assert np.array_equal(patterns[which], levels)
    assert len(np.unique(patterns, axis=0)) == len(patterns)


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.02])
def test_two_classes_are_found_again(prior):
    random = np.random.default_rng(3)
    m = random.dirichlet([0.3, 0.3, 0.5, 0.5, 1, 2, 4, 8], len(FIELDS))
    u = random.dirichlet([0.3, 8, 4, 2, 1, 0.5, 0.5, 0.3], len(FIELDS))
    pairs = 40_000
    same = random.random(pairs) < prior
    drawn = random.random((pairs, len(FIELDS)))
    levels = (
        np.stack(
            [
                np.where(
                    same,
                    np.searchsorted(m[field].cumsum(), drawn[:, field]),
                    np.searchsorted(u[field].cumsum(), drawn[:, field]),
                )
                for field in range(len(FIELDS))
            ],
            axis=1,
        )
        .clip(0, LEVELS - 1)
        .astype(np.int8)
    )
    patterns, which = patterns_of(levels)
    weights = np.bincount(which).astype(np.float64)
    # The start knows the answer for four pairs in five only.
    told = np.where(random.random(pairs) < 0.8, same, ~same).astype(np.float64)
    fit = fit_mixture(patterns, weights, np.bincount(which, told) / weights)
    probability = fit.probabilities(patterns)[which]
    assert fit.prior == pytest.approx(same.mean(), abs=0.01)
    assert np.abs(fit.u - u).max() < 0.02
    assert probability[same].mean() > 0.9
    assert probability[~same].mean() < 0.02 + prior / 10
    assert fit.unworded == fit.m[0, 1]


def test_pairs_of_one_pattern_weigh_as_much_apart_as_together():
    random = np.random.default_rng(4)
    levels = random.integers(0, LEVELS, (300, len(FIELDS))).astype(np.int8)
    patterns, which = patterns_of(np.concatenate([levels, levels]))
    start = random.random(len(patterns))
    once = fit_mixture(patterns, np.ones(len(patterns)), start)
    twice = fit_mixture(patterns, np.bincount(which) / 2, start)
    assert np.allclose(once.m, twice.m)
