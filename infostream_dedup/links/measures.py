"""Symmetry and transitivity of one relation, and the integer sums from which they are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, Final, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.links.compiled.kernels.rows import count_closed
from infostream_dedup.machine.arrays import Int32s, Ints
from infostream_dedup.machine.progress import Phrase

EXACT_FROM: Final = 4
"""Transitivity is exact from this k upwards, however many paths there are; below it there are too many."""


def error_of_share(share: float, draws: int) -> float:
    """Standard error of a share of independent draws: sqrt(share * (1 - share) / draws).

    For a share of 0 or 1, of an interval as wide as the rule of three says (Hanley and Lippman-Hand, 1983): 3 / draws.
    """
    return sqrt(share * (1 - share) / draws) if 0 < share < 1 else min(3 / draws, 1) / 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Symmetry and transitivity at one threshold, with their counts."""

    k: int | None  # key terms that must be shared; `None` in a sweep of shares
    threshold: float | None = None  # share of weight that must be matched; `None` in a sweep of counts
    documents: int  # number of documents
    links: int  # directed links M
    reciprocal: int  # reciprocated links R; a reciprocal pair counts twice
    paths: int  # two-step paths i -> j -> k over distinct documents
    closed: int | None  # paths with i -> k; if `sampled`, a rounded estimate; `None` for links between groups
    symmetry: float | None  # R / M; `None` without links
    # closed / paths; `None` without paths, and for links between groups (languages), which are bipartite, so that no
    # path can be closed whatever their quality
    transitivity: float | None
    sampled: bool = False  # whether `closed` and `transitivity` are estimates
    # standard error of a sampled `transitivity` (see `error_of_share`); `None` if it is exact
    transitivity_error: float | None = None
    # standard error of `symmetry` if it, `links`, `reciprocal` and `paths` are estimated from a sample of the
    # documents; `None` if they are exact
    symmetry_error: float | None = None
    links_error: float | None = None  # standard error of `links`; likewise

    @classmethod
    def of(
        cls,
        *,
        k: int | None,
        documents: int,
        links: int,
        reciprocal: int,
        paths: int,
        closed: int | None,
        draws: int | None = None,
    ) -> Measures:
        """Compute the measures from counts."""
        transitivity = error = None
        if closed is not None and paths and draws != 0:
            transitivity = closed / (paths if draws is None else draws)
            if draws is not None:
                closed = round(transitivity * paths)
                error = error_of_share(transitivity, draws)
        return cls(
            k=k,
            documents=documents,
            links=links,
            reciprocal=reciprocal,
            paths=paths,
            closed=closed,
            symmetry=reciprocal / links if links else None,
            transitivity=transitivity,
            sampled=error is not None,
            transitivity_error=error,
        )

    def as_dict(self) -> dict[str, Any]:
        """A row of plain values: column ``k``, or ``threshold`` instead in a sweep of shares."""
        row = asdict(self)
        del row["threshold" if self.threshold is None else "k"]
        return row


@dataclass(frozen=True, slots=True)
class KTotals:
    """Exact sums, at one k, over the links and paths that start in some documents."""

    links: int  # number of directed links
    reciprocal: int  # number of reciprocated links
    paths: int  # number of two-step paths over distinct documents
    closed: int | None  # number of paths closed by a link; `None` if they were not counted

    def __add__(self, other: KTotals) -> KTotals:
        closed = None if self.closed is None or other.closed is None else self.closed + other.closed
        return KTotals(self.links + other.links, self.reciprocal + other.reciprocal, self.paths + other.paths, closed)


@dataclass(frozen=True, slots=True)
class LinkTotals:
    """Integer sums of one part of a collection. The sums of all parts add up to those of the collection.

    >>> part = LinkTotals(2, {4: KTotals(links=3, reciprocal=2, paths=4, closed=1)})
    >>> (part + part).measures()[0].transitivity
    0.25
    """

    documents: int  # number of documents in the part
    by_k: dict[int, KTotals]  # sums at each k

    def __add__(self, other: LinkTotals) -> LinkTotals:
        """Sums of both parts."""
        if self.by_k.keys() != other.by_k.keys():
            raise ConfigurationError(
                f"totals at k = {sorted(self.by_k)} and at k = {sorted(other.by_k)} cannot be added; count both parts"
                " at the same k"
            )
        return LinkTotals(self.documents + other.documents, {k: own + other.by_k[k] for k, own in self.by_k.items()})

    def measures(self) -> list[Measures]:
        """Symmetry and transitivity at each k, ascending."""
        by_k = sorted(self.by_k.items())
        return [Measures.of(k=k, documents=self.documents, **asdict(sums)) for k, sums in by_k]


# Intervals of S and T: what they would be over other documents of the same kind

