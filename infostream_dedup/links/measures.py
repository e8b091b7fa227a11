"""Symmetry and transitivity of one relation, and the integer sums from which they are computed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.phrase import Phrase

EXACT_FROM: Final = 4
"""Transitivity is exact from this k upwards, however many paths there are; below it there are too many."""


def error_of_share(share: float, draws: int) -> float:
    """Return the standard error of a share of independent draws: sqrt(share * (1 - share) / draws).

    That would be 0 for a share of 0 or 1, although a sample is never certain. By the rule of three (Hanley and
    Lippman-Hand, 1983), such a share is then within 3 / draws of the truth with 95 % confidence: the error is that of
    an interval of this width.
    """
    if 0 < share < 1:
        return sqrt(share * (1 - share) / draws)
    return min(3 / draws, 1) / 1.96


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

    Example:
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
        return [
            Measures.of(
                k=k,
                documents=self.documents,
                links=sums.links,
                reciprocal=sums.reciprocal,
                paths=sums.paths,
                closed=sums.closed,
            )
            for k, sums in sorted(self.by_k.items())
        ]


# Recommend a k if nothing is known about the links; `estimation.recommending` does so if something is

DEFAULT_K: Final = 6
"""Used if nothing better is known: the paper's own k."""

FEWEST_COPIES: Final = 50
"""Fewer copies say too little about the best k."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A k, or a refusal."""

    k: int | None  # `None` for links that have no k
    reason: str  # one sentence; begins with its code, `estimated`, `counted` or `default`


def default_recommendation(n: int, copies: int | None = None) -> Recommendation:
    """Return the default k for links about which too little is known."""
    if copies is None:
        reason = Phrase.of("default: copies were not counted, and a choice needs {needed}", needed=FEWEST_COPIES)
    else:
        reason = Phrase.of(
            "default: {copies} copies, fewer than the {needed} that a choice needs", copies=copies, needed=FEWEST_COPIES
        )
    return Recommendation(min(DEFAULT_K, n), reason)
