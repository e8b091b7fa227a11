"""Search for documents of a store that resemble a text."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import compress
from pathlib import Path
from typing import Any, Final, Self, cast

import numpy as np

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.facts import DocumentFacts, circumstances_of
from infostream_dedup.judging.evidence.meaning import check_encoder
from infostream_dedup.judging.evidence.policies import EVERY_PAIR, Policy
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.language.text.fingerprint import TEXT_HASH
from infostream_dedup.language.text.language import language_beyond_ours, twin_of
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.language.translation.told_sentences import Beginnings, ToldSentence
from infostream_dedup.links.pair_rules import LEAST_ORDERED_SHARE, need, relation_of
from infostream_dedup.machine.arrays import INT32, INT64, Bools, Ints, Uint8s, joined_rows, numbers_of
from infostream_dedup.machine.files import Closing
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document, Language, Settings, names_in, one_or_several
from infostream_dedup.model.limits import Range, check_texts
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.stream.question import (
    FEW_TERMS,
    AskedTerms,
    FoundInPart,
    HitJudgement,
    NearDocuments,
    Question,
    QuestionJudge,
    QuestionReader,
    TermQuestions,
    closeness,
    share_of_rows,
)
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import search_index
from infostream_dedup.stream.store.browsing import time_text
from infostream_dedup.stream.store.restoring import clock_of, first_ordinal, open_epoch, position_of, window_start
from infostream_dedup.stream.store.store import Store
from infostream_dedup.terms.matched_words import places_of_terms

# The hits of a search, and what was searched


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document that resembles the text."""

    ordinal: int  # its place in the stream, from 0
    id: str  # id of the document
    title: str  # its headline
    source: str | None  # who published it; `None` if the store does not say
    published: str | None  # publication time, ISO 8601 in UTC; `None` if it has no date
    url: str | None  # its address; `None` if the store has none
    language: Language  # its language
    group: str  # id of its group
    forward: int  # number of the text's key terms found in it, or of their equivalents if it is in another language
    backward: int  # number of its key terms found in the text
    # share, by weight, of the text's key terms found in it, 0 to 1; across languages, of those that can be translated
    share_forward: float
    share_backward: float  # share, by weight, of its key terms found in the text, 0 to 1
    relation: str | None  # relation of the text to it at `k_duplicate`: `equal`, `contained`, `contains` or `None`
    # kind of the hit. In a store of preset `judged`, for a hit in the text's language, as in `pairs`: `copy`, `retold`,
    # `contained` (it includes the text), `contains`, `template`, `updated`, `follow-up`, `differs`, `related`; a text
    # without source and date is never `template`. In other stores, `copy` for an equal text. `translation` or
    # `same-story` for a hit in another language, as `ingest --across pivot` decides; never in a store that keeps
    # languages apart. Otherwise `related`; `None` in other stores
    kind: str | None
    # probability that the two are copies or report the same event, 0 to 1; `None` if evidence did not compare them
    probability: float | None
    terms: list[str]  # its terms that match in either direction, heaviest first
    # the text's key terms that were found: `word` in the text and `their_word` in the document
    met: list[dict[str, str]]
    judged: bool = False  # whether the store has preset `judged`
    across: bool = False  # whether its language is another than that of the text
    sentence: str | None = None  # sentence of the text that it answers best, if asked for
    their_sentence: str | None = None  # its own sentence that has most of these terms; `None` without its text
    differing: WordDifference | None = None  # the few words in which they differ, if these decided the kind

    def as_dict(self) -> dict[str, Any]:
        """Return the row of ``search``; without ``probability`` if evidence does not decide."""
        row = {name: getattr(self, name) for name in _columns(judged=self.judged)}
        if self.sentence is not None:
            row |= {"sentence": self.sentence, "their_sentence": self.their_sentence}
        return row if self.differing is None else row | self.differing.as_dict()


