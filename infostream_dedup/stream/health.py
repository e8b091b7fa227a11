"""S, T and duplicates of each closed epoch of a stream, and an alarm where they leave what the last epochs had.

The links of an epoch's documents among themselves are found again by the terms that the store keeps.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.links.compiled.window_index import WindowIndex
from infostream_dedup.links.measures import MOST_WALKS, NO_INTERVAL, Interval, LinkWalks, Measures, join_topics
from infostream_dedup.machine.arrays import Bools, Ints, Ragged, offsets_of, places_of, sparse_rows
from infostream_dedup.model import Settings
from infostream_dedup.stream.kernels.pivot import PLACE_BITS
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store, restoring
from infostream_dedup.stream.store.document_columns import PivotTable
from infostream_dedup.stream.store.opening import state_of, write_settings_checksum
from infostream_dedup.stream.store.removal import Expired

_LAST: Final = 5
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


def alarms_since(store: Store, epoch: int) -> list[str]:
    """A sentence for each alarm of the closed epochs from ``epoch`` on."""
    with store.reading() as connection:
        if not restoring.may_alarm(connection, epoch):
            return []
        rows = [one for one in _health_of(store, last=restoring.open_epoch(connection) - epoch) if one.epoch >= epoch]
    said = []
    for number in sorted({one.epoch for one in rows if one.alarms}):
        own = [one for one in rows if one.epoch == number]
        changed = [name for name in alarms_of(own) if name != TOPICS]
        if changed:
            said.append(f"alarm: epoch {number} differs from those before in {', '.join(changed)}")
        if TOPICS in own[0].alarms:
            returned = round(100 * (own[0].symmetry_across or 0.0))
            said.append(
                f"alarm: only {returned} of 100 links between languages are returned in epoch {number}: many may "
                "join texts on one topic; read some before you trust translation_of and story"
            )
    return said


def stream_health(path: str | Path, *, last: int | None = None) -> list[EpochHealth]:
    """Measure the last closed epochs of a store, by their links among themselves."""
    with Store.open(path, create=False, read_only=True) as store, store.reading():
        return _health_of(store, last=last)


def _health_of(store: Store, *, last: int | None) -> list[EpochHealth]:
    closed = restoring.open_epoch(store.connection)
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
    """Measure a closed epoch, without alarms: all sources, then its largest ones; as `expire` did if terms are gone."""
    first, end = (restoring.first_ordinal(store.connection, "epoch", one) for one in (epoch, epoch + 1))
    stream = StreamSettings.of(store.settings)
    if first < store.expired_below:
        k, rows = state_of(store.connection).get(_EXPIRED, {}).get(str(epoch), (None, ()))
        # A stream that was retuned since compares links at another k.
        return [_from_plain(one) for one in rows] if k == stream.k_duplicate else []
    if first == end:
        return []
    return list(_measured(store, epoch, (first, end), stream.terms.but(k=stream.k_duplicate)))


_EXPIRED: Final = "expired_health"  # name of their row in table ``state``: ``{epoch: [k, measured rows]}``
_KEPT: Final = 20  # epochs


def expire(store: Store) -> Expired:
    """Delete what no verdict needs, but keep the last epochs' measured rows: later ones are compared with them."""
    with store.reading() as connection:
        last = restoring.first_ordinal_needed(connection) - 1
        row = connection.execute("SELECT epoch FROM document WHERE ordinal = ?", (last,)).fetchone()
        end, k = (row[0] + 1 if row else 0), StreamSettings.of(store.settings).k_duplicate
        measured = {str(one): (k, epoch_health(store, one)) for one in range(max(0, end - _KEPT), end)}
    with store.transaction():
        # Another process may have measured a later epoch meanwhile.
        known = state_of(store.connection).get(_EXPIRED, {}) | {name: one for name, one in measured.items() if one[1]}
        plain = json.dumps({name: known[name] for name in sorted(known, key=int)[-_KEPT:]}, default=asdict)
        store.connection.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (_EXPIRED, plain))
        write_settings_checksum(store.connection)
    return store.expire()


