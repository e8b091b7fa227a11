"""What a filter before the criteria keeps and loses, in the form of Table 1 of Andreev et al."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.criteria.candidates import key_term_candidates, two_word_candidates
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.lab.evaluation.labels import Label, both_of, codes_of, places_in

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FilterRow:
    """One filter on one collection.

    Attributes:
        name: name of the filter.
        pairs: number of unordered pairs of the collection.
        passed: number of pairs that pass the filter.
        duplicates: number of pairs known to be duplicates.
        duplicates_passed: number of known duplicates that pass.
    """

    name: str
    pairs: int
    passed: int
    duplicates: int
    duplicates_passed: int

    @property
    def rejected(self) -> int:
        """Number of pairs that the filter rejects."""
        return self.pairs - self.passed

    @property
    def originals_passed(self) -> int:
        """Number of pairs that pass and are not known to be duplicates."""
        return self.passed - self.duplicates_passed

    @property
    def duplicates_rejected(self) -> int:
        """Number of known duplicates that the filter rejects."""
        return self.duplicates - self.duplicates_passed

    @property
    def originals_rejected(self) -> int:
        """Number of rejected pairs that are not known to be duplicates."""
        return self.rejected - self.duplicates_rejected

    @property
    def recall(self) -> float | None:
        """Share of the duplicates that pass, 0 to 1; ``None`` without duplicates."""
        return self.duplicates_passed / self.duplicates if self.duplicates else None

    @property
    def precision(self) -> float | None:
        """Share of duplicates among the pairs that pass, 0 to 1; ``None`` if none pass."""
        return self.duplicates_passed / self.passed if self.passed else None

    @property
    def rejection(self) -> float | None:
        """Share of all pairs that need not be compared, 0 to 1; ``None`` without pairs."""
        return self.rejected / self.pairs if self.pairs else None

    def as_dict(self) -> dict[str, Any]:
        """Return the row with all derived figures."""
        return {
            "filter": self.name,
            "pairs": self.pairs,
            "passed": self.passed,
            "rejected": self.rejected,
            "originals passed": self.originals_passed,
            "originals rejected": self.originals_rejected,
            "duplicates passed": self.duplicates_passed,
            "duplicates rejected": self.duplicates_rejected,
            "recall": self.recall,
            "precision": self.precision,
            "rejection": self.rejection,
        }


PUBLISHED = FilterRow("two heaviest words, as published", 16_586_310, 259, 189, 151)
"""Andreev et al., Table 1: documents of one day against those of the preceding days, from 20 sites. The rejected share
is printed as 0,99998 %; it is in fact the ratio .99998."""


def candidate_table(
    models: DocumentModels,
    labels: Sequence[Label],
    *,
    positive: Sequence[str] = ("dup",),
    newest: int | None = None,
    k: int = 3,
    n: int = 12,
) -> list[FilterRow]:
    """Measure both filters on one collection: the paper's two heaviest words, then key-term links.

    All pairs of the collection count, or, as in the paper, those of its newest documents with all earlier ones and with
    each other. A pair without a label counts as original, so the true precision is at least the figure given.
    """
    documents = len(models)
    new, known = np.ones(documents, dtype=np.bool_), np.ones(documents, dtype=np.bool_)
    if newest is not None:
        known = ~np.isnan(models.times)
        order = np.flatnonzero(known)[np.argsort(models.times[known], kind="stable")]
        new = np.zeros(documents, dtype=np.bool_)
        new[order[max(len(order) - newest, 0) :]] = True
    fresh, earlier = int(new.sum()), int((known & ~new).sum())
    pairs = fresh * earlier + fresh * (fresh - 1) // 2

    def chosen(i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.int64]:
        counted = known[i] & known[j] & (new[i] | new[j])
        return np.sort(codes_of(i[counted], j[counted], documents))

    duplicates = chosen(*both_of(_encode_labels(models, labels, positive), documents))
    filters: Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {
        "two heaviest words": two_word_candidates(models),
        f"key terms, {k} of {n}": key_term_candidates(models, k=k, n=n),
    }
    rows = []
    for name, (i, j) in filters.items():
        passed = chosen(i, j)
        rows.append(FilterRow(name, pairs, len(passed), len(duplicates), len(places_in(passed, duplicates))))
    return rows


def _encode_labels(models: DocumentModels, labels: Sequence[Label], positive: Sequence[str]) -> NDArray[np.int64]:
    ordinals = {name: ordinal for ordinal, name in enumerate(models.ids)}
    chosen = [label for label in labels if label.label in positive]
    for label in chosen:
        for field, name in (("a", label.a), ("b", label.b)):
            if name not in ordinals:
                raise BadDataError(
                    f"is {name!r}, which is not the id of any document",
                    code="E_UNKNOWN_ID",
                    source=label.source,
                    line=label.line,
                    field=field,
                )
    a = np.array([ordinals[label.a] for label in chosen], dtype=np.int64)
    b = np.array([ordinals[label.b] for label in chosen], dtype=np.int64)
    return np.unique(codes_of(a, b, len(models)))
