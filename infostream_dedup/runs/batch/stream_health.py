"""S, T and duplicates of each epoch of a stream, and an alarm where they leave what the last epochs had."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.links.intervals import NO_INTERVAL, Interval, intervals
from infostream_dedup.runs.batch.linking import least_k, link
from infostream_dedup.runs.batch.stored_collection import collected_documents
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from infostream_dedup.links import StoredLinks
    from infostream_dedup.model import Settings

_LAST: Final = 5
_FEWEST_EPOCHS: Final = 3
_SOURCES: Final = 10
_Z: Final = 1.96
_ALARM: Final = 4.0
"""Standard errors: among 20 quiet epochs of ten sources and three measures, chance reaches it once in 25 streams."""

MEASURES: Final = ("symmetry", "transitivity", "duplicates")


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochHealth:
    """One closed epoch of a stream, or of one source in it."""

    epoch: int  # its number
    source: str | None  # `None` for all sources
    documents: int  # number of documents
    links: int  # directed links at k among them
    symmetry: float | None  # S at k; `None` without links
    transitivity: float | None  # T at k; `None` without paths
    duplicates: float  # share of the documents with status `exact` or `duplicate`
    interval: Interval  # 95 % intervals of S and T
    # measures that differ from the last five epochs by more than four standard errors
    alarms: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = asdict(self)
        del plain["interval"]
        return {**plain, **self.interval._asdict()}

    def error(self, measure: str) -> float | None:
        """Standard error of a measure; ``None`` if it is not known well enough to compare."""
        if measure == "duplicates":
            share = self.duplicates
            return sqrt(max(share * (1 - share), 1 / self.documents) / self.documents)
        low, high = getattr(self.interval, f"{measure}_low"), getattr(self.interval, f"{measure}_high")
        return None if low is None or high is None else (high - low) / (2 * _Z)


def stream_health(path: str | Path, *, last: int | None = None) -> list[EpochHealth]:
    """Measure the closed epochs of a store whose key terms are kept, by their links among themselves."""
    with Store.open(path, create=False, read_only=True) as store, store.reading():
        found = list(_epochs(store, last))
    before: dict[str | None, list[EpochHealth]] = {}
    judged = []
    for one in found:
        known = before.setdefault(one.source, [])
        judged.append(_with_alarms(one, known[-_LAST:]))
        known.append(one)
    return judged


def _epochs(store: Store, last: int | None) -> Iterator[EpochHealth]:
    connection = store.connection
    closed = "SELECT coalesce(max(epoch) + 1, 0) FROM epoch_frequency"
    spans = connection.execute(
        f"SELECT epoch, min(ordinal), max(ordinal) + 1 FROM document WHERE epoch < ({closed}) GROUP BY epoch"  # noqa: S608
        " ORDER BY epoch"
    ).fetchall()
    spans = [(epoch, first, end) for epoch, first, end in spans if first >= store.expired_below]
    if last is not None:
        spans = spans[-(last + _LAST) :]
    stream = StreamSettings.of(store.settings)
    settings = stream.terms.but(k=stream.k_duplicate)
    largest = [
        name
        for (name,) in connection.execute(
            "SELECT source FROM document WHERE source IS NOT NULL GROUP BY source"
            " ORDER BY count(*) DESC, source LIMIT ?",
            (_SOURCES,),
        )
    ]
    for epoch, first, end in spans:
        yield from _measured(store, epoch, (first, end), settings, largest)


def _measured(
    store: Store, epoch: int, span: tuple[int, int], settings: Settings, largest: Sequence[str]
) -> Iterator[EpochHealth]:
    collection, statuses = collected_documents(store, *span)
    key_terms = collection.key_terms(settings)
    linked = link(key_terms, settings, k_min=max(1, least_k(key_terms)))
    sources = np.array([one.source or "" for one in collection.documents])
    repeats = np.array([one in ("exact", "duplicate") for one in statuses], dtype=np.bool_)
    yield _row(epoch, None, linked.relation(), settings.k, repeats)
    for source in largest:
        own = np.flatnonzero(sources == source)
        if len(own):
            yield _row(epoch, source, linked.relation(own), settings.k, repeats[own])


def _row(epoch: int, source: str | None, links: StoredLinks, k: int, repeats: np.ndarray[Any, Any]) -> EpochHealth:
    (row,) = links.measures([k])
    return EpochHealth(
        epoch=epoch,
        source=source,
        documents=row.documents,
        links=row.links,
        symmetry=row.symmetry,
        transitivity=row.transitivity,
        duplicates=float(repeats.mean()) if len(repeats) else 0.0,
        interval=intervals(links.matrix, [row]).get(k, NO_INTERVAL),
    )


def _with_alarms(one: EpochHealth, before: Sequence[EpochHealth]) -> EpochHealth:
    """Compare an epoch with the mean of the last ones, by its own error, theirs, and how they differ."""
    alarms = []
    for measure in MEASURES:
        error = one.error(measure)
        known = [(getattr(other, measure), wrong) for other in before if (wrong := other.error(measure)) is not None]
        if error is None or len(known) < _FEWEST_EPOCHS:
            continue
        values = np.array([value for value, _ in known])
        errors = np.array([wrong for _, wrong in known])
        spread = max(float(values.var(ddof=1)), float((errors**2).mean())) * (1 + 1 / len(values))
        if abs(getattr(one, measure) - float(values.mean())) > _ALARM * sqrt(error**2 + spread):
            alarms.append(measure)
    return replace(one, alarms=alarms)
