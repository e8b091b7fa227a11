"""Scores of links and groups against the census of copies, with bootstrap bounds, and copies in a stream by day."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DAY
from infostream_dedup.lab import census as counting
from infostream_dedup.lab import kernels
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Uint8s, offsets_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import language_number
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.runs.batch.stored_collection import stored_evidence

if TYPE_CHECKING:
    from infostream_dedup.stream.store.store import Store

DRAWS: Final = 200
Bounds = tuple[float, float]  # lower and upper bound of a 95 % interval, 0 to 1
_SEED: Final = 20_091_969
_ENDS: Final = (0.025, 0.975)
_MOST_TIMES: Final = 9
_CHUNK: Final = 500


def drawn_documents(documents: int, *, draws: int = DRAWS) -> Uint8s:
    """How often each document is drawn, by its ordinal alone: uint8 (documents, draws), Poisson with mean 1."""
    steps = np.cumsum([math.exp(-1.0) / math.factorial(times) for times in range(_MOST_TIMES)])
    found = np.empty((documents, draws), dtype=np.uint8)

    def draw(begin: int) -> None:
        part = found[begin : begin + _CHUNK]
        # The numbers of all earlier documents are skipped.
        random = np.random.Generator(np.random.PCG64(_SEED).advance(begin * draws)).random(part.shape)
        part[:] = 0
        for step in steps:
            part += random >= step

    with ThreadPoolExecutor(thread_count(0)) as pool:
        list(pool.map(draw, range(0, documents, _CHUNK)))
    return found


def bounds_of(values: Floats, estimate: float) -> Bounds:
    """The 95 % interval of a figure, widened to contain the figure itself."""
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return 0.0, 1.0
    low, high = np.quantile(known, _ENDS)
    return min(float(low), estimate), max(float(high), estimate)


def harmonic(precision: float | None, recall: float | None) -> float:
    """F1; 0 if one of both is not defined."""
    both = (precision or 0.0) + (recall or 0.0)
    return 2.0 * (precision or 0.0) * (recall or 0.0) / both if both else 0.0


BANDS: Final = ((0.3, 0.5), (0.5, 0.8), (0.8, 1.0))
"""Bands of wording: lower and upper bound (exclusive, except for the last)."""

_MOST_DRAWN: Final = 500_000
"""Maximum number of links from which intervals are computed; more are sampled by a hash of the pair."""

_LINKS_AT_ONCE: Final = 1 << 24
_GRADES: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyScores:
    """Copies among the links at one k."""

    step: int  # k, or the number of the threshold, from 1
    links: int  # unordered pairs linked both ways in the universe, series left out
    linked_copies: int  # how many of these links are copies
    copies: int  # all copies in the universe, series left out
    precision: float | None  # `linked_copies / links`; `None` if there are no links
    recall: float | None  # `linked_copies / copies`; `None` if there are no copies
    precision_bounds: Bounds | None  # 95 % interval
    recall_bounds: Bounds | None  # 95 % interval
    bands: tuple[float | None, ...]  # recall in each of `BANDS`, `None` if there are no copies
    series_links: int  # linked pairs that are series
    series_copies: int  # how many of these are copies

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if one is not defined."""
        return harmonic(self.precision, self.recall)


class Links(kernels.GradedLinks):
    """Directed links, each with the largest k (or number of the threshold) at which it counts."""

    __slots__ = ()

    @classmethod
    def of(cls, grades: sp.csr_array) -> Links:
        """Make links from a matrix: uint8 (documents, documents), sorted indices."""
        return cls(grades.indptr.astype(np.int64), grades.indices.astype(np.int32, copy=False), grades.data)

    def grades_of(self, a: Ints, b: Ints) -> Uint8s:
        """Largest step at which pairs are linked both ways: uint8 (pairs,)."""
        found = np.empty(len(a), dtype=np.uint8)
        kernels.grades_of_pairs(self, np.ascontiguousarray(a), np.ascontiguousarray(b), found)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """Pairs inside and between languages (first axis), by grade (last axis, or the one before draws)."""

    links: Ints  # int64 (2, grades), linked pairs that are not a series
    copies: Floats  # float64 (2, grades), copies that are not a series; those at grade 0 are not linked
    bands: Floats  # float64 (2, bands, grades), copies by band of wording
    series: Floats  # float64 (2, 2, grades), links and copies that are series
    drawn_links: Floats  # float64 (2, grades, draws), links, or a sample of them
    drawn_right: Floats  # float64 (2, grades, draws), copies among these links
    drawn_copies: Floats  # float64 (2, grades, draws)

    def at(self, step: int, parts: slice) -> CopyScores:
        """Scores at a step, for pairs inside languages, between them, or both."""

        def linked(counts: NDArray[Any]) -> Any:
            return counts[parts, step:].sum(axis=(0, 1))

        links, linked_copies, copies = linked(self.links), linked(self.copies), self.copies[parts].sum()
        bands = self.bands[parts].sum(axis=0)
        # Copies may be a sample, scaled up; links are all counted.
        precision = _share(min(float(linked_copies), float(links)), float(links))
        recall = _share(float(linked_copies), float(copies))
        return CopyScores(
            step=step,
            links=int(links),
            linked_copies=round(linked_copies),
            copies=round(copies),
            precision=precision,
            recall=recall,
            precision_bounds=_bounds(linked(self.drawn_right), linked(self.drawn_links), precision),
            recall_bounds=_bounds(linked(self.drawn_copies), self.drawn_copies[parts].sum(axis=(0, 1)), recall),
            bands=tuple(_share(float(band[step:].sum()), float(band.sum())) for band in bands),
            series_links=round(self.series[parts, 0, step:].sum()),
            series_copies=round(self.series[parts, 1, step:].sum()),
        )


