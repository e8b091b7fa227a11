"""Counts copies in a stream by day and source, and finds the days on which their shares drift.

A document is a copy if it and an earlier document, at most seven days older, share three tenths of the wording of
either. Series are left out (see ``universe``), and so are pairs with documents that were forgotten or have expired.
Days are those of the stream's clock, so that later documents never change a past day, and the counts do not depend on
how the stream was cut into batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.facts import DAY
from infostream_dedup.lab.estimation.census import COUNTED, WINDOW_DAYS, counted_pairs, find_all_copies, in_universe
from infostream_dedup.runs.batch.stored_collection import stored_evidence

if TYPE_CHECKING:
    from infostream_dedup.stream.store.store import Store


LARGEST_CHANCE: Final = 1e-4
"""A difference is a drift if its probability by chance is below this. Chosen on the first half of a real stream: a
power of ten below everything that its days showed (reports/without-labels.md)."""

RECENT_DAYS: Final = 7
USUAL_DAYS: Final = 28
FEWEST_USUAL: Final = 20  # minimum number of documents, links or copies on the usual days

_AT_ONCE: Final = 50_000
_LINKED: Final = ("exact", "duplicate")
_MEASURES: Final = {"copies": (2, 0), "precision": (3, 1), "recall": (3, 2)}
"""Part and whole of each watched share, as indexes into (documents, links, copies, linked_copies)."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCopies:
    """Counts of one day of one source."""

    day: int  # days since 1970 by the stream's clock
    source: str | None  # `None` for documents that name none
    documents: int  # documents that arrived
    links: int  # verdicts `exact` and `duplicate` that name a document at most seven days older; series are left out
    copies: int  # documents that copy an earlier one
    linked_copies: int  # links to a document that is copied

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Documents, links, copies, linked copies."""
        return self.documents, self.links, self.copies, self.linked_copies

    def as_dict(self) -> dict[str, Any]:
        """Return a row: the counts, and precision and recall of the links as copies."""
        row = asdict(self) | {"day": _date(self.day), "copy_precision": _share(self.linked_copies, self.links)}
        return row | {"copy_recall": _share(self.linked_copies, self.copies)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Days on which a share of the last ``RECENT_DAYS`` differs from that of the ``USUAL_DAYS`` before."""

    first: int  # first such day, days since 1970
    last: int  # last day of an unbroken run of such days
    source: str | None  # `None` for the whole stream
    measure: str  # `copies` (of the documents), `precision` or `recall` (of the links, as copies)
    recent: tuple[int, int]  # part and whole on the first day and the six days before it
    usual: tuple[int, int]  # part and whole of the days before these
    chance: float  # probability of a difference as large without a drift, on the first day (Fisher's exact test)

    def as_dict(self) -> dict[str, Any]:
        """A row."""
        return {
            "first": _date(self.first), "last": _date(self.last), "source": self.source, "measure": self.measure,
            "recent": _share(*self.recent), "usual": _share(*self.usual), "recent_of": self.recent[1],
            "usual_of": self.usual[1], "chance": float(f"{self.chance:.2g}"),
        }  # fmt: skip


def latest_drifts(store: Store) -> list[Drift] | None:
    """Drifts of the last week of a stream, for a page; ``None`` if they cannot be computed quickly, or at all.

    A store without wording has none. With more than 50,000 documents in five weeks, computing them takes too long for a
    page; ``store copies --drifts`` does so.
    """
    with store.reading():
        _, end = store.span()
        table = store.documents(max(end - 1, 0), end)
        if not len(table.evidence.records.values):
            return None
        latest, weeks = int(table.clocks[0]) // DAY, RECENT_DAYS + USUAL_DAYS
        begin = store.span(since=max((latest - weeks - RECENT_DAYS + 2) * DAY, 1))[0]
        if end - begin > _AT_ONCE:
            return None
        found = drifts(copies_by_day(store, days=weeks + RECENT_DAYS - 1))
    return [drift for drift in found if drift.last > latest - RECENT_DAYS]


def copies_by_day(store: Store, *, days: int | None = None) -> list[DayCopies]:
    """Count the copies of a stream."""
    with store.reading():
        _, end = store.span()
        begin = first_dated = store.span(since=1)[0]
        if days is not None and first_dated < end:
            latest = int(store.documents(end - 1, end).clocks[0]) // DAY
            begin = max(begin, store.span(since=(latest - days + 1) * DAY)[0])
        found: dict[tuple[int, str | None], Counter[str]] = {}
        for first in range(begin, end, _AT_ONCE):
            for day, source, names in _documents(store, first, min(first + _AT_ONCE, end), first_dated):
                found.setdefault((day, source), Counter()).update(names)
    return [
        DayCopies(
            day=day, source=source, **{name: count[name] for name in ("documents", "links", "copies", "linked_copies")}
        )
        for (day, source), count in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] or ""))
    ]


