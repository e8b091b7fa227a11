"""``search``, ``similarity_matrix`` and ``term_spans``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keyword_types import MatrixKeywords
from infostream_dedup.api.keywords import chosen
from infostream_dedup.errors import UsageError
from infostream_dedup.model import microseconds_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from infostream_dedup.documents import Reading
    from infostream_dedup.links.similarity_matrix import SimilarityMatrix
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Language, Settings
    from infostream_dedup.stream.search import SearchHits


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
    everything: bool = False,
    since: datetime | None = None,
    until: datetime | None = None,
    semantic: bool = False,
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
        everything: search all documents whose signatures the store has, not only the window.
        since: search all documents that arrived at or after this moment of the stream's clock; it needs a time zone.
        until: return only documents that arrived before this moment.
        semantic: let a sentence encoder judge doubtful hits (extra ``semantic``; a store of preset ``judged``): their
            kinds and probabilities change, not their order.

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
    from infostream_dedup.model.limits import check_moment
    from infostream_dedup.stream.search import Searcher

    check_moment("since", since)
    check_moment("until", until)
    if sum(one is not None for one in (text, id, url)) != 1:
        raise UsageError("give either a text (--text, --file), an id (--id) or an address (--url)")
    with Searcher.open(store) as searcher:
        return searcher.search(
            text or "",
            title=title,
            id=id,
            url=url,
            k_min=k_min,
            top=top,
            across=across,
            languages=languages,
            sources=sources,
            everything=everything or None,
            since=_microseconds(since),
            until=_microseconds(until),
            semantic=semantic,
        )


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else microseconds_of(moment)


def similarity_matrix(
    source: Any,
    *,
    k_min: int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[MatrixKeywords],
) -> tuple[SimilarityMatrix, list[str]]:
    """Count, for every two documents, how many key terms of one occur in the other.

    Args:
        source: the documents (see ``read_documents``).
        k_min: leave out smaller counts; 1 by default, or 4 if the matrix would not fit into memory.
        settings: all settings at once.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        The matrix (documents, documents) of counts, whose rows ask and columns answer; and the ids of its rows.

    Raises:
        ConfigurationError: an option is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.model import fields_of
    from infostream_dedup.model.limits import Range
    from infostream_dedup.runs.batch.linking import least_k, link

    agreed, read = chosen(similarity_matrix, MatrixKeywords, options, settings=settings, reading=reading)
    if k_min is not None:
        k_min = Range(1, agreed.n).check("k_min", k_min)
    collection, _ = read_collection(source, read, progress=progress)
    key_terms = collection.key_terms(agreed)
    least = least_k(key_terms) if k_min is None else k_min
    linked = link(key_terms, agreed, k_min=least, progress=progress)
    return linked.matrix, fields_of(collection.documents).ids


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
