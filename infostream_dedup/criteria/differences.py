"""The criteria of a pair: how far i differs from j and j from i (Andreev et al., section 5, equation 11).

Every criterion gives both directions of all pairs at once. 0 means "i adds nothing in this respect" unless its
docstring says otherwise; NaN means that it cannot be told, and then it speaks neither for nor against.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import scipy.sparse as sp

from infostream_dedup.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CRITERIA", "Pairs", "differences"]

_CHUNK: Final = 20_000
_HOUR: Final = 3600.0

Both: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
"""float64 (pairs,) twice: i against j, and j against i."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of a collection.

    Attributes:
        models: of all its documents.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
        authority: float64 (documents,), 0 to 1, authority of each document's source; NaN where unknown.
    """

    models: DocumentModels
    i: NDArray[np.int64]
    j: NDArray[np.int64]
    authority: NDArray[np.float64]


def words(pairs: Pairs) -> Both:
    """1 - cosine of the bodies' BM25 vectors (equation 6); 0 to 1, symmetric; 1 where a body has no words."""
    return _symmetric(1 - pairs.models.words.cosine(pairs.i, pairs.j))


def title(pairs: Pairs) -> Both:
    """1 - cosine of the titles (5.2); 0 to 1, symmetric; 0 where both are empty, 1 where one is."""
    titles = pairs.models.titles
    both_empty = (titles.sizes[pairs.i] == 0) & (titles.sizes[pairs.j] == 0)
    return _symmetric(np.where(both_empty, 0.0, 1 - titles.cosine(pairs.i, pairs.j)))


def sentences(pairs: Pairs) -> Both:
    """Weight of the sentences of i that j does not have, as a share (equation 8); 0 to 1; 0 where i has none."""
    found = pairs.models.sentences
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


def paragraphs(pairs: Pairs) -> Both:
    """The same of paragraphs."""
    found = pairs.models.paragraphs
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


def numbers(pairs: Pairs) -> Both:
    """Distinct numbers of i that j does not have, as a share (equation 9); 0 to 1; 0 where i has none."""
    found = pairs.models.numbers
    return found.lacking(pairs.i, pairs.j), found.lacking(pairs.j, pairs.i)


def number_order(pairs: Pairs) -> Both:
    """Damerau-Levenshtein distance of the sequences of numbers (5.4) over the length of the longer; 0 to 1, symmetric.

    Neighbours may change places, and nothing is edited twice (the restricted distance, optimal string alignment). The
    paper's distance has no upper bound; divided it can be compared from text to text. 0 where neither has a number.
    """
    from rapidfuzz.distance import OSA

    rows = pairs.models.number_rows
    ends, values = rows.indptr.tolist(), rows.values.tolist()
    distances = [
        OSA.normalized_distance(values[ends[i] : ends[i + 1]], values[ends[j] : ends[j + 1]])
        for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)
    ]
    return _symmetric(np.array(distances, dtype=np.float64))


def images(pairs: Pairs) -> Both:
    """Pictures and films of i less those of j (5.5); any whole number, antisymmetric."""
    return _antisymmetric(pairs.models.images[pairs.i] - pairs.models.images[pairs.j])


def links(pairs: Pairs) -> Both:
    """Links of i less those of j (5.5); any whole number, antisymmetric."""
    return _antisymmetric(pairs.models.links[pairs.i] - pairs.models.links[pairs.j])


def time(pairs: Pairs) -> Both:
    """Seconds from the publication of j to that of i (5.6), antisymmetric; NaN where a date is missing."""
    return _antisymmetric(pairs.models.times[pairs.i] - pairs.models.times[pairs.j])


def time_apart(pairs: Pairs) -> Both:
    """ln(1 + hours between the publications), symmetric, 0 and more; NaN where a date is missing.

    The paper looks from the new document to the earlier one, where the signed difference is never negative. Judged in
    both directions the sign tells no interval, so a plane cannot use it.
    """
    return _symmetric(np.log1p(np.abs(pairs.models.times[pairs.i] - pairs.models.times[pairs.j]) / _HOUR))


def source(pairs: Pairs) -> Both:
    """Authority of i's source less that of j's (5.7); -1 to 1, antisymmetric; NaN where one is unknown."""
    return _antisymmetric(pairs.authority[pairs.i] - pairs.authority[pairs.j])


def site(pairs: Pairs) -> Both:
    """0 for two documents of one source, 1 for two sources; symmetric; NaN where one is unknown.

    Not in the paper: a site that fills in its daily template resembles itself.
    """
    sources = pairs.models.sources
    both = ((sources[i], sources[j]) for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    return _symmetric(
        np.array([np.nan if one is None or other is None else float(one != other) for one, other in both])
    )


def key_terms(pairs: Pairs) -> Both:
    """Weight of the 30 heaviest key terms of i that j does not hold, as a share; 0 to 1; 0 where i has none.

    Not in the paper: names and nouns that two reports of one event share, however they are told.
    """
    found = pairs.models.key_terms
    return _unmatched(found.keys, found.targets, pairs.i, pairs.j), _unmatched(
        found.keys, found.targets, pairs.j, pairs.i
    )


Criterion: TypeAlias = Callable[[Pairs], Both]

CRITERIA: Final[Mapping[str, Criterion]] = MappingProxyType(
    {
        criterion.__name__: criterion
        for criterion in (
            words,
            title,
            sentences,
            paragraphs,
            numbers,
            number_order,
            images,
            links,
            time,
            time_apart,
            source,
            site,
            key_terms,
        )
    }
)
"""All criteria by name."""


def differences(
    models: DocumentModels,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    criteria: Sequence[str],
    authority: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Difference vectors of pairs in both directions.

    Args:
        models: of the collection.
        i: int64 (pairs,), ordinals.
        j: int64 (pairs,), ordinals.
        criteria: names of ``CRITERIA``, in the order of the columns.
        authority: float64 (documents,), of each document's source.

    Returns:
        Two of float64 (pairs, criteria): of i against j, and of j against i.
    """
    forward = np.empty((len(i), len(criteria)))
    backward = np.empty((len(i), len(criteria)))
    for start in range(0, len(i), _CHUNK):
        rows = slice(start, start + _CHUNK)
        pairs = Pairs(models, i[rows], j[rows], authority)
        for column, name in enumerate(criteria):
            forward[rows, column], backward[rows, column] = CRITERIA[name](pairs)
    return forward, backward


def _symmetric(values: NDArray[np.float64]) -> Both:
    return values, values


def _antisymmetric(values: NDArray[np.float64]) -> Both:
    return values, -values


def _unmatched(
    keys: sp.csr_array, targets: sp.csr_array, i: NDArray[np.int64], j: NDArray[np.int64]
) -> NDArray[np.float64]:
    own = np.asarray(keys[i].sum(axis=1), dtype=np.float64)
    met = np.asarray(keys[i].multiply(targets[j]).sum(axis=1), dtype=np.float64)
    share = np.divide(met, own, out=np.ones(len(i)), where=own > 0)
    return np.asarray(np.clip(1 - share, 0, 1), dtype=np.float64)