def _from_plain(row: dict[str, Any]) -> EpochHealth:
    return EpochHealth(**{**row, "interval": Interval(*row["interval"]), "across": Interval(*row["across"])})


_READ: Final = ("sources", "languages", "lengths", "keys", "targets", "statuses", "members", "canonical", "further")


def _measured(store: Store, epoch: int, span: tuple[int, int], settings: Settings) -> Iterator[EpochHealth]:
    table = store.documents(*span, _READ)
    known, size = table.known(), settings.target_size()
    heaviest = table.keys.followed_by(table.evidence.keys).rows(known)
    targets = table.targets.rows(known) if size is None else _first(heaviest, size or settings.n)
    links = _Links.of(_first(heaviest, settings.n), targets, settings.k)
    sources, languages = (
        np.array([one[row] or "" for row in known.tolist()]) for one in (table.sources, table.languages)
    )
    repeats = np.array([table.statuses[row] in ("exact", "duplicate") for row in known.tolist()], dtype=np.bool_)
    whole = _row(epoch, None, links, settings.k, repeats)
    if len(table.pivot.members.values):
        whole = _with_across(whole, table.pivot, known, languages, settings)
    yield whole
    # By name where equal, so that rows do not depend on the order of documents.
    for source, _ in Counter(sorted(one for one in sources.tolist() if one)).most_common(_SOURCES):
        own = sources == source
        yield _row(epoch, source, links.restricted(own), settings.k, repeats[own])


def _first(rows: Ragged, n: int) -> Ragged:
    """The first ``n`` values of each row."""
    sizes = np.minimum(rows.sizes, n)
    return Ragged(offsets_of(sizes), rows.values[places_of(rows.indptr[:-1], sizes)])


class _Links(NamedTuple):
    """Links between documents."""

    documents: int
    codes: Ints  # int64 (links,), ascending: who asks, times the number of documents, plus who answers

    @classmethod
    def of(cls, keys: Ragged, targets: Ragged, k: int) -> _Links:
        """Documents whose targets have at least k keys of another."""
        size, codes = len(keys), [np.zeros(0, dtype=np.int64)]
        for found in WindowIndex().ask_and_extend(np.arange(size), keys=keys, targets=targets, needs=(k,)):
            later = found.first + np.repeat(np.arange(len(found)), np.diff(found.ends))
            both = (later * size + found.ordinals, found.forward), (found.ordinals * size + later, found.backward)
            codes += [links[hits >= k] for links, hits in both]
        return cls(size, np.sort(np.concatenate(codes)))

    def restricted(self, own: Bools) -> _Links:
        """The links between some documents."""
        (asking, answering), place, size = np.divmod(self.codes, self.documents), np.cumsum(own) - 1, int(own.sum())
        return _Links(size, (place[asking] * size + place[answering])[own[asking] & own[answering]])

    def between(self, labels: NDArray[np.str_]) -> _Links:
        """The links between documents with different labels."""
        asking, answering = np.divmod(self.codes, self.documents)
        return self._replace(codes=self.codes[labels[asking] != labels[answering]])

    def measures(self, k: int, *, between_groups: bool = False) -> tuple[Measures, Interval]:
        """Measure links of at least k."""
        asking, answering = np.divmod(self.codes, self.documents)
        indptr = offsets_of(np.bincount(asking, minlength=self.documents))
        walks = LinkWalks.of(indptr, answering)
        if walks.number <= MOST_WALKS:
            return walks.measures(k, between_groups=between_groups)
        # These need scipy, which takes as long to load as a thousand documents take to be judged.
        from infostream_dedup.links.compiled.totals import sweep_counts
        from infostream_dedup.links.similarity_matrix import SimilarityMatrix

        counts = np.full(len(answering), k, dtype=np.uint8)
        matrix = sparse_rows(counts, answering, indptr, (self.documents, self.documents))
        return sweep_counts(SimilarityMatrix(matrix, k, k, between_groups=between_groups), [k])[0], NO_INTERVAL


def _row(epoch: int, source: str | None, links: _Links, k: int, repeats: Bools) -> EpochHealth:
    row, interval = links.measures(k)
    return EpochHealth(
        epoch=epoch, source=source, documents=row.documents, links=row.links, symmetry=row.symmetry,
        transitivity=row.transitivity, duplicates=float(repeats.mean()) if len(repeats) else 0.0, interval=interval,
    )  # fmt: skip


