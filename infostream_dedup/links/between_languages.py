"""Decide which links between two languages join versions of the same text, and which only share a topic.

Between languages, key terms alone decide, so a link needs a second condition: neither document has a clearly better
partner in the other's language, unless that better partner has the same text as the present one. Without this
exception, several versions of a text in one language would displace each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


LEAST_SHARE: Final = 0.4
"""Share of the weight of the 30 heaviest key terms that must match in both directions."""

SHARE_DECIMALS: Final = 9
"""Decimals to which shares of weight are rounded before they are compared: equal ones are then equal in every order."""

NEAR_BEST: Final = 0.9
"""A partner with this fraction of the best partner's share counts as equally good."""

OneText = Callable[["NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.bool_]"]
"""Says for pairs of documents in one language whether both have the same text, perhaps in other words."""


def nothing_better(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    share: NDArray[np.float64],
    languages: NDArray[np.integer],
    one_text: OneText,
) -> NDArray[np.bool_]:
    """Choose the links that remain if each document drops all partners for a better one.

    A link is kept if, for each of its ends, its share is at least ``NEAR_BEST`` times the largest share of this end
    with any document in the language of the other end, or if the other end has the same text as that best partner.

    The answer for a link depends only on the links that share an end with it. A stream that judges a new document can
    therefore pass only its links and its partners' links with earlier documents, and use the answers for its own links:
    they do not depend on how the stream was split into batches. A link below ``LEAST_SHARE`` cannot displace one above
    it, so only links that reach this threshold need be passed.

    Args:
        a: int64 (links,), ordinals of one document of each link.
        b: int64 (links,), ordinals of the other document, in another language; each unordered link once.
        share: float64 (links,), the smaller share of both directions, 0 to 1.
        languages: (documents,), number of each document's language.

    Returns:
        bool (links,).

    Example:
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


def one_to_one(
    a: NDArray[np.int64], b: NDArray[np.int64], share: NDArray[np.float64], languages: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Choose the links that remain if each document has at most one partner in each other language.

    The strongest link is taken first, then the strongest of those whose ends are both free, and so on. Equal shares are
    taken in the order of (a, b).

    Args:
        a: int64 (links,), ordinals.
        b: int64 (links,), ordinals of documents in other languages; each unordered link once.
        share: float64 (links,), 0 to 1.
        languages: (documents,), number of each document's language.

    Returns:
        bool (links,).

    Example:
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


def _best_partners(
    end: NDArray[np.int64], other: NDArray[np.int64], share: NDArray[np.float64], language: NDArray[np.integer]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the largest share of each directed link's end in the other's language, and the partner that has it.

    Among partners with equal shares, the smallest ordinal is taken.
    """
    order = np.lexsort((other, -share, language, end))
    ends, languages = end[order], language[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (ends[1:] != ends[:-1]) | (languages[1:] != languages[:-1])
    group = np.cumsum(first) - 1
    best, partner = np.empty(len(order), dtype=np.float64), np.empty(len(order), dtype=np.int64)
    best[order] = share[order][first][group]
    partner[order] = other[order][first][group]
    return best, partner
