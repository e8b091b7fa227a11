"""A stream across languages: terms of the pivot language, and links with earlier documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.facts import circumstances_of
from infostream_dedup.judging.evidence.judging import agreement
from infostream_dedup.judging.evidence.kernels.sharing import SLOTS
from infostream_dedup.language.lexicon.tables import is_latin
from infostream_dedup.links.compiled.window_index import CandidateRows, WindowIndex
from infostream_dedup.links.pair_rules import LEAST_ORDERED_SHARE, NEAR_BEST, OneText
from infostream_dedup.machine.arrays import INT32, INT64, Bools, Ints, Ragged, blobs_of_rows, numbered_ends
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.model.stream_records import KeptPivot, TranslatedFrom, Verdict
from infostream_dedup.stream.analysis import TermNumbers, choose_keys, code_point_rank, longer
from infostream_dedup.stream.kernels import pivot as kernels
from infostream_dedup.stream.pivot_terms import PIVOT, PivotFrequencies, PivotRead, PivotReader, PivotWords, without
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import ComparedDocuments, PivotRows, Window
from infostream_dedup.stream.word_order import OrderedWords, contradictions, keep_order, tell_one_event
from infostream_dedup.terms.matched_words import SAME

# Earlier documents in other languages that have the same text as a new one.
#
# The rule is that of `links.pair_rules`. A translation can only be found in the past: a link is judged by the
# documents that came before the later of its two ends, so the answer for a document never changes, and is the same
# however the stream was cut into batches.

KEY_TERMS: Final = 30  # number of key terms in the pivot language by which documents are compared
_LEAST_TERMS: Final = 3
_LEAST_ROOM: Final = 4
_UNIT: Final = 1_000_000_000  # shares are compared as integers in units of 1e-9, as they are stored

_TOO_SMALL: Final = LEAST_ORDERED_SHARE - 1e-6
"""Below this share in one direction, the other need not be known; the rest is more than any rounding."""


_NEEDS: Final = np.maximum(_LEAST_TERMS, -(-np.arange(KEY_TERMS + 1) // 3)).astype(np.int64)
"""Canonical key terms that must match in one direction, by the number of key terms of the shorter document.

A third of them, at least three: nearly all translations share more."""


@dataclass(frozen=True, slots=True)
class LinkAcross:
    """An earlier document in another language with enough matching key terms in both directions."""

    ordinal: int  # the earlier document
    forward: int  # share, by weight, of the later document's key terms found in the earlier one, in units of 1e-9
    backward: int  # share of the earlier document's key terms found in the later one
    translates: bool = True  # whether it keeps the order of the words
    one_event: bool = False  # whether numbers, names and some of the order say that both report one event
    differing: WordDifference | None = None  # the figures in which a translation contradicts the earlier document

    @property
    def smaller(self) -> int:
        """The smaller of both shares."""
        return min(self.forward, self.backward)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: greatest smaller share first, then greatest larger share, then earliest document."""
        return -self.smaller, -max(self.forward, self.backward), self.ordinal


class _Partner(NamedTuple):
    """The other end of a link; the smallest is the best."""

    share: int  # the smaller share of the link, negated
    ordinal: int  # ordinal of the document


class _Partners:
    """Partners of a document in one language."""

    __slots__ = ("_all", "_best")

    def __init__(self) -> None:
        self._all: list[_Partner] = []
        self._best: _Partner | None = None

    def add(self, partner: _Partner) -> None:
        self._all.append(partner)
        self._best = partner if self._best is None else min(self._best, partner)

    def best(self, oldest: int) -> _Partner:
        """The best partner that is not older than ``oldest``; there is at least one."""
        if self._best is None or self._best.ordinal < oldest:
            self._all = [one for one in self._all if one.ordinal >= oldest]
            self._best = min(self._all)
        return self._best


