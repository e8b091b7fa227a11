"""Search for documents of a store that resemble a text."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.judging.evidence.sentence_encoder import check_encoder
from infostream_dedup.judging.features.rows import joined_rows
from infostream_dedup.language.lexicon.other_languages import other_language
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import LANGUAGES, Document, Language, names_in, one_or_several
from infostream_dedup.model.limits import Range
from infostream_dedup.stream.near_documents import AskedTerms, FoundInPart, NearDocuments, TermQuestions
from infostream_dedup.stream.query_shares import share_of_rows
from infostream_dedup.stream.question import QuestionReader
from infostream_dedup.stream.question_kinds import QuestionJudge
from infostream_dedup.stream.search_hits import SearchHits
from infostream_dedup.stream.search_scope import SearchedDocuments, SearchScope
from infostream_dedup.stream.searched_parts import SearchedParts
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.shown_hits import HitMaker, RankedDocument
from infostream_dedup.stream.store.blobs import INT32, INT64, numbers_of
from infostream_dedup.stream.store.found_rows import documents_of, key_weights_of
from infostream_dedup.stream.store.restoring import window_start
from infostream_dedup.stream.store.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_KEYS: Final = 255


class Searcher:
    """Searches a store as it is at the moment of each search, whichever process writes to it; never writes.

    It reads the index of closed epochs that the store keeps, as far as searches need it, and keeps it in memory.

    Args:
        store: an open store.
        everything: search the whole store, not only the window, unless a search says otherwise.

    Example:
        >>> with Searcher.open("stream.db") as searcher:                                # doctest: +SKIP
        ...     hits = searcher.search("снег в киеве")
    """

    def __init__(self, store: Store, *, everything: bool = False) -> None:
        self._store = store
        self._everything = everything
        self._settings = StreamSettings.of(store.settings)
        self._parts = SearchedParts()
        self._reader = QuestionReader(self._settings)
        judged = self._settings.preset == "judged"
        self._judge = QuestionJudge(store, self._settings.terms.n) if judged else None

    @classmethod
    def open(cls, path: str | Path, *, everything: bool = False) -> Self:
        """Open a store for searching; arguments as in the class."""
        store = Store.open(path, create=False, read_only=True)
        try:
            return cls(store, everything=everything)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    @property
    def nbytes(self) -> int:
        """Bytes of the indexes that are in memory."""
        return self._parts.nbytes + self._reader.nbytes

    def search(
        self,
        text: str = "",
        *,
        title: str = "",
        id: str | None = None,  # noqa: A002 - its own word
        url: str | None = None,
        k_min: int | None = None,
        top: int = 20,
        across: bool = True,
        languages: Sequence[Language] | str | None = None,
        sources: Sequence[str] | str | None = None,
        everything: bool | None = None,
        since: int | None = None,
        until: int | None = None,
        semantic: bool = False,
    ) -> SearchHits:
        """Find the documents that resemble a text most.

        They are ordered by the share, by weight, of the text's key terms that they contain, then by the share of their
        key terms that the text contains, then by arrival. Documents in other languages are compared with the
        text itself and with its translation by the dictionaries; the better shares win.
        """
        top = Range(0).check("top", top)
        if semantic:
            check_encoder()
            if self._judge is None:
                raise ConfigurationError("semantic needs preset judged, which this store does not have; leave it out")
        wanted = None if languages is None else names_in(languages)
        wrong = [one for one in wanted or () if one not in LANGUAGES]
        if wrong:
            raise ConfigurationError(f"language is {wrong[0]!r}; expected one of {', '.join(LANGUAGES)}")
        if everything is None:
            everything = self._everything or since is not None or until is not None
        with self._store.reading() as connection:
            self._parts.refresh(connection)
            self._reader.refresh(connection)
            itself, notes = None, []
            document = Document(id="", text=text, title=title, lang=other_language(text))
            if id is not None or url is not None:
                itself = documents_of(connection, [self._stored(id, url)]).popitem()[1]
                body = self._store.text(itself.ordinal) or ""
                document = Document(id="", text=body, title=itself.title, lang=itself.language)
                if not body and across:
                    across = False
                    notes.append("its text is not stored, so it was not translated into other languages")
            first, end = self._store.span(since=since, until=until)
            scope = SearchScope(
                first=first if everything else max(first, window_start(connection)),
                end=end,
                itself=None if itself is None else itself.ordinal,
                languages=None if wanted is None else [LANGUAGES.index(one) for one in wanted],
                sources=None if sources is None else frozenset(one_or_several(sources)),
            )
            stored = itself is not None and not document.text
            question = self._reader.stored(connection, itself) if stored and itself else self._reader.read(document)
            parts = self._parts.between(connection, scope.first, scope.end)
            searched = SearchedDocuments([(part, scope.allowed(part)) for part in parts])
            asked = [question.asked]
            if across:
                asked += self._reader.translated(document, searched.languages)
            ranked = self._ranked(connection, asked, searched, k_min, top)
            if self._judge is not None:
                self._judge.refresh(connection)
            maker = HitMaker(connection, self._settings, self._judge, semantic=semantic)
            hits = maker.hits(question, itself, document, ranked)
            notes += [] if hits else self._too_few_terms(question.asked, k_min)
            if semantic:
                notes.append("a sentence encoder judged doubtful hits")
            summary = searched.summarise(connection, [*notes, *self._parts.notes()])
            return SearchHits(hits, summary, judged=self._judge is not None)

    def _stored(self, id: str | None, url: str | None) -> int:  # noqa: A002 - its own word
        ordinal = self._store.ordinal_of(id=id, url=url)
        named = f"the id {id!r}" if id is not None else f"the address {url!r}"
        if ordinal is None and id is not None and self._store.known(id):
            message = f"has forgotten the document with {named} ('store forget')"
            raise BadDataError(message, code="E_FORGOTTEN", source=str(self._store.path))
        if ordinal is None:
            raise BadDataError(f"has no document with {named}", code="E_UNKNOWN_ID", source=str(self._store.path))
        if ordinal < self._parts.expired and self._store.text(ordinal) is None:
            raise BadDataError(
                f"has deleted the signature of the document with {named} ('store expire'); search for its text",
                code="E_EXPIRED",
                source=str(self._store.path),
            )
        return ordinal

    def _ranked(
        self,
        connection: sqlite3.Connection,
        asked: Sequence[AskedTerms],
        searched: SearchedDocuments,
        k_min: int | None,
        top: int,
    ) -> list[RankedDocument]:
        """Find the best documents in their order, each once."""
        questions = TermQuestions(asked, [self._least(one, k_min) for one in asked], in_text=self._in_text)
        found: list[list[FoundInPart]] = [[] for _ in asked]
        for part, allowed in searched.parts:
            for number, near in questions.ask(part, allowed):
                found[number].append(near)
        ranked = []
        for number, one in enumerate(asked):
            nearest = questions.near(number, found[number])
            ranked += self._with_both_shares(connection, one, nearest.nearest(top) if top else nearest)
        ranked.sort(key=RankedDocument.rank)
        first: dict[int, RankedDocument] = {}
        for one_ranked in ranked:
            first.setdefault(one_ranked.ordinal, one_ranked)
        return list(first.values())[: top or None]

    def _with_both_shares(
        self, connection: sqlite3.Connection, asked: AskedTerms, near: NearDocuments
    ) -> list[RankedDocument]:
        ordinals = near.ordinals.tolist()
        kept = key_weights_of(connection, ordinals)
        keys = joined_rows([numbers_of(kept[ordinal][0], INT32) for ordinal in ordinals])
        weights = joined_rows([numbers_of(kept[ordinal][1], INT64) for ordinal in ordinals])
        backward = share_of_rows(keys, weights, asked.targets if self._in_text else asked.matching)
        return [
            RankedDocument(asked, *one)
            for one in zip(ordinals, near.counts.tolist(), near.shares.tolist(), backward.tolist(), strict=True)
        ]

    @property
    def _in_text(self) -> bool:
        return self._settings.terms.target == "text"

    def _too_few_terms(self, asked: AskedTerms, k_min: int | None) -> list[str]:
        """Say so if the text has fewer terms than must match: whatever the store holds, nothing is found."""
        least, terms = int(self._least(asked, k_min).min()), max(len(asked.sets), len(asked.targets))
        return [f"the text has too few key terms ({terms}): at least {least} must match"] if terms < least else []

    def _least(self, asked: AskedTerms, k_min: int | None) -> NDArray[np.int64]:
        """Number of key terms that must match, by number of the other document's key terms: int64 (256,)."""
        if k_min is not None:
            return np.full(_MOST_KEYS + 1, k_min, dtype=np.int64)
        terms, sizes = self._settings.terms, np.arange(_MOST_KEYS + 1)
        return need(self._settings.k_similar, np.full_like(sizes, len(asked.sets)), sizes, n=terms.n, short=terms.short)
