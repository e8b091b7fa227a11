"""What the rules of ``kinds`` use: evidence, probability, and who published what when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.pair_evidence import warns
from infostream_dedup.judging.evidence.pair_model import DECIMALS
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.language.text.fingerprint import TEXT_HASH
from infostream_dedup.machine.arrays import AlignedColumns, Bools, Floats, Ints
from infostream_dedup.model import NO_TIME, Document, fields_of, microseconds_of
from infostream_dedup.model.document import outlet_of

NO_SOURCE: Final = -1
HOUR: Final = 3_600_000_000
DAY: Final = 24 * HOUR  # microseconds

NEWS_HOURS: Final = 12
"""Hours within which a report is repeated rather than brought up to date, and within which an alert is the same one."""

STORY_HOURS: Final = 36  # hours within which two sources may report one story
VERSION_HOURS: Final = 72  # hours within which a source may publish a later version of a text

_COMPARED, _HALF = slice(TEXT_HASH), slice(TEXT_HASH + 8, None)
"""What of a checksum stands for the text and for its half in another language."""

_NOTHING: Final = np.zeros(0, dtype=np.int64)
_RECALLED_LEAD: Final = 0.5  # smallest share of a lead, by weight, in a text that goes on with what was reported there
_SENTENCE: Final = 30  # words and numbers that few sentences of news have
_ALERT: Final = 40  # words and numbers that few alerts and stubs have, with their titles
_CAPTION: Final = 12  # words and numbers of a text that can hardly tell an event

STORY_DAYS: Final = 14
"""A saga of months is no story: with 30 days and more, most of the largest ones of a year of news were sagas."""


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """Who published the documents, and when."""

    # int64 (documents,), number of the outlet (see `outlet_of`), `NO_SOURCE` if it is unknown
    sources: Ints
    times: Ints  # int64 (documents,), microseconds since 1970, `NO_TIME` if there is no date
    texts: Ints  # int64 (documents,), equal for equal texts, negative for empty texts
    addresses: Ints  # int64 (documents,), equal for equal addresses, negative if a document has no address
    # int64 (documents,), equal for equal first fragments of one day, negative if these prove nothing; `None` if they
    # are compared otherwise
    openings: Ints | None = None
    # int64 (documents,), equal for texts that are equal with the lines that are not compared; `None` if `texts` is it
    whole: Ints | None = None
    # int64 (documents,), number among `texts` of the half in another language, or negative; `None` if nobody has one
    halves: Ints | None = None

    @classmethod
    def of_documents(
        cls, documents: Sequence[Document], text_hashes: Sequence[bytes], openings: Ints | None = None
    ) -> DocumentFacts:
        """Number the sources, texts and addresses of documents; ``text_hashes`` as in ``of``."""
        fields = fields_of(documents)
        return replace(cls.of(fields.sources, fields.times, text_hashes, fields.urls), openings=openings)

    @classmethod
    def of(
        cls,
        sources: Sequence[str | None],
        times: Sequence[int | None],
        text_hashes: Sequence[bytes],
        addresses: Sequence[str | None],
    ) -> DocumentFacts:
        """Number sources, texts (by ``equality_hash``) and addresses, so that equal ones have equal numbers."""
        texts = _numbered([one[part] for part in (_COMPARED, _HALF) for one in text_hashes])
        halves = texts[len(text_hashes) :]
        return cls(
            _numbered([outlet_of(source, url) for source, url in zip(sources, addresses, strict=True)]),
            np.array([NO_TIME if time is None else time for time in times], dtype=np.int64),
            texts[: len(text_hashes)],
            _numbered(addresses),
            whole=_numbered(text_hashes),
            halves=halves if np.any(halves >= 0) else None,
        )

    def at(self, rows: Ints) -> DocumentFacts:
        """Return the facts of some documents, in the order of ``rows``, int64 (rows,)."""
        more = (None if one is None else one[rows] for one in (self.openings, self.whole, self.halves))
        return DocumentFacts(self.sources[rows], self.times[rows], self.texts[rows], self.addresses[rows], *more)

    def same_text(self, a: Ints, b: Ints) -> Bools:
        """As ``same_text`` of pairs of these documents."""
        one, other = (DocumentFacts(_NOTHING, _NOTHING, self.texts[rows], _NOTHING) for rows in (a, b))
        if self.halves is not None:
            one, other = replace(one, halves=self.halves[a]), replace(other, halves=self.halves[b])
        return same_text(one, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFacts(AlignedColumns):
    """Facts about pairs, one array for each fact; shares are rounded to ``DECIMALS``."""

    same_text: Bools  # bool, the texts are equal
    same_whole: Bools  # bool, they are equal with the lines that are not compared
    same_opening: Bools  # bool, two sources begin alike on one day
    same_address: Bools  # bool, both have the same address
    known: Bools  # bool, both have a source and a date
    dated: Bools  # bool, at least one has a date
    same_source: Bools  # bool, one source published both
    other_day: Bools  # bool, both have dates, on different days (UTC)
    hours: Floats  # float64, hours between the two; infinite if a date is missing
    probability: Floats  # float64, probability of the pair model
    wording_forward: Floats  # float64, share of a's triples in b
    wording_backward: Floats  # float64, share of b's triples in a
    lead: Floats  # float64, share of one lead found in the other, the larger of the two directions
    vocabulary: Floats  # float64, cosine of all weighted terms
    # float64, share of one's numbers and dates found in the other, the larger of the two directions; -1 if
    # one has fewer than two
    numbers: Floats
    # bool, both have numbers that are not dates, one of them a single one, and share none
    other_figure: Bools
    many_figures: Bools  # bool, both have at least four numbers that are not dates
    other_dates: Bools  # bool, the dates in the two heads differ
    # bool, b's lead tells that something happened, not what somebody said, and half of a's lead is in b
    next_step: Bools
    same_title: Bools  # bool, titles are equal except for case and punctuation
    same_form: Bools  # bool, titles are equal except for case, punctuation, numbers, dates and ordinals
    no_title: Bools  # bool, at least one has no title
    one_sentence: Bools  # bool, one has fewer than 30 words and numbers
    turned: Bools  # bool, they differ in few words, and these turn the news round
    figure_alone: Bools  # bool, they differ in few words, and a figure is the only one that matters
    differing: NDArray[np.object_]  # `WordDifference` or `None`, the few words in which they differ
    anew: Bools  # bool, equal short texts report two events
    same_body: Bools  # bool, one source published equal short texts under two titles; looked at as above
    filled: Bools  # bool, most of the words that differ are names, numbers or days; looked at as above
    numbered: Bools  # bool, both begin with a number of a series, such as DSA-249; looked at as above
    background: Bools  # bool, what they share lies behind their beginnings; looked at as above
    # bool, both beginnings have numbers, in figures or words, and share none; looked at only where it may matter
    other_counts: Bools
    recalled_forward: Floats  # float64, share of a's lead in the whole of b
    recalled_backward: Floats  # float64, share of b's lead in the whole of a
    counts_forward: Floats  # float64, share of a's numbers in b; 1 if one has none
    counts_backward: Floats  # float64, share of b's numbers in a; 1 if one has none
    names_kept: Floats  # float64, the larger share of names in the other; 1 if one has none

    @property
    def wording_least(self) -> Floats:
        """Smaller direction of wording."""
        return np.minimum(self.wording_forward, self.wording_backward)

    @property
    def wording_most(self) -> Floats:
        """Larger direction of wording."""
        return np.maximum(self.wording_forward, self.wording_backward)

    @property
    def own(self) -> Bools:
        """One source published both, under different titles or on different days."""
        # Posts without titles are as different as news items under two, unless nearly all of one is in the other: then
        # a title may have been lost. Without dates, the "source" may be just the name of a collection.
        one_post = self.no_title & (self.wording_most >= 0.85) & (self.wording_least >= 0.6)
        return self.same_source & (self.dated & ~self.same_title & ~one_post | self.other_day)


_USED: Final = (
    *("cosine", "dates", "figures_backward", "figures_forward", "figures_least", "lead_backward", "lead_forward"),
    *("names_backward", "names_forward", "names_least", "numbers_backward", "numbers_forward", "numbers_least"),
    *("opening_backward", "opening_forward", "step", "title", "wording_backward", "wording_forward"),
)
"""Columns of evidence that the facts use."""

_PLACES: Final = [COLUMNS.index(name) for name in _USED]

LOOKED_AT: Final = ("turned", "figure_alone", "other_counts", "same_body", "filled", "numbered", "background", "anew")
"""Facts that ask for the texts, so they are looked at only where they may matter; elsewhere they do not hold."""


def facts_of_pairs(
    earlier: DocumentFacts, later: DocumentFacts, evidence: Floats, probability: Floats, tokens: Ints
) -> PairFacts:
    """Collect the facts about pairs."""
    column = dict(zip(_USED, np.round(evidence.T[_PLACES], DECIMALS), strict=True))
    dated = _dated(earlier, later)
    title = column["title"]
    numbers = np.maximum(column["numbers_forward"], column["numbers_backward"])
    figures = np.maximum(column["figures_forward"], column["figures_backward"])
    return PairFacts(
        same_text=same_text(earlier, later),
        same_whole=_equal(*(one.texts if one.whole is None else one.whole for one in (earlier, later))),
        same_opening=same_opening(earlier, later),
        same_address=_equal(earlier.addresses, later.addresses),
        known=dated & (earlier.sources != NO_SOURCE) & (later.sources != NO_SOURCE),
        dated=(earlier.times != NO_TIME) | (later.times != NO_TIME),
        same_source=_equal(earlier.sources, later.sources),
        other_day=dated & (earlier.times // DAY != later.times // DAY),
        hours=_hours(earlier, later, dated),
        probability=probability,
        wording_forward=column["wording_forward"],
        wording_backward=column["wording_backward"],
        lead=np.maximum(column["lead_forward"], column["lead_backward"]),
        vocabulary=column["cosine"],
        numbers=np.where(column["numbers_least"] >= 2, numbers, -1.0),
        other_figure=(column["figures_least"] == 1) & (figures == 0),
        many_figures=column["figures_least"] >= 4,
        other_dates=column["dates"] == 2,
        next_step=(column["step"] == 1) & (column["opening_forward"] >= _RECALLED_LEAD),
        same_title=title == 3,
        same_form=title >= 2,
        no_title=title == 0,
        one_sentence=tokens < _SENTENCE,
        **dict.fromkeys(LOOKED_AT, np.zeros(len(probability), dtype=np.bool_)),
        differing=np.full(len(probability), None, dtype=np.object_),
        recalled_forward=column["opening_forward"],
        recalled_backward=column["opening_backward"],
        counts_forward=np.where(column["numbers_least"] >= 1, column["numbers_forward"], 1.0),
        counts_backward=np.where(column["numbers_least"] >= 1, column["numbers_backward"], 1.0),
        names_kept=np.where(
            column["names_least"] >= 1, np.maximum(column["names_forward"], column["names_backward"]), 1.0
        ),
    )


def same_text(earlier: DocumentFacts, later: DocumentFacts) -> Bools:
    """Whether two texts, or one and the half of another in its language, are equal: bool (pairs,)."""
    found = _equal(earlier.texts, later.texts)
    if earlier.halves is not None and later.halves is not None:
        found |= _equal(earlier.texts, later.halves) | _equal(earlier.halves, later.texts)
    return found


def equal_halves(facts: DocumentFacts) -> tuple[Ints, Ints]:
    """Pairs of documents of which one equals the half of the other in its language: the earliest, and each other."""
    rows = np.zeros(0, dtype=np.int64) if facts.halves is None else np.flatnonzero(facts.halves >= 0)
    if facts.halves is None or not len(rows):
        return rows, rows
    equal = np.flatnonzero(np.isin(facts.texts, facts.halves[rows]))
    documents = np.concatenate([equal, rows])
    keys = np.concatenate([facts.texts[equal], facts.halves[rows]])
    order = np.lexsort((documents, keys))
    documents, keys = documents[order], keys[order]
    first = documents[np.searchsorted(keys, keys)]
    return first[first < documents], documents[first < documents]


def same_opening(earlier: DocumentFacts, later: DocumentFacts) -> Bools:
    """Whether two sources begin alike on one day: bool (pairs,)."""
    if earlier.openings is None or later.openings is None:
        return np.zeros(len(earlier.sources), dtype=np.bool_)
    return np.asarray(_equal(earlier.openings, later.openings) & (earlier.sources != later.sources), dtype=np.bool_)


def told_anew(a: Ints, b: Ints, facts: tuple[DocumentFacts, DocumentFacts], records: EvidenceRecords) -> Bools:
    """Which pairs of equal texts report two events: bool (pairs,); ``a``, ``b``: rows of ``records``.

    An alert that is repeated on another day is another one, and so are the few words of a caption, if one source
    repeats them, or another after 36 hours. The few words that a source has under several titles are a stub, or belong
    to a live page or a bulletin of every hour, unless the titles are versions of one.
    """
    earlier, later = facts
    dated = _dated(earlier, later)
    found = same_text(earlier, later) & dated
    if not found.any():
        return found
    tokens = np.minimum(records.tokens(a), records.tokens(b))
    found &= tokens < _ALERT
    own, hours = _equal(earlier.sources, later.sources), _hours(earlier, later, dated)
    again = (hours > NEWS_HOURS) & (earlier.times // DAY != later.times // DAY)
    another = again & (own | (hours > STORY_HOURS)) & (tokens < _CAPTION)
    for place in np.flatnonzero(found).tolist():
        another[place] |= again[place] and warns(records.opening(int(b[place])))
        if not another[place] and own[place]:
            another[place] = records.other_titles(int(a[place]), int(b[place]))
    return np.asarray(found & another, dtype=np.bool_)


def circumstances_of(earlier: DocumentFacts, later: DocumentFacts) -> tuple[Bools, Floats]:
    """Whether one source published both of each pair, and the hours between them, infinite if a date is missing."""
    return _equal(earlier.sources, later.sources), _hours(earlier, later, _dated(earlier, later))


def _dated(earlier: DocumentFacts, later: DocumentFacts) -> Bools:
    return np.asarray((earlier.times != NO_TIME) & (later.times != NO_TIME), dtype=np.bool_)


def _hours(earlier: DocumentFacts, later: DocumentFacts, dated: Bools) -> Floats:
    apart = np.abs(np.where(dated, earlier.times - later.times, 0))
    return np.asarray(np.where(dated, apart / HOUR, np.inf), dtype=np.float64)


def microseconds(document: Document) -> int | None:
    """Date of a document in microseconds since 1970; ``None`` if it has no date."""
    return None if document.time is None else microseconds_of(document.time)


def _equal(earlier: Ints, later: Ints) -> Bools:
    """Whether values are equal; a negative value is missing and equals nothing."""
    return np.asarray((earlier == later) & (earlier >= 0), dtype=np.bool_)


def _numbered(values: Sequence[str | None] | Sequence[bytes]) -> Ints:
    """Number distinct values in order of appearance; an empty value gets -1."""
    known: dict[str | bytes, int] = {}
    return np.array([known.setdefault(one, len(known)) if one else -1 for one in values], dtype=np.int64)
