"""The largest groups of a collection, and the sources that others copy most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GroupListing", "ListedGroup", "SourceCopies", "list_groups"]

_GROUPS: Final = 10
_MEMBERS: Final = 30
_SOURCES: Final = 15


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """One group.

    Attributes:
        size: number of documents.
        sources: number of distinct sources.
        documents: its first 30 documents by date, those without a date last, then by input order.
    """

    size: int
    sources: int
    documents: list[Document]


@dataclass(frozen=True, slots=True)
class SourceCopies:
    """What other sources copy from a source.

    Attributes:
        source: its name.
        documents: number of its documents in the collection.
        grouped: number of those that are in groups.
        first: number of groups that include other sources and start with a document of this source.
        copied: number of documents of other sources in these groups.
    """

    source: str
    documents: int
    grouped: int
    first: int
    copied: int


@dataclass(frozen=True, slots=True)
class GroupListing:
    """The groups of one representation at one k.

    Attributes:
        k: the k at which returned links join documents.
        groups: the ten largest; equally large ones in input order.
        sources: up to 15, the most copied first; sources that nobody copies are left out.
    """

    k: int
    groups: list[ListedGroup]
    sources: list[SourceCopies]


def list_groups(documents: Sequence[Document], leaders: NDArray[np.int64], k: int) -> GroupListing:
    """List the groups of a collection.

    Args:
        documents: in input order.
        leaders: int64 (documents,), ordinal that is the same for all documents of a group.
        k: the k of the groups, which is listed with them.
    """
    order = np.argsort(leaders, kind="stable")
    _, starts, sizes = np.unique(leaders[order], return_index=True, return_counts=True)
    several = np.flatnonzero(sizes > 1)
    groups = [_by_date(documents, order[starts[one] : starts[one] + sizes[one]].tolist()) for one in several]
    largest = sorted(groups, key=len, reverse=True)[:_GROUPS]
    listed = [
        ListedGroup(len(group), len({one.source for one in group if one.source}), group[:_MEMBERS]) for group in largest
    ]
    return GroupListing(k, listed, _most_copied(documents, groups))


def _by_date(documents: Sequence[Document], members: Iterable[int]) -> list[Document]:
    """The documents of a group by date, those without a date last, then in input order."""
    found = [documents[member] for member in members]
    dated = sorted((one for one in found if one.time is not None), key=lambda one: one.time)  # type: ignore[arg-type, return-value]
    return [*dated, *(one for one in found if one.time is None)]


def _most_copied(documents: Sequence[Document], groups: Iterable[list[Document]]) -> list[SourceCopies]:
    written = Counter(one.source for one in documents if one.source)
    grouped, first, copied = Counter[str](), Counter[str](), Counter[str]()
    for group in groups:
        grouped.update(one.source for one in group if one.source)
        opener = group[0].source
        others = sum(one.source != opener for one in group if one.source)
        if opener and others:
            first[opener] += 1
            copied[opener] += others
    found = sorted(copied, key=lambda source: (-copied[source], source))[:_SOURCES]
    return [SourceCopies(name, written[name], grouped[name], first[name], copied[name]) for name in found]
