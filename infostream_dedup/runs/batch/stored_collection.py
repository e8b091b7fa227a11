"""Documents of a stream's store as a collection, with key terms as weighted when the documents arrived.

S, T and duplicates of each epoch, and an alarm where they leave what the last epochs had, come from it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.links.measures import join_topics
from infostream_dedup.links.relation import StoredLinks
from infostream_dedup.links.similarity_matrix import pattern_of
from infostream_dedup.links.sweeping import NO_INTERVAL, Interval, intervals
from infostream_dedup.machine.arrays import Ragged, offsets_of, places_of
from infostream_dedup.model import LANGUAGES, Document, Language, Settings, language_number, microseconds_of, moment_of
from infostream_dedup.model.limits import check_moment
from infostream_dedup.model.settings import PRESETS
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.stream.kernels.pivot import PLACE_BITS
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.document_columns import PivotTable, RememberedTable
from infostream_dedup.stream.store.restoring import (
    FEWEST_EPOCHS,
    LanguageFrequencies,
    first_ordinal,
    may_alarm,
    open_epoch,
)
from infostream_dedup.stream.store.search_index import term_names_of
from infostream_dedup.terms.compiled import key_terms_of_surfaces
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics, TermCounts, Totals, filled_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Convert the settings of a store that concern terms to settings of a collection


def settings_of_terms(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a store that ``Settings`` also has: all that decided its key terms."""
    return {field.name: stored[field.name] for field in fields(Settings) if field.name in stored}


# The document frequencies by which a stream weighted an epoch, to weight collections in the same way


@dataclass(frozen=True, slots=True)
class EpochStatistics:
    """The counts of a stream before one of its epochs."""

    name: str  # name of the epoch, as given
    defaults: Mapping[str, Any]  # settings of the stream by name: those for its terms, and its k for duplicates
    number_of: Mapping[str, int]  # number of each term of the store
    frequencies: Mapping[Language, LanguageFrequencies]  # sums over all earlier epochs, by language
    # the same sums over documents that repeat earlier ones; empty if the stream applied `df_max` to all
    repeats: Mapping[Language, LanguageFrequencies]

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """Return the settings of the stream, overridden by given ones."""
        chosen = Settings.of(**{**self.defaults, **{name: one for name, one in given.items() if one is not None}})
        for name in ("representation", "morph"):
            asked, counted = getattr(chosen, name), self.defaults[name]
            if asked != counted:
                raise ConfigurationError(f"{name} is {asked!r}, but {self.name} counted terms with {name} {counted!r}")
        return chosen

    def of(self, terms: Sequence[str], settings: Settings) -> list[Statistics]:
        """Return the stream's statistics of given terms per language, in the order of ``LANGUAGES``.

        If the stream had few documents in a language, or none yet, pseudo-documents are added.
        """
        numbers = np.array([self.number_of.get(term, -1) for term in terms], dtype=np.int64)
        return [self._of_language(terms, numbers, language, settings) for language in LANGUAGES]

    def _of_language(
        self, terms: Sequence[str], numbers: NDArray[np.int64], language: Language, settings: Settings
    ) -> Statistics:
        totals, df = _counts_of(self.frequencies.get(language), numbers)
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        found = filled_up(terms, df, totals, background)
        if language not in self.repeats:
            return found
        repeated, df_repeated = _counts_of(self.repeats[language], numbers)
        distinct = filled_up(terms, df - df_repeated, totals - repeated, background)
        return replace(found, distinct=DocumentFrequencies(distinct.documents, distinct.df))


def _counts_of(counted: LanguageFrequencies | None, numbers: NDArray[np.int64]) -> tuple[Totals, NDArray[np.int64]]:
    """Return totals, and how many documents contain each of some terms."""
    if counted is None:
        return Totals(), np.zeros(len(numbers), dtype=np.int64)
    # A term without a number (-1) gets the zero at the end.
    df = np.append(counted.df, 0)[np.minimum(numbers, len(counted.df))]
    return Totals(counted.documents, counted.length), df


