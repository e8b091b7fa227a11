"""S, T and duplicates of each epoch of a stream, and an alarm where they leave what the last epochs had."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.links import match
from infostream_dedup.links.measures import join_topics
from infostream_dedup.links.relation import StoredLinks
from infostream_dedup.links.sweeping import NO_INTERVAL, Interval, intervals
from infostream_dedup.runs.batch.stored_collection import StoredPivot, stored_epoch
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.restoring import first_ordinal, open_epoch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import scipy.sparse as sp

    from infostream_dedup.model import Settings

_LAST: Final = 5
_FEWEST_EPOCHS: Final = 3
_SOURCES: Final = 10
_Z: Final = 1.96
_ALARM: Final = 4.0
"""Standard errors: among 20 quiet epochs of ten sources and three measures, chance reaches it once in 25 streams."""

MEASURES: Final = ("symmetry", "transitivity", "duplicates", "symmetry_across")

TOPICS: Final = "topics"
"""Alarm of an epoch whose links between languages join topics, unless those of the last epochs did."""


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
    links_across: int | None = None  # directed links between languages at k; `None` for a source, or if kept apart
    symmetry_across: float | None = None  # their S; `None` without links
    across: Interval = NO_INTERVAL  # 95 % interval of that S
    # measures that differ from the last five epochs by more than four standard errors, and `TOPICS`
    alarms: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = asdict(self)
        del plain["interval"], plain["across"]
        across = {f"symmetry_across_{end}": getattr(self.across, f"symmetry_{end}") for end in ("low", "high")}
        return {**plain, **self.interval._asdict(), **across}

    @property
    def is_topical(self) -> bool:
        """Whether links between languages join topics, not translations."""
        return join_topics(self.links_across or 0, self.symmetry_across)

    def error(self, measure: str) -> float | None:
        """Standard error of a measure; ``None`` if it is not known well enough to compare."""
        if measure == "duplicates":
            share = self.duplicates
            return sqrt(max(share * (1 - share), 1 / self.documents) / self.documents)
        bounds = self.across if measure == "symmetry_across" else self.interval
        low, high = (getattr(bounds, f"{measure.removesuffix('_across')}_{end}") for end in ("low", "high"))
        return None if low is None or high is None else (high - low) / (2 * _Z)


def alarms_of(rows: Sequence[EpochHealth]) -> list[str]:
    """The alarms of epochs in words: each measure, with its source."""
    return [f"{name} of {one.source}" if one.source is not None else name for one in rows for name in one.alarms]


def alarms_since(path: str | Path, epoch: int) -> list[str]:
    """A sentence for each alarm of the closed epochs from ``epoch`` on."""
    with Store.open(path, create=False, read_only=True) as store, store.reading() as connection:
        closed = open_epoch(connection)
        # without enough earlier epochs to compare with, only links between languages can raise an alarm
        if closed <= epoch or (closed <= _FEWEST_EPOCHS and store.settings["across"] == "none"):
            return []
        rows = [one for one in health_of(store, last=closed - epoch) if one.epoch >= epoch]
    said = []
    for number in sorted({one.epoch for one in rows if one.alarms}):
        own = [one for one in rows if one.epoch == number]
        changed = [name for name in alarms_of(own) if name != TOPICS]
        if changed:
            said.append(f"alarm: epoch {number} differs from those before in {', '.join(changed)}")
        if TOPICS in own[0].alarms:
            returned = round(100 * (own[0].symmetry_across or 0.0))
            said.append(
                f"alarm: only {returned} of 100 links between languages are returned in epoch {number}: they join "
                "texts on one topic, so do not trust translation_of and story unread"
            )
    return said


def stream_health(path: str | Path, *, last: int | None = None) -> list[EpochHealth]:
    """Measure the last closed epochs of a store whose key terms are kept, by their links among themselves."""
    with Store.open(path, create=False, read_only=True) as store, store.reading():
        return health_of(store, last=last)


def health_of(store: Store, *, last: int | None = None) -> list[EpochHealth]:
    """As ``stream_health``, of an open store."""
    closed = open_epoch(store.connection)
    begin = 0 if last is None else max(0, closed - last - _LAST)
    return with_alarms([one for epoch in range(begin, closed) for one in epoch_health(store, epoch)], last=last)


def with_alarms(rows: Iterable[EpochHealth], *, last: int | None = None) -> list[EpochHealth]:
    """Compare measured epochs, in order, each with those before it, and return the last of them."""
    before: dict[str | None, list[EpochHealth]] = {}
    judged: list[EpochHealth] = []
    for one in rows:
        known = before.setdefault(one.source, [])
        judged.append(_with_alarms(one, known[-_LAST:]))
        known.append(one)
    shown = sorted({one.epoch for one in judged})[-(last or len(judged)) :]
    return [one for one in judged if one.epoch in shown]


def epoch_health(store: Store, epoch: int) -> list[EpochHealth]:
    """Measure a closed epoch, without alarms: all sources, then its largest ones; empty if its key terms are gone."""
    first, end = (first_ordinal(store.connection, "epoch", one) for one in (epoch, epoch + 1))
    if first == end or first < store.expired_below:
        return []
    stream = StreamSettings.of(store.settings)
    return list(_measured(store, epoch, (first, end), stream.terms.but(k=stream.k_duplicate)))


def _measured(store: Store, epoch: int, span: tuple[int, int], settings: Settings) -> Iterator[EpochHealth]:
    found = stored_epoch(store, *span, settings)
    links = _links(found.keys, found.targets, settings)
    repeats = np.array([one in ("exact", "duplicate") for one in found.statuses], dtype=np.bool_)
    whole = _row(epoch, None, links, settings.k, repeats)
    yield whole if found.pivot is None else _with_across(whole, found.languages, found.pivot, settings)
    sources = np.array([one or "" for one in found.sources])
    # By name where equal, so that rows do not depend on the order of documents.
    largest = Counter(sorted(one for one in found.sources if one)).most_common(_SOURCES)
    for source, _ in largest:
        own = np.flatnonzero(sources == source)
        yield _row(epoch, source, links.restricted(own), settings.k, repeats[own])


def _links(keys: sp.csr_array, targets: sp.csr_array, settings: Settings) -> StoredLinks:
    matched = match(keys, targets, n=settings.n, weights=False, k_min=settings.k)
    return StoredLinks(matrix=matched, keys=keys, targets=targets)


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


def _with_across(one: EpochHealth, languages: Sequence[str], pivot: StoredPivot, settings: Settings) -> EpochHealth:
    between = _links(pivot.keys, pivot.targets, settings).between(np.array(languages), same=False)
    (row,) = between.measures([settings.k])
    found = intervals(between.matrix, [row]).get(settings.k, NO_INTERVAL)
    return replace(one, links_across=row.links, symmetry_across=row.symmetry, across=found)


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
    if one.is_topical and not any(other.is_topical for other in before):
        alarms.append(TOPICS)
    return replace(one, alarms=alarms)
