"""Counts copies among given pairs: pairs that groups join, and pairs that methods find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import UsageError
from infostream_dedup.lab.estimation.copy_census import CopyCensus
from infostream_dedup.lab.estimation.copy_scores import CopyScores, Links, count_copies
from infostream_dedup.model import language_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.collecting import DocumentEvidence
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.collection import Collection

__all__ = ["count_copies_in_groups", "count_copies_in_pairs", "links_in_groups"]

_MOST: Final = 200_000_000


def count_copies_in_groups(
    collection: Collection,
    evidence: DocumentEvidence,
    groups: Sequence[str],
    *,
    progress: Progress | None = None,
) -> CopyScores:
    """Count the copies among all pairs that groups join; the pairs and the copies are those of a sweep.

    Args:
        collection: the documents.
        evidence: evidence of the documents.
        groups: group of each document; an unjoined document has its own group.
        progress: called with the number of distinct texts done.

    Raises:
        UsageError: groups join more than 100 million pairs.
    """
    links = links_in_groups(np.unique(np.array(groups, dtype=object), return_inverse=True)[1])
    return _counted(collection, evidence, {"groups": links}, progress)["groups"]


def count_copies_in_pairs(
    collection: Collection,
    evidence: DocumentEvidence,
    pairs: Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]],
    *,
    progress: Progress | None = None,
) -> dict[str, CopyScores]:
    """Count the copies among pairs of several kinds, by one census; the copies are those of a sweep.

    Args:
        collection: the documents.
        evidence: evidence of the documents.
        pairs: for each name, the ordinals of unordered pairs, each pair once.
        progress: called with the number of distinct texts done.
    """
    links = {name: _links_of_pairs(a, b, len(collection)) for name, (a, b) in pairs.items()}
    return _counted(collection, evidence, links, progress)


def _counted(
    collection: Collection, evidence: DocumentEvidence, links: Mapping[str, Links], progress: Progress | None
) -> dict[str, CopyScores]:
    census = CopyCensus(collection.documents, evidence)
    languages = np.array([language_number(one) for one in collection.languages], dtype=np.uint8)
    copies, counted = census.copies(progress), census.counted
    return {name: count_copies(one, copies, counted, languages, steps=(1,))["all"][0] for name, one in links.items()}


def _links_of_pairs(a: NDArray[np.int64], b: NDArray[np.int64], documents: int) -> Links:
    both = np.concatenate([a, b]), np.concatenate([b, a])
    grades = sp.csr_array((np.ones(2 * len(a), dtype=np.uint8), both), shape=(documents, documents))
    grades.sort_indices()
    return Links.of(grades)


def links_in_groups(groups: NDArray[np.int64]) -> Links:
    """Links of grade 1, both ways, between all documents of a group.

    Args:
        groups: int64 (documents,), group number of each document, from 0 without gaps.

    Raises:
        UsageError: there are more than 200 million links.
    """
    sizes = np.bincount(groups)
    total = int((sizes * (sizes - 1)).sum())
    if total > _MOST:
        raise UsageError(f"groups join {total // 2} pairs; copies are counted among at most {_MOST // 2}")
    order = np.argsort(groups, kind="stable")
    begins = np.cumsum(sizes) - sizes
    indptr = np.zeros(len(groups) + 1, dtype=np.int64)
    np.cumsum(sizes[groups] - 1, out=indptr[1:])
    indices = np.empty(total, dtype=np.int32)
    for document in np.flatnonzero(sizes[groups] > 1).tolist():
        group = groups[document]
        members = order[begins[group] : begins[group] + sizes[group]]
        indices[indptr[document] : indptr[document + 1]] = members[members != document]
    return Links(indptr=indptr, indices=indices, grades=np.ones(total, dtype=np.uint8))
