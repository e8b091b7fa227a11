"""Authority of sources as training sees it: from judged pairs, without the pair that is being learned."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.authority import authority_of
from infostream_dedup.judging.criteria.criterion import Both
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.criteria.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DOUBT", "Authority", "GivenAuthority", "LearnedAuthority", "NoAuthority"]

DOUBT: Final = 10.0
"""Number of documents of average originality credited to every source (m), so that a source with one or two judged
documents is close to the average, not at 0 or 1."""


class Authority(ABC):
    """A source of authority values."""

    @abstractmethod
    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return authority by source, 0 to 1, for pairs other than these."""

    @abstractmethod
    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return the authority of both sources of each pair: two of float64 (pairs,), NaN if unknown."""


class NoAuthority(Authority):
    """All sources are unknown."""

    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return nothing."""
        del pairs
        return {}

    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return NaN."""
        unknown = np.full(len(pairs), np.nan)
        return unknown, unknown


class GivenAuthority(Authority):
    """Authority values given by an expert.

    Args:
        models: models of the collection.
        given: authority by source, 0 to 1.
    """

    def __init__(self, models: DocumentModels, given: Mapping[str, float]) -> None:
        self._given = dict(given)
        self._known = authority_of(models.sources, given)

    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return the given values."""
        del pairs
        return self._given

    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return the given values."""
        return self._known[pairs.i], self._known[pairs.j]


class LearnedAuthority(Authority):
    """The share of originals among the judged documents of a source: (originals + m p) / (documents + m).

    p is the share among all judged documents, m is ``DOUBT``. A document is judged if it occurs in a pair, and is not
    an original if it is the later document of a repeating pair. In training, a pair sees only documents that are
    earlier than both of its own (ordered target statistics: L. Prokhorenkova et al.: CatBoost, NeurIPS 2018, section
    3.2): a share that counts the pair itself, or all but the pair itself, would give its label away.

    Args:
        models: models of the collection.
    """

    def __init__(self, models: DocumentModels) -> None:
        self._models = models
        order = np.lexsort((np.arange(len(models)), np.nan_to_num(models.times, nan=-np.inf)))
        self._ranks = np.empty(len(models), dtype=np.int64)
        self._ranks[order] = np.arange(len(models))

    def table(self, pairs: JudgedPairs) -> dict[str, float]:
        """Return authority by source, in code point order; sources without a judged document are missing."""
        documents, originals = self._judged(pairs)
        average = float(originals.mean()) if len(originals) else 0.0
        judged: dict[str, list[bool]] = {}
        for document, original in zip(documents.tolist(), originals.tolist(), strict=True):
            source = self._models.sources[document]
            if source is not None:
                judged.setdefault(source, []).append(original)
        return {name: _shrunken(sum(judged[name]), len(judged[name]), average) for name in sorted(judged)}

    def of_training(self, pairs: JudgedPairs) -> Both:
        """Return the authority of both sources as known before the earlier document of each pair."""
        documents, originals = self._judged(pairs)
        order = np.argsort(self._ranks[documents])
        ranks, originals = self._ranks[documents][order], originals[order].astype(np.float64)
        sources = [self._models.sources[document] for document in documents[order].tolist()]
        before = np.minimum(self._ranks[pairs.i], self._ranks[pairs.j])
        seen = np.searchsorted(ranks, before)
        sums = np.concatenate(([0.0], np.cumsum(originals)))
        # One original is assumed before the first judged document.
        average = (sums[seen] + 1) / (seen + 1)
        places: dict[str | None, list[int]] = {}
        for place, source in enumerate(sources):
            places.setdefault(source, []).append(place)
        known = {name: np.array(found, dtype=np.int64) for name, found in places.items() if name is not None}
        totals = {name: np.concatenate(([0.0], np.cumsum(originals[found]))) for name, found in known.items()}

        def of(ends: NDArray[np.int64]) -> NDArray[np.float64]:
            found = np.full(len(ends), np.nan)
            for row, document in enumerate(ends.tolist()):
                name = self._models.sources[document]
                if name is not None:
                    count = int(np.searchsorted(known[name], seen[row]))
                    found[row] = _shrunken(float(totals[name][count]), count, float(average[row]))
            return found

        return of(pairs.i), of(pairs.j)

    def _judged(self, pairs: JudgedPairs) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the judged documents, ascending, and whether each is an original."""
        later = np.where(self._ranks[pairs.i] > self._ranks[pairs.j], pairs.i, pairs.j)
        documents = np.unique(np.concatenate((pairs.i, pairs.j)))
        return documents, ~np.isin(documents, later[pairs.repeats])


def _shrunken(originals: float, documents: int, average: float) -> float:
    return float(f"{(originals + DOUBT * average) / (documents + DOUBT):.10g}")
