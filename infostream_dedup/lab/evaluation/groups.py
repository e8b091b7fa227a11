"""Compare groups of documents with the groups that labels form: BCubed, adjusted Rand index, pairwise F1.

A. Bagga, B. Baldwin, 1998 (BCubed); E. Amigó et al., Information Retrieval 12, 2009, who compare such measures; L.
Hubert, P. Arabie, Journal of Classification 2, 1985 (the adjusted Rand index). The true groups are the documents that
true pairs connect. Pairs that the protocol does not count (of kin families, or within one family but not labelled as
true) are left out of every count; without such pairs, the measures are those of the papers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.lab.evaluation.pair_codes import both_of
from infostream_dedup.lab.evaluation.truth import Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GROUP_MEASURES", "GroupScores", "group_scores"]


@dataclass(frozen=True, slots=True)
class GroupScores:
    """Agreement of groups with the true groups, averaged over documents or counted over pairs.

    Attributes:
        bcubed_precision: mean over documents of the share of its group that belongs there, itself included; 0 to 1.
        bcubed_recall: mean over documents of the share of its true group that its group contains; 0 to 1.
        bcubed_f1: harmonic mean of both.
        ari: adjusted Rand index: 1 for equal groups, about 0 for groups drawn at random.
        pairwise_f1: F1 of the pairs of documents in one group; ``None`` if there is no pair in either.
    """

    bcubed_precision: float
    bcubed_recall: float
    bcubed_f1: float
    ari: float
    pairwise_f1: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Return the measures by name, in order."""
        return asdict(self)


GROUP_MEASURES: Final = tuple(field.name for field in fields(GroupScores))
"""Names of the measures, in order."""


def group_scores(groups: NDArray[np.int64], truth: Truth) -> GroupScores | None:
    """Compare groups with the true ones.

    Args:
        groups: int64 (documents,), equal for documents of one group.
        truth: truth of the same collection.

    Returns:
        ``None`` in an open world, where unlisted pairs do not count and most of any group is not judged.
    """
    documents = np.flatnonzero(truth.takes_part())
    if not len(documents):
        return None
    true_groups = truth.classes()
    # A document without a family forms its own circle.
    circles = np.where(truth.circles >= 0, truth.circles, truth.documents + np.arange(truth.documents))
    members = _Members(documents, truth)
    group, named, circle = groups[documents], true_groups[documents], circles[documents]
    listed = _listed_others(truth, true_groups, circles)
    right = members.sharing(group, named)
    linked = members.sharing(group) - members.sharing(group, circle) + members.sharing(group, circle, named)
    true = members.sharing(named)
    counted = members.sharing() - members.sharing(circle) + members.sharing(circle, named)
    linked -= members.meetings(listed[:, groups[listed[0]] == groups[listed[1]]])
    counted -= members.meetings(listed)
    return _scores_of(right, linked, true, counted)


def _scores_of(
    right: NDArray[np.int64], linked: NDArray[np.int64], true: NDArray[np.int64], counted: NDArray[np.int64]
) -> GroupScores:
    """Compute the measures from counts of documents, itself included, that share something: int64 (documents,) each."""
    precision, recall = float(np.mean(right / linked)), float(np.mean(right / true))
    tp, both = (int(one.sum() - len(one)) // 2 for one in (right, counted))
    fp, fn = int((linked - right).sum()) // 2, int((true - right).sum()) // 2
    tn = both - tp - fp - fn
    chance = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
    return GroupScores(
        precision,
        recall,
        2 * precision * recall / (precision + recall),
        2 * (tp * tn - fn * fp) / chance if fp or fn else 1.0,
        2 * tp / (2 * tp + fp + fn) if tp or fp or fn else None,
    )


class _Members:
    """Counts, for each document, the documents that share something with it and whose pair with it is in scope.

    Args:
        documents: int64 (taking part,), ordinals of the documents counted, ascending.
        truth: provides the scope.
    """

    def __init__(self, documents: NDArray[np.int64], truth: Truth) -> None:
        self._documents = documents
        self._all = truth.documents
        self._languages = truth.scope.languages[documents].astype(np.int64)
        self._seen = truth.scope.blocks[self._languages]
        own = self._seen[np.arange(len(documents)), self._languages]
        self._itself = np.where(own, 0, 1).astype(np.int64)

    def sharing(self, *numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64 (documents,), the number of documents with the same numbers, including the document itself."""
        places = np.zeros(len(self._documents), dtype=np.int64)
        for one in numbers:
            rows = np.stack((places, one))
            places = np.unique(rows, axis=1, return_inverse=True)[1].reshape(-1)
        languages = self._seen.shape[1]
        cells = np.bincount(places * languages + self._languages, minlength=(places.max() + 1) * languages)
        table = cells.reshape(-1, languages)
        return np.asarray((table[places] * self._seen).sum(axis=1) + self._itself, dtype=np.int64)

    def meetings(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64 (documents,), the number of pairs, int64 (2, pairs), that contain each document."""
        return np.bincount(pairs.ravel(), minlength=self._all)[self._documents]


def _listed_others(truth: Truth, true_groups: NDArray[np.int64], circles: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return listed pairs that do not count although they join two true groups and two circles: int64 (2, pairs)."""
    a, b = both_of(truth.others, truth.documents)
    taking = truth.takes_part()
    kept = (true_groups[a] != true_groups[b]) & (circles[a] != circles[b]) & taking[a] & taking[b]
    return np.stack((a[kept], b[kept]))
