"""The links of a collection, in whatever form they are stored.

| class         | what is stored                                                         | used for                    |
|---------------|------------------------------------------------------------------------|-----------------------------|
| `StoredLinks` | every link, in one similarity matrix                                   | most collections            |
| `NodeLinks`   | links between nodes of equal documents                                 | large clusters of copies    |
| `LowLinks`    | either, from some k upwards; lower links are counted but not stored    | links that exceed memory    |
| `ShareLinks`  | every link with the share of weight matched                            | the share score             |
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled import group_leaders, sweep_counts
from infostream_dedup.links.measures import Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, work_exceeds
from infostream_dedup.links.sweeping import sweep_shares
from infostream_dedup.machine.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.compiled.matching import MatchedNodes


MOST_POSTINGS: Final = 300_000_000
"""Maximum number of posting entries read, about ten core seconds; beyond it, documents are sampled."""

SAMPLED_DOCUMENTS: Final = 20_000
"""Number of documents sampled: 1.6 % of a month, for standard errors of S of .001 to .004."""

_SEED: Final = 2026


def drawn_documents(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    most_postings: int = MOST_POSTINGS,
    size: int = SAMPLED_DOCUMENTS,
) -> NDArray[np.int64] | None:
    """Draw documents by ordinal; the draw depends only on the number of documents, not on their content.

    Args:
        keys: (documents, terms), key terms.
        targets: (documents, terms), the terms in which they are looked up.

    Returns:
        int64, ascending; ``None`` if all documents may be asked.
    """
    documents = keys.shape[0]
    if documents <= size or not work_exceeds(keys, targets, most_postings):
        return None
    return np.sort(np.random.default_rng(_SEED).permutation(documents)[:size]).astype(np.int64)


class Relation(Protocol):
    """Directed links between the documents of a collection at every k, or at every threshold of a share."""

    @property
    def matrix(self) -> SimilarityMatrix | None:
        """Links written out document by document; ``None`` if they are not."""

    @property
    def k_min(self) -> int:
        """Smallest k whose links are stored."""

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """Symmetry and transitivity at each k or threshold, ascending.

        Args:
            ks: default: all that can be measured; links by share are measured at their own thresholds in any case.
        """

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """int64 (groups,) for each k: documents in each group at k (or at the smallest k stored), single ones too."""

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Keep only the links within labels (``same``), or only those between them; all documents stay.

        Args:
            labels: (documents,), for example the number of each document's language.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLinks:
    """Links written out in a similarity matrix.

    Attributes:
        matrix: counts for all k >= ``matrix.k_min``.
        keys: (documents, terms), key terms of each document.
        targets: (documents, terms), the terms in which they were looked up.
        labels: (documents,), labels passed to ``between``; ``None`` for all links.
    """

    matrix: SimilarityMatrix
    keys: sp.csr_array
    targets: sp.csr_array
    labels: NDArray[np.generic] | None = None

    @property
    def n(self) -> int:
        """Largest possible count."""
        return self.matrix.n

    @property
    def k_min(self) -> int:
        """Smallest count stored."""
        return self.matrix.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``."""
        chosen = range(self.k_min, self.n + 1) if ks is None else ks
        return sweep_counts(self.matrix, chosen, progress=progress)

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """As ``Relation.group_sizes``."""
        leaders = group_leaders(self.matrix.counts, [max(k, self.k_min) for k in ks])
        return [group_sizes(one) for one in leaders]

    def between(self, labels: NDArray[np.generic], *, same: bool) -> StoredLinks:
        """As ``Relation.between``."""
        return replace(self, matrix=self.matrix.between(labels, same=same), labels=labels)

    def restricted(self, documents: NDArray[np.int64]) -> StoredLinks:
        """Return the links between some documents."""
        return replace(
            self,
            matrix=self.matrix.restricted(documents),
            keys=self.keys[documents],
            targets=self.targets[documents],
            labels=None if self.labels is None else self.labels[documents],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLinks:
    """Links between nodes of equal documents: all that symmetry and transitivity need, however large the nodes are.

    Attributes:
        matched: links between nodes for all k >= ``k_min``.
        keys: (documents, terms), key terms of each document.
        targets: (documents, terms), the terms in which they were looked up.
        n: largest possible count.
        k_min: smallest count stored.
    """

    matched: MatchedNodes
    keys: sp.csr_array
    targets: sp.csr_array
    n: int
    k_min: int

    @property
    def matrix(self) -> None:
        """Links are not written out document by document."""
        return None

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``; transitivity is exact at every k."""
        from infostream_dedup.links.compiled.block_totals import LinkBlock, block_totals

        block = LinkBlock(self.matched.counts, self.matched.nodes.weights, self.matched.inside)
        chosen = range(self.k_min, self.n + 1) if ks is None else ks
        return block_totals(block, chosen, progress=progress).measures()

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """As ``Relation.group_sizes``, in no particular order."""
        from infostream_dedup.links.compiled.groups import group_leaders

        stored = [max(k, self.k_min) for k in ks]
        return [
            self._sizes(leaders, k)
            for k, leaders in zip(stored, group_leaders(self.matched.counts, stored), strict=True)
        ]

    def _sizes(self, leader: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        weights = self.matched.nodes.weights
        documents = np.bincount(leader, weights=weights, minlength=len(weights)).astype(np.int64)
        alone = (np.bincount(leader, minlength=len(weights)) == 1) & (self.matched.inside < k)
        singles = np.ones(int(documents[alone].sum()), dtype=np.int64)
        return np.concatenate([documents[(documents > 0) & ~alone], singles])

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Not possible: equal documents may have different labels."""
        del labels, same
        raise ValueError("links between nodes of equal documents cannot be split by label; match without nodes")


@dataclass(frozen=True, slots=True)
class LowLinks:
    """Stores links with k >= k_min. Weaker links are only counted, and their transitivity is estimated from a sample.

    Attributes:
        stored: the links that are stored.
        exact: count the lower links of all documents, however many there are; otherwise those of a sample if there are
            too many.
    """

    stored: StoredLinks | NodeLinks
    exact: bool = False

    @property
    def matrix(self) -> SimilarityMatrix | None:
        """Return the matrix of the stored links."""
        return self.stored.matrix

    @property
    def k_min(self) -> int:
        """Smallest k whose links are stored."""
        return self.stored.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``."""
        stored = self.stored
        chosen = set(range(1, stored.n + 1) if ks is None else ks)
        below = [k for k in chosen if k < stored.k_min]
        others = chosen.difference(below)
        if not below:
            return stored.measures(others, progress=progress)
        from infostream_dedup.links.compiled.low_k import sweep_unstored

        sample = None if self.exact else drawn_documents(stored.keys, stored.targets)

        def low(progress: Progress | None) -> list[Measures]:
            return sweep_unstored(
                stored.keys, stored.targets, n=stored.n, most=max(below), sample=sample, progress=progress
            )

        if sample is None:
            found = low(progress)
            return [*(row for row in found if row.k in chosen), *stored.measures(others, progress=progress)]
        with ThreadPoolExecutor(1) as beside:
            # Each leaves a core idle half of the time.
            counted = beside.submit(low, None)
            high = stored.measures(others, progress=progress)
        return [*(row for row in counted.result() if row.k in chosen), *high]

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """As ``Relation.group_sizes``."""
        return self.stored.group_sizes(ks)

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """As ``Relation.between``, for the links that are stored."""
        return self.stored.between(labels, same=same)


@dataclass(frozen=True, slots=True)
class ShareLinks:
    """Links by the share of the asking document's key-term weight that was matched.

    Attributes:
        stored: links with matched weights.
        own_weights: int64 (documents,), weight of all key terms of each document in units of 1e-9.
        thresholds: shares to measure at, each above 0 to 1.
    """

    stored: StoredLinks
    own_weights: NDArray[np.int64]
    thresholds: Sequence[float]

    @property
    def matrix(self) -> SimilarityMatrix:
        """The links, with matched weights."""
        return self.stored.matrix

    @property
    def k_min(self) -> int:
        """Smallest count that is stored."""
        return self.stored.k_min

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``, at each threshold."""
        del ks, progress
        shares = self.matrix.shares(self.own_weights)
        return sweep_shares(shares, self.thresholds, between_groups=self.matrix.between_groups)

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """As ``Relation.group_sizes``, by count."""
        return self.stored.group_sizes(ks)

    def between(self, labels: NDArray[np.generic], *, same: bool) -> ShareLinks:
        """As ``Relation.between``."""
        return replace(self, stored=self.stored.between(labels, same=same))


def group_sizes(leaders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Documents in each group, single documents included, in the order of the leaders: int64 (groups,).

    Args:
        leaders: int64 (documents,), result of ``group_leaders``.
    """
    sizes = np.bincount(leaders)
    return sizes[sizes > 0].astype(np.int64, copy=False)
