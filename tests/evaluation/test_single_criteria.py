"""One criterion at its best threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.criteria import document_models
from infostream_dedup.evaluation.single_criteria import best_threshold, pair_values, single_criteria
from infostream_dedup.model import Document


def test_equal_values_go_together_and_nan_never_counts():
    values = np.array([0.5, 0.5, 0.5, np.nan, 0.9])
    positive = np.array([True, False, False, True, False])
    assert best_threshold(values, positive) == (0.5, 1, 2, 1)


def test_nothing_to_find():
    threshold, *counts = best_threshold(np.array([np.nan, np.nan]), np.array([True, False]))
    assert np.isnan(threshold)
    assert counts == [0, 0, 1]
    assert best_threshold(np.array([0.1]), np.array([False]))[1:] == (0, 0, 0)
    assert best_threshold(np.zeros(0), np.zeros(0, dtype=bool))[1:] == (0, 0, 0)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=12))
def test_no_threshold_does_better(rows):
    values = np.array([value for value, _ in rows], dtype=np.float64)
    positive = np.array([truth for _, truth in rows])
    _, tp, fp, fn = best_threshold(values, positive)

    def f1(tp, fp, fn):
        return 2 * tp / max(2 * tp + fp + fn, 1)

    tried = [
        f1((positive & found).sum(), (~positive & found).sum(), (positive & ~found).sum())
        for found in (values <= threshold for threshold in range(5))
    ]
    assert f1(tp, fp, fn) == pytest.approx(max(tried))


def test_directions_and_signs():
    forward, backward = np.array([-2.0, 0.1, np.nan]), np.array([2.0, 0.7, 0.5])
    np.testing.assert_array_equal(pair_values(forward, backward, "both"), [2, 0.7, np.nan])
    np.testing.assert_array_equal(pair_values(forward, backward, "either"), [2, 0.1, np.nan])


def test_scores_of_criteria():
    texts = ["Счёт 6:4 и 3:6", "Счёт 6:4 и 3:6", "Счёт 6:2 и 7:5"]
    models = document_models([Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)])
    i, j, positive = np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([True, False, False])
    numbers, source = single_criteria(models, i, j, positive, criteria=["numbers", "source"])
    assert (numbers.name, numbers.rule, numbers.threshold, numbers.f1) == ("numbers", "both", 0, 1)
    assert (numbers.precision, numbers.recall) == (1, 1)
    assert (source.f1, source.precision, source.recall, source.fn) == (0, 0, 0, 1)