def _columns(*, judged: bool) -> tuple[str, ...]:
    left_out = ("judged", "across", "differing", "sentence", "their_sentence", *(() if judged else ("probability",)))
    return tuple(name for name in Hit.__slots__ if name not in left_out)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """The documents that a search covered."""

    documents: int  # number of documents that could have been found
    languages: dict[str, int]  # number of these documents per language
    first: str | None  # arrival of the first by the stream's clock, ISO 8601; `None` if no document has a date
    last: str | None  # arrival of the last
    notes: list[str] = field(default_factory=list)  # what could not be searched for, and why

    def sentence(self) -> str:
        """Describe it in one line."""
        if not self.documents:
            return "searched nothing: no document of the store matches the selection"
        spoken = ", ".join(f"{language} {documents}" for language, documents in self.languages.items())
        summary = f"searched {self.documents} documents ({spoken})"
        if self.first is not None:
            summary += f" that arrived from {self.first} to {self.last}"
        return "; ".join([summary, *self.notes])


class SearchHits(Tabular, list[Hit]):
    """Hits of a search, the most similar first.

    Attributes:
        searched: documents that the search covered.
        columns: names of the columns of each row, in order.
    """

    def __init__(self, hits: list[Hit], searched: Searched, *, judged: bool) -> None:
        super().__init__(hits)
        self.searched = searched
        self.columns = _columns(judged=judged)

    def as_rows(self) -> list[dict[str, Any]]:
        """The hits, as plain dicts."""
        return [hit.as_dict() for hit in self]


# Turns found documents into rows of a search

