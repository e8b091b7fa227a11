"""Options that ``train`` and ``classify`` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.criteria.document_models import DocumentModels

__all__ = ["candidate_pairs", "candidates_option", "link_option"]

candidates_option = click.option(
    "--candidates",
    type=click.Choice(["key-terms", "two-words"]),
    default="key-terms",
    show_default=True,
    help="Which pairs are looked at: linked by key terms, or with the same two heaviest words (the paper).",
)
link_option = click.option(
    "--k", type=click.IntRange(1, 12), default=3, show_default=True, help="Key terms that must meet, of 12."
)


def candidate_pairs(models: DocumentModels, candidates: str, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Candidates as asked for, the earlier document first."""
    import numpy as np

    from infostream_dedup.criteria.candidates import key_term_candidates, two_word_candidates

    i, j = two_word_candidates(models) if candidates == "two-words" else key_term_candidates(models, k=k)
    turned = models.times[j] < models.times[i]
    return np.where(turned, j, i), np.where(turned, i, j)
