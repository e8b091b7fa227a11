"""Documents of a stream's store as a collection, with key terms as weighted when the documents arrived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.links.similarity_matrix import pattern_of
from infostream_dedup.model import Document, Language, Settings, language_number, microseconds_of, moment_of
from infostream_dedup.model.limits import check_moment
from infostream_dedup.model.settings import PRESETS
from infostream_dedup.runs.batch.stored_settings import settings_of_terms
from infostream_dedup.stream.store.blobs import StoredRows
from infostream_dedup.stream.store.remembered_table import RememberedTable
from infostream_dedup.stream.store.store import Store
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray


_KEPT: Final = 30
"""Key terms that preset ``judged`` keeps."""
_FREE: Final = ("n", "target", "short")
"""Settings that need no new weights: the store can provide smaller values of ``n`` and ``target``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCollection:
    """Documents of a store that arrived within a period, without forgotten ones.

    Attributes:
        documents: ids, headlines and languages, in stream order; no texts.
        languages: language of each document.
        stored: settings, by name, that decided the key terms when the documents were ingested.
        keys: int64 (documents, terms), weights in units of 1e-9, sorted indices.
        ranks: int64, for each entry of ``keys`` the number of heavier entries in its row.
        held: bool (documents, terms), all terms of each document.
        terms: by column, in code point order.
        lengths: int64 (documents,), terms of each document with repetition.
        ranked: maximum number of key terms kept per document; preset ``judged`` keeps 30.
        evidence: the evidence that preset ``judged`` also keeps, and the facts of its documents; ``None`` if it was not
            requested, or the stream keeps none.
        notes: remarks for readers of the results.
    """

    documents: list[Document]
    languages: list[Language]
    stored: Mapping[str, Any]
    keys: sp.csr_array
    ranks: NDArray[np.int64]
    held: sp.csr_array
    terms: list[str]
    lengths: NDArray[np.int64]
    ranked: int
    evidence: tuple[DocumentEvidence, DocumentFacts] | None = None
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.documents)

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """Return the given settings, completed by those of the stream.

        Args:
            given: settings by name, and ``preset``; ``None`` means not given.
        """
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
    """Load the documents of a store within a period of the stream's clock, from their stored signatures.

    Args:
        since: the first moment; from the beginning by default.
        until: the first moment not included; to the end by default.
    """
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


def collected_documents(store: Store, first: int, end: int) -> tuple[StoredCollection, list[str]]:
    """Documents of a store, with ordinals from ``first`` to ``end`` (exclusive), and the statuses of their verdicts."""
    stored = {**settings_of_terms(store.settings), "background": True}
    table = store.documents(first, end)
    found = _collected(store, table, stored, store.headlines(first, end))
    return found, [table.statuses[row] for row in _known(table).tolist()]


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
    words = store.terms()
    order = sorted(numbers.tolist(), key=words.__getitem__)
    column_of = np.zeros(len(words) + 1, dtype=np.int32)
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


def _joined(one: StoredRows, other: StoredRows) -> StoredRows:
    """Append to each row the row with the same number."""
    indptr = one.indptr + other.indptr
    values = np.empty(int(indptr[-1]), dtype=one.values.dtype)
    values[np.arange(len(one.values)) + np.repeat(other.indptr[:-1], np.diff(one.indptr))] = one.values
    values[np.arange(len(other.values)) + np.repeat(one.indptr[1:], np.diff(other.indptr))] = other.values
    return StoredRows(indptr, values)


def _matrix(rows: StoredRows, values: NDArray[Any], column_of: NDArray[np.int32], columns: int) -> sp.csr_array:
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
