from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.links import Measures, Recommendation

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reports"))

from old_rule import chance_links, expected_chance_links, recommend

#     k   1       2       3      4      5      6      7      8    9    10   11   12
LINKS = [90_000, 50_000, 20_000, 9_000, 5_000, 3_000, 2_000, 900, 700, 500, 200, 90]
S = [0.90, 0.50, 0.30, 0.29, 0.39, 0.52, 0.62, 0.62, 0.60, 0.50, 0.95, 1.00]
T = [0.90, 0.60, 0.50, 0.47, 0.67, 0.84, 0.90, 0.90, 0.86, 0.80, 0.95, 1.00]
CHANCE = np.array([1e6, 80_000, 10_000, 900, 8.9, 0.5, 0.1, 0, 0, 0, 0, 0, 0])


def _rows(symmetry: list[float | None], transitivity: list[float | None]) -> list[Measures]:
    return [
        Measures(
            k=k,
            documents=1000,
            links=LINKS[k - 1],
            reciprocal=0,
            paths=0,
            closed=0,
            symmetry=symmetry[k - 1],
            transitivity=transitivity[k - 1],
        )
        for k in range(1, 13)
    ]


def test_climbs_from_the_chance_floor_to_the_first_summit() -> None:
    # Chance is below 0.1 % from k = 4 on (8.9 of 9,000), which leaves the high S and T of k = 1 out; the means from
    # k = 4 on are .359 .493 .642 .734 .734 ...; k = 11 and 12 lie above 10/12 of n.
    recommendation = recommend(_rows(S, T), CHANCE, n=12)
    assert recommendation == Recommendation(
        7,
        "from k = 4 on chance explains less than 0.1 % of the links, and at k = 7 one more term no longer raises the"
        " harmonic mean of S = 0.62 and T = 0.90 (0.73) by more than 2 %",
    )


@pytest.mark.parametrize(("gain", "k"), [(1.019, 4), (1.021, 10)])
def test_a_term_is_worth_more_than_two_per_cent(gain: float, k: int) -> None:
    values: list[float | None] = [0.5 * gain**number for number in range(12)]
    assert recommend(_rows(values, values), CHANCE, n=12).k == k


def test_a_second_summit_at_high_k_does_not_count() -> None:
    values: list[float | None] = [0.5, 0.5, 0.5, 0.5, 0.6, 0.7, 0.6, 0.6, 0.7, 0.9, 0.9, 0.9]
    assert recommend(_rows(values, values), CHANCE, n=12).k == 6


def test_order_of_rows_does_not_matter() -> None:
    rows = _rows(S, T)
    assert recommend(rows[::-1], CHANCE, n=12) == recommend(rows, CHANCE, n=12)


def test_rows_without_a_value_are_passed_over() -> None:
    assert recommend(_rows([*S[:6], None, *S[7:]], [*T[:7], None, *T[8:]]), CHANCE, n=12).k == 9
    assert recommend(_rows([None] * 6 + S[6:], T), CHANCE, n=12).k == 7


@pytest.mark.parametrize(("links", "k"), [(299, None), (300, 7)])
def test_too_few_links_at_the_floor_are_refused(links: int, k: int | None) -> None:
    rows = [replace(row, links=links) if row.k == 4 else row for row in _rows(S, T)]
    recommendation = recommend(rows, np.where(np.arange(13) == 4, 0.1, CHANCE), n=12)
    assert recommendation.k == k
    if k is None:
        assert recommendation.reason == (
            "only 299 links at k = 4, the first k at which chance explains less than 0.1 % of them;"
            " a recommendation needs 300"
        )


def test_nothing_but_chance_is_refused() -> None:
    assert recommend(_rows(S, T), np.full(13, 1e6), n=12).k is None
    assert recommend([], CHANCE, n=12).k is None


def test_links_that_are_never_returned_are_refused() -> None:
    assert recommend(_rows([0.0] * 12, T), CHANCE, n=12).k is None
    assert recommend(_rows([0.0] * 12, [None] * 12), CHANCE, n=12, cross=True).k is None


def test_a_floor_above_all_candidates_is_refused() -> None:
    rows = [replace(row, links=5_000) for row in _rows(S, T)]
    assert recommend(rows, np.where(np.arange(13) < 11, 1e6, 0.0), n=12).k is None


def test_between_languages_the_greatest_symmetry_counts() -> None:
    recommendation = recommend(_rows([*S[:8], 0.7, 0.7, *S[10:]], [None] * 12), CHANCE, n=12, cross=True)
    assert recommendation == Recommendation(
        9,
        "k = 9 has the greatest symmetry of links between languages (S = 0.70), from k = 4 on, where chance explains"
        " less than 0.1 % of the links",
    )


def test_chance_of_two_documents_worked_by_hand() -> None:
    # The first has two terms, each in half of the other documents: P(>= 1) = 3/4, P(2) = 1/4. The second has one term
    # that all others hold. Each asks one other document.
    expected = expected_chance_links(np.array([[0.5, 0.5], [1.0, np.nan]]), 2)
    assert expected.tolist() == [2.0, 1.75, 0.25]


def test_chance_across_and_within_labels_by_hand() -> None:
    # Document 0 (label 0) asks documents 1 and 2 (label 1), one of which has its term; they ask document 0, which has
    # the term of the second of them only. Within label 1 neither has the term of the other.
    keys = sp.csr_array(np.array([[1, 0], [0, 1], [1, 0]], dtype=np.int64))
    labels = np.array([0, 1, 1])
    assert chance_links(keys, keys, 1, labels, across=True).tolist() == [4.0, 2.0]
    assert chance_links(keys, keys, 1, labels)[:2].tolist() == [2.0, 0.0]
