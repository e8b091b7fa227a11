"""Where each sentence of a document comes from, and which documents add something new."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, pairwise
from math import ceil
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from infostream_dedup.documents.dates import last_moment
from infostream_dedup.judging.evidence.numbers import numbers
from infostream_dedup.judging.features.words import Words, shingles
from infostream_dedup.judging.passages.passage_runs import SentenceClasses
from infostream_dedup.judging.passages.sentence_table import SentenceTable, read_sentences, replacements, times_of
from infostream_dedup.language.morphology.stemming import stem
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.tokens import Shape, forms, surfaces
from infostream_dedup.machine.arrays import Bools, Ints, Ragged, places_of
from infostream_dedup.model import NO_TIME, Document


@dataclass(frozen=True, slots=True)
class Novelty:
    """The novel part of one document."""

    document: int  # its number
    spans: tuple[tuple[int, int], ...]  # [start, end) of each novel stretch in the raw text
    novel: int  # number of sentences with a novel stretch
    sentences: int  # number of all sentences
    share: float | None  # share of the words that are novel, 0 to 1; `None` for a document without words

    def as_dict(self, identity: str, text: str) -> dict[str, Any]:
        """Return a row of ``passages find --novel``."""
        return {
            "id": identity,
            "novel_share": None if self.share is None else round(self.share, 6),
            "novel": self.novel,
            "sentences": self.sentences,
            "spans": [{"span": [start, end], "text": text[start:end]} for start, end in self.spans],
        }


def stream_order(times: Ints) -> Ints:
    """Rank documents by time, then by input order: int64 (documents,); one without a time takes that before it."""
    filled = times.copy()
    for place in range(1, len(filled)):
        if filled[place] == NO_TIME:
            filled[place] = filled[place - 1]
    ranks = np.empty(len(times), dtype=np.int64)
    ranks[np.argsort(filled, kind="stable")] = np.arange(len(times))
    return ranks


_RUN: Final = 4  # so many words in the same order as in an earlier document are known

_LEAST_NEW: Final = 4
"""So many new words on end are a novel stretch: fewer surround an edited word. A new number is one alone."""

_MOST_NEW: Final = 0.75
"""A sentence with this share of new words is new as a whole: the rest are phrases that everybody uses."""

_GAP: Final = 2  # known words that do not end a novel stretch: whatever is said takes up a few words that were said


def novel_words(sentences: SentenceTable, classes: SentenceClasses, ranks: Ints) -> Bools:
    """Find the words of novel stretches: bool (words,)."""
    # A word is known if an earlier document has it with its neighbours, four words on end inside a sentence, or in a
    # sentence that is a copy of this one. Stretches of new words are novel, and new numbers.
    rows, rank = sentences.words.rows, ranks[sentences.documents]
    known = _in_known_runs(rows, rank) | _in_known_copies(rows, rank, classes)
    figures = np.array([any(map(str.isdigit, word)) for word in sentences.words.vocabulary], dtype=np.bool_)
    novel = ~known & figures[rows.values] if len(figures) else ~known
    for begin, end in pairwise(rows.indptr.tolist()):
        new = (np.flatnonzero(~known[begin:end]) + begin).tolist()
        if len(new) >= _MOST_NEW * (end - begin):
            novel[begin:end] = True
            continue
        stretch: list[int] = []
        for place in [*new, end + _GAP + 1]:
            if stretch and place - stretch[-1] > _GAP + 1:
                if len(stretch) >= min(_LEAST_NEW, end - begin):
                    novel[stretch[0] : stretch[-1] + 1] = True
                stretch = []
            stretch.append(place)
    return novel


def _in_known_runs(rows: Ragged, rank: Ints) -> Bools:
    """Words with neighbours that an earlier document has; of a shorter sentence, all of them."""
    known = np.zeros(len(rows.values), dtype=np.bool_)
    for size in range(1, _RUN + 1):
        whole = rows.sizes == size if size < _RUN else rows.sizes >= size
        starts = places_of(rows.indptr[:-1][whole], rows.sizes[whole] - size + 1)
        if not len(starts):
            continue
        runs = np.stack([rows.values[starts + place] for place in range(size)], axis=1)
        own = np.repeat(rank[whole], rows.sizes[whole] - size + 1)
        equal = np.unique(runs, axis=0, return_inverse=True)[1].ravel()
        for place in range(size):
            earliest = np.full(int(equal.max()) + 1, np.iinfo(np.int64).max)
            np.minimum.at(earliest, equal, own)
            known[starts[earliest[equal] < own] + place] = True
    return known


def _in_known_copies(rows: Ragged, rank: Ints, classes: SentenceClasses) -> Bools:
    """Words that an earlier copy of their sentence has."""
    held = classes.class_of[rows.numbers].astype(np.int64)
    words = np.flatnonzero(held >= 0)
    # A word belongs to the class of its sentence and is looked up in those that resemble it, too.
    others = classes.alike.rows(held[words])
    asked = np.concatenate([held[words], others.values.astype(np.int64)])
    asking = np.concatenate([words, words[others.numbers]])
    size = int(rows.values.max(initial=0)) + 1
    keys = np.concatenate([held[words] * size + rows.values[words], asked * size + rows.values[asking]])
    times = np.concatenate([rank[rows.numbers[words]], rank[rows.numbers[asking]]])
    equal = np.unique(keys, return_inverse=True)[1].ravel()
    earliest = np.full(int(equal.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(earliest, equal[: len(words)], times[: len(words)])
    known = np.zeros(len(rows.values), dtype=np.bool_)
    known[asking[earliest[equal[len(words) :]] < times[len(words) :]]] = True
    return known


def novelties(sentences: SentenceTable, novel: Bools) -> Iterator[Novelty]:
    """Collect the novel part of each document, in input order; ``novel``: bool (words,)."""
    rows, totals = sentences.words.rows, sentences.document_lengths
    bounds = rows.indptr.tolist()
    for document in range(len(totals)):
        begin, end = int(sentences.first[document]), int(sentences.first[document + 1])
        spans: list[tuple[int, int]] = []
        told = new = 0
        for sentence in range(begin, end):
            first, last = bounds[sentence : sentence + 2]
            own = np.flatnonzero(novel[first:last]) + first
            told, new = told + bool(len(own)), new + len(own)
            if len(own) == last - first:
                spans += [(int(sentences.starts[sentence]), int(sentences.ends[sentence]))] if len(own) else []
                continue
            for stretch in np.split(own, np.flatnonzero(np.diff(own) > 1) + 1) if len(own) else ():
                spans.append((int(sentences.word_starts[stretch[0]]), int(sentences.word_ends[stretch[-1]])))
        total = int(totals[document])
        yield Novelty(document, tuple(spans), told, end - begin, new / total if total else None)


_ALIKE: Final = 0.5  # minimum share of common words, 2 m / (n + m), of two versions of a sentence

_MOST_HOLDERS: Final = 2000
"""A word of more sentences than this is not looked up, so that thousands of sentences from one template, which differ
in a number, are not compared each with each. Such a sentence has a changed version only if they share another word."""

Sentence = tuple[int, ...]
Occurrence = tuple[int, int]


def sentence_partners(before: Sequence[Sentence], after: Sequence[Sentence]) -> dict[int, int]:
    """Map sentences of the copy to their counterparts in the first document.

    Sentences of the same words are partners; then those most alike, each sentence once; among equals, the earliest of
    the copy, and for each of these the earliest of the first document.
    """
    # Equal sentences share a list of places, from which each takes the earliest that is left.
    places: dict[Sentence, list[int]] = {}
    for place in range(len(before) - 1, -1, -1):
        places.setdefault(before[place], []).append(place)
    partner = {number: places[words].pop() for number, words in enumerate(after) if places.get(words)}
    rest: dict[Sentence, list[int]] = {}
    for number, words in enumerate(after):
        if number not in partner:
            rest.setdefault(words, []).append(number)
    levels: defaultdict[float, defaultdict[int, list[list[int]]]] = defaultdict(lambda: defaultdict(list))
    for words, other, alike in _alike(rest, [words for words, left in places.items() if left]):
        for number in rest[words]:
            levels[alike][number].append(places[other])
    for alike in sorted(levels, reverse=True):
        for number, queues in sorted(levels[alike].items()):
            left = [queue for queue in queues if queue]
            if number not in partner and left:
                partner[number] = min(left, key=lambda queue: queue[-1]).pop()
    return partner


def _alike(some: Iterable[Sentence], others: Sequence[Sentence]) -> Iterator[tuple[Sentence, Sentence, float]]:
    """Yield the pairs of sentences that are alike.

    Of its n words, a sentence shares at least ``_ALIKE`` n / (2 - ``_ALIKE``) with any that is alike. So the most
    frequent words, one fewer than these, are not looked up; what is alike also has enough of the others. Nor are words
    of more than ``_MOST_HOLDERS`` sentences.
    """
    occurrences = {words: _occurrences(words) for words in (*some, *others)}
    times = Counter(one for words in occurrences.values() for one in words)
    holders: defaultdict[Occurrence, list[int]] = defaultdict(list)
    for place, words in enumerate(others):
        for one in occurrences[words]:
            holders[one].append(place)
    for words in some:
        own = sorted(occurrences[words], key=lambda one: (times[one], one))
        rare = len(own) + 1 - ceil(_ALIKE * len(own) / (2 - _ALIKE))
        asked = [one for one in own[:rare] if len(holders.get(one, ())) <= _MOST_HOLDERS]
        further = own[rare:] if len(asked) == rare else [one for one in own if one not in asked]
        for place, common in Counter(chain.from_iterable(holders.get(one, ()) for one in asked)).items():
            both = len(own) + len(others[place])
            if 2 * (common + len(further)) >= _ALIKE * both:
                alike = 2 * (common + len(occurrences[others[place]].intersection(further))) / both
                if alike >= _ALIKE:
                    yield words, others[place], alike


def _occurrences(words: Sentence) -> frozenset[Occurrence]:
    """Number the occurrences of each word, so that common ones can be counted as in sets."""
    seen: Counter[int] = Counter()
    found = []
    for word in words:
        seen[word] += 1
        found.append((word, seen[word]))
    return frozenset(found)


FirstBy = Literal["time", "date", "order"]
_TRIPLE: Final = 3


class Change(NamedTuple):
    """A sentence that a copy has changed."""

    before: str  # the sentence in the first document
    after: str  # the sentence in the copy
    numbers_gone: tuple[str, ...]  # numbers of `before` that `after` lacks, in order
    numbers_new: tuple[str, ...]  # numbers of `after` that `before` lacks, in order
    # names of `before` that `after` lacks; a name in another grammatical case is the same name
    names_gone: tuple[str, ...]
    names_new: tuple[str, ...]  # names of `after` that `before` lacks
    # spans [start, end) in `before` of words that `after` has in another form or not at all
    words_gone: tuple[tuple[int, int], ...]
    words_new: tuple[tuple[int, int], ...]  # spans in `after`, likewise


class CopiedStretch(NamedTuple):
    """A stretch of a copy."""

    text: str  # as in the copy
    kind: str  # `kept`, `changed` (words of a changed sentence), `added`, or empty between sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """A later document of a group compared with the first one."""

    document: Document  # the copy
    kept: int  # sentences with the same words
    kept_share: float  # share of the first document's words in these and in changed sentences, 0 to 1
    changed: tuple[Change, ...]  # sentences that resemble a sentence of the first document
    cut: tuple[str, ...]  # sentences of the first document without a counterpart
    added: tuple[str, ...]  # sentences of the copy without a counterpart
    title_changed: bool  # whether the words of the headline differ
    pieces: tuple[CopiedStretch, ...]  # the whole text of the copy, in stretches
    # the earlier document with which it shares most; `None` if it shares no three consecutive words with any
    copied_from: Document | None = None
    copied_share: float = 0.0  # share of its word triples that occur in that document, 0 to 1

    def as_dict(self, group: str, origin: Provenance) -> dict[str, Any]:
        """Return a row of ``passages provenance``."""
        return {
            "group": group,
            "first": origin.first.id,
            "first_source": origin.first.source,
            "first_by": origin.first_by,
            "id": self.document.id,
            "source": self.document.source,
            "published": self.document.published,
            "title": self.document.title,
            "url": self.document.url,
            "copied_from": self.copied_from and self.copied_from.id,
            "copied_share": round(self.copied_share, 6),
            "kept": self.kept,
            "kept_share": round(self.kept_share, 6),
            "title_changed": self.title_changed,
            "cut": list(self.cut),
            "added": list(self.added),
            "changed": [change._asdict() for change in self.changed],
        }


@dataclass(frozen=True, slots=True)
class Provenance:
    """A group in order of publication."""

    # the document published first: by time, then by input order. A date without a time counts as the end of its day
    first: Document
    copies: tuple[Copy, ...]  # all other documents
    # `time` if the first was published before all others; `date` if a day without a time leaves the order open; `order`
    # if times are equal or missing
    first_by: FirstBy = "time"


def provenance(documents: Sequence[Document]) -> Provenance:
    """Compare every document of a group with the first one.

    Sentences with the same words count as kept. The others are paired by common words, the most similar first, each
    sentence once.

    Example:
        >>> first = Document(id="1", text="Пожар тушили 12 машин.")
        >>> found = provenance([first, Document(id="2", text="Пожар тушили 15 машин. Снег.")])
        >>> change = found.copies[0].changed[0]
        >>> change.numbers_gone, change.numbers_new, found.copies[0].added
        (('12',), ('15',), ('Снег.',))
    """
    ordered = in_order(documents)
    table = read_sentences((one.text for one in ordered), (one.lang for one in ordered))
    origins = _origins(table)
    copies = (_copy(ordered[0], ordered[place], table, place) for place in range(1, len(ordered)))
    return Provenance(
        ordered[0],
        tuple(
            copy if origin < 0 else replace(copy, copied_from=ordered[origin], copied_share=share)
            for copy, (origin, share) in zip(copies, origins[1:], strict=True)
        ),
        _first_by(ordered),
    )


def in_order(documents: Sequence[Document]) -> list[Document]:
    """Return the documents of a group in order of publication (``stream_order``)."""
    last = [None if one.time is None else last_moment(one.published, one.time) for one in documents]
    return [documents[place] for place in np.argsort(stream_order(times_of(last))).tolist()]


def _first_by(ordered: Sequence[Document]) -> FirstBy:
    first, others = ordered[0], ordered[1:]
    if first.time is None or any(other.time is None for other in others):
        return "order"
    times = [other.time for other in others if other.time is not None]
    if last_moment(first.published, first.time) < min(times, default=datetime.max.replace(tzinfo=UTC)):
        return "time"
    return "order" if all(last_moment(one.published, one.time) == one.time for one in ordered if one.time) else "date"


def _origins(table: SentenceTable) -> list[tuple[int, float]]:
    """The earlier document that shares most word triples with each; among equals the shortest, then the earliest."""
    words = table.words
    whole = Words(
        Ragged(words.rows.indptr[table.first], words.rows.values), words.vocabulary, words.breaks, table.first
    )
    holders: dict[int, list[int]] = {}
    known: dict[frozenset[int], int] = {}
    sizes: list[int] = []
    found: list[tuple[int, float]] = []
    for document, row in enumerate(shingles(whole, _TRIPLE)):
        triples = frozenset(row.tolist())
        sizes.append(len(triples))
        met = Counter(other for triple in triples for other in holders.get(triple, ()))
        best = max(met, key=lambda other: (met[other], -sizes[other], -other), default=-1)
        found.append((best, met[best] / len(triples) if best >= 0 else 0.0))
        # Among equal texts, only the first can be an origin.
        if known.setdefault(triples, document) == document:
            for triple in triples:
                holders.setdefault(triple, []).append(document)
    return found


def _copy(first: Document, copy: Document, table: SentenceTable, place: int) -> Copy:
    before, after = _sentences(table, 0), _sentences(table, place)
    partner = sentence_partners(before, after)
    language: str = copy.lang or detect(copy.text)
    first_texts = [first.text[start:end] for start, end in table.spans(0)]
    spans = table.spans(place)
    texts = [copy.text[start:end] for start, end in spans]
    kinds = ["added"] * len(after)
    changes: dict[int, Change] = {}
    kept_words = 0
    for number, other in sorted(partner.items()):
        same = after[number] == before[other]
        kinds[number] = "kept" if same else "changed"
        # Words that a changed sentence keeps are kept.
        kept_words += sum((Counter(before[other]) & Counter(after[number])).values())
        if not same:
            changes[number] = _change(first_texts[other], texts[number], language)
    matched = set(partner.values())
    total = sum(map(len, before))
    return Copy(
        document=copy,
        kept=kinds.count("kept"),
        kept_share=kept_words / total if total else 0.0,
        changed=tuple(changes.values()),
        cut=tuple(text for number, text in enumerate(first_texts) if number not in matched),
        added=tuple(text for text, kind in zip(texts, kinds, strict=True) if kind == "added"),
        title_changed=surfaces(clean(first.title.casefold())) != surfaces(clean(copy.title.casefold())),
        pieces=tuple(_pieces(copy.text, spans, kinds, changes)),
    )


def _sentences(table: SentenceTable, document: int) -> list[tuple[int, ...]]:
    rows = table.words.rows
    return [tuple(rows.row(number).tolist()) for number in range(table.first[document], table.first[document + 1])]


def _change(before: str, after: str, language: str) -> Change:
    old_numbers, new_numbers = numbers(before), numbers(after)
    (old_names, old_words), (new_names, new_words) = _names(before, language), _names(after, language)
    table = read_sentences([before, after], ["ru", "ru"])
    bounds = table.words.rows.indptr[table.first].tolist()
    one, other = (table.words.rows.values[begin:end].tolist() for begin, end in pairwise(bounds))
    gone: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    for i, i_end, j, j_end in replacements(one, other):
        for spans, first, begin, end in ((gone, 0, i, i_end), (new, bounds[1], j, j_end)):
            if begin < end:
                spans.append((int(table.word_starts[first + begin]), int(table.word_ends[first + end - 1])))
    return Change(
        before,
        after,
        _without(old_numbers, new_numbers),
        _without(new_numbers, old_numbers),
        tuple(name for key, name in old_names.items() if key not in new_words),
        tuple(name for key, name in new_names.items() if key not in old_words),
        tuple(gone),
        tuple(new),
    )


def _without(some: list[str], others: list[str]) -> tuple[str, ...]:
    return tuple((Counter(some) - Counter(others)).elements())


def _names(text: str, language: str) -> tuple[dict[str, str], set[str]]:
    """Stem and form of the capitalised words that do not open the sentence, and the stems of all words."""
    names: dict[str, str] = {}
    words: set[str] = set()
    for surface in surfaces(clean(text)):
        for form, shape in forms(surface):
            key = stem(form, language)
            words.add(key)
            if shape in (Shape.CAPITAL, Shape.UPPER):
                names.setdefault(key, form)
    return names, words


def _pieces(
    text: str, spans: list[tuple[int, int]], kinds: list[str], changes: Mapping[int, Change]
) -> list[CopiedStretch]:
    pieces: list[CopiedStretch] = []
    at = 0
    for number, ((start, end), kind) in enumerate(zip(spans, kinds, strict=True)):
        pieces.append(CopiedStretch(text[at:start], ""))
        at = start
        if kind == "changed":
            for begin, close in changes[number].words_new:
                pieces.append(CopiedStretch(text[at : start + begin], "kept"))
                pieces.append(CopiedStretch(text[start + begin : start + close], kind))
                at = start + close
            kind = "kept"
        pieces.append(CopiedStretch(text[at:end], kind))
        at = end
    return [piece for piece in (*pieces, CopiedStretch(text[at:], "")) if piece.text]
