"""Symmetry and transitivity of one relation, and the integer sums from which they are computed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError

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
    """Symmetry and transitivity at one threshold, with their counts.

    Attributes:
        k: key terms that must be shared; ``None`` in a sweep of shares.
        threshold: share of weight that must be matched; ``None`` in a sweep of counts.
        documents: number of documents.
        links: directed links M.
        reciprocal: reciprocated links R; a reciprocal pair counts twice.
        paths: two-step paths i -> j -> k over distinct documents.
        closed: paths with i -> k; if ``sampled``, a rounded estimate; ``None`` for links between groups.
        symmetry: R / M; ``None`` without links.
        transitivity: closed / paths; ``None`` without paths, and for links between groups (languages), which are
            bipartite, so that no path can be closed whatever their quality.
        sampled: whether ``closed`` and ``transitivity`` are estimates.
        transitivity_error: standard error of a sampled ``transitivity`` (see ``error_of_share``); ``None`` if it is
            exact.
        symmetry_error: standard error of ``symmetry`` if it, ``links``, ``reciprocal`` and ``paths`` are estimated from
            a sample of the documents; ``None`` if they are exact.
        links_error: standard error of ``links``; likewise.
    """

    k: int | None
    threshold: float | None = None
    documents: int
    links: int
    reciprocal: int
    paths: int
    closed: int | None
    symmetry: float | None
    transitivity: float | None
    sampled: bool = False
    transitivity_error: float | None = None
    symmetry_error: float | None = None
    links_error: float | None = None

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
        """Compute the measures from counts.

        Args:
            closed: closed paths; with ``draws``, how many of the drawn paths were closed; ``None`` for links between
                groups.
            draws: number of paths drawn at random; ``None`` if ``closed`` is exact.
        """
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
    """Exact sums, at one k, over the links and paths that start in some documents.

    Attributes:
        links: number of directed links.
        reciprocal: number of reciprocated links.
        paths: number of two-step paths over distinct documents.
        closed: number of paths closed by a link; ``None`` if they were not counted.
    """

    links: int
    reciprocal: int
    paths: int
    closed: int | None

    def __add__(self, other: KTotals) -> KTotals:
        closed = None if self.closed is None or other.closed is None else self.closed + other.closed
        return KTotals(self.links + other.links, self.reciprocal + other.reciprocal, self.paths + other.paths, closed)


@dataclass(frozen=True, slots=True)
class LinkTotals:
    """Integer sums of one part of a collection. The sums of all parts add up to those of the collection.

    Attributes:
        documents: number of documents in the part.
        by_k: sums at each k.

    Example:
        >>> part = LinkTotals(2, {4: KTotals(links=3, reciprocal=2, paths=4, closed=1)})
        >>> (part + part).measures()[0].transitivity
        0.25
    """

    documents: int
    by_k: dict[int, KTotals]

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
