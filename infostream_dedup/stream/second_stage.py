"""The second stage: a classifier judges the candidates that key terms have found (Andreev et al., section 6).

Words are weighted by statistics of the general language, and documents are reduced to what a store keeps of them. A
decision therefore depends on two documents only, not on the batch or the stream so far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.documents.documents import as_compared
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.document_models import DocumentModels, document_models
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.stream.store.reader import kept_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.criteria.classifier import Classifier
    from infostream_dedup.model import Document
    from infostream_dedup.model.stream_records import Remembered


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The classifier's judgement of a document against several earlier ones."""

    criteria: tuple[str, ...]  # names, in the order of the columns of `vectors`
    values: NDArray[np.float64]  # float64 (others,), decision values; above 0 the document repeats the other one
    probabilities: NDArray[np.float64]  # float64 (others,), probability that it does, 0 to 1
    vectors: NDArray[np.float64]  # float64 (others, criteria), differences of the document from each; NaN if unknown

    @property
    def repeats(self) -> NDArray[np.bool_]:
        """Whether the document repeats each of the others, bool (others,)."""
        return np.asarray(self.values > 0)

    def probability(self, row: int) -> float:
        """Return a probability as in a verdict, rounded to six decimals."""
        return round(float(self.probabilities[row]), SHOWN_DECIMALS)

    def differences(self, row: int) -> tuple[tuple[str, float | None], ...]:
        """Return each criterion with its difference, rounded to six decimals; ``None`` if unknown."""
        values = self.vectors[row].tolist()
        return tuple(
            (name, None if math.isnan(value) else round(value, SHOWN_DECIMALS))
            for name, value in zip(self.criteria, values, strict=True)
        )


def check_model(classifier: Classifier) -> None:
    """Refuse a classifier that cannot judge a stream."""
    if classifier.statistics != "background":
        raise ConfigurationError(
            f"the model was trained with statistics of its {classifier.statistics}, which a stream does not have; "
            "train it with --statistics background"
        )


class SecondStage:
    """Judges documents of a batch against earlier ones of the stream.

    Args:
        classifier: trained with background statistics.
        kept: returns an earlier document by its ordinal; not called for documents of the batch itself.
    """

    def __init__(self, classifier: Classifier, kept: Callable[[int], Document]) -> None:
        self._classifier = classifier
        self._kept = kept
        self._batch: dict[int, Document] = {}
        self._models: DocumentModels | None = None
        self._rows: dict[int, int] = {}

    def begin_batch(self) -> None:
        """Begin a batch; the documents of the last one now come from the store."""
        self._batch.clear()

    def read(self, documents: Sequence[Remembered], earlier: Iterable[int]) -> None:
        """Read all documents that the next ones may be compared with."""
        self._batch |= {one.ordinal: kept_of(one) for one in documents}
        ordinals = [*sorted(set(earlier)), *(one.ordinal for one in documents)]
        read = [self._batch[one] if one in self._batch else as_compared(self._kept(one)) for one in ordinals]
        self._models = document_models(read, statistics="background")
        self._rows = {ordinal: row for row, ordinal in enumerate(ordinals)}

    def judged(self, ordinal: int, others: NDArray[np.int64]) -> Judged:
        """Judge one document against others; all of them must have been read."""
        if self._models is None:
            raise ValueError(f"document {ordinal} has not been read")
        j = np.array([self._rows[other] for other in others.tolist()], dtype=np.int64)
        i = np.full(len(j), self._rows[ordinal], dtype=np.int64)
        forward, backward = self._classifier.vectors(self._models, i, j)
        # A stream judges each arrival against what it already holds, whatever the dates say.
        arrived = np.ones(len(j), dtype=np.bool_)
        decided = self._classifier.decide_vectors(i, j, forward, backward, i_is_later=arrived)
        return Judged(self._classifier.criteria, decided.forward, decided.probability_forward, forward)
