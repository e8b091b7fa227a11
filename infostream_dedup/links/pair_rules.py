"""Rules for when a link counts in a decision about a pair: fewer terms for short documents, one direction or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.machine.arrays import Bools, Floats, Ints, Uint8s


RELATIONS: Final = (None, "contained", "contains", "equal")
"""Relation of a pair: 1 if the first document is linked to the second, plus 2 if the second is to the first."""

LEAST_NEED: Final = 3
"""Fewer shared terms than this say nothing about a pair, however short its documents are; up to it, need(k) is k."""


def need(k: int, sizes_a: Ints, sizes_b: Ints, *, n: int, short: str = "scaled") -> Ints:
    """Key terms that must be shared for a pair to be linked at k.

    With n' = min(size of a, size of b): k if n' >= n, else max(min(3, k), ceil(k n' / n)). At k = 6 of 12 this is "half
    of the shorter document's key terms, at least three".

    >>> need(6, np.array([12, 8, 4]), np.array([12, 12, 12]), n=12).tolist()
    [6, 4, 3]
    """
    shorter = np.minimum(np.asarray(sizes_a, dtype=np.int64), np.asarray(sizes_b, dtype=np.int64))
    if short == "strict":
        return np.full(shorter.shape, k, dtype=np.int64)
    return np.where(shorter >= n, k, np.maximum(min(LEAST_NEED, k), -(-k * shorter // n)))


def relation_of(forward: int, backward: int, least: int) -> str | None:
    """Return the relation of a pair that needs at least so many shared key terms in a direction; ``None`` for no link.

    >>> relation_of(7, 5, 6), relation_of(7, 6, 6), relation_of(5, 5, 6)
    ('contained', 'equal', None)
    """
    return RELATIONS[int(forward >= least) + 2 * int(backward >= least)]


def count_grades(counts: sp.csr_array, sizes: Ints, *, n: int, short: str = "scaled") -> sp.csr_array:
    """Compute the largest k at which each link still counts in a decision about its pair: ``need`` never falls."""
    if short == "strict" or sizes.min(initial=n) >= n:
        # The size of the shorter document makes no difference.
        return _same_pattern(counts, _grade_table(n, short)[n][np.minimum(counts.data, n)])
    small = np.minimum(sizes, n).astype(np.uint8)
    shorter = np.minimum(np.repeat(small, np.diff(counts.indptr)), small[counts.indices])
    return _same_pattern(counts, grades_at(shorter, counts.data, n=n, short=short))


def grades_at(shorter: NDArray[np.integer], counts: Uint8s, *, n: int, short: str = "scaled") -> Uint8s:
    """The largest k at which counts suffice, by the number of key terms of the shorter document: uint8."""
    return np.asarray(_grade_table(n, short)[np.minimum(shorter, n), np.minimum(counts, n)])


def scales(sizes: NDArray[np.integer], *, n: int, short: str, wanted: bool | None = None) -> bool:
    """Whether a sweep links short documents by need(k): as asked, or if the median document has fewer than n terms."""
    if wanted is None:
        return short == "scaled" and len(sizes) > 0 and float(np.median(sizes)) < n
    return wanted


def reached(matched: Ints, own: Ints, threshold: float) -> Bools:
    """Whether each matched weight is at least a share of the weight of all key terms: bool (links,).

    >>> reached(np.array([55, 54]), np.array([100, 100]), 0.55).tolist()
    [True, False]
    """
    # A quotient is rounded as the threshold was, so equal shares are equal; 0.55 * 100 is more than 55.
    return np.asarray(matched / np.maximum(own, 1) >= threshold, dtype=np.bool_)


def share_grades(
    counts: sp.csr_array, matched: sp.csr_array, own_weights: Ints, *, thresholds: Sequence[float], min_terms: int
) -> sp.csr_array:
    """Count the thresholds that each link's share of matched weight reaches.

    Link a -> b counts at threshold t exactly if its matched weight is at least t times the weight of all key terms of
    a, and at least ``min_terms`` terms are shared.

    matched: int64 of the same pattern, weight of the shared key terms in units of 1e-9.
    thresholds: ascending, each above 0 to 1; at most 255.
    """
    own = np.repeat(own_weights, np.diff(counts.indptr))
    grades = np.zeros(counts.nnz, dtype=np.uint8)
    for threshold in thresholds:
        grades += reached(matched.data, own, threshold)
    grades[counts.data < min_terms] = 0
    return _same_pattern(counts, grades)


def pair_grades(grades: sp.csr_array, rule: str) -> sp.csr_array:
    """Grades of unordered pairs, above the diagonal only, sorted indices, no explicit zeros."""
    if rule not in ("both", "either"):
        raise ConfigurationError(f"rule is {rule!r}; expected both or either")
    import scipy.sparse as sp

    forward = sp.triu(grades, k=1, format="csr")
    backward = sp.triu(grades.T, k=1, format="csr")
    pairs = sp.csr_array(forward.minimum(backward) if rule == "both" else forward.maximum(backward))
    pairs.eliminate_zeros()
    pairs.sort_indices()
    return pairs


def _grade_table(n: int, short: str) -> Uint8s:
    """Tabulate the largest k whose need is met: uint8 (n + 1, n + 1), by shorter size and shared terms."""
    sizes = np.arange(n + 1)
    table = np.zeros((n + 1, n + 1), dtype=np.uint8)
    for k in range(1, n + 1):
        table[need(k, sizes, sizes, n=n, short=short)[:, None] <= sizes[None, :]] = k
    return table


def _same_pattern(matrix: sp.csr_array, data: Uint8s) -> sp.csr_array:
    import scipy.sparse as sp

    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


# Decide which links between two languages join versions of the same text, and which only share a topic.
#
# Between languages, key terms alone decide, so a link needs a second condition: neither document has a clearly better
# partner in the other's language, unless that better partner has the same text as the present one. Without this
# exception, several versions of a text in one language would displace each other.

LEAST_SHARE: Final = 0.4  # share of the weight of the 30 heaviest key terms that must match in both directions
LEAST_ORDERED_SHARE: Final = 0.3  # the same for texts whose words keep nearly the same order (see `stream.word_order`)

SHARE_DECIMALS: Final = 9
"""Decimals to which shares of weight are rounded before they are compared: equal ones are then equal in every order."""

NEAR_BEST: Final = 0.9  # a partner with this fraction of the best partner's share counts as equally good

OneText = Callable[["Ints", "Ints"], "Bools"]
"""Says for pairs of documents in one language whether both have the same text, perhaps in other words."""


def nothing_better(a: Ints, b: Ints, share: Floats, languages: NDArray[np.integer], one_text: OneText) -> Bools:
    """Choose the links that remain if each document drops all partners for a better one.

    A link is kept if, for each of its ends, its share is at least ``NEAR_BEST`` times the largest share of this end
    with any document in the language of the other end, or if the other end has the same text as that best partner.

    A Russian text 0 has two Ukrainian versions, 1 and 2, and shares its topic with the Ukrainian text 3.

    >>> a, b = np.array([0, 0, 0]), np.array([1, 2, 3])
    >>> same = lambda x, y: np.isin(x, (1, 2)) & np.isin(y, (1, 2))
    >>> nothing_better(a, b, np.array([0.8, 0.6, 0.5]), np.array([0, 1, 1, 1]), same).tolist()
    [True, True, False]
    """
    end, other = np.concatenate([a, b]), np.concatenate([b, a])
    both = np.round(np.concatenate([share, share]), SHARE_DECIMALS)
    best, partner = _best_partners(end, other, both, languages[other])
    kept = both >= np.round(NEAR_BEST * best, SHARE_DECIMALS)
    unsure = np.flatnonzero(~kept)
    pairs = np.sort(np.stack([other[unsure], partner[unsure]]), axis=0)
    asked, places = np.unique(pairs, axis=1, return_inverse=True)
    kept[unsure] = one_text(asked[0], asked[1])[places]
    return np.asarray(kept[: len(a)] & kept[len(a) :], dtype=np.bool_)


def one_to_one(a: Ints, b: Ints, share: Floats, languages: NDArray[np.integer]) -> Bools:
    """Choose the links that remain if each document has at most one partner in each other language.

    The strongest link is taken first, then the strongest of those whose ends are both free, and so on. Equal shares are
    taken in the order of (a, b).

    >>> share, languages = np.array([0.7, 0.6, 0.9]), np.array([0, 0, 1, 1])
    >>> one_to_one(np.array([0, 0, 1]), np.array([2, 3, 2]), share, languages).tolist()
    [False, True, True]
    """
    kept = np.zeros(len(a), dtype=np.bool_)
    taken: set[tuple[int, int]] = set()
    spoken_a, spoken_b = languages[a], languages[b]
    for link in np.lexsort((b, a, -np.round(share, SHARE_DECIMALS))).tolist():
        ends = (int(a[link]), int(spoken_b[link])), (int(b[link]), int(spoken_a[link]))
        if taken.isdisjoint(ends):
            taken.update(ends)
            kept[link] = True
    return kept


def _best_partners(end: Ints, other: Ints, share: Floats, language: NDArray[np.integer]) -> tuple[Floats, Ints]:
    """Largest share of each directed link's end in the other's language, and the (smallest) partner that has it."""
    order = np.lexsort((other, -share, language, end))
    ends, languages = end[order], language[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (ends[1:] != ends[:-1]) | (languages[1:] != languages[:-1])
    group = np.cumsum(first) - 1
    best, partner = np.empty(len(order), dtype=np.float64), np.empty(len(order), dtype=np.int64)
    best[order] = share[order][first][group]
    partner[order] = other[order][first][group]
    return best, partner
