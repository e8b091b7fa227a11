"""Compares meanings: cosines of sentence vectors, only for pairs that the other evidence leaves in doubt.

A document's vector encodes its title and first words. It is computed when a doubtful pair first needs it, and kept as
384 small integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.pair_model import DECIMALS
from infostream_dedup.judging.evidence.sentence_encoder import check_encoder, encode
from infostream_dedup.model import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray


MEANING_WORDS: Final = 40
"""Number of words encoded after the title."""

CERTAIN: Final = 0.9
"""Meanings are not compared if the probability is below 1 - CERTAIN or above this."""

MEANING_WEIGHT: Final = 60.0
"""Amount that one unit of cosine adds to the logit of a pair's probability."""

MEANING_MIDDLE: Final = 0.9
"""Neutral cosine: the encoder's cosines of unrelated news are mostly 0.78 to 0.88."""


class Meanings:
    """Vectors of the documents of a collection.

    Raises:
        MissingExtraError, ConfigurationError: the encoder cannot run here.
    """

    def __init__(self) -> None:
        check_encoder()
        self._heads: list[str] = []
        self._vectors: dict[int, NDArray[np.int8]] = {}

    def add(self, document: Document) -> None:
        """Add the next document."""
        self._heads.append(head_of(document))

    def cosines(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Cosines of pairs: float64 (pairs,), rounded to 4 decimals.

        Args:
            a: int64 (pairs,), documents in the order in which they were added.
            b: int64 (pairs,).
        """
        asked = sorted(set(a.tolist() + b.tolist()) - self._vectors.keys())
        self._vectors.update(zip(asked, encode([self._heads[one] for one in asked]), strict=True))
        found = np.zeros(len(a), dtype=np.float64)
        for row, (one, other) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            left, right = (self._vectors[end].astype(np.float64) for end in (one, other))
            found[row] = left @ right / max(float(np.sqrt((left @ left) * (right @ right))), 1.0)
        return np.round(found, 4)


def head_of(document: Document) -> str:
    """Return the title and first words of a document; the title is not repeated if the text begins with it."""
    body = document.text.removeprefix(document.title) if document.title else document.text
    words = " ".join(body.split()[:MEANING_WORDS])
    return f"{document.title}. {words}" if document.title else words


def with_meaning(
    a: NDArray[np.int64], b: NDArray[np.int64], probability: NDArray[np.float64], meanings: Meanings
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Judge doubtful pairs again, by meaning.

    Args:
        a: int64 (pairs,).
        b: int64 (pairs,).
        probability: float64 (pairs,), probability of the pair model.

    Returns:
        float64 (pairs,) twice: the probability, rounded as before, and the cosine, NaN if it was not computed.
    """
    doubtful = np.flatnonzero((probability >= round(1 - CERTAIN, DECIMALS)) & (probability <= CERTAIN))
    cosines = np.full(len(a), np.nan)
    cosines[doubtful] = meanings.cosines(a[doubtful], b[doubtful])
    prior = probability[doubtful]
    logits = np.log(prior / (1 - prior)) + added_by(cosines[doubtful])
    judged = probability.copy()
    judged[doubtful] = np.round(1 / (1 + np.exp(-logits)), DECIMALS)
    return judged, cosines


def added_by(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Amounts that cosines add to the logit: float64, rounded to ``DECIMALS``."""
    return np.round(MEANING_WEIGHT * (cosines - MEANING_MIDDLE), DECIMALS)
