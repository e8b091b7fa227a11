"""Key terms of one document that the other lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, criterion, say_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["key_terms"]


@criterion(order=130, say=say_share("key terms", "differ"))
def key_terms(pairs: ComparedPairs) -> Both:
    """Share of the weight of i's 30 heaviest key terms that j lacks; 0 to 1; 0 if i has no key terms.

    Not in the paper: names and nouns that two reports of one event share, however they are worded.
    """
    found = pairs.models.key_terms
    return _unmatched(found.keys, found.targets, pairs.i, pairs.j), _unmatched(
        found.keys, found.targets, pairs.j, pairs.i
    )


def _unmatched(
    keys: sp.csr_array, targets: sp.csr_array, i: NDArray[np.int64], j: NDArray[np.int64]
) -> NDArray[np.float64]:
    own = np.asarray(keys[i].sum(axis=1), dtype=np.float64)
    met = np.asarray(keys[i].multiply(targets[j]).sum(axis=1), dtype=np.float64)
    share = np.divide(met, own, out=np.ones(len(i)), where=own > 0)
    return np.asarray(np.clip(1 - share, 0, 1), dtype=np.float64)
