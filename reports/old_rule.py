"""The rule by which k was chosen before copies were counted: from S, T and links by chance. Reports show it beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links import Recommendation
from infostream_dedup.links.similarity_matrix import column_counts
from infostream_dedup.machine.phrase import Phrase

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.links import Measures
    from infostream_dedup.runs.batch.linking import Linked

__all__ = ["chance_links", "expected_chance_links", "old_recommendation", "recommend"]

_CHANCE_SHARE: Final = 0.001
_FEWEST_LINKS: Final = 300
_WORTH_A_TERM: Final = 1.02


def old_recommendation(
    linked: Linked, documents: NDArray[np.int64] | None = None, *, cross: bool = False
) -> Recommendation:
    """Find the k, without labels.

    Args:
        linked: links of a collection.
        documents: int64, ordinals: consider these documents only; default: all.
        cross: consider links between languages only.
    """
    relation, languages = linked.relation(documents), linked.key_terms.counts.languages
    labels = languages if documents is None else languages[documents]
    if cross:
        chance = chance_links(relation.keys, relation.targets, relation.n, labels, across=True)
        relation = relation.between(labels, same=False)
    else:
        chance = chance_links(relation.keys, relation.targets, relation.n)
    return recommend(relation.measures(), chance, n=relation.n, cross=cross)


def recommend(rows: Sequence[Measures], chance: NDArray[np.float64], *, n: int, cross: bool = False) -> Recommendation:
    """Pick the k above which one more term no longer makes links more symmetric and transitive.

    Below k0, the first k at which chance explains less than .1 % of the links, a matrix shows topics. From k0 to 10/12
    of n (above, few links are left and S falls) k rises while one more term raises the harmonic mean of S and T by more
    than 2 %. The first local maximum is used, not the global one: at high k a few hundred links of one big group can
    raise the mean again. Across languages T means nothing, so the k with the largest S is used.

    Args:
        rows: a sweep of counts, in any order.
        chance: float64 (n + 1,), at index k the links expected by chance at k.
        n: largest possible count.
        cross: the rows are about links between languages.
    """
    by_k = {row.k: row for row in sorted(rows, key=lambda row: row.k or 0) if row.k is not None}
    floor = next((k for k, row in by_k.items() if chance[k] < _CHANCE_SHARE * row.links), None)
    if floor is None:
        return Recommendation(
            None, Phrase.of("at no k does chance explain less than 0.1 % of the links, so none can be recommended")
        )
    if by_k[floor].links < _FEWEST_LINKS:
        return Recommendation(
            None,
            Phrase.of(
                "only {links} links at k = {k}, the first k at which chance explains less than 0.1 % of them; a"
                " recommendation needs {needed}",
                links=by_k[floor].links,
                k=floor,
                needed=_FEWEST_LINKS,
            ),
        )
    candidates = {k: row for k, row in by_k.items() if floor <= k <= 10 * n // 12}
    return _most_symmetric(candidates, floor) if cross else _first_summit(candidates, floor)


def _first_summit(candidates: Mapping[int, Measures], floor: int) -> Recommendation:
    means = {k: _harmonic_mean(row.symmetry, row.transitivity) for k, row in candidates.items()}
    defined = [k for k, mean in means.items() if mean > 0.0]
    if not defined:
        return Recommendation(
            None, Phrase.of("from k = {floor} on no k has links both symmetric and transitive", floor=floor)
        )
    k = defined[0]
    for higher in defined[1:]:
        if means[higher] <= _WORTH_A_TERM * means[k]:
            break
        k = higher
    return Recommendation(
        k,
        Phrase.of(
            "from k = {floor} on chance explains less than 0.1 % of the links, and at k = {k} one more term no longer"
            " raises the harmonic mean of S = {symmetry:.2f} and T = {transitivity:.2f} ({mean:.2f}) by more than 2 %",
            floor=floor,
            k=k,
            symmetry=candidates[k].symmetry,
            transitivity=candidates[k].transitivity,
            mean=means[k],
        ),
    )


def _most_symmetric(candidates: Mapping[int, Measures], floor: int) -> Recommendation:
    symmetries = {k: row.symmetry or 0.0 for k, row in candidates.items()}
    best = max(symmetries.values(), default=0.0)
    if best == 0.0:
        return Recommendation(None, Phrase.of("from k = {floor} on no link between languages is returned", floor=floor))
    k = next(k for k, symmetry in symmetries.items() if symmetry == best)
    return Recommendation(
        k,
        Phrase.of(
            "k = {k} has the greatest symmetry of links between languages (S = {symmetry:.2f}), from k = {floor} on,"
            " where chance explains less than 0.1 % of the links",
            k=k,
            symmetry=best,
            floor=floor,
        ),
    )


def _harmonic_mean(symmetry: float | None, transitivity: float | None) -> float:
    """0 if either is 0 or undefined."""
    if not symmetry or not transitivity:
        return 0.0
    return 2 * symmetry * transitivity / (symmetry + transitivity)


def expected_chance_links(probabilities: NDArray[np.float64], documents: int) -> NDArray[np.float64]:
    """Expected number of links at each k if documents contained terms independently of each other.

    The number of key terms of document i that another document contains is then a sum of independent hits; its
    distribution (Poisson-binomial) is computed exactly by adding one key term at a time. No matrix is needed.

    Args:
        probabilities: float64 (documents, n), for each key term the share of the other documents that contain it, 0 to
            1; 0 or NaN where a document has fewer than n key terms.
        documents: size N of the collection: each document asks N - 1 others.

    Returns:
        float64 (n + 1,): at index k the expected number of links at k; index 0 holds all N (N - 1) pairs.

    Example:
        >>> expected_chance_links(np.array([[0.5, 0.5], [1.0, 0.0]]), 2).tolist()
        [2.0, 1.75, 0.25]
    """
    hits = _hit_distribution(np.nan_to_num(probabilities, nan=0.0))
    at_least_k = np.cumsum(hits.sum(axis=0)[::-1])[::-1]
    return np.asarray(at_least_k * max(documents - 1, 0), dtype=np.float64)


def chance_links(
    keys: sp.csr_array,
    targets: sp.csr_array,
    n: int,
    labels: NDArray[np.generic] | None = None,
    *,
    across: bool = False,
) -> NDArray[np.float64]:
    """Links expected by chance at each k among the documents of a collection.

    Args:
        keys: (documents, terms), at most n in a row.
        targets: (documents, terms).
        n: maximum number of key terms of a document.
        labels: (documents,): only links between documents of the same label; by default all links.
        across: with ``labels``, only links from documents of one label to those of all others.

    Returns:
        float64 (n + 1,), as ``expected_chance_links`` returns it.
    """
    if labels is None:
        documents = keys.shape[0]
        # A document contains its own key terms, but does not ask itself.
        share = np.maximum(column_counts(targets) - 1, 0) / max(documents - 1, 1)
        return expected_chance_links(_probabilities(keys, share, n), documents)
    expected = np.zeros(n + 1, dtype=np.float64)
    for label in np.unique(labels):
        chosen = np.flatnonzero(labels == label)
        if across:
            asked = np.flatnonzero(labels != label)
            share = column_counts(targets[asked]) / max(len(asked), 1)
            expected += expected_chance_links(_probabilities(keys[chosen], share, n), len(asked) + 1)
        else:
            expected += chance_links(keys[chosen], targets[chosen], n)
    return expected


def _hit_distribution(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of exactly 0..n hits: float64 (rows, n + 1)."""
    rows, n = probabilities.shape
    exactly = np.zeros((rows, n + 1), dtype=np.float64)
    exactly[:, 0] = 1.0
    for term in range(n):
        hit = probabilities[:, term, None]
        one_more = exactly[:, : term + 1] * hit
        exactly[:, : term + 1] *= 1.0 - hit
        exactly[:, 1 : term + 2] += one_more
    return exactly


def _probabilities(keys: sp.csr_array, share: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Share of the documents asked that contain each key term: float64 (documents, n), padded with 0."""
    row = np.repeat(np.arange(keys.shape[0]), np.diff(keys.indptr))
    table = np.zeros((keys.shape[0], n), dtype=np.float64)
    table[row, np.arange(keys.nnz) - keys.indptr[row]] = share[keys.indices]
    return table
