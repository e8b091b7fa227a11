"""``search``, ``similarity_matrix``, ``key_terms`` and ``term_spans``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from infostream_dedup.api.keyword_types import MatrixKeywords
from infostream_dedup.api.keywords import chosen
from infostream_dedup.api.sources import LeftOutLines, Listing, documents_to_collect, read_collection
from infostream_dedup.documents import Reading, ReadingReport, check_quarantine
from infostream_dedup.errors import UsageError
from infostream_dedup.model import Language, Settings, fields_of, microseconds_of, single_documents
from infostream_dedup.model.limits import Range, check_moment
from infostream_dedup.model.tabular import column_type

if TYPE_CHECKING:
    import scipy.sparse as sp

    from infostream_dedup.links.similarity_matrix import SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.stream.search import SearchHits


_ROWS_AT_ONCE: Final = 50_000
_UNIT: Final = 1e9  # of a weight in a matrix of key terms


def search(
    store: str | Path,
    text: str | None = None,
    *,
    title: str = "",
    id: str | None = None,  # noqa: A002 - the name of the field
    url: str | None = None,
    k_min: int | None = None,
    top: int = 20,
    across: bool = True,
    languages: Sequence[Language] | str | None = None,
    sources: Sequence[str] | str | None = None,
    everything: bool = True,
    since: datetime | None = None,
    until: datetime | None = None,
    semantic: bool = False,
    sentences: bool = False,
    identical: float | None = None,
    within: str = "all",
    within_days: float | None = None,
) -> SearchHits:
    """Find the documents of a stream that are most like a text.

    Each call opens the store; for many searches keep a ``stream.search.Searcher`` open.

    Args:
        store: the store, from ``ingest``; it is only read.
        text: any text.
        title: its title.
        id: a stored document to search for instead of a text.
        url: address of a stored document, instead of its id.
        k_min: number of key terms that must match in either direction; the stream's ``k_similar`` by default, less for
            a short text.
        top: maximum number of hits; 0 for all.
        across: also search documents of other languages, with the key terms translated by the dictionaries.
        languages: return only documents in these languages.
        sources: return only documents of these sources, or of this one.
        everything: search all documents whose signatures the store has; if false, those of the window.
        since: return only documents that arrived at or after this moment of the stream's clock; it needs a time zone.
        until: return only documents that arrived before this moment.
        semantic: let a sentence encoder judge doubtful hits (extra ``semantic``; a store of preset ``judged``): their
            kinds and probabilities change, not their order.
        sentences: give each hit the sentence of the text that it answers, and its own, in any language (``sentence``,
            ``their_sentence``; the store must keep texts).
        identical: only documents with at least this share of the wording of the shorter text, .2 to 1, as in ``pairs``.
        within: with an id or address, only documents of its ``source``, of other ``outlets``, or ``all``.
        within_days: with an id or address, only documents published at most so many days apart, or without a date.

    Returns:
        Hits, the most alike first (of a text with one or two key terms, all must match; an id or address stands for its
        document): by the share of the weight of the text's key terms that the hit has, then by
        the reverse share, then the earliest first; ``searched`` says what was searched.

    Raises:
        UsageError: not exactly one of text, id and address is given.
        ConfigurationError: there is no such language; ``semantic`` in a store of another preset.
        MissingExtraError: ``semantic`` without its extra.
        NoInputError: there is no store.
        BadDataError: the file is not a store, or it has no such document.
    """
    from infostream_dedup.stream.search import Searcher

    check_moment("since", since)
    check_moment("until", until)
    if sum(one is not None for one in (text, id, url)) != 1:
        raise UsageError("give either a text (--text, --file), an id (--id) or an address (--url)")
    with Searcher.open(store) as searcher:
        hits = searcher.search(
            text or "",
            title=title,
            id=id,
            url=url,
            k_min=k_min,
            top=top,
            across=across,
            languages=languages,
            sources=sources,
            everything=everything,
            since=_microseconds(since),
            until=_microseconds(until),
            semantic=semantic,
            identical=identical,
            within=within,
            within_days=within_days,
        )
        return searcher.with_sentences(text, hits) if sentences and text is not None else hits


def answers(
    store: str | Path, questions: Iterable[Mapping[str, str]], *, sentences: bool = False, **asked: Any
) -> Iterator[tuple[str, SearchHits]]:
    """Search for many texts; the store is opened once.

    Args:
        store: the store, from ``ingest``; it is only read.
        questions: mappings ``id, text``, and ``title`` if there is one.
        sentences: give each hit the sentence that it answers and its own (``Hit.sentence``, ``their_sentence``).
        asked: further arguments of ``Searcher.search``.

    Yields:
        The id of each question, in order, and its hits.
    """
    from infostream_dedup.stream.search import Searcher

    with Searcher.open(store) as searcher:
        for one in questions:
            text = one["text"]
            hits = searcher.search(text, title=one.get("title") or "", **asked)
            yield one["id"], searcher.with_sentences(text, hits) if sentences else hits


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds_of(moment)


@dataclass(frozen=True, slots=True)
class LinkMatrix:
    """The links of a collection as sparse matrices; unpacks to ``matrix, ids``.

    Attributes:
        matrix: the counts, with ``links_at(k)``; ``matrix.counts`` is uint8 (documents, documents): how many key terms
            of the row's document occur in the column's.
        ids: the documents of rows and columns.
        keys: float64 (documents, terms), weights of the key terms.
        targets: bool (documents, terms), the terms in which key terms of others are looked up.
        terms: the term of each column of ``keys`` and ``targets``; with ``pivot`` columns may share a term.
    """

    matrix: SimilarityMatrix
    ids: list[str]
    keys: sp.csr_array
    targets: sp.csr_array
    terms: list[str]

    @property
    def counts(self) -> sp.csr_array:
        """uint8 (documents, documents), as in ``matrix``."""
        return self.matrix.counts

    def __iter__(self) -> Iterator[Any]:
        return iter((self.matrix, self.ids))

    def __getitem__(self, place: int) -> Any:
        return (self.matrix, self.ids)[place]


def similarity_matrix(
    source: Any,
    *,
    k_min: int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[MatrixKeywords],
) -> LinkMatrix:
    """Count, for every two documents, how many key terms of one occur in the other.

    Args:
        source: the documents (see ``read_documents``).
        k_min: leave out smaller counts; 1 by default, or 4 if the matrix would not fit into memory.
        settings, reading, options: settings and reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        ``matrix, ids``: counts (documents, documents), whose rows ask and columns answer, and the ids of its rows; also
        ``keys``, ``targets`` and ``terms``, from which they were counted.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.
    """
    import scipy.sparse as sp

    from infostream_dedup.runs.batch.linking import least_k, link

    agreed, read = chosen(similarity_matrix, MatrixKeywords, options, settings=settings, reading=reading)
    if k_min is not None:
        k_min = Range(1, agreed.n).check("k_min", k_min)
    collection, _ = read_collection(source, read, progress=progress)
    key_terms = collection.key_terms(agreed)
    least = least_k(key_terms) if k_min is None else k_min
    linked = link(key_terms, agreed, k_min=least, progress=progress)
    found = key_terms.keys
    keys = sp.csr_array((found.data / _UNIT, found.indices, found.indptr), shape=found.shape)
    return LinkMatrix(
        linked.matrix, fields_of(collection.documents).ids, keys, key_terms.targets, list(key_terms.labels())
    )


class TermListing(Listing[Any]):
    """Key terms or vocabularies of documents, computed as they are read."""

    def write_parquet(self, file: Any) -> None:
        """Write the rows to a file as Parquet, some at a time."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(name, column_type(name)) for name in self.columns])
        rows = self.as_dicts()
        with pq.ParquetWriter(file, schema) as writer:
            while block := list(islice(rows, _ROWS_AT_ONCE)):
                writer.write_batch(pa.RecordBatch.from_pylist(block, schema=schema))


