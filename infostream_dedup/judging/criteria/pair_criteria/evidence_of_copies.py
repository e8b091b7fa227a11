"""Differences in the evidence that preset ``judged`` weighs: its model, the wording, leads and names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, Typical, criterion, say_share, symmetric
from infostream_dedup.judging.evidence.pair_evidence import COLUMNS
from infostream_dedup.judging.evidence.pair_model import shipped_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["evidence", "lead", "names", "wording", "wording_of_both"]

_FEW: Final = 2
_LIKELY: Final = -2.0


def _say_evidence(value: float) -> str:
    if value <= _LIKELY:
        return "the evidence speaks for one text"
    return "the evidence speaks against one text" if value >= -_LIKELY else "the evidence is in doubt"


@criterion(order=140, say=_say_evidence, typical=Typical(0.0, 4.0), combined=True)
def evidence(pairs: ComparedPairs) -> Both:
    """Log-odds of the shipped pair model that two documents are not one text or story; -20 to 5, mostly; symmetric.

    Not in the paper: it carries over what was learned on other collections, so that few labels are enough.
    """
    return symmetric(-shipped_model().scores(pairs.evidence))


@criterion(order=150, say=say_share("wording", "differs"), typical=Typical(0.36, 0.2))
def wording(pairs: ComparedPairs) -> Both:
    """Share of i's word triples that j lacks; 0 to 1. Not in the paper: what people call a copy shares wording."""
    return _lacking(pairs, "wording")


@criterion(order=155, say=say_share("wording of both", "differs"), typical=Typical(0.27, 0.2))
def wording_of_both(pairs: ComparedPairs) -> Both:
    """Mean of the shares of word triples that i and j lack of each other; 0 to 1, symmetric. Not in the paper.

    Half of a long text copied into a short one is a copy one way only; this says how much of both is one text. The
    value from which it is measured is the best threshold on slavictopics (reports/criteria.md).
    """
    later, earlier = _lacking(pairs, "wording")
    return symmetric((later + earlier) / 2)


@criterion(order=160, say=say_share("beginning", "differs"))
def lead(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's first 20 long words that j's lack; 0 to 1. Not in the paper: news comes first."""
    return _lacking(pairs, "lead")


@criterion(order=170, say=say_share("names", "differ"))
def names(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's names that j lacks; 0 to 1; NaN if either has fewer than two. Not in the paper."""
    few = _column(pairs, "names_least") < _FEW
    return tuple(np.where(few, np.nan, values) for values in _lacking(pairs, "names"))  # type: ignore[return-value]


def _lacking(pairs: ComparedPairs, what: str) -> Both:
    return 1 - _column(pairs, f"{what}_forward"), 1 - _column(pairs, f"{what}_backward")


def _column(pairs: ComparedPairs, name: str) -> NDArray[np.float64]:
    return np.round(pairs.evidence[:, COLUMNS.index(name)], 9)