def count_copies(
    links: Links, copies: counting.Copies, counted: counting.CountedPairs, languages: Uint8s, *, steps: Sequence[int]
) -> dict[str, list[CopyScores]]:
    """Count the copies among the links at every step."""
    tables = _counted(links, copies, counted, languages)
    blocks = {"all": slice(0, 2), "mono": slice(0, 1), "cross": slice(1, 2)}
    if len(np.unique(languages)) < 2:
        blocks = {"all": slice(0, 2)}
    return {block: [tables.at(step, parts) for step in steps] for block, parts in blocks.items()}


def _counted(links: Links, copies: counting.Copies, counted: counting.CountedPairs, languages: Uint8s) -> _Tables:
    universe = counted.universe
    pairs, picked = _count_links(links, universe, languages)
    grades = links.grades_of(copies.a, copies.b)
    across = (languages[copies.a] != languages[copies.b]).astype(np.int64)
    band = np.searchsorted([low for low, _ in BANDS], copies.wording, side="right") - 1
    found = np.zeros((3, 2, len(BANDS), _GRADES), dtype=np.float64)
    np.add.at(found, (copies.marks, across, band, grades), copies.sampled)
    # Links that only wording tells to be a series, or a phrase, are counted among the others.
    moved = (copies.marks != counting.COUNTED) & ~counting.in_universe(universe, copies.a, copies.b)[1]
    apart, weights = np.zeros((3, *pairs.shape[1:]), dtype=np.int64), drawn_documents(len(languages))
    np.add.at(apart, (copies.marks[moved], across[moved], grades[moved]), copies.sampled)
    pairs = np.stack([np.maximum(pairs[0] - apart.sum(axis=0), 0), pairs[1] + apart[counting.SERIES]])

    def drawn(chosen: Bools) -> Floats:
        return _drawn(copies.a[chosen], copies.b[chosen], grades[chosen], across[chosen], weights)

    drawn_links, halvings = _drawn_links(picked, languages, weights, halvings=copies.sampled.bit_length() - 1)
    kept, one = counting.are_kept(copies.a, copies.b, halvings), copies.marks == counting.COUNTED
    drawn_links -= drawn(moved & kept)
    # Counted among the same links, copies never exceed them.
    drawn_copies, drawn_right = drawn(one), drawn(one & kept) if 1 << halvings > copies.sampled else drawn(one)
    return _Tables(
        links=pairs[0],
        copies=found[0].sum(axis=1),
        bands=found[0],
        series=np.stack([pairs[1].astype(np.float64), found[1].sum(axis=1)], axis=1),
        drawn_links=drawn_links,
        drawn_right=drawn_right,
        drawn_copies=drawn_copies,
    )


def _count_links(links: Links, universe: kernels.Universe, languages: Uint8s) -> tuple[Ints, list[kernels.FoundPairs]]:
    """Count linked pairs as ``count_linked_pairs`` does, in blocks of earlier documents, each with its own sample."""
    room = max(min(len(links.indices), _MOST_DRAWN), 1)
    blocks = list(row_blocks(np.diff(links.indptr), _LINKS_AT_ONCE)) or [slice(0, 0)]

    def count(block: slice) -> tuple[Ints, kernels.FoundPairs]:
        counts, picked = np.zeros((2, 2, _GRADES), dtype=np.int64), counting.room_for_pairs(room, 1)
        kernels.count_linked_pairs(links, universe, languages, block.start, block.stop, counts, picked)
        return counts, picked

    with ThreadPoolExecutor(thread_count(0)) as pool:
        counts, picked = zip(*pool.map(count, blocks), strict=True)
    return np.sum(counts, axis=0), list(picked)


