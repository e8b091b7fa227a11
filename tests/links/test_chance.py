from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.links import expected_chance_links, recommendation


def test_two_documents_worked_by_hand() -> None:
    # The first has two terms, each in half of the other documents: P(>= 1) = 3/4, P(2) = 1/4. The second has one term
    # that all others hold. Each asks one other document.
    expected = expected_chance_links(np.array([[0.5, 0.5], [1.0, np.nan]]), 2)
    assert expected.tolist() == [2.0, 1.75, 0.25]


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=3), st.integers(2, 50))
def test_equals_the_sum_over_all_outcomes(rows: list[list[float]], documents: int) -> None:
    exact = np.zeros(5)
    for row in rows:
        for hits in product([False, True], repeat=4):
            probability = prod(p if hit else 1 - p for p, hit in zip(row, hits, strict=True))
            exact[: sum(hits) + 1] += probability * (documents - 1)
    assert expected_chance_links(np.array(rows), documents) == pytest.approx(exact)


def test_agrees_with_independent_terms_drawn_at_random() -> None:
    random = np.random.default_rng(3)
    documents, terms = 400, 12
    probabilities = random.uniform(0.02, 0.3, terms)
    holds = random.random((documents, documents, terms)) < probabilities
    hits = holds.sum(axis=2)[~np.eye(documents, dtype=np.bool_)]
    expected = expected_chance_links(np.tile(probabilities, (documents, 1)), documents)
    for k in range(6):
        found = (hits >= k).sum()
        assert found == pytest.approx(expected[k], abs=4 * np.sqrt(expected[k]) + 1e-6)


def test_blocks_of_documents_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    probabilities = np.random.default_rng(4).random((50, 12))
    whole = expected_chance_links(probabilities, 50)
    monkeypatch.setattr(recommendation, "CHANCE_BLOCK", 7)
    assert expected_chance_links(probabilities, 50) == pytest.approx(whole)


def test_nothing_to_ask() -> None:
    assert expected_chance_links(np.zeros((0, 3)), 0).tolist() == [0.0] * 4
    assert expected_chance_links(np.ones((1, 3)), 1).tolist() == [0.0] * 4
