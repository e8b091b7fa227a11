"""Statuses and groups of a collection, as decided by preset ``judged``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.status import (
    JOINED_IN_STREAMS,
    JOINED_WITHOUT_DATES,
    KEPT,
    STATUS_NAMES,
    best_pairs,
    break_chains,
    joined_kinds,
)
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import NO_TIME, fields_of, names_in
from infostream_dedup.runs.batch.deduplication import STATUS_COLUMNS, Status, groups_of
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.judging import JudgedCandidates


JUDGED_STATUS_COLUMNS: Final = (*STATUS_COLUMNS, "kind", "probability")
"""What ``dedup --annotate`` adds to a document with preset ``judged``."""

_NEW, _DUPLICATE, _EXACT = (STATUS_NAMES.index(name) for name in ("new", "duplicate", "exact"))
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class JudgedStatus(Status):
    """The relation of a document to the earlier ones of its collection, with its probability.

    Attributes:
        kind: kind of relation to ``of``; ``None`` if there is none.
        probability: probability of the same pair, 0 to 1, rounded to 6 decimals.
    """

    kind: str | None = None
    probability: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """The five columns that ``dedup --annotate`` adds."""
        return {name: getattr(self, name) for name in JUDGED_STATUS_COLUMNS}


@dataclass(slots=True)
class BestPairs:
    """The verdict of the best pair of each document; -1 and status new if there is none."""

    status: NDArray[np.int8]
    of: NDArray[np.int64]
    kind: NDArray[np.int8]
    probability: NDArray[np.float64]

    @classmethod
    def none(cls, documents: int) -> BestPairs:
        """Return an empty record."""
        return cls(
            np.full(documents, _NEW, dtype=np.int8),
            np.full(documents, -1, dtype=np.int64),
            np.zeros(documents, dtype=np.int8),
            np.zeros(documents, dtype=np.float64),
        )

    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Documents that others repeat, and these."""
        later = np.flatnonzero(self.status >= _DUPLICATE)
        return self.of[later], later

    def take(self, judged: JudgedCandidates, status: NDArray[np.int8]) -> None:
        """Take the best pairs from chunks, each with all pairs of a later document."""
        # The strongest status wins, so that pairs without any need not be sorted.
        with_status = np.flatnonzero(status > _NEW)
        a, b, probability, shares = (
            judged.a[with_status],
            judged.b[with_status],
            judged.probability[with_status],
            judged.shares[with_status],
        )
        best = with_status[best_pairs(a, b, status[with_status], probability, shares)]
        later = judged.b[best]
        self.status[later], self.of[later] = status[best], judged.a[best]
        self.kind[later], self.probability[later] = judged.kinds[best], judged.probability[best]


def checked_join(join: Sequence[str] | str | None) -> tuple[str, ...] | None:
    """Names of the kinds that join groups, from a sequence or comma-separated names."""
    if join is None:
        return None
    names = names_in(join)
    joined_kinds(names)
    return names


def judged_statuses(
    collection: JudgedCollection,
    *,
    join: Sequence[str] | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
) -> list[JudgedStatus]:
    """Status of every document in input order.

    ``exact``: equal to an earlier document (``equality_hash``). ``duplicate``: a pair with an earlier document has a
    kind in ``join``. ``similar``: a pair has any other kind except ``related``, or ``related`` with wording of .3 or
    more. Documents with fewer than three key terms are ``exact`` or ``new``, and ``insufficient_text`` if they have
    one word or none. A duplicate repeats a document that is kept, and joins its group.

    Args:
        join: kinds that make a duplicate; ``None`` for ``copy``, and also ``retold`` if no document has a date.
        engine: ``auto``, ``plain`` or ``compiled``; results are the same.
    """
    if join is None:
        dated = bool(np.any(collection.facts.times != NO_TIME))
        join = JOINED_IN_STREAMS if dated else JOINED_WITHOUT_DATES
    joins, sizes = joined_kinds(join), collection.key_terms.sizes
    decided = BestPairs.none(len(sizes))
    a, b = collection.deciding_candidates(engine=engine)
    kept = np.full(len(sizes), KEPT, dtype=np.int8)
    for judged in collection.judged(a, b, screened=True, progress=progress):
        status = judged.statuses(joins)
        enough = np.minimum(sizes[judged.a], sizes[judged.b]) >= INSUFFICIENT_TERMS
        status[~enough & (status != _EXACT)] = _NEW
        break_chains(judged, status, kept)
        decided.take(judged, status)
    return _named(collection, decided, groups_of([decided.joined()], len(sizes)))


def _named(collection: JudgedCollection, decided: BestPairs, leader: NDArray[np.int64]) -> list[JudgedStatus]:
    ids = fields_of(collection.collection.documents).ids
    kinds = [KIND_NAMES[seen_from_later(kind)] for kind in Kind]
    compared = (collection.key_terms.sizes >= INSUFFICIENT_TERMS) | (collection.facts.texts >= 0)
    alone = np.where(compared, "new", "insufficient_text").tolist()
    columns = [one.tolist() for one in (decided.of, leader, decided.status, decided.kind, decided.probability)]
    found = []
    for ordinal, (of, group, status, kind, probability) in enumerate(zip(*columns, strict=True)):
        if of < 0:
            found.append(JudgedStatus(alone[ordinal], None, ids[group]))
        else:
            rounded = round(probability, _DECIMALS)
            found.append(JudgedStatus(STATUS_NAMES[status], ids[of], ids[group], kinds[kind], rounded))
    return found