@dataclass(frozen=True, slots=True)
class _PastLinks:
    """Links found before a restart: in arrays, since few of them are ever needed again."""

    ordinals: Ints  # int64 (links,), one document of each link, ascending; each link occurs twice
    partners: Ints  # int64 (links, 2), the other document, and the smaller share

    @classmethod
    def of(cls, links: Ints) -> _PastLinks:
        """Arrange links, int64 (links, 3): later document, earlier document, smaller share."""
        both = np.concatenate([links, links[:, [1, 0, 2]]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        return cls(np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1:]))

    def of_document(self, ordinal: int) -> list[tuple[int, int]]:
        """The partners of a document, and the smaller shares."""
        begin, end = np.searchsorted(self.ordinals, (ordinal, ordinal + 1)).tolist()
        return [(other, share) for other, share in self.partners[begin:end].tolist()]

    def from_document(self, oldest: int) -> _PastLinks:
        """The links still needed when the window begins with ``oldest``; most links are kept a while longer."""
        begin = int(np.searchsorted(self.ordinals, oldest))
        if 2 * begin <= len(self.ordinals):
            return self
        return _PastLinks(self.ordinals[begin:].copy(), self.partners[begin:].copy())


class LinksAcross:
    """Finds and keeps the links of the window's documents: ``find`` for a batch, then ``kept`` in stream order."""

    def __init__(self, window: Window, words: PivotWords) -> None:
        self._window = window
        self._words = words
        # Documents of one language are never compared here, and most documents that share terms have one language.
        self._indexes = [WindowIndex() for _ in LANGUAGES]
        self._links: dict[int, dict[int, _Partners]] = {}
        self._past = _PastLinks.of(np.zeros((0, 3), dtype=np.int64))
        self._known = window.first

    def find(self, first: int, oldest: Ints) -> list[list[LinkAcross]]:
        """Look up earlier documents for each of the documents whose columns have been added."""
        columns, row = self._window.pivot_columns, first - self._window.first
        keys, targets = (rows.rows_from(row, row + len(oldest)) for rows in (columns.keys, columns.matched_by))
        languages = self._window.evidence_columns.languages[row : row + len(oldest)]
        links: list[list[LinkAcross]] = [[] for _ in range(len(oldest))]
        for language, index in enumerate(self._indexes):
            enters = languages == language
            if not len(index) and not enters.any():
                continue
            found = index.ask_and_extend(
                np.arange(first, first + len(oldest)),
                keys=keys,
                targets=targets,
                oldest=oldest,
                needs=_NEEDS,
                least_keys=_LEAST_TERMS,
                enters=enters,
            )
            for candidates in found:
                if len(candidates.ordinals):
                    self._link(candidates, first, links)
        for own in links:
            own.sort(key=lambda one: one.ordinal)
        return links

    def kept(
        self, first: int, links: Sequence[Sequence[LinkAcross]], oldest: Sequence[int], one_text: OneText
    ) -> list[list[LinkAcross]]:
        """The links that the rule keeps, the best of each document first."""
        if not any(links):
            self._forget_before(max(oldest, default=0))
            return [[] for _ in links]
        doubts: list[list[list[tuple[int, int]]]] = []
        for ordinal, (own, alive) in enumerate(zip(links, oldest, strict=True), start=first):
            self._forget_before(alive)
            own = [one for one in own if one.translates]
            self.take(ordinal, [(one.ordinal, one.smaller) for one in own])
            doubts.append(self._doubts(ordinal, own, alive) if own else [])
        asked = sorted({one for own in doubts for link in own for one in link})
        pairs = np.array(asked, dtype=np.int64).reshape(-1, 2)
        same = dict(zip(asked, one_text(pairs[:, 0], pairs[:, 1]).tolist(), strict=True)) if asked else {}
        return [
            sorted(
                (
                    one
                    for one, doubtful in zip((one for one in own if one.translates), of_links, strict=True)
                    if all(map(same.__getitem__, doubtful))
                ),
                key=lambda one: one.rank,
            )
            for own, of_links in zip(links, doubts, strict=True)
        ]

    def told(
        self, first: int, found: Sequence[Sequence[LinkAcross]], kept: Sequence[Sequence[LinkAcross]]
    ) -> tuple[list[list[LinkAcross]], list[list[LinkAcross]]]:
        """Of the kept links those to translations; and those to other reports of the event, which differ or not."""
        asked = [(one.ordinal, first + at) for at, own in enumerate(kept) for one in own]
        rows = np.array(asked, dtype=np.int64).reshape(-1, 2).T - self._window.first
        used, (a, b) = numbered_ends(*rows)
        evidence = self._window.evidence_columns
        figures = iter(contradictions(a, b, evidence.languages[used], evidence.records_of(used)).tolist())
        links = [[replace(one, differing=next(figures)) for one in own] for own in kept]
        translations = [[one for one in own if one.differing is None] for own in links]
        told = [[one for one in own if one.differing is not None] for own in links]
        for reports, every, own in zip(told, found, kept, strict=True):
            reports += sorted((one for one in every if one.one_event and one not in own), key=lambda one: one.rank)
        return translations, told

    def take(self, ordinal: int, links: Sequence[tuple[int, int]]) -> None:
        """Remember the links of a document with earlier ones in the window: ordinal and smaller share."""
        for other, share in links:
            for one, partner in ((ordinal, other), (other, ordinal)):
                by_language = self._links.setdefault(one, {})
                by_language.setdefault(self._language(partner), _Partners()).add(_Partner(-share, partner))

    def resume(self, first: int, links: Ragged) -> None:
        """Index documents whose columns have been added and that were judged earlier or by another process."""
        window, columns = self._window, self._window.pivot_columns
        begin, end = max(first, window.oldest) - window.first, window.end - window.first
        for language, index in enumerate(self._indexes):
            index.expire_before(window.oldest)
            rows = begin + np.flatnonzero(window.evidence_columns.languages[begin:end] == language)
            keys, targets = columns.keys.gathered(rows), columns.matched_by.gathered(rows)
            index.extend(window.first + rows, keys=keys, targets=targets)
        pairs = links.values.reshape(-1, 2)
        later = first + np.repeat(np.arange(len(links), dtype=np.int64), links.sizes // 2)
        if not self._links and not len(self._past.ordinals):
            self._past = _PastLinks.of(np.column_stack([later, pairs]))
        else:
            for ordinal, (other, share) in zip(later.tolist(), pairs.tolist(), strict=True):
                if other >= window.oldest:
                    self.take(ordinal, [(other, share)])
        self._forget_before(window.oldest)

    def _link(self, candidates: CandidateRows, first: int, links: list[list[LinkAcross]]) -> None:
        window = self._window
        later = np.repeat(np.arange(len(candidates), dtype=np.int64) + candidates.first, np.diff(candidates.ends))
        earlier = candidates.ordinals - window.first
        b = later + (first - window.first)
        counts, met, own = _shared(b, earlier, window.pivot_columns.documents)
        shares = np.rint(met / np.maximum(own, 1) * _UNIT).astype(np.int64)
        strong = (counts >= _LEAST_TERMS) & (shares >= round(LEAST_ORDERED_SHARE * _UNIT))
        chosen = np.flatnonzero(strong[:, 0] & strong[:, 1])
        translate, tell = self._compared(earlier[chosen], b[chosen], shares[chosen])
        for at in np.flatnonzero(translate | tell).tolist():
            place = chosen[at]
            number, row = int(later[place]), int(earlier[place])
            text = window.hashes[row][0]
            if not text or text != window.hashes[number + first - window.first][0]:
                forward, backward = shares[place].tolist()
                link = LinkAcross(row + window.first, forward, backward, bool(translate[at]), bool(tell[at]))
                links[number].append(link)

    def _compared(self, earlier: Ints, later: Ints, shares: Ints) -> tuple[Bools, Bools]:
        """Which documents evidence and the order of words let be translations, and which reports of one event."""
        if not len(earlier):
            return np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.bool_)
        rows, numbers = np.unique(np.concatenate([earlier, later]), return_inverse=True)
        documents = ComparedDocuments.of_window(self._window, rows)
        a, b = numbers[: len(earlier)].astype(np.int64), numbers[len(earlier) :].astype(np.int64)
        _, hours = circumstances_of(documents.facts.at(a), documents.facts.at(b))
        agreed = agreement(a, b, shares / _UNIT, hours, documents.keys, documents.records)
        left = np.flatnonzero(~agreed.contradicts)
        orders = _ordered(self._window, self._words).compared(earlier[left], later[left])
        translate, tell = ~agreed.contradicts, agreed.one_event
        translate[left] = keep_order(orders, shares[left] / _UNIT, agreed.numbers[left])
        tell[left] &= tell_one_event(orders, shares[left] / _UNIT)
        return translate, tell

    def _doubts(self, ordinal: int, links: Sequence[LinkAcross], oldest: int) -> list[list[tuple[int, int]]]:
        """For each link, the earlier first, each end that has a better partner, with it; equal texts keep the link."""
        language, theirs = self._language(ordinal), [self._language(one.ordinal) for one in links]
        mine: dict[int, _Partner] = {}
        for link, spoken in zip(links, theirs, strict=True):
            partner = _Partner(-link.smaller, link.ordinal)
            mine[spoken] = min(partner, mine.get(spoken, partner))
        found = []
        for link, spoken in zip(links, theirs, strict=True):
            best = self._best(link.ordinal, language, oldest)
            found.append(
                [
                    (min(end, better.ordinal), max(end, better.ordinal))
                    for end, better in ((link.ordinal, mine[spoken]), (ordinal, best))
                    if link.smaller < round(NEAR_BEST * -better.share)
                ]
            )
        return found

    def _best(self, ordinal: int, language: int, oldest: int) -> _Partner:
        found = self._links[ordinal][language].best(oldest)
        for other, share in self._past.of_document(ordinal):
            if other >= oldest and self._language(other) == language:
                found = min(found, _Partner(-share, other))
        return found

    def _language(self, ordinal: int) -> int:
        language: int = self._window.evidence_columns.languages.item(ordinal - self._window.first)
        return language

    def _forget_before(self, oldest: int) -> None:
        if oldest <= self._known:
            return
        for gone in range(self._known, oldest):
            self._links.pop(gone, None)
        self._known = oldest
        self._past = self._past.from_document(oldest)


