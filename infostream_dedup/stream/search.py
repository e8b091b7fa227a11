"""Search for documents of a store that resemble a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import numpy as np

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.features.rows import Rows
from infostream_dedup.lexicon.other_languages import other_language
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import LANGUAGES, Document, Language
from infostream_dedup.store.store import Store
from infostream_dedup.store.summary import time_text
from infostream_dedup.stream.decisions import least_hits
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.query_shares import share_of_query, share_of_rows
from infostream_dedup.stream.search_hits import Hit, Searched, SearchHits
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.translated_query import QueryTranslator
from infostream_dedup.text.fingerprint import text_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.stream.window import Window

__all__ = ["Hit", "SearchHits", "Searched", "Searcher"]

_RELATIONS = (None, "contained", "contains", "equal")
_TRANSLATION_SHARE: Final = 0.40
_TRANSLATION_TERMS: Final = 3
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class _Asked:
    """A text in the language of some documents.

    Attributes:
        keys: int64, numbers of the key terms, heaviest first.
        weights: int64, weight of each key term.
        sets: for each key term the numbers that match it: int64.
        targets: int64, numbers of all terms, ascending.
        words: the word of the text that became each key term.
        translated: whether the terms are translations.
    """

    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    sets: Sequence[NDArray[np.int64]]
    targets: NDArray[np.int64]
    words: Sequence[str]
    translated: bool = False

    def weights_of_terms(self) -> dict[int, int]:
        """Map each term that matches a key term to the weight."""
        met: dict[int, int] = {}
        for weight, terms in zip(self.weights.tolist(), self.sets, strict=True):
            for term in terms.tolist():
                met[term] = max(weight, met.get(term, 0))
        return met


@dataclass(frozen=True, slots=True)
class _Near:
    """Documents that resemble a text.

    Attributes:
        ordinals: int64 (documents,).
        counts: int64 (documents, 2), key terms met forward and backward.
        shares: float64 (documents, 2), the same by weight, 0 to 1.
        asked: the query that found them.
    """

    ordinals: NDArray[np.int64]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]
    asked: _Asked

    def ranks(self, which: int) -> list[tuple[float, float, int, int, int]]:
        """Sort keys of the documents: the share of the query, then the other share, then the earliest."""
        forward, backward = (-self.shares).T.tolist()
        size = len(self.ordinals)
        return list(zip(forward, backward, self.ordinals.tolist(), [which] * size, range(size), strict=True))


class Searcher:
    """Searches a store in its state at opening; never writes.

    Example:
        >>> with Searcher.open("stream.db") as searcher:                                # doctest: +SKIP
        ...     hits = searcher.search("снег в киеве")
    """

    def __init__(self, store: Store, *, first: int | None = None, progress: Progress | None = None) -> None:
        self._store = store
        self._settings = StreamSettings.of_store(store.settings)
        with store.reading():
            loaded = store.load()
            if first is not None:
                # The signatures of earlier documents have been deleted.
                oldest = max(first, store.expired_below)
                held = min(oldest, *loaded.documents.ordinals[:1].tolist(), loaded.position.documents)
                loaded = replace(loaded, oldest=oldest, documents=store.documents(held, loaded.position.documents))
            self._expired = store.expired_below
        self._engine = StreamEngine.restore(self._settings, loaded, progress=progress, wording=store.wording)
        begin = int(np.searchsorted(loaded.documents.ordinals, loaded.oldest))
        number = {language: place for place, language in enumerate(LANGUAGES)}
        self._languages = np.array([number[one] for one in loaded.documents.languages[begin:]], dtype=np.uint8)
        self._sources = np.array([source or "" for source in loaded.documents.sources[begin:]], dtype=np.str_)
        self._translator = QueryTranslator(self._settings, self._engine.numbers, self._engine.frequencies)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        everything: bool = False,
        since: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Open a store for searching: its window, unless more is asked for.

        More than the window is indexed again at each opening, which takes time and memory in proportion.

        Args:
            path: the store.
            everything: all documents whose signatures the store still has.
            since: all documents that arrived then or later, UTC microseconds since 1970 by the stream's clock.
            progress: called with each step.

        Raises:
            NoInputError: there is no store.
            BadDataError: the file is not a store.
        """
        store = Store.open(path, create=False, read_only=True)
        try:
            first = store.span(since=since)[0] if since is not None else 0 if everything else None
            return cls(store, first=first, progress=progress)
        except BaseException:
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

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
        languages: Sequence[Language] | None = None,
        sources: Sequence[str] | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> SearchHits:
        """Find the documents that resemble a text most.

        They are ordered by the share of the weight of the text's key terms that they hold, then by the share of theirs
        that the text holds, then the earliest first. Documents in other languages are compared with the text itself
        and with its translation by the dictionaries; the better shares win.

        Args:
            text: any text.
            title: its title.
            id: a stored document to search for instead of a text; it is not among the hits.
            url: the same by its address.
            k_min: minimum number of key terms that meet in either direction; by default ``k_similar``, fewer for a
                short text.
            top: maximum number of hits; 0 for all.
            across: also search other languages by translation.
            languages: only documents in these.
            sources: only documents of these.
            since: only documents that arrived then or later, UTC microseconds since 1970 by the stream's clock.
            until: only documents that arrived before then.

        Raises:
            BadDataError: the store has no such document, or has deleted its signature.
            ConfigurationError: there is no such language.
        """
        wrong = [one for one in languages or () if one not in LANGUAGES]
        if wrong:
            raise ConfigurationError(f"language is {wrong[0]!r}; expected one of {', '.join(LANGUAGES)}")
        itself, notes = None, []
        if id is not None or url is not None:
            itself = self._stored(id, url)
            title, text = self._store.titles([itself])[0], self._store.text(itself) or ""
            if not text and across:
                across = False
                notes.append("its text is not stored, so it was not translated into other languages")
        window = self._engine.window
        allowed = self._allowed(window, languages, sources, since, until)
        if itself is not None and itself >= window.first:
            allowed[itself - window.first] = False
        document = Document(id="", text=text, title=title, lang=other_language(text))
        asked = self._asked(document) if itself is None or text else self._asked_of_stored(itself)
        near = [self._near_own(asked, window, allowed, k_min)]
        if across:
            near += self._near_across(document, window, allowed, k_min)
        found: list[Hit] = []
        seen: set[int] = set()
        body = text_hash(text)
        for *_, ordinal, which, place in sorted(rank for number, one in enumerate(near) for rank in one.ranks(number)):
            if ordinal not in seen:
                seen.add(ordinal)
                found.append(self._hit(window, near[which], place, body))
            if len(found) == top:
                break
        return SearchHits(found, self._searched(window, allowed, notes))

    def _stored(self, id: str | None, url: str | None) -> int:  # noqa: A002 - its own word
        ordinal = self._store.ordinal_of(id=id, url=url)
        named = f"the id {id!r}" if id is not None else f"the address {url!r}"
        if ordinal is None:
            raise BadDataError(f"has no document with {named}", code="E_UNKNOWN_ID", source=str(self._store.path))
        if ordinal < self._expired and self._store.text(ordinal) is None:
            raise BadDataError(
                f"has deleted the signature of the document with {named} ('store expire'); search for its text",
                code="E_EXPIRED",
                source=str(self._store.path),
            )
        return ordinal

    def _asked(self, document: Document) -> _Asked:
        keys, weights, targets = self._engine.read(document)
        return _Asked(keys, weights, list(keys.reshape(-1, 1)), targets, self._words(keys))

    def _asked_of_stored(self, ordinal: int) -> _Asked:
        table = self._store.documents(ordinal, ordinal + 1)
        keys, weights = table.keys.values.astype(np.int64), table.weights.values.astype(np.int64)
        targets = table.targets.values.astype(np.int64)
        return _Asked(keys, weights, list(keys.reshape(-1, 1)), targets, self._words(keys))

    def _words(self, keys: NDArray[np.int64]) -> list[str]:
        return [self._engine.numbers.terms[key] for key in keys.tolist()]

    def _allowed(
        self,
        window: Window,
        languages: Sequence[Language] | None,
        sources: Sequence[str] | None,
        since: int | None,
        until: int | None,
    ) -> NDArray[np.bool_]:
        """Bool (documents,), which documents may be found."""
        size = window.end - window.first
        clocks = window.clocks[:size]
        allowed = np.arange(size) >= window.oldest - window.first
        if languages is not None:
            allowed &= np.isin(self._languages, [LANGUAGES.index(one) for one in languages])
        if sources is not None:
            allowed &= np.isin(self._sources, list(sources))
        if since is not None:
            allowed &= clocks >= since
        if until is not None:
            allowed &= clocks < until
        return allowed

    def _searched(self, window: Window, allowed: NDArray[np.bool_], notes: list[str]) -> Searched:
        rows = np.flatnonzero(allowed)
        counts = np.bincount(self._languages[rows], minlength=len(LANGUAGES)).tolist()
        # The clock of a stream is at 0 until the first date.
        dated = rows[window.clocks[rows] > 0]
        first, last = (time_text(int(window.clocks[dated[end]])) if len(dated) else None for end in (0, -1))
        spoken: dict[str, int] = {language: count for language, count in zip(LANGUAGES, counts, strict=True) if count}
        return Searched(documents=len(rows), languages=spoken, first=first, last=last, notes=notes)

    def _near_own(self, asked: _Asked, window: Window, allowed: NDArray[np.bool_], k_min: int | None) -> _Near:
        found = self._engine.find(asked.keys, asked.targets, k_min=1)
        counts = np.stack((found.forward, found.backward), axis=1).astype(np.int64)
        kept = allowed[found.ordinals - window.first]
        return self._near_enough(found.ordinals[kept], counts[kept], asked, window, k_min)

    def _near_across(
        self, document: Document, window: Window, allowed: NDArray[np.bool_], k_min: int | None
    ) -> list[_Near]:
        """Find documents in other languages by a translation of the text into each."""
        least = least_hits(self._settings) if k_min is None else k_min
        near = []
        spoken = np.unique(self._languages[allowed]).tolist()
        for language, query in self._translator.translated(document, spoken).items():
            # Several equivalents of one key term are counted separately here: too many hits, never too few.
            found = self._engine.find(query.asked(), query.targets, k_min=least)
            rows = found.ordinals - window.first
            kept = (self._languages[rows] == language) & allowed[rows]
            forward = query.met_by(self._looked_up(window, rows[kept]))
            counts = np.stack((forward, found.backward[kept].astype(np.int64)), axis=1)
            asked = _Asked(query.keys, query.weights, query.sets, query.targets, query.words, translated=True)
            near.append(self._near_enough(found.ordinals[kept], counts, asked, window, k_min))
        return near

    def _near_enough(
        self,
        ordinals: NDArray[np.int64],
        counts: NDArray[np.int64],
        asked: _Asked,
        window: Window,
        k_min: int | None,
    ) -> _Near:
        sizes = window.sizes[ordinals - window.first].astype(np.int64)
        least = self._least(self._settings.k_similar, asked, sizes) if k_min is None else k_min
        near = counts.max(axis=1, initial=0) >= least
        rows = ordinals[near] - window.first
        known = asked.targets if self._in_text else np.unique(np.concatenate([asked.keys[:0], *asked.sets]))
        shares = np.stack(
            (
                share_of_query(asked.sets, asked.weights, self._looked_up(window, rows)),
                share_of_rows(window.keys.gathered(rows), window.weights.gathered(rows), known),
            ),
            axis=1,
        )
        return _Near(ordinals[near], counts[near], shares, asked)

    @property
    def _in_text(self) -> bool:
        return self._settings.terms.target == "text"

    def _least(self, k: int, asked: _Asked, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        terms, own = self._settings.terms, np.full(len(sizes), len(asked.keys))
        return need(k, own, sizes, n=terms.n, short=terms.short)

    def _looked_up(self, window: Window, rows: NDArray[np.int64]) -> Rows:
        return (window.targets if self._in_text else window.keys).gathered(rows)

    def _hit(self, window: Window, near: _Near, place: int, body: bytes) -> Hit:
        ordinal, asked = int(near.ordinals[place]), near.asked
        row = ordinal - window.first
        forward, backward = near.counts[place].tolist()
        sizes = window.sizes[row : row + 1].astype(np.int64)
        least = int(self._least(self._settings.k_duplicate, asked, sizes)[0])
        title, source, published, url = self._store.descriptions([ordinal])[0]
        shares = np.round(near.shares[place], _DECIMALS).tolist()
        return Hit(
            ordinal=ordinal,
            id=window.ids[row],
            title=title,
            source=source,
            published=time_text(published),
            url=url,
            language=LANGUAGES[self._languages[row]],
            group=window.groups[row],
            forward=forward,
            backward=backward,
            share_forward=shares[0],
            share_backward=shares[1],
            relation=_RELATIONS[int(forward >= least) + 2 * int(backward >= least)],
            kind=_kind(window.hashes[row][0], body, near, place),
            terms=self._terms_that_met(window, asked, row),
            met=self._met(window, asked, row),
        )

    def _met(self, window: Window, asked: _Asked, row: int) -> list[dict[str, str]]:
        theirs = set(self._looked_up(window, np.array([row])).values.tolist())
        found = []
        for word, equivalents in zip(asked.words, asked.sets, strict=True):
            common = [term for term in equivalents.tolist() if term in theirs]
            if common:
                found.append({"word": word, "their_word": self._engine.numbers.terms[common[0]]})
        return found

    def _terms_that_met(self, window: Window, asked: _Asked, row: int) -> list[str]:
        theirs = window.keys.row(row).tolist()
        looked_up = set(window.targets.row(row).tolist() if self._in_text else theirs)
        own = asked.weights_of_terms()
        own_looked_up = set(asked.targets.tolist()) if self._in_text else set(own)
        weights = {term: weight for term, weight in own.items() if term in looked_up}
        for term, weight in zip(theirs, window.weights.row(row).tolist(), strict=True):
            if term in own_looked_up:
                weights[term] = weights.get(term, 0) + weight
        words = sorted((-weight, self._engine.numbers.terms[term]) for term, weight in weights.items())
        return [word for _, word in words]


def _kind(their_body: bytes, body: bytes, near: _Near, place: int) -> str | None:
    if body and their_body == body:
        return "copy"
    enough = near.shares[place].min() >= _TRANSLATION_SHARE and near.counts[place].min() >= _TRANSLATION_TERMS
    return "translation" if near.asked.translated and enough else None