MOST_WALKS: Final = 20_000_000
"""With more two-step walks, intervals are narrow, and finding them takes longer than S and T."""

FEWEST: Final = 10
"""Of fewer links (for S) or paths (for T) no interval is given: resampling cannot show what they did not meet."""

_Z: Final = 1.96


class Interval(NamedTuple):
    """95 % intervals; ``None`` where there are too few links or paths, or too many to look at."""

    symmetry_low: float | None = None
    symmetry_high: float | None = None
    transitivity_low: float | None = None
    transitivity_high: float | None = None


NO_INTERVAL: Final = Interval()
_UNKNOWN: tuple[float | None, float | None] = (None, None)


def has_interval(row: Measures) -> bool:
    """Whether the walks of a row are few enough and all counted."""
    return row.paths + row.reciprocal <= MOST_WALKS and not row.sampled and row.symmetry_error is None


@dataclass(frozen=True, slots=True)
class LinkWalks:
    """Links between documents, sorted by row and column, none from a document to itself; and how many each has."""

    indptr: Ints  # int64 (documents + 1,), start of each document's links in `columns`
    columns: Int32s  # int32 (links,), where they lead
    leaving: Ints  # int64 (documents,), links from each
    arriving: Ints  # int64 (documents,), links to each

    @classmethod
    def of(cls, indptr: NDArray[Any], columns: NDArray[Any]) -> Self:
        """Count the links of each document."""
        leaving = np.diff(indptr).astype(np.int64, copy=False)
        arriving = np.bincount(columns, minlength=len(leaving)).astype(np.int64, copy=False)
        return cls(indptr.astype(np.int64, copy=False), columns.astype(np.int32, copy=False), leaving, arriving)

    @property
    def number(self) -> int:
        """Number of two-step walks, also of those that return."""
        return int((self.arriving * self.leaving).sum())

    def counted(self, *, paths: bool) -> tuple[Ints, Ints]:
        """Returned links of each document, and the closed paths of which it is the start, the middle and the end."""
        documents = len(self.leaving)
        returned, closed = np.zeros(documents, dtype=np.int64), np.zeros((3, documents), dtype=np.int64)
        count_closed(self.indptr, self.columns, paths, np.zeros(documents, dtype=np.int64), returned, closed)
        return returned, closed

    def paths(self, returned: Ints) -> Ints:
        """Paths through each document: links to it times links from it, without those that return to their start."""
        return self.arriving * self.leaving - returned

    def measures(self, k: int, *, between_groups: bool = False) -> tuple[Measures, Interval]:
        """Measure links at k, of which few walks may be closed, with the 95 % intervals from resampling the documents.

        A resample draws every document 0, 1 or more times (Poisson, mean 1). To first order, the variance of a ratio
        C / P is the sum of (C_i - C / P * P_i)^2 / P^2, where C_i and P_i count what document i is a part of.
        """
        returned, closed = self.counted(paths=not between_groups)
        row = Measures.of(
            k=k, documents=len(self.leaving), links=len(self.columns), reciprocal=int(returned.sum()),
            paths=int(self.paths(returned).sum()), closed=None if between_groups else int(closed[0].sum()),
        )  # fmt: skip
        s, t = _UNKNOWN, _UNKNOWN
        if row.links >= FEWEST:
            s = _bounds(row.reciprocal, row.links, 2 * returned, self.leaving + self.arriving)
        if row.transitivity is not None and row.closed is not None and row.paths >= FEWEST:
            # A document is the start, the middle or the end of a path.
            rows = np.repeat(np.arange(len(returned)), self.leaving)
            paths = self.paths(3 * returned)
            paths += np.bincount(rows, self.leaving[self.columns], len(returned)).astype(np.int64)
            paths += np.bincount(self.columns, self.arriving[rows], len(returned)).astype(np.int64)
            t = _bounds(row.closed, row.paths, closed.sum(axis=0), paths)
        return row, Interval(*s, *t)


def _bounds(part: int, whole: int, of_part: Ints, of_whole: Ints) -> tuple[float, float]:
    """The interval of part / whole, inside 0 and 1; never narrower than the rule of three allows at 0 and 1."""
    share = part / whole
    error = float(np.sqrt(((of_part - share * of_whole) ** 2).sum())) / whole
    if error == 0:
        # All documents agree: at most 3 of as many others would differ (Hanley and Lippman-Hand, 1983).
        error = min(1.0, 3 / int(np.count_nonzero(of_whole))) / _Z
    return round(max(0.0, share - _Z * error), 6), round(min(1.0, share + _Z * error), 6)


# Choose a k: by what is known of copies, and by how close S and T show the links to be to an equivalence

