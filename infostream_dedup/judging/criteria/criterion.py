"""Criteria of pairs, and the registry of them (Andreev et al., section 5, equation 11).

Every criterion measures how far i differs from j and j from i, for all pairs at once. 0 means "i adds nothing in this
respect" unless its docstring says otherwise. NaN means that the difference is unknown; it then counts neither for nor
against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.machine.registry import Registry

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SAME: Final = 0.1
_OTHER: Final = 0.6
_DAY: Final = 24.0

Both: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
"""float64 (pairs,) twice: i against j, and j against i."""


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Pairs of documents of a collection.

    Attributes:
        models: models of the collection's documents.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
        authority: two of float64 (pairs,), 0 to 1, authority of the sources of i and j; NaN if unknown.
    """

    models: DocumentModels
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    authority: Both

    @cached_property
    def evidence(self) -> NDArray[np.float64]:
        """Evidence of the pairs: float64 (pairs, ``pair_evidence.COLUMNS``); forward is the share of i's that j has."""
        return self.models.evidence.of_pairs(self.i, self.j)


@dataclass(frozen=True, slots=True)
class Typical:
    """Rough typical values of a criterion in news, relative to which a classifier measures it.

    Attributes:
        mean: a medium value.
        scale: ordinary distance from the mean, above 0.
    """

    mean: float = 0.5
    scale: float = 0.35


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion.

    Attributes:
        measure: differences of pairs in both directions.
        say: puts a value into words.
        typical: its typical values.
        combined: whether it combines other criteria instead of being separate evidence.
    """

    measure: Callable[[ComparedPairs], Both]
    say: Callable[[float], str]
    typical: Typical
    combined: bool = False


CRITERIA: Final[Registry[Criterion]] = Registry("infostream_dedup.judging.criteria.pair_criteria", "criterion")
"""All criteria by name."""


def criterion(
    *,
    say: Callable[[float], str],
    order: float = float("inf"),
    typical: Typical | None = None,
    combined: bool = False,
) -> Callable[[Callable[[ComparedPairs], Both]], Callable[[ComparedPairs], Both]]:
    """Return a decorator that makes a function a criterion of the same name."""

    def add_function(measure: Callable[[ComparedPairs], Both]) -> Callable[[ComparedPairs], Both]:
        CRITERIA.add(measure.__name__, Criterion(measure, say, typical or Typical(), combined), order=order)
        return measure

    return add_function


def symmetric(values: NDArray[np.float64]) -> Both:
    """Return the same values for both directions."""
    return values, values


def antisymmetric(values: NDArray[np.float64]) -> Both:
    """Return the values, and their negatives for the other direction."""
    return values, -values


def say_share(what: str, verb: str) -> Callable[[float], str]:
    """Return words for a share: the same, different in part, different."""

    def say(value: float) -> str:
        if value <= _SAME:
            return f"same {what}"
        return f"{what} {verb}" if value >= _OTHER else f"{what} {verb} in part"

    return say


def say_more(what: str) -> Callable[[float], str]:
    """Return words for a difference of counts."""
    return say_sign(f"fewer {what}", f"as many {what}", f"more {what}")


def say_sign(less: str, equal: str, more: str) -> Callable[[float], str]:
    """Return words for the sign of a difference."""
    return lambda value: equal if value == 0 else more if value > 0 else less


def say_hours_apart(value: float) -> str:
    """Put ln(1 + hours) into words."""
    hours = float(np.expm1(value))
    return f"{hours / _DAY:.0f} days apart" if hours >= 2 * _DAY else f"{hours:.0f} hours apart"
