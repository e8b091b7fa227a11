"""Differences of wording: the body and the title."""

from __future__ import annotations

import numpy as np

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, criterion, say_share, symmetric

__all__ = ["title", "words"]


@criterion(order=10, say=say_share("words", "differ"))
def words(pairs: ComparedPairs) -> Both:
    """1 - cosine of the bodies' BM25 vectors (equation 6); 0 to 1, symmetric; 1 if a body has no words."""
    return symmetric(1 - pairs.models.words.cosine(pairs.i, pairs.j))


@criterion(order=20, say=say_share("title", "differs"))
def title(pairs: ComparedPairs) -> Both:
    """1 - cosine of the titles (5.2); 0 to 1, symmetric; 0 if both are empty, 1 if one is."""
    titles = pairs.models.titles
    both_empty = (titles.sizes[pairs.i] == 0) & (titles.sizes[pairs.j] == 0)
    return symmetric(np.where(both_empty, 0.0, 1 - titles.cosine(pairs.i, pairs.j)))