@dataclass(frozen=True, slots=True)
class WeighedCollection:
    """A collection weighted by the statistics of an epoch instead of its own."""

    collection: Collection
    statistics: EpochStatistics

    def __len__(self) -> int:
        return len(self.collection)

    @property
    def documents(self) -> Sequence[Document]:
        """As in the collection."""
        return self.collection.documents

    @property
    def languages(self) -> list[Language]:
        """As in the collection."""
        return self.collection.languages

    def key_terms(self, settings: Settings) -> KeyTerms:
        """Key terms of every document by the statistics of the epoch."""
        given = partial(self.statistics.of, settings=settings)
        return key_terms_of_surfaces(self.collection.surfaces, settings, statistics=given)

    def key_terms_of(self, settings: Settings, documents: NDArray[np.int64], _all_terms: KeyTerms, /) -> KeyTerms:
        """As ``Weighable.key_terms_of``."""
        return self.key_terms(settings).of(documents)


def epoch_statistics(name: str) -> EpochStatistics:
    """Read the statistics by which the documents of an epoch were weighted."""
    path, _, number = name.rpartition(":")
    if not path or not (number.isascii() and number.isdigit()):
        raise ConfigurationError(f"{name!r} is not of the form STORE:EPOCH, such as stream.db:0")
    with Store.open(path, create=False, read_only=True) as store, store.reading() as connection:
        last = open_epoch(connection)
        if int(number) > last:
            raise ConfigurationError(f"{name!r}: the store's latest epoch is {last}")
        stored = store.settings
        defaults = {**settings_of_terms(stored), "k": stored["k_duplicate"]}
        terms = {term: place for place, term in enumerate(store.terms())}
        before = int(number)
        counts = store.frequencies(before=before), store.frequencies(before=before, repeats=True)
        return EpochStatistics(name, defaults, terms, *counts)


_KEPT: Final = 30  # key terms that preset ``judged`` keeps


class StoredPivot(NamedTuple):
    """Key terms of stored documents in the pivot language, and which of all the others' each of them contains."""

    keys: sp.csr_array  # int64 (documents, terms)
    targets: sp.csr_array  # bool (documents, terms)


_FREE: Final = ("n", "target", "short")
"""Settings that need no new weights: the store can provide smaller values of ``n`` and ``target``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCollection:
    """Documents of a store that arrived within a period, without forgotten ones."""

    documents: list[Document]  # ids, headlines and languages, in stream order; no texts
    languages: list[Language]  # language of each document
    stored: Mapping[str, Any]  # settings, by name, that decided the key terms when the documents were ingested
    keys: sp.csr_array  # int64 (documents, terms), weights in units of 1e-9, sorted indices
    ranks: NDArray[np.int64]  # int64, for each entry of `keys` the number of heavier entries in its row
    held: sp.csr_array  # bool (documents, terms), all terms of each document
    terms: list[str]  # by column, in code point order
    lengths: NDArray[np.int64]  # int64 (documents,), terms of each document with repetition
    ranked: int  # maximum number of key terms kept per document; preset `judged` keeps 30
    # the evidence that preset `judged` also keeps, and the facts of its documents; `None` if it was not requested, or
    # the stream keeps none
    evidence: tuple[DocumentEvidence, DocumentFacts] | None = None
    notes: list[str] = field(default_factory=list)  # remarks for readers of the results

    def __len__(self) -> int:
        return len(self.documents)

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """Return the given settings, completed by those of the stream."""
        asked = {name: value for name, value in given.items() if value is not None}
        preset = PRESETS.get(asked.get("preset", ""), {})
        stored = {name: value for name, value in self.stored.items() if name not in preset}
        chosen = Settings.of(**{**stored, **asked})
        self._check(chosen, self.stored["n"])
        return chosen

    def key_terms(self, settings: Settings) -> KeyTerms:
        """Key terms of every document as they were weighed when it was ingested.

        ``counts`` only says which terms a document contains, as a store does not keep how often; ``statistics`` is
        empty.
        """
        self._check(settings, self.ranked)
        size = settings.target_size()
        keys = self._heaviest(settings.n)
        targets = self.held if size is None else pattern_of(self._heaviest(size or settings.n))
        languages = np.array([language_number(language) for language in self.languages], dtype=np.uint8)
        counts = self.held.astype(np.int32)
        return KeyTerms(keys, targets, TermCounts(counts, self.terms, languages, self.lengths), [])

    def key_terms_of(self, settings: Settings, documents: NDArray[np.int64], _all_terms: KeyTerms, /) -> KeyTerms:
        """As ``Weighable.key_terms_of``."""
        return self.key_terms(settings).of(documents)

    def _heaviest(self, n: int) -> sp.csr_array:
        kept = self.ranks < n
        ends = offsets_of(kept)[self.keys.indptr]
        return sp.csr_array((self.keys.data[kept], self.keys.indices[kept], ends), shape=self.keys.shape)

    def _check(self, settings: Settings, n: int) -> None:
        for name, kept in self.stored.items():
            asked = getattr(settings, name)
            if name not in _FREE and asked != kept:
                raise _refused(name, asked, f"were weighed with {name} {kept!r}")
        size = settings.target_size()
        if settings.n > n:
            raise _refused("n", settings.n, f"keep {n} key terms each")
        if size is not None and size > n:
            raise _refused("target", settings.target, f"keep {n} key terms and the set of all terms each")


def stored_collection(
    path: str | Path, *, since: datetime | None = None, until: datetime | None = None, evidence: bool = False
) -> StoredCollection:
    """Load the documents of a store within a period of the stream's clock, from their stored signatures."""
    with Store.open(path, create=False, read_only=True) as store, store.reading():
        check_moment("since", since)
        check_moment("until", until)
        first, end = store.span(
            since=None if since is None else microseconds_of(since),
            until=None if until is None else microseconds_of(until),
        )
        gone = min(end, store.expired_below)
        if first < gone:
            raise ConfigurationError(
                f"{path}: signatures of documents {first} to {gone - 1} of the stream have been deleted by "
                f"'store expire'; {_advice(store)}"
            )
        stored = {**settings_of_terms(store.settings), "background": True}
        table = store.documents(first, end)
        found = _collected(store, table, stored, store.headlines(first, end))
        if not evidence or not len(table.evidence.records.values):
            return found
        known = _known(table)
        return replace(found, evidence=stored_evidence(store, table, known, table.published))