_TRANSLATION_TERMS: Final = 3


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document that was found."""

    asked: AskedTerms  # the text that found it
    ordinal: int  # its place in the stream
    counts: tuple[int, int]  # number of key terms of the text found in it, and of its key terms found in the text
    share_forward: float  # share, by weight, of the text's key terms found in it
    share_backward: float  # share, by weight, of its key terms found in the text
    closeness: float  # of the sentence that was asked (see ``closeness``); 0 for a longer text

    def rank(self) -> tuple[float, float, int]:
        """Sort key: the share of the text and how close it stands, then the other share, then the earliest."""
        return -self.share_forward - self.closeness, -self.share_backward, self.ordinal

    @property
    def translates(self) -> bool:
        """Whether enough matches in both directions for a translation."""
        share = min(self.share_forward, self.share_backward)
        enough = share >= LEAST_ORDERED_SHARE and min(self.counts) >= _TRANSLATION_TERMS
        return self.asked.language is not None and enough


def _limits(policy: Policy) -> Iterator[str]:
    """Which of the documents searched a policy lets be hits."""
    if policy.within != "all":
        own = "its own source" if policy.within == "source" else "other outlets"
        yield f"of them, only documents of {own} could be hits"
    if policy.within_days is not None:
        yield f"of them, only those within {policy.within_days:g} days of it, or without a date, could be hits"


def _met_terms(
    asked: AskedTerms, one: search_index.FoundDocument, *, in_text: bool
) -> tuple[dict[int, int], list[tuple[int, int]]]:
    theirs = set((one.targets if in_text else one.keys).tolist())
    weights: dict[int, int] = {}
    met: list[tuple[int, int]] = []
    for place, (terms, weight) in enumerate(zip(asked.sets, asked.weights.tolist(), strict=True)):
        common = [term for term in terms.tolist() if term in theirs]
        for term in common:
            weights[term] = max(weight, weights.get(term, 0))
        if common:
            met.append((place, common[0]))
    own = set((asked.targets if in_text else asked.matching).tolist())
    for term, weight in zip(one.keys.tolist(), one.weights.tolist(), strict=True):
        if term in own:
            weights[term] = weights.get(term, 0) + weight
    return weights, met


# Which documents were searched


class SearchedDocuments:
    """The documents that may be found; ``parts`` come in order, with bool (documents,) each."""

    def __init__(self, parts: Sequence[tuple[search_index.IndexPart, Bools]]) -> None:
        self.parts = parts
        self._counts = np.zeros(len(LANGUAGES), dtype=np.int64)
        for part, allowed in parts:
            for language in range(len(LANGUAGES)):
                self._counts[language] += np.count_nonzero(allowed & (part.languages == language))

    @property
    def languages(self) -> list[int]:
        """Index into ``LANGUAGES`` of each language that they are in."""
        return np.flatnonzero(self._counts).tolist()

    def language_of(self, ordinals: range) -> Uint8s:
        """Language of consecutive documents, ``GONE`` if they may not be found."""
        found = np.full(len(ordinals), search_index.GONE, dtype=np.uint8)
        for part, allowed in self.parts:
            rows = np.flatnonzero(allowed & (np.arange(part.first, part.end) >= ordinals.start))
            found[part.first + rows - ordinals.start] = part.languages[rows]
        return found

    def summarise(self, connection: sqlite3.Connection, notes: list[str]) -> Searched:
        """Summarise what was searched."""
        dated = first_ordinal(connection, "clock", 1)
        places = [own for part, allowed in self.parts if len(own := _from(part, allowed, dated))]
        ends = (int(places[0][0]), int(places[-1][-1])) if places else (None, None)
        first, last = (None if end is None else time_text(clock_of(connection, end)) for end in ends)
        spoken: dict[str, int] = {LANGUAGES[number]: int(self._counts[number]) for number in self.languages}
        return Searched(documents=int(self._counts.sum()), languages=spoken, first=first, last=last, notes=notes)


def _from(part: search_index.IndexPart, allowed: Bools, ordinal: int) -> Ints:
    places: Ints = part.first + np.flatnonzero(allowed)
    return places[places >= ordinal]


# The documents of a store by their terms, as far as a search needs them in memory

_MOST_PIECES: Final = 16  # maximum number of pieces of documents not in the index yet; further pieces are joined
Bounds = tuple[int, int]


class SearchedParts:
    """Parts of the index of closed epochs that searches needed, and in memory later, missing and damaged documents."""

    def __init__(self) -> None:
        self.documents = self.expired = self.damaged = self.missing = 0
        self.forgotten = -1
        self._rows: list[search_index.IndexRow] = []
        self._kept: dict[search_index.IndexRow, search_index.IndexPart] = {}
        self._after: list[Bounds] = []
        self._pieces: dict[Bounds, search_index.IndexPart] = {}

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Update for documents written, expired or forgotten since the last call."""
        position = position_of(connection)
        expired: int = connection.execute("SELECT expired_below FROM store").fetchone()[0]
        now = position.documents, expired, position.forgotten
        if (
            now == (self.documents, self.expired, self.forgotten)
            and search_index.indexed_until(connection) == self._begin
        ):
            return
        if (expired, position.forgotten) != (self.expired, self.forgotten):
            self._pieces.clear()
        self.documents, self.expired, self.forgotten = now
        self._rows, self.damaged = search_index.index_rows(connection), 0
        self._kept = {row: self._kept[row] for row in self._rows if row in self._kept}
        self._continue(search_index.indexed_until(connection))
        self.missing = max(first_ordinal(connection, "epoch", open_epoch(connection)) - self._begin, 0)

    def between(self, connection: sqlite3.Connection, first: int, end: int) -> Iterator[search_index.IndexPart]:
        """Yield the parts that have documents from ``first`` to ``end`` (exclusive), in order."""
        for row in self._rows:
            if row.first < end and first < row.end:
                if row not in self._kept:
                    part = search_index.read_part(connection, row)
                    if part is None:
                        self.damaged += row.documents
                        part = search_index.part_of(connection, row.first, row.end)
                    self._kept[row] = part
                yield self._kept[row]
        for begin, stop in self._after:
            if begin < end and first < stop:
                if (begin, stop) not in self._pieces:
                    self._pieces[begin, stop] = search_index.part_of(connection, begin, stop)
                yield self._pieces[begin, stop]

    def notes(self) -> list[str]:
        """Say why a search is slower than it should be."""
        notes = []
        if self.damaged:
            notes.append(f"the damaged index of {self.damaged} documents was not used ('store index' rebuilds it)")
        if self.missing:
            notes.append(f"{self.missing} documents are not in the index yet ('store index' adds them)")
        return notes

    @property
    def _begin(self) -> int:
        return self._after[0][0] if self._after else self.documents

    def _continue(self, begin: int) -> None:
        end = self._after[-1][1] if self._after and self._after[0][0] == begin else begin
        if end == begin or end > self.documents or len(self._after) >= _MOST_PIECES:
            self._after, end = [], begin
        self._after += [
            (place, min(place + search_index.MOST_DOCUMENTS, self.documents))
            for place in range(end, self.documents, search_index.MOST_DOCUMENTS)
        ]
        self._pieces = {bounds: self._pieces[bounds] for bounds in self._after if bounds in self._pieces}


