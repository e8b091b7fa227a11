"""Choose the pairs of documents that a classifier judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from infostream_dedup.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.judging.criteria.document_models import DocumentModels

__all__ = ["Candidates", "candidate_pairs"]

Candidates = Literal["key-terms", "two-words"]


def candidate_pairs(
    models: DocumentModels, candidates: Candidates, k: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the candidate pairs, the earlier document first.

    Args:
        models: the models of the collection.
        candidates: ``key-terms``: pairs linked by key terms; ``two-words``: pairs with the same two heaviest words, as
            in the paper.
        k: number of shared key terms that links a pair, 1 to 12.

    Returns:
        Two arrays of int64 (pairs,), ordinals.

    Raises:
        ConfigurationError: the name of the candidates is unknown, or k is out of range.
    """
    import numpy as np

    from infostream_dedup.judging.criteria.candidates import key_term_candidates, two_word_candidates

    if candidates not in ("key-terms", "two-words"):
        raise ConfigurationError(f"candidates is {candidates!r}; expected key-terms or two-words")
    i, j = two_word_candidates(models) if candidates == "two-words" else key_term_candidates(models, k=k)
    turned = models.times[j] < models.times[i]
    return np.where(turned, j, i), np.where(turned, i, j)