FEWEST_COPIES: Final = 50  # fewer copies say too little about the best k
FEWEST_LINKS: Final = 50  # fewer links, or fewer paths, say too little about S and T

_TOPICS_ACROSS: Final = 0.5
"""S at the usual k below which links between languages are topics: .95 on parallel texts, .23 on topical news."""

_FAR, _NEAR = 0.90, 0.95
"""Levels of H = 2ST / (S + T) at the usual k: below the first, links are far from copies of one text."""

_BELIEVED: Final = 0.97
"""An estimate below the usual k is believed only if H there reaches this share of its maximum nearby."""

_NOT_COUNTED: Final = Phrase.of("copies were not counted")
ChosenBy = Literal["estimate", "model", "count", "consistency", "default", "given"]
WAYS: Final = ("auto", "estimate", "count", "consistency")


def join_topics(links: int, symmetry: float | None) -> bool:
    """Whether links between languages at the usual k join texts on one topic, not translations."""
    return links >= FEWEST_LINKS and (symmetry or 0.0) < _TOPICS_ACROSS


def usual_k(n: int) -> int:
    """The k to use if nothing better is known: the paper's 6 of 12, half of any other n."""
    return -(-n // 2)


@dataclass(frozen=True, slots=True)
class Choice:
    """A k and one sentence on why."""

    k: int
    reason: Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownK:
    """What copies and the pair model say about k."""

    estimated: Choice | None = None  # the k with the greatest estimated F1; `None` without an estimate
    by_model: bool = False  # whether the pair model alone estimated it
    counted: Choice | None = None  # the k with the greatest F1 of the links as copies; `None` if too few were counted
    uncounted: Phrase = _NOT_COUNTED  # why the count chooses no k


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Which k each way chooses, and which one is recommended."""

    estimated: int | None = None  # by the estimate or the pair model; `None` without one
    counted: int | None = None  # by the copies counted; `None` where they are too few
    consistent: int | None = None  # by the level of S and T at the usual k; `None` where links or paths are too few
    chosen: int | None = None  # the recommended k; `None` for links that have no k
    chosen_by: ChosenBy = "default"  # what chose it
    symmetry: float | None = None  # S at the chosen k
    transitivity: float | None = None  # T at the chosen k
    links: int | None = None  # number of links at the chosen k
    reason: str  # one sentence on the choice; begins with `estimated`, `counted`, `consistency`, `default` or `given`
    consistency: str = ""  # one sentence on S and T at the usual k

    def as_dict(self) -> dict[str, Any]:
        """The numbers, without sentences."""
        plain = asdict(self)
        del plain["reason"], plain["consistency"]
        return plain


def checked_way(way: str | int, n: int) -> str | int:
    """Return how k is to be chosen: a word of ``WAYS``, or a k from 1 to n."""
    if way in WAYS:
        return way
    text = str(way)
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= n):
        raise UsageError(f"choose_by (--choose-by) is {way!r}; expected {', '.join(WAYS)}, or a k from 1 to {n}")
    return int(text)


def consistency(row: Measures | None) -> float:
    """H, the harmonic mean of S and T; 0 where one of them is 0 or unknown."""
    if row is None or not row.symmetry or not row.transitivity:
        return 0.0
    return 2 * row.symmetry * row.transitivity / (row.symmetry + row.transitivity)


def advise(
    rows: Sequence[Measures],
    *,
    n: int,
    known: KnownK | None = None,
    way: str | int = "auto",
    inside: Sequence[Measures] | None = None,
    across: bool = False,
) -> Advice:
    """Recommend a k: by the estimate, unless S and T speak against it, else the count, else S and T, else the usual."""
    known = known or KnownK()
    by_k = {row.k: row for row in rows if row.k is not None}
    deciding = {row.k: row for row in inside or rows if row.k is not None}
    consistent, said = _consistent(deciding, n, inside=inside is not None, across=across)
    chosen, by = _chosen(known, consistent, said, deciding, n, way)
    if by != "consistency":
        said = _consistent(deciding, n, inside=inside is not None, across=across, alone=True)[1]
    row = by_k.get(chosen.k)
    return Advice(
        estimated=None if known.estimated is None else known.estimated.k,
        counted=None if known.counted is None else known.counted.k,
        consistent=consistent,
        chosen=chosen.k,
        chosen_by=by,
        symmetry=None if row is None else row.symmetry,
        transitivity=None if row is None else row.transitivity,
        links=None if row is None else row.links,
        reason=chosen.reason,
        consistency=said,
    )


def _chosen(
    known: KnownK, consistent: int | None, said: Phrase, rows: Mapping[int, Measures], n: int, way: str | int
) -> tuple[Choice, ChosenBy]:
    if isinstance(way, int):
        return Choice(way, Phrase.of("given: k = {k}", k=way)), "given"
    if known.estimated is not None and way in ("auto", "estimate"):
        estimated = _vetoed(known.estimated, rows, n) if way == "auto" else known.estimated
        return estimated, "model" if known.by_model else "estimate"
    if known.counted is not None and way in ("auto", "count"):
        return known.counted, "count"
    if consistent is not None and way in ("auto", "consistency"):
        return Choice(consistent, Phrase.of("consistency: {said}", said=said)), "consistency"
    why = {"estimate": [Phrase.of("there is no estimate")], "count": [known.uncounted], "consistency": [said]}.get(
        way, [known.uncounted, said]
    )
    return Choice(usual_k(n), Phrase.of("default: {why}", why=Phrase.joined(why))), "default"


def _vetoed(estimated: Choice, rows: Mapping[int, Measures], n: int) -> Choice:
    """Raise an estimate below the usual k until S and T are near their best."""
    usual, k = usual_k(n), estimated.k
    needed = _BELIEVED * max(consistency(rows.get(one)) for one in range(usual - 2, usual + 2))
    while k < usual and consistency(rows.get(k)) < needed:
        k += 1
    if k == estimated.k:
        return estimated
    raised = Phrase.of("raised from {low} to {k}, as S and T are not near their best at {low}", low=estimated.k, k=k)
    return Choice(k, Phrase.joined([estimated.reason, raised]))


def _consistent(
    rows: Mapping[int, Measures], n: int, *, inside: bool, across: bool, alone: bool = False
) -> tuple[int | None, Phrase]:
    """The k by the levels of H, with a sentence; ``alone``: another way has chosen."""
    if across:
        return None, Phrase.of("paths between two languages cannot be closed, so T says nothing")
    usual = usual_k(n)
    row = rows.get(usual)
    if row is None or row.symmetry is None or row.transitivity is None or min(row.links, row.paths) < FEWEST_LINKS:
        found = (0, 0) if row is None else (row.links, row.paths)
        few = "{links} links and {paths} paths at k = {k}; S and T need {needed} of each to choose"
        return None, Phrase.of(few, links=found[0], paths=found[1], k=usual, needed=FEWEST_LINKS)
    level, apart = consistency(row), _apart(rows, n)
    k = apart or (min(usual + 1, n) if level < _FAR else usual if level < _NEAR else max(usual - 1, 1))
    other = rows.get(k)
    values = {
        "usual": usual,
        "less": max(usual - 1, 1),
        "share": 0 if other is None else _hundred(other.links / row.links),
        "advised": Phrase.of("S and T alone would say {k}" if alone else "{k} is advised", k=k),
    }
    if apart is not None:
        why = Phrase.of(
            "fewer than at k = {less}, so most links join texts of one topic, which come apart up to k = {k};"
            " {advised}, which keeps {share} of 100 links",
            k=k,
            **values,
        )
    elif level < _FAR:
        why = Phrase.of(
            "far from copies of one text; {advised}, which keeps {share} of 100 links; {usual} or {less} if stories are"
            " wanted",
            **values,
        )
    elif level < _NEAR:
        why = Phrase.of("close to copies of one text; {advised}; {less} if stories are wanted", **values)
    else:
        more = ", which gives {share} links for every 100" if values["share"] != 100 else ""
        why = Phrase.of("copies of one text; {advised}" + more, **values)
    said = Phrase.of(
        "at k = {usual}, {returned} of 100 {links} are returned and {closed} of 100 paths closed: {why}",
        usual=usual,
        returned=_hundred(row.symmetry),
        links=Phrase.of("links inside languages" if inside else "links"),
        closed=_hundred(row.transitivity),
        why=why,
    )
    return k, said


def _apart(rows: Mapping[int, Measures], n: int) -> int | None:
    """The k at which topics have come apart, where H falls up to the usual k; ``None`` where it does not."""
    # Fewer texts of one topic are linked as k rises, so H falls, until copies are left, among which it rises. Of the k
    # whose H is within one standard error of its least value up to n - 2, the lowest keeps most links.
    usual = usual_k(n)
    levels = {k: consistency(row) for k, row in rows.items() if min(row.links, row.paths) >= FEWEST_LINKS}
    if not levels.get(usual - 2, 0.0) > levels.get(usual - 1, 0.0) > levels.get(usual, 1.0) or levels[usual] >= _FAR:
        return None
    later = [k for k in levels if usual < k <= n - 2]
    if not later:
        return None
    least = min(later, key=lambda k: (levels[k], k))
    near = levels[least] + error_of_share(levels[least], min(rows[least].links, rows[least].paths))
    return min(k for k in later if levels[k] <= near)


def _hundred(share: float) -> int:
    return round(100 * share)