def _drawn_links(
    picked: Sequence[kernels.FoundPairs], languages: Uint8s, weights: Uint8s, *, halvings: int
) -> tuple[Floats, int]:
    """Count links per resample and return the scaling exponent used (at least ``halvings``)."""
    a, b, grades, halvings = counting.joined_pairs(picked, halvings=halvings, most=max(len(one.a) for one in picked))
    across = (languages[a] != languages[b]).astype(np.int64)
    return _drawn(a, b, grades[:, 0].astype(np.uint8), across, weights), halvings


def _drawn(a: Ints, b: Ints, grades: Uint8s, across: Ints, weights: Uint8s) -> Floats:
    threads = thread_count(0)
    counts = np.zeros((threads, 2, _GRADES, weights.shape[1]), dtype=np.int64)
    bounds = np.linspace(0, len(a), threads + 1).astype(np.int64).tolist()

    def count(thread: int) -> None:
        some = slice(bounds[thread], bounds[thread + 1])
        for part in range(2):
            chosen = across[some] == part
            kernels.count_drawn(a[some][chosen], b[some][chosen], grades[some][chosen], weights, counts[thread, part])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(count, range(threads)))
    return np.asarray(counts.sum(axis=0), dtype=np.float64)


def _bounds(parts: Floats, wholes: Floats, estimate: float | None) -> Bounds | None:
    if estimate is None:
        return None
    return bounds_of(np.divide(parts, wholes, out=np.full(len(parts), np.nan), where=wholes > 0), estimate)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


_MOST_IN_GROUPS: Final = 200_000_000


def count_copies_in_groups(
    collection: Collection, evidence: DocumentEvidence, groups: Ints, *, progress: Progress | None = None
) -> CopyScores:
    """Count the copies among all pairs that groups join; the pairs and the copies are those of a sweep."""
    return _counted_groups(collection, evidence, {"groups": links_in_groups(groups)}, progress)["groups"]


def count_copies_in_pairs(
    collection: Collection,
    evidence: DocumentEvidence,
    pairs: Mapping[str, tuple[Ints, Ints]],
    *,
    progress: Progress | None = None,
) -> dict[str, CopyScores]:
    """Count the copies among pairs of several kinds, by one census; the copies are those of a sweep."""
    links = {name: _links_of_pairs(a, b, len(collection)) for name, (a, b) in pairs.items()}
    return _counted_groups(collection, evidence, links, progress)


def _counted_groups(
    collection: Collection, evidence: DocumentEvidence, links: Mapping[str, Links], progress: Progress | None
) -> dict[str, CopyScores]:
    census = counting.CopyCensus(collection.documents, evidence)
    languages = np.array([language_number(one) for one in collection.languages], dtype=np.uint8)
    copies, counted = census.copies(progress), census.counted
    return {name: count_copies(one, copies, counted, languages, steps=(1,))["all"][0] for name, one in links.items()}


def _links_of_pairs(a: Ints, b: Ints, documents: int) -> Links:
    both = np.concatenate([a, b]), np.concatenate([b, a])
    grades = sp.csr_array((np.ones(2 * len(a), dtype=np.uint8), both), shape=(documents, documents))
    grades.sort_indices()
    return Links.of(grades)


def links_in_groups(groups: Ints) -> Links:
    """Links of grade 1, both ways, between all documents of a group."""
    sizes = np.bincount(groups)
    total = int((sizes * (sizes - 1)).sum())
    if total > _MOST_IN_GROUPS:
        raise UsageError(f"groups join {total // 2} pairs; copies are counted among at most {_MOST_IN_GROUPS // 2}")
    order = np.argsort(groups, kind="stable")
    begins = np.cumsum(sizes) - sizes
    indptr = offsets_of(sizes[groups] - 1)
    indices = np.empty(total, dtype=np.int32)
    for document in np.flatnonzero(sizes[groups] > 1).tolist():
        group = groups[document]
        members = order[begins[group] : begins[group] + sizes[group]]
        indices[indptr[document] : indptr[document + 1]] = members[members != document]
    return Links(indptr, indices, np.ones(total, dtype=np.uint8))