def _ordered(window: Window, words: PivotWords) -> OrderedWords:
    return OrderedWords(words, window.pivot_columns.order.rows, window.evidence_columns.languages)


def _shared(held: Ints, asking: Ints, documents: kernels.PivotDocuments) -> kernels.SharedKeys:
    """Key terms that match in both directions; none of the held document if too few of the asking one's match."""
    shared = kernels.SharedKeys(*np.zeros((3, len(held), 2), dtype=np.int64))
    if len(held):
        rows = np.concatenate([held, asking])
        members, matched_by = (
            max(_LEAST_ROOM, int((begins[rows + 1] - begins[rows]).max()))
            for begins in (documents.member_begins, documents.matched_begins)
        )
        scratch = kernels.PivotScratch(
            np.zeros(SLOTS * members, dtype=np.int32),
            np.zeros(SLOTS * matched_by, dtype=np.int32),
            np.zeros(max(members, matched_by) + 1, dtype=np.int64),
        )
        kernels.share_pivot(held, asking, documents, scratch, _TOO_SMALL, shared)
    return shared


# For the reader of a verdict: which words of two documents in different languages match

_WEIGHT_UNIT: Final = 1e-9
_ENGLISH: Final = LANGUAGES.index("en")
_TERM_BITS: Final = 32
_UNKNOWN, _LATIN, _OTHER = 0, 1, 2


