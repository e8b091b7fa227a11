"""Which k to use, from the links alone, without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infostream_dedup.links.measures import Measures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Recommendation", "recommend"]

_CHANCE_SHARE: Final = 0.001
_FEWEST_LINKS: Final = 300
_WORTH_A_TERM: Final = 1.02


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A k, or a refusal.

    Attributes:
        k: ``None`` if the links do not support a recommendation.
        reason: one sentence.
    """

    k: int | None
    reason: str


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
            None, "at no k does chance explain less than 0.1 % of the links, so none can be recommended"
        )
    if by_k[floor].links < _FEWEST_LINKS:
        return Recommendation(
            None,
            f"only {by_k[floor].links} links at k = {floor}, the first k at which chance explains less than 0.1 % of"
            f" them; a recommendation needs {_FEWEST_LINKS}",
        )
    candidates = {k: row for k, row in by_k.items() if floor <= k <= 10 * n // 12}
    return _most_symmetric(candidates, floor) if cross else _first_summit(candidates, floor)


def _first_summit(candidates: Mapping[int, Measures], floor: int) -> Recommendation:
    means = {k: _harmonic_mean(row.symmetry, row.transitivity) for k, row in candidates.items()}
    defined = [k for k, mean in means.items() if mean > 0.0]
    if not defined:
        return Recommendation(None, f"from k = {floor} on no k has links both symmetric and transitive")
    k = defined[0]
    for higher in defined[1:]:
        if means[higher] <= _WORTH_A_TERM * means[k]:
            break
        k = higher
    return Recommendation(
        k,
        f"from k = {floor} on chance explains less than 0.1 % of the links, and at k = {k} one more term no longer"
        f" raises the harmonic mean of S = {candidates[k].symmetry:.2f} and T = {candidates[k].transitivity:.2f}"
        f" ({means[k]:.2f}) by more than 2 %",
    )


def _most_symmetric(candidates: Mapping[int, Measures], floor: int) -> Recommendation:
    symmetries = {k: row.symmetry or 0.0 for k, row in candidates.items()}
    best = max(symmetries.values(), default=0.0)
    if best == 0.0:
        return Recommendation(None, f"from k = {floor} on no link between languages is returned")
    k = next(k for k, symmetry in symmetries.items() if symmetry == best)
    return Recommendation(
        k,
        f"k = {k} has the greatest symmetry of links between languages (S = {best:.2f}), from k = {floor} on, where"
        " chance explains less than 0.1 % of the links",
    )


def _harmonic_mean(symmetry: float | None, transitivity: float | None) -> float:
    """0 if either is 0 or undefined."""
    if not symmetry or not transitivity:
        return 0.0
    return 2 * symmetry * transitivity / (symmetry + transitivity)
