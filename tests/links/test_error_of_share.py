"""The standard error of a sampled share never claims certainty."""

import pytest

from infostream_dedup.links.measures import Measures, error_of_share


def test_inside_it_is_the_binomial_one_and_at_the_ends_the_rule_of_three():
    assert error_of_share(0.5, 100) == pytest.approx(0.05)
    for share in (0.0, 1.0):
        assert 1.96 * error_of_share(share, 300) == pytest.approx(0.01)
        assert 1.96 * error_of_share(share, 2) == 1.0, "nothing is known"


def test_a_transitivity_of_one_is_not_certain_if_it_is_sampled():
    counts = {"k": 2, "documents": 9, "links": 20, "reciprocal": 20, "paths": 1000}
    sampled = Measures.of(**counts, closed=50, draws=50)
    assert (sampled.transitivity, sampled.closed) == (1.0, 1000)
    assert sampled.transitivity_error == pytest.approx(3 / 50 / 1.96)
    assert Measures.of(**counts, closed=1000).transitivity_error is None