def _documents(store: Store, first: int, end: int, dated: int) -> Iterator[tuple[int, str | None, tuple[str, ...]]]:
    """Day and source of each document, and what it counts as; it is compared with documents of the week before."""
    clock = int(store.documents(first, first + 1).clocks[0])
    begin = max(dated, store.span(since=max(clock - WINDOW_DAYS * DAY, 1))[0])
    table = store.documents(begin, end)
    if not len(table.evidence.records.values):
        raise ConfigurationError(f"{store.path} keeps no wording; only streams of preset judged can be counted")
    # Forgotten documents and those whose signatures have expired no longer have evidence.
    known = np.flatnonzero(np.diff(table.evidence.records.indptr) > 0)
    evidence, facts = stored_evidence(store, table, known, table.clocks.tolist())
    universe = counted_pairs(facts, evidence.records).universe
    copies = find_all_copies(evidence.triples, universe)
    copies = copies.at(copies.marks == COUNTED)
    pairs = set(zip(copies.a.tolist(), copies.b.tolist(), strict=True))
    later = {b for _, b in pairs}
    place_of = {row: place for place, row in enumerate(known.tolist())}
    for row, named in enumerate(store.answers(first, end), start=first - begin):
        names, place = ["documents"], place_of.get(row)
        if place in later:
            names.append("copies")
        answer = None if named is None else place_of.get(named - begin)
        if table.statuses[row] in _LINKED and place is not None and answer is not None:
            inside, repeated = in_universe(universe, np.array([answer]), np.array([place]))
            if inside[0] and not repeated[0]:
                names.append("links")
                if (answer, place) in pairs:
                    names.append("linked_copies")
        yield int(table.clocks[row]) // DAY, table.sources[row], tuple(names)


def drifts(rows: Sequence[DayCopies], *, largest: float = LARGEST_CHANCE) -> list[Drift]:
    """Find the days on which shares drift, for the whole stream and for each source.

    On every day with documents, the last ``RECENT_DAYS`` are compared with the ``USUAL_DAYS`` before them.
    """
    subjects: dict[str | None, list[DayCopies]] = {None: list(rows)}
    for row in rows:
        if row.source is not None:
            subjects.setdefault(row.source, []).append(row)
    found = [drift for source, own in subjects.items() for drift in _drifts_of(source, own, largest)]
    order = {name: place for place, name in enumerate(_MEASURES)}
    return sorted(found, key=lambda one: (-one.first, one.source or "", order[one.measure]))


def _drifts_of(source: str | None, rows: Sequence[DayCopies], largest: float) -> Iterator[Drift]:
    if not rows:
        return
    first = rows[0].day
    counts = np.zeros((rows[-1].day - first + 2, 4), dtype=np.int64)
    for row in rows:
        counts[row.day - first + 1] += row.counts
    upto = counts.cumsum(axis=0)
    ends = np.flatnonzero(counts[:, 0])
    middles = np.maximum(ends - RECENT_DAYS, 0)
    recent, usual = upto[ends] - upto[middles], upto[middles] - upto[np.maximum(middles - USUAL_DAYS, 0)]
    for measure, (part, whole) in _MEASURES.items():
        chances = _chances(recent[:, part], recent[:, whole], usual[:, part], usual[:, whole])
        begun: int | None = None
        for place, chance in enumerate([*chances.tolist(), 1.0]):
            if chance < largest:
                begun = place if begun is None else begun
            elif begun is not None:
                yield Drift(
                    first=int(ends[begun]) + first - 1,
                    last=int(ends[place - 1]) + first - 1,
                    source=source,
                    measure=measure,
                    recent=(int(recent[begun, part]), int(recent[begun, whole])),
                    usual=(int(usual[begun, part]), int(usual[begun, whole])),
                    chance=float(chances[begun]),
                )
                begun = None


def _chances(
    part: NDArray[np.int64], whole: NDArray[np.int64], usual: NDArray[np.int64], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Two-sided chance of each difference between shares, 1 if there is too little data: float64 (days,)."""
    # Takes a second to import and is rarely needed.
    from scipy.stats import hypergeom

    known = (whole > 0) & (of >= FEWEST_USUAL)
    every, all_parts = whole + of, part + usual
    upper = hypergeom.sf(part - 1, every, all_parts, whole)
    lower = hypergeom.cdf(part, every, all_parts, whole)
    return np.where(known, np.minimum(2.0 * np.minimum(upper, lower), 1.0), 1.0)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).date().isoformat()
