"""The protocol of Zelenkov and Segalovich: recall against the verified pairs found by any of several methods.

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007, section 4. The pool U is the union of the pairs of A0 to A10; V are the pairs of U with a String::Similarity of at
least .80. Precision is |A ∩ V| / |A|, recall |A ∩ V| / |V|. (The paper calls U the base of recall, but only V
reproduces its printed figures.) A method outside the pool is measured against the same V: what it finds beyond the
pool counts as false, however similar the texts; ``PoolScore.alike`` is the share of its pairs with similar texts.

Texts are compared as words without punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.features.string_similarity import string_similarities
from infostream_dedup.lab.evaluation.pair_codes import both_of
from infostream_dedup.lab.evaluation.scores import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["POOL_METHODS", "THRESHOLD", "MethodPool", "PoolScore", "alike_pairs", "pool_of", "pool_score"]

POOL_METHODS: Final = (
    "md5",
    "tf",
    "tf-idf",
    "tf-ridf",
    "long-sent",
    "heavy-sent",
    "megashingles",
    "lex-rand",
    "log-shingles",
    "descr-words",
    "opt-freq",
)
"""A0 to A10."""

THRESHOLD: Final = 0.80
"""Minimum String::Similarity of a verified pair."""


@dataclass(frozen=True, slots=True)
class MethodPool:
    """The pairs that methods found together, and those of them that are verified.

    Attributes:
        methods: names of the methods in the pool.
        pairs: int64 (pairs,), ascending codes of all their pairs (U).
        verified: int64 (verified,), ascending codes of the pairs with similar texts (V).
    """

    methods: tuple[str, ...]
    pairs: NDArray[np.int64]
    verified: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PoolScore:
    """Score of one method against the pool.

    Attributes:
        scores: counts, where ``tp`` are its pairs in V, ``fp`` its other pairs and ``fn`` the pairs of V it misses.
        alike: share of its pairs with similar texts, in the pool or not, 0 to 1; ``None`` without pairs.
    """

    scores: Scores
    alike: float | None


def alike_pairs(texts: Sequence[str], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Select the pairs whose texts have a String::Similarity of at least ``THRESHOLD``.

    Args:
        texts: text of each document.
        codes: int64 (pairs,), ascending codes (``pair_codes.codes_of``).

    Returns:
        int64 (selected,), ascending codes.
    """
    a, b = both_of(codes, len(texts))
    return codes[string_similarities(texts, a, b, threshold=THRESHOLD) > 0]


def pool_of(found: Mapping[str, NDArray[np.int64]], alike: NDArray[np.int64]) -> MethodPool:
    """Make the pool of several methods.

    Args:
        found: by method, int64 (pairs,), distinct codes of its pairs.
        alike: int64 (pairs,), result of ``alike_pairs`` for at least all of these pairs.
    """
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found.values()]))
    return MethodPool(tuple(found), pairs, np.intersect1d(pairs, alike, assume_unique=True))


def pool_score(codes: NDArray[np.int64], pool: MethodPool, alike: NDArray[np.int64]) -> PoolScore:
    """Score one method against the pool.

    Args:
        codes: int64 (pairs,), distinct codes of its pairs.
        pool: the pool.
        alike: int64 (pairs,), result of ``alike_pairs`` for at least these pairs.
    """
    right = len(np.intersect1d(codes, pool.verified, assume_unique=True))
    similar = len(np.intersect1d(codes, alike, assume_unique=True))
    return PoolScore(
        Scores(right, len(codes) - right, len(pool.verified) - right, len(codes)),
        similar / len(codes) if len(codes) else None,
    )