class StoredEpoch(NamedTuple):
    """Documents of a store without forgotten ones: what their links are measured by, and what was said of them."""

    keys: sp.csr_array  # (documents, terms), the n heaviest terms
    targets: sp.csr_array  # (documents, terms), the terms in which they are looked up
    sources: list[str | None]
    languages: list[Language]
    statuses: list[str]
    pivot: StoredPivot | None  # `None` if languages are kept apart


_OF_LINKS: Final = (
    *("sources", "languages", "lengths", "keys", "targets", "statuses"),
    *("members", "canonical", "further"),
)


def stored_epoch(store: Store, first: int, end: int, settings: Settings) -> StoredEpoch:
    """Documents with ordinals from ``first`` to ``end`` (exclusive), by the store's own settings."""
    table = store.documents(first, end, _OF_LINKS)
    known = _known(table)
    used = np.bincount(table.targets.values, minlength=1) > 0
    column_of, columns = (np.cumsum(used) - 1).astype(np.int32), int(used.sum())
    heaviest, size = _joined(table.keys, table.evidence.keys), settings.target_size()

    def rows(terms: Ragged) -> sp.csr_array:
        found = _matrix(terms, np.ones(len(terms.values), dtype=np.int64), column_of, columns)[known]
        found.sort_indices()
        return found

    keys = rows(_first(heaviest, settings.n))
    targets = pattern_of(rows(table.targets if size is None else _first(heaviest, size or settings.n)))
    places = known.tolist()
    sources, languages, statuses = (
        [one[row] for row in places] for one in (table.sources, table.languages, table.statuses)
    )
    # Documents in one language have no links across, whatever their words stand for.
    pivot = _pivot_rows(table.pivot, known, settings.n if len(set(languages)) > 1 else 0)
    return StoredEpoch(keys, targets, sources, languages, statuses, pivot)


def _first(rows: Ragged, n: int) -> Ragged:
    """The first ``n`` values of each row."""
    sizes = np.minimum(rows.sizes, n)
    return Ragged(offsets_of(sizes), rows.values[places_of(rows.indptr[:-1], sizes)])


