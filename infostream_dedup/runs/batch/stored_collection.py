"""Documents of a stream's store as a collection, with key terms as weighted when the documents arrived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.links.similarity_matrix import kept_entries, pattern_of
from infostream_dedup.machine.arrays import Int32s, Ints, Ragged
from infostream_dedup.model import LANGUAGES, Document, Language, Settings, language_number, microseconds_of, moment_of
from infostream_dedup.model.limits import check_moment
from infostream_dedup.model.settings import PRESETS
from infostream_dedup.runs.batch.collection import Collection
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.document_columns import RememberedTable
from infostream_dedup.stream.store.restoring import LanguageFrequencies, open_epoch
from infostream_dedup.stream.store.search_index import term_names_of
from infostream_dedup.stream.window import triple_rows
from infostream_dedup.terms.compiled import key_terms_of_surfaces
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.matched_words import kind_of_term, places_of_terms
from infostream_dedup.terms.representation import term_frequencies
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics, TermCounts, Totals, filled_up

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
        """Return the stream's statistics of given terms per language, in the order of ``LANGUAGES``."""
        # If the stream had few documents in a language, or none yet, pseudo-documents are added.
        numbers = np.array([self.number_of.get(term, -1) for term in terms], dtype=np.int64)
        return [self._of_language(terms, numbers, language, settings) for language in LANGUAGES]

    def _of_language(self, terms: Sequence[str], numbers: Ints, language: Language, settings: Settings) -> Statistics:
        totals, df = _counts_of(self.frequencies.get(language), numbers)
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        found = filled_up(terms, df, totals, background)
        if language not in self.repeats:
            return found
        repeated, df_repeated = _counts_of(self.repeats[language], numbers)
        distinct = filled_up(terms, df - df_repeated, totals - repeated, background)
        return replace(found, distinct=DocumentFrequencies(distinct.documents, distinct.df))


def _counts_of(counted: LanguageFrequencies | None, numbers: Ints) -> tuple[Totals, Ints]:
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

    def key_terms_of(self, settings: Settings, documents: Ints, _all_terms: KeyTerms, /) -> KeyTerms:
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


_FREE: Final = ("n", "target", "short")
"""Settings that need no new weights: the store can provide smaller values of ``n`` and ``target``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCollection:
    """Documents of a store that arrived within a period, without forgotten ones."""

    documents: list[Document]  # ids, headlines and languages, in stream order; no texts
    languages: list[Language]  # language of each document
    stored: Mapping[str, Any]  # settings, by name, that decided the key terms when the documents were ingested
    keys: sp.csr_array  # int64 (documents, terms), weights in units of 1e-9, sorted indices
    ranks: Ints  # int64, for each entry of `keys` the number of heavier entries in its row
    held: sp.csr_array  # bool (documents, terms), all terms of each document
    terms: list[str]  # by column, in code point order
    lengths: Ints  # int64 (documents,), terms of each document with repetition
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
        """Key terms of every document as they were weighed when it was ingested."""
        # ``counts`` only says which terms a document contains, as a store does not keep how often; ``statistics`` is
        # empty.
        self._check(settings, self.ranked)
        size = settings.target_size()
        keys = kept_entries(self.keys, self.ranks < settings.n)
        targets = self.held if size is None else pattern_of(kept_entries(self.keys, self.ranks < (size or settings.n)))
        languages = np.array([language_number(language) for language in self.languages], dtype=np.uint8)
        counts = self.held.astype(np.int32)
        return KeyTerms(keys, targets, TermCounts(counts, self.terms, languages, self.lengths), [])

    def key_terms_of(self, settings: Settings, documents: Ints, _all_terms: KeyTerms, /) -> KeyTerms:
        """As ``Weighable.key_terms_of``."""
        return self.key_terms(settings).of(documents)

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
        return replace(found, evidence=stored_evidence(store, table, table.known(), table.published))


def stored_evidence(
    store: Store, table: RememberedTable, known: Ints, times: Sequence[int | None]
) -> tuple[DocumentEvidence, DocumentFacts]:
    """Read the evidence that preset ``judged`` keeps, without meanings, and the sources and times of the documents."""
    records, places = table.evidence.records, known.tolist()
    words = EvidenceRecords.of_blobs([records.row(row).tobytes() for row in places])
    triples = triple_rows(store.wording(table.ordinals[known].tolist()))
    columns = [[column[row] for row in places] for column in (table.sources, times, table.evidence.urls)]
    facts = DocumentFacts.of(columns[0], columns[1], [b""] * len(known), columns[2])
    return DocumentEvidence(words, triples), facts


def _collected(store: Store, table: RememberedTable, stored: Mapping[str, Any], titles: list[str]) -> StoredCollection:
    known = table.known()
    numbers = np.flatnonzero(np.bincount(table.targets.values, minlength=1))
    words = term_names_of(store.connection, numbers.tolist())
    order = sorted(words, key=words.__getitem__)
    column_of = np.zeros(int(numbers.max(initial=-1)) + 2, dtype=np.int32)
    column_of[order] = np.arange(len(order), dtype=np.int32)
    heaviest, weights = table.keys.followed_by(table.evidence.keys), table.weights.followed_by(table.evidence.weights)
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


def _matrix(rows: Ragged, values: NDArray[Any], column_of: Int32s, columns: int) -> sp.csr_array:
    return sp.csr_array((values, column_of[rows.values], rows.indptr), shape=(len(rows), columns))


def _with_ranks(keys: sp.csr_array, known: Ints) -> tuple[sp.csr_array, Ints]:
    """Sort the columns of rows ordered by weight, and return the weight rank of each entry."""
    keys = keys[known]
    row = np.repeat(np.arange(keys.shape[0]), np.diff(keys.indptr))
    ranks = np.arange(keys.nnz) - keys.indptr[row]
    order = np.lexsort((keys.indices, row))
    return sp.csr_array((keys.data[order], keys.indices[order], keys.indptr), shape=keys.shape), ranks[order]


def _notes(table: RememberedTable, known: Ints, name: str) -> list[str]:
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


# Key terms and vocabularies of documents as rows: what the links are made of

_SCALE: Final = 1e9
TERM_COLUMNS: Final = (
    *("id", "language", "rank", "term", "number", "kind", "weight", "documents", "places", "places_in_title"),
    "equivalents",
)
VOCABULARY_COLUMNS: Final = ("id", "language", "term", "number", "equivalents")


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A key term of a document."""

    id: str  # the document
    language: Language  # its language
    rank: int  # 1 for the heaviest
    term: str  # the term; with `pivot` that of the pivot language
    number: int  # number of the term; rows with equal numbers match
    kind: str  # `surname`, `organisation`, `place` and other kinds of names, `noun`, or `stem`
    weight: float  # its weight in the document
    documents: int | None  # number of documents in this language that contain it; `None` with `pivot`
    places: list[list[int]]  # `[start, end]` of the words in the text that it stands for, in code points
    places_in_title: list[list[int]]  # the same in the title
    equivalents: list[str]  # with `pivot`, terms of the pivot language that match it; otherwise empty

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyRow:
    """A term in which key terms of other documents are looked up; attributes as in ``TermRow``."""

    id: str
    language: Language
    term: str
    number: int
    equivalents: list[str]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def term_rows(documents: Sequence[Document], key_terms: KeyTerms, settings: Settings) -> Iterator[TermRow]:
    """The key terms of each document, heaviest first."""
    labels, keys = key_terms.labels(), key_terms.keys
    languages, words, frequencies = _languages(key_terms), _words(key_terms), _frequencies(key_terms)
    of = None if key_terms.pivot is None else key_terms.pivot.language
    for number, document in enumerate(documents):
        row = slice(keys.indptr[number], keys.indptr[number + 1])
        order = np.lexsort((keys.indices[row], -keys.data[row]))
        columns, weights = keys.indices[row][order].tolist(), keys.data[row][order].tolist()
        language = languages[number]
        own = [words(number, column) for column in columns]
        in_text = _places(document.text, language, settings, own)
        in_title = _places(document.title, language, settings, own)
        for place, (column, weight) in enumerate(zip(columns, weights, strict=True)):
            yield TermRow(
                id=document.id,
                language=language,
                rank=place + 1,
                term=labels[column],
                number=column,
                kind=kind_of_term(labels[column], of or language, settings.representation),
                weight=weight / _SCALE,
                documents=int(frequencies[LANGUAGES.index(language)][column]) if frequencies else None,
                places=in_text[place],
                places_in_title=in_title[place],
                equivalents=_equivalents(key_terms, column),
            )