# Copies in a stream by day and source, and the days on which their shares drift.
#
# A document is a copy if it and an earlier document, at most seven days older, share three tenths of the wording of
# either. Series are left out (see ``universe``), and so are pairs with documents that were forgotten or have expired.
# Days are those of the stream's clock, so that later documents never change a past day, and the counts do not depend on
# how the stream was cut into batches.


LARGEST_CHANCE: Final = 1e-4
"""A difference is a drift if its probability by chance is below this. Chosen on the first half of a real stream: a
power of ten below everything that its days showed (reports/without-labels.md)."""

RECENT_DAYS: Final = 7
USUAL_DAYS: Final = 28
FEWEST_USUAL: Final = 20  # minimum number of documents, links or copies on the usual days
_DOCUMENTS_AT_ONCE: Final = 50_000
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
        row = asdict(self) | {"day": _date(self.day), "copy_precision": _rounded(self.linked_copies, self.links)}
        return row | {"copy_recall": _rounded(self.linked_copies, self.copies)}


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
            "recent": _rounded(*self.recent), "usual": _rounded(*self.usual), "recent_of": self.recent[1],
            "usual_of": self.usual[1], "chance": float(f"{self.chance:.2g}"),
        }  # fmt: skip


def latest_drifts(store: Store) -> list[Drift] | None:
    """Drifts of the last week of a stream, for a page; ``None`` if they cannot be computed quickly, or at all."""
    # A store without wording has none. With more than 50,000 documents in five weeks, computing them takes too long for
    # a page; ``store copies --drifts`` does so.
    with store.reading():
        _, end = store.span()
        table = store.documents(max(end - 1, 0), end)
        if not len(table.evidence.records.values):
            return None
        latest, weeks = int(table.clocks[0]) // DAY, RECENT_DAYS + USUAL_DAYS
        begin = store.span(since=max((latest - weeks - RECENT_DAYS + 2) * DAY, 1))[0]
        if end - begin > _DOCUMENTS_AT_ONCE:
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
        for first in range(begin, end, _DOCUMENTS_AT_ONCE):
            for day, source, names in _documents(store, first, min(first + _DOCUMENTS_AT_ONCE, end), first_dated):
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
    begin = max(dated, store.span(since=max(clock - counting.WINDOW_DAYS * DAY, 1))[0])
    table = store.documents(begin, end)
    if not len(table.evidence.records.values):
        raise ConfigurationError(f"{store.path} keeps no wording; only streams of preset judged can be counted")
    # Forgotten documents and those whose signatures have expired no longer have evidence.
    known = np.flatnonzero(np.diff(table.evidence.records.indptr) > 0)
    evidence, facts = stored_evidence(store, table, known, table.clocks.tolist())
    universe = counting.counted_pairs(facts, evidence.records).universe
    copies = counting.find_all_copies(evidence.triples, universe)
    copies = copies.at(copies.marks == counting.COUNTED)
    pairs = set(zip(copies.a.tolist(), copies.b.tolist(), strict=True))
    later = {b for _, b in pairs}
    place_of = {row: place for place, row in enumerate(known.tolist())}
    for row, named in enumerate(store.answers(first, end), start=first - begin):
        names, place = ["documents"], place_of.get(row)
        if place in later:
            names.append("copies")
        answer = None if named is None else place_of.get(named - begin)
        if table.statuses[row] in _LINKED and place is not None and answer is not None:
            inside, repeated = counting.in_universe(universe, np.array([answer]), np.array([place]))
            if inside[0] and not repeated[0]:
                names.append("links")
                if (answer, place) in pairs:
                    names.append("linked_copies")
        yield int(table.clocks[row]) // DAY, table.sources[row], tuple(names)


def drifts(rows: Sequence[DayCopies], *, largest: float = LARGEST_CHANCE) -> list[Drift]:
    """Find the days on which shares drift, for the whole stream and for each source."""
    # On every day with documents, the last ``RECENT_DAYS`` are compared with the ``USUAL_DAYS`` before them.
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


def _chances(part: Ints, whole: Ints, usual: Ints, of: Ints) -> Floats:
    """Two-sided chance of each difference between shares, 1 if there is too little data: float64 (days,)."""
    # Takes a second to import and is rarely needed.
    from scipy.stats import hypergeom

    known = (whole > 0) & (of >= FEWEST_USUAL)
    every, all_parts = whole + of, part + usual
    upper = hypergeom.sf(part - 1, every, all_parts, whole)
    lower = hypergeom.cdf(part, every, all_parts, whole)
    return np.where(known, np.minimum(2.0 * np.minimum(upper, lower), 1.0), 1.0)


def _rounded(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None


def _date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).date().isoformat()
