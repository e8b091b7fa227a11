"""``search``: find the documents of a store that are most like a text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from infostream_dedup.errors import UsageError
from infostream_dedup.model import microseconds_of

if TYPE_CHECKING:
    from infostream_dedup.model import Language
    from infostream_dedup.stream.search_hits import SearchHits

__all__ = ["search"]


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
        Hits, the most alike first: by the share of the weight of the text's key terms that the hit has, then by the
        reverse share, then the earliest first; ``searched`` says what was searched.

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
