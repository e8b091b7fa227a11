"""Resampled documents do not depend on threads and blocks."""

import math

import numpy as np

from infostream_dedup.lab.estimation import copy_scores
from infostream_dedup.lab.estimation.copy_scores import drawn_documents


def test_the_numbers_of_one_generator_in_order(monkeypatch):
    steps = np.cumsum([math.exp(-1.0) / math.factorial(times) for times in range(9)])
    random = np.random.default_rng(copy_scores._SEED).random((1234, 200))
    expected = np.searchsorted(steps, random, side="right")
    assert np.array_equal(drawn_documents(1234), expected)
    monkeypatch.setattr(copy_scores, "_CHUNK", 7)
    assert np.array_equal(drawn_documents(1234), expected)
    assert np.array_equal(drawn_documents(100), expected[:100])
    assert abs(expected.mean() - 1) < 0.01
