"""The protocol of Zelenkov and Segalovich: recall against the verified pairs that any of several methods found.

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007, section 4. The pool U is the union of the pairs of A0 to A10; V are the pairs of U with a String::Similarity of at
least .80. Precision is |A ∩ V| / |A|, recall |A ∩ V| / |V|. (The paper calls U the base of recall; only V reproduces
its printed figures.) A method outside of the pool is measured against the same V: what it finds beyond the pool counts
as false, however alike the texts are; ``PoolScore.alike`` tells the share of its pairs that are alike.

Texts are compared as words without punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.evaluation.pair_codes import both_of
from infostream_dedup.evaluation.scores import Scores
from infostream_dedup.features.string_similarity import string_similarities

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
"""Least String::Similarity of a verified pair."""


@dataclass(frozen=True, slots=True)
class MethodPool:
    """What methods found together, and what of it is right.

    Attributes:
        methods: whose pairs it holds.
        pairs: int64, ascending codes of all of them (U).
        verified: int64, ascending codes of those whose texts are alike (V).
    """

    methods: tuple[str, ...]
    pairs: NDArray[np.int64]
    verified: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PoolScore:
    """One method by the pool.

    Attributes:
        scores: ``tp`` pairs in V, ``fp`` others, ``fn`` pairs of V that are missing.
        alike: pairs with alike texts, in the pool or not, over all its pairs, 0 to 1; ``None`` without pairs.
    """

    scores: Scores
    alike: float | None


def alike_pairs(texts: Sequence[str], codes: NDArray[np.int64], *, threshold: float = THRESHOLD) -> NDArray[np.int64]:
    """Those of some pairs whose texts have a String::Similarity of at least the threshold.

    Args:
        texts: one per document.
        codes: int64, ascending (``pair_codes.codes_of``).
        threshold: above 0 to 1.
    """
    a, b = both_of(codes, len(texts))
    return codes[string_similarities(texts, a, b, threshold=threshold) > 0]


def pool_of(found: Mapping[str, NDArray[np.int64]], alike: NDArray[np.int64]) -> MethodPool:
    """The pool of some methods.

    Args:
        found: for each method int64, distinct codes of its pairs.
        alike: int64, from ``alike_pairs`` of at least all of these pairs.
    """
    pairs = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found.values()]))
    return MethodPool(tuple(found), pairs, np.intersect1d(pairs, alike, assume_unique=True))


def pool_score(codes: NDArray[np.int64], pool: MethodPool, alike: NDArray[np.int64]) -> PoolScore:
    """Judge one method by the pool.

    Args:
        codes: int64, distinct codes of its pairs.
        pool: of all methods.
        alike: int64, from ``alike_pairs`` of at least these pairs.
    """
    right = len(np.intersect1d(codes, pool.verified, assume_unique=True))
    similar = len(np.intersect1d(codes, alike, assume_unique=True))
    return PoolScore(
        Scores(right, len(codes) - right, len(pool.verified) - right), similar / len(codes) if len(codes) else None
    )
