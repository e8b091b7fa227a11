"""A criterion of a pair: whether two documents are in one language. A toy."""

from __future__ import annotations

import numpy as np

from infostream_dedup.criteria.criterion import Both, ComparedPairs, criterion, symmetric


@criterion(say=lambda value: "two languages" if value else "one language")
def language(pairs: ComparedPairs) -> Both:
    """0 for two documents of one language, 1 for two languages; symmetric."""
    languages = np.array(pairs.models.languages)
    return symmetric((languages[pairs.i] != languages[pairs.j]).astype(np.float64))
