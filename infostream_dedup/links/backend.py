"""Implementations of the stages from key terms to links and their measures.

Each folder here is an engine: a package with the functions ``match``, ``sweep_counts`` and ``group_leaders``, and
``TEXT_STAGES``, the name of the package of ``terms`` that reads its texts. A ``Backend`` holds the functions.
``plain`` (numpy and scipy) is the reference; ``compiled`` (numba) is for large collections and gives the same results,
bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from infostream_dedup.links import plain
from infostream_dedup.machine.engines import choose_engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.links.measures import Measures
    from infostream_dedup.links.similarity_matrix import SimilarityMatrix
    from infostream_dedup.machine.progress import Progress


class Match(Protocol):
    """Matches key terms against targets."""

    def __call__(
        self,
        keys: sp.csr_array,
        targets: sp.csr_array,
        *,
        n: int,
        weights: bool,
        k_min: int,
        progress: Progress | None = None,
    ) -> SimilarityMatrix:
        """Count, for every ordered pair of documents, the key terms of the first that are in the second.

        keys: int64 (documents, terms), weight of each key term in units of 1e-9, at least 1; at most n in a row.
        """


class SweepCounts(Protocol):
    """Measures the links at each k."""

    def __call__(
        self, matrix: SimilarityMatrix, ks: Iterable[int], *, progress: Progress | None = None
    ) -> list[Measures]:
        """Symmetry and transitivity at each k; transitivity is exact from ``EXACT_FROM`` upwards.

        Returns one row for each distinct k, ascending.
        """


class GroupLeaders(Protocol):
    """Finds groups of documents joined by reciprocated links."""

    def __call__(self, counts: sp.csr_array, ks: Sequence[int]) -> NDArray[np.int64]:
        """Return the leader of each document's group: connected components of returned links (methods, section 1.7).

        counts: (documents, documents), sorted indices.
        """


@dataclass(frozen=True, slots=True)
class Backend:
    """The stages of one engine."""

    name: str  # name of the engine, such as `plain` or `compiled`
    match: Match  # computes a similarity matrix from key terms and targets
    sweep_counts: SweepCounts  # computes symmetry and transitivity at each k from a similarity matrix
    group_leaders: GroupLeaders  # computes groups of documents from counts


PLAIN = Backend("plain", plain.match, plain.sweep_counts, plain.group_leaders)


def choose_backend(engine: str) -> Backend:
    """Choose the backend for a collection."""
    name = choose_engine(engine)
    stages = import_module(f"infostream_dedup.links.{name}")
    return Backend(name, stages.match, stages.sweep_counts, stages.group_leaders)
