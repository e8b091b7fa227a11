"""Leaves out candidates that certainly decide nothing, in a stream whose documents have many candidates each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.evidence.screening import Screen
from infostream_dedup.machine.plain_work import is_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.evidence.pair_evidence import TripleRows
    from infostream_dedup.evidence.pair_model import PairModel
    from infostream_dedup.stream.evidence_judge import ComparedDocuments

__all__ = ["is_worth_screening", "undecided"]

_MANY_PAIRS: Final = 4
"""Pairs per document from which preparing the documents, with all their triples, takes less time than it saves."""


def is_worth_screening(pairs: int, documents: int) -> bool:
    """Whether to look for pairs to leave out; verdicts are the same either way."""
    return pairs >= _MANY_PAIRS * documents and not is_plain()


def undecided(
    a: NDArray[np.int64], b: NDArray[np.int64], documents: ComparedDocuments, triples: TripleRows, model: PairModel
) -> NDArray[np.int64]:
    """Indices of the pairs that may give a document its status: int64, ascending.

    Args:
        a: int64 (pairs,), number of the earlier document.
        b: int64 (pairs,), number of the later one; fastest if equal numbers are adjacent.
        documents: the documents.
        triples: their word triples.
        model: the pair model of the stream.
    """
    screen = Screen.of(documents.keys, documents.records, triples, model)
    return np.flatnonzero(screen.bounds(a, b, documents.facts.texts) > -np.inf)
