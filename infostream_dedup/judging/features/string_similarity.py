"""String::Similarity, the judge of Zelenkov and Segalovich's pool: the share of characters in common order.

M. Lehmann's Perl module of that name, after E. Myers: An O(ND) difference algorithm and its variations, Algorithmica 1,
1986: sim(a, b) = 2 LCS(a, b) / (|a| + |b|), which is rapidfuzz's normalised Indel similarity. It is not the ratio of
Python's difflib. The Perl module approximates the longest common subsequence if texts differ by more than some 500
edits; ours is exact, so it is never smaller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


_SLACK: Final = 1e-9
_CUTOFF_SLACK: Final = 1e-6


def require_similarity() -> Callable[..., float]:
    """Return rapidfuzz's normalised Indel similarity."""
    try:
        from rapidfuzz.distance import Indel
    except ImportError as error:
        raise MissingExtraError("rapidfuzz", "compare", "String::Similarity of texts") from error
    return Indel.normalized_similarity


def string_similarity(a: str, b: str) -> float:
    """Return the similarity of two texts, 0 to 1; two empty texts are equal.

    Example:
        >>> string_similarity("снегопад", "снегоход")
        0.75
    """
    return float(require_similarity()(a, b))


def string_similarities(
    texts: Sequence[str], a: NDArray[np.int64], b: NDArray[np.int64], *, threshold: float = 0.0
) -> NDArray[np.float64]:
    """Compute the similarities of pairs of texts."""
    similarity = require_similarity()
    # rapidfuzz returns 0 for a similarity within 2e-8 of its cutoff.
    cutoff = max(threshold - _CUTOFF_SLACK, 0.0)
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    found = np.fromiter(
        (similarity(texts[one], texts[other], score_cutoff=cutoff) for one, other in pairs),
        dtype=np.float64,
        count=len(a),
    )
    found[found < threshold - _SLACK] = 0.0
    return found