class _Met(NamedTuple):
    """Terms in which pairs of documents match."""

    pairs: Ints  # int64, ascending; number of the pair of documents
    terms: Ints  # int64, the terms; within a pair by weight of the key term, heaviest first, each once


class _SourceWords(NamedTuple):
    """The words of one document of each pair that produced the matching terms."""

    held: Bools  # bool, by position in `_Met`: whether a word of the document produced the term
    words: list[str]  # the word; undefined if there is none
    rungs: list[str | None]  # the rung that leads from the word to the term; `None` in the pivot language itself


class WordsAcross:
    """Names the words that match."""

    def __init__(self, window: Window, words: PivotWords, numbers: TermNumbers) -> None:
        self._window = window
        self._words = words
        self._numbers = numbers
        self._latin: NDArray[Any] = np.zeros(0, dtype=np.int8)

    def translated(self, ordinals: Sequence[int], links: Sequence[LinkAcross]) -> list[TranslatedFrom]:
        """Describe how documents match earlier ones."""
        if not links:
            return []
        rows = np.array(ordinals, dtype=np.int64) - self._window.first
        others = np.array([link.ordinal for link in links], dtype=np.int64) - self._window.first
        met, orders = self._met(rows, others), _ordered(self._window, self._words).compared(others, rows)
        own, their = self._source_words(rows, met), self._source_words(others, met)
        both = np.flatnonzero(own.held & their.held)
        pivots = self._numbers.terms.some(met.terms[both])
        named_rows = [
            (own.words[place], pivot, their.words[place], _rung(own.rungs[place], their.rungs[place]))
            for place, pivot in zip(both.tolist(), pivots, strict=True)
        ]
        bounds = np.searchsorted(met.pairs[both], np.arange(len(links) + 1)).tolist()
        return [
            TranslatedFrom(
                share_forward=_share(link.forward),
                share_backward=_share(link.backward),
                order=order.share,
                places=order.places,
                met=tuple(named_rows[begin:end]),
            )
            for link, order, (begin, end) in zip(links, orders, pairwise(bounds), strict=True)
        ]

    def _met(self, rows: Ints, others: Ints) -> _Met:
        """For each key term that the other document has, the term in which they match."""
        columns = self._window.pivot_columns
        members, keys = columns.members.gathered(rows), columns.keys.gathered(rows)
        pairs, terms, places = (
            members.numbers,
            members.values >> kernels.PLACE_BITS,
            members.values & (kernels.MOST_KEYS - 1),
        )
        hit = np.flatnonzero(_among(_codes(pairs, terms), _pair_codes(columns.matched_by.gathered(others))))
        pairs, terms, places = pairs[hit], terms[hit], places[hit]
        # The key term itself, otherwise the first by code points: unlike their numbers, words do not depend on how the
        # stream was cut into batches.
        other = keys.values[keys.indptr[pairs] + places] != terms
        key = pairs * kernels.MOST_KEYS + places
        best = _firsts(np.lexsort((code_point_rank(terms, self._numbers), other, key)), key)
        # One term may match for two key terms; it goes with the heavier one.
        codes = _codes(pairs[best], terms[best])
        best = best[np.sort(_firsts(np.argsort(codes, kind="stable"), codes))]
        return _Met(pairs[best], terms[best])

    def _source_words(self, rows: Ints, met: _Met) -> _SourceWords:
        """The word of one document of each pair that produced each term: the smallest whose best term it is."""
        spoken = self._window.evidence_columns.languages[rows]
        codes = _codes(met.pairs, met.terms)
        order = np.argsort(codes)
        held = np.zeros(len(codes), dtype=np.bool_)
        words: list[str] = [""] * len(codes)
        rungs: list[str | None] = [None] * len(codes)
        for language in np.unique(spoken).tolist():
            asked = np.flatnonzero(spoken == language)
            sources = self._sources(rows[asked], language)
            owners = asked[sources.numbers]
            places, terms = self._words.met(language, sources.values)
            found = _codes(owners[places], terms.astype(np.int64))
            hit = np.flatnonzero(_among(found, codes[order]))
            found, origins = found[hit], sources.values[places[hit]]
            further = self._words.canonical(language, origins) != terms[hit]
            best = _firsts(np.lexsort((code_point_rank(origins, self._numbers), further, found)), found)
            of = order[np.searchsorted(codes[order], found[best])]
            held[of] = True
            named = self._numbers.terms.some(origins[best])
            through: Sequence[str | None] = [None] * len(best)
            if OUR_LANGUAGES[language] != PIVOT:
                through = self._words.rungs(language, sources.values, hit[best])
            for place, word, rung in zip(of.tolist(), named, through, strict=True):
                words[place], rungs[place] = word, rung
        return _SourceWords(held, words, rungs)

    def _sources(self, rows: Ints, language: int) -> Ragged:
        if language != _ENGLISH:
            return self._window.targets.gathered(rows).as_int64()
        # An English word also matches itself.
        matched_by = self._window.pivot_columns.matched_by.gathered(rows)
        terms = matched_by.values.astype(np.int64)
        self._latin = longer(self._latin, int(terms.max(initial=-1)) + 1)
        new = np.unique(terms[self._latin[terms] == _UNKNOWN])
        if len(new):
            self._latin[new] = [_LATIN if is_latin(term) else _OTHER for term in self._numbers.terms.some(new)]
        return Ragged(matched_by.indptr, terms).chosen(self._latin[terms] == _LATIN)