def _pivot_rows(pivot: PivotTable, known: NDArray[np.int64], n: int) -> StoredPivot | None:
    """A column for each set of words that stands for a key term; ``None`` if languages are kept apart."""
    members, held = pivot.members.rows(known), (pivot.canonical.rows(known), pivot.further.rows(known))
    chosen = (members.values & ((1 << PLACE_BITS) - 1)) < n
    owners, codes = members.numbers[chosen], members.values[chosen]
    if not len(members.values):
        return None
    if not len(codes):
        nothing = sp.csr_array((len(known), 0), dtype=np.int64)
        return StoredPivot(nothing, pattern_of(nothing))
    places, words = codes & ((1 << PLACE_BITS) - 1), codes >> PLACE_BITS
    order = np.lexsort((words, places, owners))
    owners, places, words = owners[order], places[order], words[order]
    begins = np.flatnonzero(np.r_[True, (np.diff(owners) != 0) | (np.diff(places) != 0)])
    sizes = np.diff(np.r_[begins, len(words)])
    sets = np.full((len(begins), int(sizes.max())), -1)
    sets[np.repeat(np.arange(len(begins)), sizes), np.arange(len(words)) - np.repeat(begins, sizes)] = words
    number_of = np.unique(sets, axis=0, return_inverse=True)[1].reshape(-1)
    # Two key terms of a document may stand for the same words; each counts.
    same = np.lexsort((number_of, owners[begins]))
    again = np.empty(len(begins), dtype=np.int64)
    firsts = np.r_[True, (np.diff(owners[begins][same]) != 0) | (np.diff(number_of[same]) != 0)]
    again[same] = np.arange(len(begins)) - np.flatnonzero(firsts)[np.cumsum(firsts) - 1]
    columns, column_of = np.unique(number_of * n + again, return_inverse=True)
    known_words = np.unique(words)
    keys = _incidence(owners[begins], column_of, (len(known), len(columns)))
    set_of = np.repeat(column_of, sizes)
    members_of = _incidence(np.searchsorted(known_words, words), set_of, (len(known_words), len(columns)))
    owners, words = (np.concatenate([getattr(one, name) for one in held]) for name in ("numbers", "values"))
    met = np.isin(words, known_words)
    places = np.searchsorted(known_words, words[met])
    targets = _incidence(owners[met], places, (len(known), len(known_words))) @ members_of
    keys.sort_indices()
    targets.sort_indices()
    return StoredPivot(keys, pattern_of(targets))