_MOST_KEYS: Final = 255
_CLOSE_DOCUMENTS: Final = 300  # so many, at least, are asked how close they have the words of a sentence
_READ_DOCUMENTS: Final = 120  # the beginnings of so many are read for a sentence
_LONGEST_SENTENCE, _OURS = 300, range(len(OUR_LANGUAGES))
_UNREAD: Final = 0.3  # what the key terms of a document count beside what its beginning tells
_MORE: Final = 20  # so many times the wanted hits are judged where a policy leaves some of them out


class _Sentences:
    """A text whose sentence with most of some terms is wanted."""

    def __init__(self, text: str, language: str, settings: Settings) -> None:
        self._text, self._bounds = text, list(sentences(text))
        self._words = list(places_of_terms(text, cast("Language", language), settings))

    def with_most(self, terms: set[str]) -> str:
        """The first of the sentences with most of the terms."""
        bounds, most = (0, len(self._text)), -1
        met = [(start, term) for start, _, read in self._words if (term := next((t for t in read if t in terms), None))]
        for begin, end in self._bounds:
            number = len({term for start, term in met if begin <= start < end})
            if number > most:
                bounds, most = (begin, end), number
        return self._text[slice(*bounds)].strip()


class Searcher(Closing):
    """Searches a store as it is at the moment of each search, whichever process writes to it; never writes.

    It reads the index of closed epochs that the store keeps, as far as searches need it, and keeps it in memory.
    ``everything``: search the whole store, not only the window, unless a search says otherwise.
    """

    def __init__(self, store: Store, *, everything: bool = False) -> None:
        self._store = store
        self._everything = everything
        self._begin()

    def _begin(self) -> None:
        store = self._store
        stored = store.stored_position()
        self._restored, self.retunes = stored.restored, stored.retunes
        self._settings = StreamSettings.of(store.settings)
        self._parts = SearchedParts()
        self._beginnings = Beginnings()
        self._reader = QuestionReader(self._settings)
        judged = self._settings.preset == "judged"
        self._judge = QuestionJudge(store, self._settings.terms) if judged else None

    @classmethod
    def open(cls, path: str | Path, *, everything: bool = False) -> Self:
        """Open a store for searching; arguments as in the class."""
        store = Store.open(path, create=False, read_only=True)
        try:
            return cls(store, everything=everything)
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Close the store."""
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
        languages: Sequence[Language] | str | None = None,
        sources: Sequence[str] | str | None = None,
        everything: bool | None = None,
        since: int | None = None,
        until: int | None = None,
        semantic: bool = False,
        identical: float | None = None,
        within: str = "all",
        within_days: float | None = None,
    ) -> SearchHits:
        """Find the documents that resemble a text most.

        They are ordered by the share, by weight, of the text's key terms that they contain, and of a sentence by their
        ``closeness`` in it, then by the share of their key terms that the text contains, then by arrival. Documents in
        other languages are compared with the text itself and with its translation by the dictionaries; the better
        shares win. What their beginnings tell of a sentence counts too, if the store keeps texts. A text that is the
        id or the address of a document stands for it, and finds it too.
        """
        check_texts(text=text, title=title, id=str(id or ""), url=str(url or ""))
        top, policy = Range(0).check("top", top), Policy.of(identical=identical, within=within, within_days=within_days)
        if policy != EVERY_PAIR and self._judge is None:
            raise ConfigurationError("identical, within and within_days need preset judged, which this store has not")
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
            if position_of(connection).restored != self._restored:
                self._begin()
            self._parts.refresh(connection)
            self._reader.refresh(connection)
            named = id is None and url is None and not title and self._names(text)
            if named:
                id, url = named  # noqa: A001 - its own word
            itself, notes = None, []
            document = Document(id="", text=text, title=title, lang=language_beyond_ours(text))
            if id is not None or url is not None:
                itself = search_index.documents_of(connection, [self._stored(id, url)]).popitem()[1]
                body = self._store.text(itself.ordinal) or ""
                document = Document(id="", text=body, title=itself.title, lang=itself.language)
                if not body and across:
                    across = False
                    notes.append("its text is not stored, so it was not translated into other languages")
            if itself is None and (policy.within != "all" or policy.within_days is not None):
                raise ConfigurationError("a text has no source and no date; within and within_days need an id or url")
            first, end = self._store.span(since=since, until=until)
            scope = search_index.SearchScope(
                first=first if everything else max(first, window_start(connection)),
                end=end,
                itself=None if itself is None or named else itself.ordinal,
                languages=None if wanted is None else [LANGUAGES.index(one) for one in wanted],
                sources=None if sources is None else frozenset(one_or_several(sources)),
            )
            stored = itself is not None and not document.text
            question = self._reader.stored(connection, itself) if stored and itself else self._reader.read(document)
            parts = self._parts.between(connection, scope.first, scope.end)
            searched = SearchedDocuments([(part, scope.allowed(part)) for part in parts])
            asked = [question.asked] if itself else self._either(document, question.asked)
            if across:
                asked += self._translated(document, question.asked, searched.languages)
            most = top if policy == EVERY_PAIR else top * _MORE
            ranked = self._ranked(connection, asked, searched, k_min, most, question)
            if self._judge is not None:
                self._judge.refresh(connection)
            hits = self._hits(connection, question, itself, ranked, policy, semantic=semantic)[: top or None]
            notes += [] if hits else self._too_few_terms(question.asked, k_min)
            notes += _limits(policy)
            if semantic:
                notes.append("a sentence encoder judged doubtful hits")
            summary = searched.summarise(connection, [*notes, *self._parts.notes()])
            return SearchHits(hits, summary, judged=self._judge is not None)

    def with_sentences(self, text: str, hits: SearchHits) -> SearchHits:
        """Give each hit the sentence of the text that it answers, and its own."""
        language, own = language_beyond_ours(text) or "other", dict[bool, _Sentences]()
        settings = self._settings.terms, self._settings.terms.but(representation="pivot")
        for place, hit in enumerate(hits):
            terms = settings[across := hit.language != language]
            if across not in own:
                own[across] = _Sentences(text, language, terms)
            theirs, words = self._store.text(hit.ordinal), {one["their_word"] for one in hit.met}
            hits[place] = replace(
                hit,
                sentence=own[across].with_most({one["word"] for one in hit.met}),
                their_sentence=_Sentences(theirs, hit.language, terms).with_most(words) if theirs else None,
            )
        return hits

    def _hits(
        self,
        connection: sqlite3.Connection,
        question: Question,
        itself: search_index.FoundDocument | None,
        ranked: Sequence[RankedDocument],
        policy: Policy,
        *,
        semantic: bool,
    ) -> list[Hit]:
        """Make rows of the found documents that ``policy`` lets be hits; in preset ``faithful``, key terms decide."""
        stored = search_index.documents_of(connection, [one.ordinal for one in ranked])
        found = [stored[one.ordinal] for one in ranked]
        judged: Sequence[HitJudgement | None] = [None] * len(found)
        if self._judge is not None:
            judged = self._judge.judged(question, itself, found, semantic=semantic, policy=policy)
            kept = self._kept(itself, found, judged, policy).tolist()
            ranked, found = list(compress(ranked, kept)), list(compress(found, kept))
            judged = list(compress(judged, kept))
        translations = self._translations(connection, question, itself, ranked, found)
        text = b""
        if itself is not None:
            text = itself.text_hash
        elif question.document is not None:
            text = equality_hash(question.document)
        lists = [_met_terms(near.asked, one, in_text=self._in_text) for near, one in zip(ranked, found, strict=True)]
        # Terms that match a key term of the text are among the terms with weights.
        names = search_index.term_names_of(connection, sorted({term for weights, _ in lists for term in weights}))
        return [
            self._hit(near, one, judgement, text, terms, names, across=translations.get(place))
            for place, (near, one, judgement, terms) in enumerate(zip(ranked, found, judged, lists, strict=True))
        ]

    def _kept(
        self,
        itself: search_index.FoundDocument | None,
        found: Sequence[search_index.FoundDocument],
        judged: Sequence[HitJudgement | None],
        policy: Policy,
    ) -> Bools:
        kept = np.array([policy.identical is None if one is None else one.counts for one in judged], np.bool_)
        if itself is None or not found:
            return kept
        every = [itself, *found]
        facts = DocumentFacts.of(
            [one.source for one in every],
            [one.published for one in every],
            [b""] * len(every),
            [one.url for one in every],
        )
        asked, others = np.zeros(len(found), dtype=np.int64), np.arange(1, len(every), dtype=np.int64)
        return kept & policy.allows(*circumstances_of(facts.at(asked), facts.at(others)))

    def _translations(
        self,
        connection: sqlite3.Connection,
        question: Question,
        itself: search_index.FoundDocument | None,
        ranked: Sequence[RankedDocument],
        found: Sequence[search_index.FoundDocument],
    ) -> dict[int, str]:
        places = [place for place, near in enumerate(ranked) if near.translates]
        if self._judge is None or self._settings.across != "pivot" or not places:
            return {}
        shares = np.array([(ranked[place].share_forward, ranked[place].share_backward) for place in places])
        kept = self._judge.translate(connection, question, itself, [found[place] for place in places], shares)
        return {place: kind for place, kind in zip(places, kept, strict=True) if kind}

    def _hit(
        self,
        near: RankedDocument,
        one: search_index.FoundDocument,
        judged: HitJudgement | None,
        text: bytes,
        terms: tuple[Mapping[int, int], Sequence[tuple[int, int]]],
        names: Mapping[int, str],
        *,
        across: str | None,
    ) -> Hit:
        settings, (weights, met) = self._settings, terms
        sizes = np.array([len(near.asked.sets), len(one.keys)], dtype=np.int64)
        least = int(need(settings.k_duplicate, sizes[:1], sizes[1:], n=settings.terms.n, short=settings.terms.short)[0])
        forward, backward = near.counts
        same = text and one.text_hash[:TEXT_HASH] == text[:TEXT_HASH]
        # What cannot be compared shares the topic.
        kind = "copy" if same else across or ("related" if self._judge is not None else None)
        return Hit(
            ordinal=one.ordinal,
            id=one.id,
            title=one.title,
            source=one.source,
            published=time_text(one.published),
            url=one.url,
            language=one.language,
            group=one.group,
            forward=forward,
            backward=backward,
            share_forward=round(near.share_forward, SHOWN_DECIMALS),
            share_backward=round(near.share_backward, SHOWN_DECIMALS),
            relation=relation_of(forward, backward, least),
            kind=kind if judged is None else judged.kind,
            probability=None if judged is None else judged.probability,
            judged=self._judge is not None,
            across=near.asked.language is not None,
            differing=None if judged is None else judged.differing,
            terms=[names[term] for term in sorted(weights, key=lambda term: (-weights[term], names[term]))],
            met=[{"word": near.asked.words[place], "their_word": names[term]} for place, term in met],
        )

    def _either(self, document: Document, asked: AskedTerms) -> list[AskedTerms]:
        """The terms of a text, and by the other language if it is too short to show whether it is Russian."""
        twin = twin_of(document.text) if len(asked.sets) < FEW_TERMS else None
        return [asked] if twin is None else [asked, self._reader.read(replace(document, lang=twin)).asked]

    def _translated(self, document: Document, asked: AskedTerms, languages: Sequence[int]) -> list[AskedTerms]:
        found = self._reader.translated(document, languages)
        twin = twin_of(document.text) if len(asked.sets) < self._settings.terms.n else None
        return found if twin is None else found + self._reader.translated(replace(document, lang=twin), languages)

    def _names(self, text: str) -> tuple[str | None, str | None] | None:
        """The id or the address that a text without blanks is; None if no document has it."""
        word = text.strip()
        if not word or len(word.split()) > 1:
            return None
        if self._store.ordinal_of(id=word, url=None) is not None:
            return word, None
        return None if self._store.ordinal_of(id=None, url=word) is None else (None, word)

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
        question: Question,
    ) -> list[RankedDocument]:
        questions = TermQuestions(asked, [self._least(one, k_min) for one in asked], in_text=self._in_text)
        document, own, likely = question.document, LANGUAGES[question.language], np.zeros(0, dtype=np.int64)
        sentence = max(len(one.sets) for one in asked) < self._settings.terms.n
        sentence |= document is not None and len(document.text) <= _LONGEST_SENTENCE
        told = None
        if sentence and top and document is not None and own in OUR_LANGUAGES:
            # A sentence of the language that it is told in is read as the twin of this language.
            text, twin = document.text, twin_of(document.text) or own
            names = [(own if own != name else twin, name) for name in OUR_LANGUAGES]
            told = cache(lambda language: ToldSentence(text, *names[language]))
            across = [at for one in asked if (at := one.language) is not None and at in _OURS]
            if across:
                counts = self._parts.documents, self._parts.forgotten
                last = self._beginnings.refreshed(*counts, partial(search_index.beginnings_of, connection))
                if self._beginnings:
                    languages = searched.language_of(last)
                    asked_in = {one: told(one) for one in across if one in languages}
                    likely = self._beginnings.likely(asked_in, last, languages)
        most = max(top, _CLOSE_DOCUMENTS) if sentence and top else top
        found: list[list[FoundInPart]] = [[] for _ in asked]
        for part, allowed in searched.parts:
            for number, near in questions.ask(part, allowed, likely):
                found[number].append(near)
        ranked = []
        for number, one in enumerate(asked):
            nearest = questions.near(number, found[number])
            nearest = nearest.nearest(most, likely) if most else nearest
            ranked += self._with_both_shares(connection, one, nearest, sentence=sentence)
        ranked.sort(key=RankedDocument.rank)
        first: dict[int, RankedDocument] = {}
        for one_ranked in ranked:
            first.setdefault(one_ranked.ordinal, one_ranked)
        ranked = list(first.values())
        if told is not None:
            ranked = self._as_read(connection, told, ranked, likely)
        return ranked[: top or None]

    def _as_read(
        self,
        connection: sqlite3.Connection,
        told: Callable[[int], ToldSentence],
        ranked: Sequence[RankedDocument],
        likely: Ints,
    ) -> list[RankedDocument]:
        """Order documents by what those in other languages tell of a sentence at their beginning, if it is kept."""
        wanted = {*likely.tolist(), *(one.ordinal for one in ranked[:_READ_DOCUMENTS])}
        read = [one for one in ranked if one.ordinal in wanted]
        others = [one.ordinal for one in read if one.asked.language in _OURS]
        begun = self._beginnings.of(others, partial(search_index.beginnings_of, connection))

        def rank(one: RankedDocument) -> tuple[float, float, int]:
            share, other, ordinal = one.rank()
            if one.asked.language is not None and ordinal in begun:
                share = share * _UNREAD - told(one.asked.language).told_by(begun[ordinal])
            return share, other, ordinal

        return sorted(read, key=rank) + [one for one in ranked if one.ordinal not in wanted]

    def _with_both_shares(
        self, connection: sqlite3.Connection, asked: AskedTerms, near: NearDocuments, *, sentence: bool
    ) -> list[RankedDocument]:
        ordinals = near.ordinals.tolist()
        kept = search_index.key_weights_of(connection, ordinals)
        kinds: tuple[np.dtype[Any], ...] = INT32, INT64, INT32
        keys, weights, orders = (
            joined_rows([numbers_of(kept[ordinal][part], kind) for ordinal in ordinals])
            for part, kind in enumerate(kinds)
        )
        backward = share_of_rows(keys, weights, asked.targets if self._in_text else asked.matching).tolist()
        close = closeness(asked, orders).tolist() if sentence else [0.0] * len(ordinals)
        return [
            RankedDocument(asked, *one)
            for one in zip(ordinals, near.counts.tolist(), near.shares.tolist(), backward, close, strict=True)
        ]

    @property
    def _in_text(self) -> bool:
        return self._settings.terms.target == "text"

    def _too_few_terms(self, asked: AskedTerms, k_min: int | None) -> list[str]:
        least, terms = int(self._least(asked, k_min).min()), max(len(asked.sets), len(asked.targets))
        return [f"the text has too few key terms ({terms}): at least {least} must match"] if terms < least else []

    def _least(self, asked: AskedTerms, k_min: int | None) -> Ints:
        if k_min is not None:
            return np.full(_MOST_KEYS + 1, k_min, dtype=np.int64)
        terms, sizes = self._settings.terms, np.arange(_MOST_KEYS + 1)
        given = np.full_like(sizes, len(asked.sets))
        least = need(self._settings.k_similar, given, sizes, n=terms.n, short=terms.short)
        # A headline may have one or two key terms: then all of them must match. Of a translated sentence, a quarter
        # suffices: many words have other equivalents.
        few = len(asked.sets) if asked.language is None or len(asked.sets) >= terms.n else len(asked.sets) // 4
        return np.minimum(least, max(1, few))