def _with_across(
    one: EpochHealth, pivot: PivotTable, known: Ints, languages: NDArray[np.str_], settings: Settings
) -> EpochHealth:
    # Documents in one language have no links across, whatever their words stand for.
    several = len(set(languages.tolist())) > 1
    links = _Links.of(*_pivot_rows(pivot, known, settings.n), settings.k) if several else _Links(0, known[:0])
    row, interval = links.between(languages).measures(settings.k, between_groups=True)
    return replace(one, links_across=row.links, symmetry_across=row.symmetry, across=interval)


def _pivot_rows(pivot: PivotTable, known: Ints, n: int) -> tuple[Ragged, Ragged]:
    """Sets of words that stand for the key terms of each document, and those sets of which it has a word."""
    members, held = pivot.members.rows(known), (pivot.canonical.rows(known), pivot.further.rows(known))
    places = members.values & ((1 << PLACE_BITS) - 1)
    terms, words = (members.numbers << PLACE_BITS | places)[places < n], (members.values >> PLACE_BITS)[places < n]
    order = np.lexsort((words, terms))
    terms, words = terms[order], words[order]
    begins = np.flatnonzero(np.diff(terms, prepend=-1))
    owners, sizes = terms[begins] >> PLACE_BITS, np.diff(begins, append=len(words))
    sets = np.full((len(begins), int(sizes.max(initial=0))), -1)
    sets[np.repeat(np.arange(len(begins)), sizes), places_of(np.zeros_like(sizes), sizes)] = words
    number_of = np.unique(sets, axis=0, return_inverse=True)[1].reshape(-1)
    # Two key terms of a document may stand for the same words; each counts.
    pairs = owners * len(begins) + number_of
    order, again = np.argsort(pairs, kind="stable"), np.empty_like(pairs)
    sizes_of_pairs = np.diff(np.flatnonzero(np.diff(pairs[order], prepend=-1)), append=len(pairs))
    again[order] = places_of(np.zeros_like(sizes_of_pairs), sizes_of_pairs)
    numbers = number_of * n + again
    keys = Ragged(offsets_of(np.bincount(owners, minlength=len(known))), numbers)
    # The sets that each word belongs to, and with them those of each document.
    known_words, word_of = np.unique(words, return_inverse=True)
    top = int(numbers.max(initial=0)) + 1
    word_of, set_of = np.divmod(np.unique(word_of.reshape(-1) * top + np.repeat(numbers, sizes)), top)
    of_words = Ragged(offsets_of(np.bincount(word_of, minlength=len(known_words))), set_of)
    owners, words = (np.concatenate([getattr(one, name) for one in held]) for name in ("numbers", "values"))
    met = np.isin(words, known_words)
    sets_met = of_words.rows(np.searchsorted(known_words, words[met]))
    owners, numbers = np.divmod(np.unique(owners[met][sets_met.numbers] * top + sets_met.values), top)
    return keys, Ragged(offsets_of(np.bincount(owners, minlength=len(known))), numbers)


def _with_alarms(one: EpochHealth, before: Sequence[EpochHealth]) -> EpochHealth:
    """Compare an epoch with the mean of the last ones, by its own error, theirs, and how they differ."""
    alarms = []
    for measure in MEASURES:
        error = one.error(measure)
        known = [(getattr(other, measure), wrong) for other in before if (wrong := other.error(measure)) is not None]
        if error is None or len(known) < restoring.FEWEST_EPOCHS:
            continue
        values = np.array([value for value, _ in known])
        errors = np.array([wrong for _, wrong in known])
        spread = max(float(values.var(ddof=1)), float((errors**2).mean())) * (1 + 1 / len(values))
        if abs(getattr(one, measure) - float(values.mean())) > _ALARM * sqrt(error**2 + spread):
            alarms.append(measure)
    if one.is_topical and not any(other.is_topical for other in before):
        alarms.append(TOPICS)
    return replace(one, alarms=alarms)