def _codes(pairs: Ints, terms: Ints) -> Ints:
    """Pair and term as one number."""
    return pairs << np.int64(_TERM_BITS) | terms


def _pair_codes(rows: Ragged) -> Ints:
    return _codes(rows.numbers, rows.values.astype(np.int64))


def _among(values: Ints, wanted: Ints) -> Bools:
    if not len(wanted):
        return np.zeros(len(values), dtype=np.bool_)
    places = np.minimum(np.searchsorted(wanted, values), len(wanted) - 1)
    return np.asarray(wanted[places] == values, dtype=np.bool_)


def _firsts(order: Ints, key: Ints) -> Ints:
    """First position of each key in an order sorted by the key."""
    ordered = key[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    found: Ints = order[first]
    return found


def _share(share: int) -> float:
    return round(share * _WEIGHT_UNIT, SHOWN_DECIMALS)


def _rung(own: str | None, their: str | None) -> str:
    return "+".join(dict.fromkeys(rung for rung in (own, their) if rung)) or SAME


@dataclass(frozen=True, slots=True)
class EnteringAcross:
    """Consecutive documents of a batch on their way into the window, in the pivot language."""

    rows: PivotRows  # the columns that the window keeps
    canonical: Ragged  # the terms that document frequencies count

    def kept(self, links: Sequence[Sequence[LinkAcross]]) -> list[KeptPivot]:
        """What is kept of each document, given its links."""
        rows = self.rows
        columns: dict[str, tuple[Ragged, np.dtype[Any]]] = {
            "keys": (rows.keys, INT32),
            "weights": (rows.weights, INT64),
            "members": (rows.members, INT64),
            "canonical": (self.canonical, INT32),
            "further": (without(rows.matched_by, self.canonical), INT32),
            "word_order": (rows.order, INT32),
        }
        blobs = zip(*(blobs_of_rows(one.indptr, one.values, dtype) for one, dtype in columns.values()), strict=True)
        return [
            KeptPivot(**dict(zip(columns, one, strict=True)), links=_packed(own))
            for one, own in zip(blobs, links, strict=True)
        ]


def _packed(links: Sequence[LinkAcross]) -> bytes:
    values = [value for link in links if link.translates for value in (link.ordinal, link.smaller)]
    return np.array(values, dtype=INT64).tobytes() if values else b""


class Across:
    """The part of a stream's engine that compares documents across languages."""

    def __init__(self, settings: StreamSettings, numbers: TermNumbers) -> None:
        self._settings = settings.terms.but(n=KEY_TERMS)
        self._numbers = numbers
        self._words = PivotWords(numbers)
        self.reader = PivotReader(settings.terms, numbers, self._words)
        self.frequencies = PivotFrequencies(settings.terms, numbers)

    def remember(self, window: Window) -> None:
        """Attach the window, whose documents are not linked yet."""
        self._window = window
        self.links = LinksAcross(window, self._words)
        self._met = WordsAcross(window, self._words, self._numbers)

    def entering(self, read: PivotRead, start: int, end: int) -> EnteringAcross:
        """Choose the key terms of consecutive documents of one epoch."""
        keys = choose_keys(read.canonical, start, end, self.frequencies, self._numbers, self._settings)
        canonical, matched_by, order = (
            rows.part(start, end).as_int64() for rows in (read.canonical.terms, read.matched_by, read.order)
        )
        return EnteringAcross(PivotRows(*keys, read.members(start, keys.keys), matched_by, order), canonical)

    def met(self, first: int, links: Sequence[Sequence[LinkAcross]]) -> list[TranslatedFrom | None]:
        """Describe how consecutive documents match the best earlier one, of which one may differ, or None."""
        linked = [place for place, own in enumerate(links) if own]
        found: list[TranslatedFrom | None] = [None] * len(links)
        named = self._met.translated([first + place for place in linked], [links[place][0] for place in linked])
        for place, translation in zip(linked, named, strict=True):
            differing = links[place][0].differing
            if differing is not None:
                translation = replace(translation, differs_by=differing.reason, differing=differing.words)
            found[place] = translation
        return found

    def extend_verdict(
        self, verdict: Verdict, links: Sequence[LinkAcross], source: TranslatedFrom | None, told: Sequence[LinkAcross]
    ) -> Verdict:
        """Add the best link of a document across languages to its verdict, and the best one to another report."""
        if told:
            verdict = replace(verdict, same_story_of=self._window.id_of(told[0].ordinal))
        of = self._window.id_of(links[0].ordinal) if links else None
        return verdict if source is None else replace(verdict, translation_of=of, translation=source)
