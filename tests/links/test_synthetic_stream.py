"""The trends of the source paper on a synthetic stream: their signs, not their decimals."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.links import Measures, match, sweep_counts

MIDDLE = 0.018
"""Least df of a key term of middle frequency, as a share of all documents."""

seeds = pytest.mark.parametrize("seed", [1, 2, 3])


def _measures(stream: Any, keys: sp.csr_array, targets: sp.csr_array) -> list[Measures]:
    return sweep_counts(match(keys, targets, n=12, weights=False, k_min=4), range(4, 9))


@seeds
def test_with_middle_frequency_key_terms_both_rise_and_transitivity_is_above(
    news_stream: Callable[[int], Any], seed: int
) -> None:
    stream = news_stream(seed)
    rows = _measures(stream, stream.keys(df_min=MIDDLE), stream.targets())
    assert not any(row.sampled for row in rows)
    for low, high in pairwise(rows):
        assert low.symmetry < high.symmetry
        assert low.transitivity < high.transitivity
    assert all(row.transitivity > row.symmetry for row in rows)


@seeds
def test_with_all_words_as_key_terms_symmetry_falls(news_stream: Callable[[int], Any], seed: int) -> None:
    stream = news_stream(seed)
    rows = _measures(stream, stream.keys(df_min=2), stream.targets())
    for low, high in pairwise(rows):
        assert low.symmetry > high.symmetry


@seeds
def test_signature_against_signature_is_symmetric(news_stream: Callable[[int], Any], seed: int) -> None:
    stream = news_stream(seed)
    keys = stream.keys(df_min=MIDDLE)
    rows = _measures(stream, keys, keys > 0)
    assert [row.symmetry for row in rows] == [1.0] * 5


@seeds
def test_articles_are_found_in_their_digest_but_not_the_digest_in_them(
    digest_stream: Callable[[int], Any], seed: int
) -> None:
    stream = digest_stream(seed)
    keys = stream.keys(df_min=MIDDLE)
    links = match(keys, stream.targets(), n=12, weights=False, k_min=6).links_at(6).toarray()
    article = np.array(stream.articles).ravel()
    digest = np.repeat(np.arange(200), 5) + stream.first_digest
    assert links[article, digest].mean() >= 0.95
    assert links[digest, article].mean() <= 0.20
