"""From a collection to its similarity matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infostream_dedup.batch.collection import Weighable
from infostream_dedup.links import engine_for, expected_work
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import KeyTerms

__all__ = ["MOST_LINKS", "Linked", "key_terms_of", "least_k", "link"]

MOST_LINKS: Final = 300_000_000
"""A matrix that may hold more links than this is stored from a higher k on: 5 bytes a link."""


@dataclass(frozen=True, slots=True)
class Linked:
    """A collection's key terms and the links between its documents.

    Attributes:
        key_terms: key terms, targets and the statistics they were weighed by.
        matrix: counts for all k >= ``matrix.k_min``; with matched weights when asked for.
        settings: what decided both.
        compiled: whether the compiled engine matched: it changes no result, but says that the collection is large.
    """

    key_terms: KeyTerms
    matrix: SimilarityMatrix
    settings: Settings
    compiled: bool = False


def key_terms_of(collection: Weighable, settings: Settings) -> KeyTerms:
    """Key terms of every document of a collection: by its own statistics, unless it brings others."""
    return collection.key_terms(settings)


def least_k(key_terms: KeyTerms, wanted: int = 1) -> int:
    """The smallest k from ``wanted`` on whose links surely fit into memory: ``wanted``, or else 4 (n if smaller)."""
    documents = key_terms.keys.shape[0]
    most = min(expected_work(key_terms.keys, key_terms.targets), documents * documents)
    n = int(key_terms.sizes.max(initial=1))
    return wanted if most <= MOST_LINKS else max(wanted, min(4, n))


def link(
    key_terms: KeyTerms,
    settings: Settings,
    *,
    k_min: int = 1,
    weights: bool = False,
    engine: str = "auto",
    progress: Progress | None = None,
) -> Linked:
    """Match every document's key terms against every other document.

    Args:
        key_terms: of the collection.
        settings: ``n``; ``score`` ``share`` needs ``weights``.
        k_min: links below are left out, at least 1.
        weights: also sum the matched weight of every link.
        engine: ``auto``, ``scipy`` or ``numba``; results are the same.
        progress: told of the documents done.
    """
    chosen = engine_for(key_terms.keys.shape[0], engine)
    matrix = chosen.match(
        key_terms.keys,
        key_terms.targets,
        n=settings.n,
        weights=weights or settings.score == "share",
        k_min=k_min,
        progress=progress,
    )
    return Linked(key_terms, matrix, settings, compiled=chosen.name == "numba")