def vocabulary_rows(documents: Sequence[Document], key_terms: KeyTerms) -> Iterator[VocabularyRow]:
    """The terms of each document in which key terms of others are looked up, by number."""
    labels, targets, languages = key_terms.labels(), key_terms.targets, _languages(key_terms)
    for number, document in enumerate(documents):
        for column in np.sort(targets.indices[targets.indptr[number] : targets.indptr[number + 1]]).tolist():
            yield VocabularyRow(
                id=document.id,
                language=languages[number],
                term=labels[column],
                number=column,
                equivalents=_equivalents(key_terms, column),
            )


def _languages(key_terms: KeyTerms) -> list[Language]:
    return [LANGUAGES[number] for number in key_terms.counts.languages.tolist()]


def _equivalents(key_terms: KeyTerms, column: int) -> list[str]:
    space = key_terms.pivot
    if space is None:
        return []
    found = space.sets.indices[space.sets.indptr[column] : space.sets.indptr[column + 1]]
    return sorted(space.equivalents.vocabulary[number] for number in found.tolist())


def _words(key_terms: KeyTerms) -> Any:
    """What says which terms of a document a column stands for."""
    space, labels = key_terms.pivot, key_terms.labels()
    if space is None:
        return lambda _, column: {labels[column]}
    counts = space.sources.counts

    def words(document: int, column: int) -> set[str]:
        wanted = set(space.sets.indices[space.sets.indptr[column] : space.sets.indptr[column + 1]].tolist())
        sources = counts.indices[counts.indptr[document] : counts.indptr[document + 1]].tolist()
        return {space.sources.terms[one] for one in sources if wanted.intersection(space.equivalents.of(one))}

    return words


def _places(text: str, language: Language, settings: Settings, wanted: Sequence[set[str]]) -> list[list[list[int]]]:
    """Places of each set of terms."""
    found: list[list[list[int]]] = [[] for _ in wanted]
    for start, end, read in places_of_terms(text, language, settings):
        for place, terms in enumerate(wanted):
            if not terms.isdisjoint(read):
                found[place].append([start, end])
    return found


def _frequencies(key_terms: KeyTerms) -> dict[int, Any]:
    """How many documents of each language contain each term."""
    if key_terms.pivot is not None:
        return {}
    counts, languages = key_terms.counts.counts, key_terms.counts.languages
    return {
        number: np.bincount(counts[np.flatnonzero(languages == number)].indices, minlength=counts.shape[1])
        for number in np.unique(languages).tolist()
    }