def key_terms(
    source: Any,
    *,
    vocabulary: bool = False,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[MatrixKeywords],
) -> TermListing:
    """List the key terms of documents (K), or all terms in which those of others are looked up (V).

    Links are made of nothing else: document a links b at k if at least k of a's rows in K have the ``number`` of one of
    b's rows in V. With ``target="signature"`` V has only what key terms match.

    Args:
        source: the documents (see ``read_documents``).
        vocabulary: list V instead of K.
        settings, reading, options: settings and reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        Rows ``id, language, rank, term, number, kind, weight, documents, places, places_in_title, equivalents``: rank 1
        is the heaviest term; ``documents`` counts those of the same language that contain it; places are ``[start,
        end]`` in code points; equivalents are those of ``pivot``. V has ``id, language, term, number, equivalents``.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.

    Example:
        >>> found = key_terms([{"id": "1", "text": "Завод в Харькове"}])  # doctest: +SKIP
        >>> [(row.term, row.kind) for row in found]  # doctest: +SKIP
        [('харьков', 'place'), ('завод', 'noun')]
    """
    from infostream_dedup.runs.batch.collection import collect
    from infostream_dedup.runs.batch.stored_collection import (
        TERM_COLUMNS,
        VOCABULARY_COLUMNS,
        term_rows,
        vocabulary_rows,
    )

    agreed, read = chosen(key_terms, MatrixKeywords, options, settings=settings, reading=reading)
    check_quarantine(read.quarantine, [])
    report = ReadingReport()
    found = documents_to_collect(source, read, report, lines=LeftOutLines(keep_repeated=True))
    documents = [document for one in found for document in single_documents(one)]
    chosen_terms = collect(documents, progress=progress).key_terms(agreed)
    if vocabulary:
        return TermListing(vocabulary_rows(documents, chosen_terms), VOCABULARY_COLUMNS, report)
    return TermListing(term_rows(documents, chosen_terms, agreed), TERM_COLUMNS, report)


def term_spans(
    text: str, language: Language, terms: Iterable[str], settings: Settings | None = None
) -> list[tuple[int, int, str]]:
    """Find the words of a text that represent given terms, so that they can be marked.

    A word with one reading at the start of a sentence and another elsewhere is found if either is given. A word glued
    together from several is marked as a whole, with the first of its terms.

    Args:
        text: raw text.
        language: its language.
        terms: terms, such as the ``terms`` of ``pairs``, ``ingest`` and ``search``, or ``word`` and ``their_word`` of
            ``met``.
        settings: ``representation`` and ``morph`` say what a term is; by default the package's defaults. ``pivot`` is
            for the words of ``met``, which are terms before translation: those of ``morph``, but lemmas in English.

    Returns:
        ``(start, end, term)`` in the order of the text, in code points, ends excluded.

    Raises:
        ConfigurationError: the language is unknown.

    Example:
        >>> from infostream_dedup import term_spans
        >>> term_spans("Президент в Киеве; президента ждут.", "ru", ["президент", "киев"])
        [(0, 9, 'президент'), (12, 17, 'киев'), (19, 29, 'президент')]
    """
    from infostream_dedup.terms.matched_words import spans_of_terms

    return spans_of_terms(text, language, terms, settings)
