"""The interface by which a sweep learns how good its links are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from infostream_dedup.runs.batch.linking import SHARE_THRESHOLDS, Linked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.links import Advice, KnownK, Measures, SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings
    from infostream_dedup.terms.key_terms import KeyTerms


@dataclass(frozen=True, slots=True)
class LinkEstimate:
    """Estimated quality of the links of one representation.

    Attributes:
        columns: columns of the rows, by block and step; a step is a k, or the number of a threshold from 1.
        absent: values of these columns for rows about which nothing is known.
        known: what the estimate and the copies say about k, by block.
        summary: description of the figures, for ``sweep.json``.
        notes: sentences for the reader on the links of a series at a k.
    """

    columns: Mapping[tuple[str, int], Mapping[str, Any]]
    absent: Mapping[str, Any]
    known: Mapping[str, KnownK]
    summary: Mapping[str, Any]
    notes: Callable[[str, int | None], Sequence[str]]

    def at(self, block: str, measures: Measures) -> Mapping[str, Any]:
        """Return the columns of a row."""
        step = measures.k
        if step is None and measures.threshold is not None:
            step = SHARE_THRESHOLDS.index(measures.threshold) + 1
        return self.columns.get((block, step or 0), self.absent)


class KChooser(Protocol):
    """Chooses the k of links without labels."""

    def advice(
        self,
        linked: Linked,
        documents: NDArray[np.int64] | None = None,
        *,
        cross: bool = False,
        way: str | int = "auto",
    ) -> Advice:
        """Choose k as ``links.advise`` does.

        Args:
            documents: int64, ordinals: only the pairs of these documents; default: all.
        """


class LinkEstimator(Protocol):
    """Estimates without labels how good links are."""

    def estimate(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix | None,
        settings: Settings,
        blocks: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> LinkEstimate:
        """Judge the links of one representation.

        Args:
            matrix: the links; ``None`` if they are not written out.
        """

    def forget(self) -> None:
        """Release the data behind the estimates; `estimate` will not be called again."""