def _incidence(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> sp.csr_array:
    return sp.csr_array((np.ones(len(rows), dtype=np.int64), (rows, columns)), shape=shape)


def _known(table: RememberedTable) -> NDArray[np.int64]:
    # A forgotten document still has a length, but no terms.
    return np.flatnonzero((np.diff(table.targets.indptr) > 0) | (table.lengths == 0))


def stored_evidence(
    store: Store, table: RememberedTable, known: NDArray[np.int64], times: Sequence[int | None]
) -> tuple[DocumentEvidence, DocumentFacts]:
    """Read the evidence that preset ``judged`` keeps, without meanings, and the sources and times of the documents."""
    records, places = table.evidence.records, known.tolist()
    words = EvidenceRecords.of_blobs(
        [records.values[slice(*records.indptr[row : row + 2])].tobytes() for row in places]
    )
    wording = store.wording(table.ordinals[known].tolist())
    begins = offsets_of([len(blob) // 8 for blob in wording])
    triples = np.frombuffer(b"".join(wording), dtype="<u8").astype(np.uint64)
    columns = [[column[row] for row in known.tolist()] for column in (table.sources, times, table.evidence.urls)]
    facts = DocumentFacts.of(columns[0], columns[1], [b""] * len(known), columns[2])
    return DocumentEvidence(words, TripleRows(triples, begins)), facts


def _collected(store: Store, table: RememberedTable, stored: Mapping[str, Any], titles: list[str]) -> StoredCollection:
    known = _known(table)
    numbers = np.flatnonzero(np.bincount(table.targets.values, minlength=1))
    words = term_names_of(store.connection, numbers.tolist())
    order = sorted(words, key=words.__getitem__)
    column_of = np.zeros(int(numbers.max(initial=-1)) + 2, dtype=np.int32)
    column_of[order] = np.arange(len(order), dtype=np.int32)
    heaviest, weights = _joined(table.keys, table.evidence.keys), _joined(table.weights, table.evidence.weights)
    keys, ranks = _with_ranks(_matrix(heaviest, weights.values, column_of, len(order)), known)
    held = _matrix(table.targets, np.ones(len(table.targets.values), dtype=np.bool_), column_of, len(order))[known]
    held.sort_indices()
    documents = [
        Document(id=table.ids[row], text="", title=titles[row], lang=table.languages[row], source=table.sources[row])
        for row in known.tolist()
    ]
    notes = _notes(table, known, store.path.name)
    languages = [table.languages[row] for row in known.tolist()]
    terms = [words[number] for number in order]
    return StoredCollection(
        documents=documents,
        languages=languages,
        stored=stored,
        keys=keys,
        ranks=ranks,
        held=held,
        terms=terms,
        lengths=table.lengths[known],
        ranked=max(stored["n"], int(ranks.max(initial=-1)) + 1, _KEPT if len(table.evidence.keys.values) else 0),
        notes=notes,
    )


def _joined(one: Ragged, other: Ragged) -> Ragged:
    """Append to each row the row with the same number."""
    indptr = one.indptr + other.indptr
    values = np.empty(int(indptr[-1]), dtype=one.values.dtype)
    values[places_of(indptr[:-1], one.sizes)] = one.values
    values[places_of(indptr[:-1] + one.sizes, other.sizes)] = other.values
    return Ragged(indptr, values)


def _matrix(rows: Ragged, values: NDArray[Any], column_of: NDArray[np.int32], columns: int) -> sp.csr_array:
    return sp.csr_array((values, column_of[rows.values], rows.indptr), shape=(len(rows), columns))


def _with_ranks(keys: sp.csr_array, known: NDArray[np.int64]) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """Sort the columns of rows ordered by weight, and return the weight rank of each entry."""
    keys = keys[known]
    row = np.repeat(np.arange(keys.shape[0]), np.diff(keys.indptr))
    ranks = np.arange(keys.nnz) - keys.indptr[row]
    order = np.lexsort((keys.indices, row))
    return sp.csr_array((keys.data[order], keys.indices[order], keys.indptr), shape=keys.shape), ranks[order]


def _notes(table: RememberedTable, known: NDArray[np.int64], name: str) -> list[str]:
    if len(table) == 0:
        return [f"{name}: no documents from that time"]
    places, epochs = (f"{int(column[0])} to {int(column[-1])}" for column in (table.ordinals, table.epochs))
    notes = [
        f"{name}: documents {places} of the stream, weighed when they came in by the statistics of epochs {epochs}"
    ]
    if len(known) < len(table):
        notes.append(f"{name}: {len(table) - len(known)} documents that have been forgotten are left out")
    return notes


def _refused(name: str, asked: object, kept: str) -> ConfigurationError:
    return ConfigurationError(f"{name} is {asked!r}, but documents of the store {kept}; sweep the documents themselves")


def _advice(store: Store) -> str:
    left = store.documents(store.expired_below, store.expired_below + 1)
    if len(left) == 0:
        return "none are left"
    return f"begin with --since {moment_of(int(left.clocks[0])):%Y-%m-%dT%H:%M:%S}Z or later"


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


def alarms_since(path: str | Path, epoch: int) -> list[str]:
    """A sentence for each alarm of the closed epochs from ``epoch`` on."""
    with Store.open(path, create=False, read_only=True) as store, store.reading() as connection:
        if not may_alarm(connection, epoch):
            return []
        rows = [one for one in health_of(store, last=open_epoch(connection) - epoch) if one.epoch >= epoch]
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
        if error is None or len(known) < FEWEST_EPOCHS:
            continue
        values = np.array([value for value, _ in known])
        errors = np.array([wrong for _, wrong in known])
        spread = max(float(values.var(ddof=1)), float((errors**2).mean())) * (1 + 1 / len(values))
        if abs(getattr(one, measure) - float(values.mean())) > _ALARM * sqrt(error**2 + spread):
            alarms.append(measure)
    if one.is_topical and not any(other.is_topical for other in before):
        alarms.append(TOPICS)
    return replace(one, alarms=alarms)
