"""Tables of the passages that documents share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.passages.passage_runs import SentenceClasses, find_chains, join_runs
from infostream_dedup.judging.passages.sentence_table import SentenceTable, replacements
from infostream_dedup.judging.passages.settings import PassageSettings
from infostream_dedup.machine.arrays import Bools, Ints, offsets_of, places_of
from infostream_dedup.model import NO_TIME, Language
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.terms.matched_words import NO_WORDS, TranslatedWords

# Columns of a row with a and b swapped.
_OTHER_WAY: Final = (1, 0, 4, 5, 2, 3, 6, 7)


class Passage(NamedTuple):
    """A stretch of text that two documents share."""

    start_a: int  # start in the raw text of a, in code points; the passage is `text[start_a:end_a]`
    end_a: int  # end in a, exclusive
    start_b: int  # start in the raw text of b
    end_b: int  # end in b, exclusive
    sentences: int  # number of pairs of matching sentences; 0 in a run of words
    words: int  # number of words in the shorter sentences of the pairs, and in runs outside of them

    def as_dict(self) -> dict[str, Any]:
        """Return both spans and the counts as plain values."""
        return {
            "a": [self.start_a, self.end_a],
            "b": [self.start_b, self.end_b],
            "sentences": self.sentences,
            "words": self.words,
        }


class DocumentPair(NamedTuple):
    """Two documents that share passages."""

    a: int  # number of the earlier document, from which b copied: by time if both have one, otherwise by input order
    b: int  # number of the later document
    passages: tuple[Passage, ...]  # passages in the order of a's text
    coverage_a: float  # share of a's words in sentences and runs that b also has
    coverage_b: float  # share of b's words in sentences and runs that a also has
    sentences: int  # number of pairs of matching sentences

    def as_dict(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return a row of ``passages find``."""
        return {
            "a": ids[self.a],
            "b": ids[self.b],
            "spans": [passage.as_dict() for passage in self.passages],
            "coverage_a": round(self.coverage_a, 6),
            "coverage_b": round(self.coverage_b, 6),
            "sentences": self.sentences,
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PassageTable:
    """All passages of a collection, ordered by (a, b, position in a)."""

    ids: tuple[str, ...]  # ids of the documents
    sentences: SentenceTable  # sentences of the collection
    rows: Ints  # int64 (passages, 8): document a (the earlier) and b, the fields of `Passage`
    first_match: Ints  # int64 (passages + 1,), start of each passage's sentence pairs
    matches: Ints  # int64 (pairs, 2), sentence of a and sentence of b
    first_run: Ints  # int64 (passages + 1,), start of each passage's runs
    # int64 (runs, 3), first word in a, first word in b (of the whole collection), number of words: the equal words
    # outside of the matching sentences
    runs: Ints

    def document_pairs(self) -> Iterator[DocumentPair]:
        """Yield pairs of documents that share passages, ordered by (a, b)."""
        table = self.sentences
        starts = np.flatnonzero(np.any(np.diff(self.rows[:, :2], axis=0, prepend=-1) != 0, axis=1))
        words = np.concatenate(([0, 0], np.cumsum(table.lengths[self.matches], axis=0).ravel())).reshape(-1, 2)
        in_runs = offsets_of(self.runs[:, 2])
        documents = table.document_lengths
        for begin, end in pairwise([*starts.tolist(), len(self.rows)]):
            a, b = self.rows[begin, :2].tolist()
            copied = words[self.first_match[end]] - words[self.first_match[begin]]
            copied = copied + in_runs[self.first_run[end]] - in_runs[self.first_run[begin]]
            yield DocumentPair(
                a,
                b,
                tuple(self.passage(number) for number in range(begin, end)),
                float(copied[0] / documents[a]),
                float(copied[1] / documents[b]),
                int(self.rows[begin:end, 6].sum()),
            )

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield rows of ``passages find``."""
        return (pair.as_dict(self.ids) for pair in self.document_pairs())

    def __len__(self) -> int:
        """Number of passages."""
        return len(self.rows)

    def passage(self, number: int) -> Passage:
        """Return one passage with its spans."""
        return Passage(*self.rows[number, 2:].tolist())


def passage_table(
    sentences: SentenceTable,
    classes: SentenceClasses,
    settings: PassageSettings,
    *,
    ids: Sequence[str],
    times: Ints | None = None,
    without: Bools | None = None,
) -> PassageTable:
    """Chain matching sentences of every two documents into passages, and add the runs of words that they share."""
    found = join_runs(sentences, find_chains(sentences, classes, settings), settings, without)
    rows, matches, runs = found.rows, found.matches, found.runs
    if times is not None:
        late = (times[rows[:, 0]] > times[rows[:, 1]]) & (times[rows[:, 1]] != NO_TIME)
        rows[late] = rows[late][:, _OTHER_WAY]
        turned = np.repeat(late, found.match_counts)
        matches[turned] = matches[turned][:, ::-1]
        turned = np.repeat(late, found.run_counts)
        runs[turned] = runs[turned][:, (1, 0, 2)]
    order = np.lexsort((rows[:, 4], rows[:, 2], rows[:, 1], rows[:, 0]))
    first_match, of_match = _regrouped(found.match_counts, order)
    first_run, of_run = _regrouped(found.run_counts, order)
    return PassageTable(
        ids=tuple(ids),
        sentences=sentences,
        rows=rows[order],
        first_match=first_match,
        matches=matches[of_match],
        first_run=first_run,
        runs=runs[of_run],
    )


def _regrouped(counts: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Return the bounds of groups in a new order, and the old position of each of their members."""
    first = offsets_of(counts)
    sizes = counts[order]
    return offsets_of(sizes), places_of(first[:-1][order], sizes)


# Digests: documents that take most of their text from several others


@dataclass(frozen=True, slots=True)
class DigestRule:
    """When a document is a digest."""

    least_sources: int = 3  # minimum number of documents it takes text from
    least_share: float = 0.5  # minimum share of its words that come from them together
    least_part: float = 0.05  # minimum share of its words that each of them must add
    # maximum share of its words in a single document; above it the text is a reprint with additions
    most_from_one: float = 0.75


@dataclass(frozen=True, slots=True)
class DigestPart:
    """The part of a digest that comes from one document."""

    source: int  # number of that document
    spans: tuple[tuple[int, int], ...]  # [start, end) of the sentences in the digest's raw text
    share: float  # share of the digest's words


@dataclass(frozen=True, slots=True)
class Digest:
    """A document made of others."""

    document: int  # its number
    parts: tuple[DigestPart, ...]  # parts in the order in which they begin in its text
    share: float  # share of its words in all parts together

    def as_dict(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return a row of ``passages find --digests``."""
        return {
            "id": ids[self.document],
            "share": round(self.share, 6),
            "sources": [
                {"id": ids[part.source], "share": round(part.share, 6), "spans": [list(span) for span in part.spans]}
                for part in self.parts
            ],
        }


def find_digests(found: PassageTable, times: Ints, rule: DigestRule | None = None) -> list[Digest]:
    """Find documents that take most of their text from several others that are not later."""
    # Sources are chosen greedily: the next one covers the most words not yet covered; the earliest wins among equals.
    # So only one of ten reprints of a report is listed. No two digests name each other.
    rule = rule or DigestRule()
    sizes = np.diff(found.first_match)
    a, b = np.repeat(found.rows[:, 0], sizes), np.repeat(found.rows[:, 1], sizes)
    forth = np.stack((b, a, found.matches[:, 1]), axis=1)
    either = (times[a] == times[b]) | (times[a] == NO_TIME) | (times[b] == NO_TIME)
    back = np.stack((a, b, found.matches[:, 0]), axis=1)[either]
    drawn = np.unique(np.concatenate((forth, back)), axis=0)
    bounds = np.searchsorted(drawn[:, 0], np.arange(len(found.sentences.first))).tolist()
    digests = {
        document: digest
        for document, (begin, end) in enumerate(pairwise(bounds))
        if (digest := _digest(found, drawn[begin:end], times, rule)) is not None
    }
    banned: defaultdict[int, set[int]] = defaultdict(set)
    while mutual := _mutual(digests):
        # The document that takes text from more documents is the digest; the other loses it as a source.
        document, other = min(mutual, key=lambda pair: (len(digests[pair[0]].parts), digests[pair[0]].share, pair))
        own = slice(bounds[document], bounds[document + 1])
        kept = drawn[own][~np.isin(drawn[own, 1], sorted(banned[document] | {other}))]
        banned[document].add(other)
        digest = _digest(found, kept, times, rule)
        if digest is None:
            del digests[document]
        else:
            digests[document] = digest
    return [digests[document] for document in sorted(digests)]


def _mutual(digests: Mapping[int, Digest]) -> list[tuple[int, int]]:
    """Return the pairs (document, source) of digests that name each other."""
    named = {(document, part.source) for document, digest in digests.items() for part in digest.parts}
    return sorted(pair for pair in named if pair[::-1] in named)


def _digest(found: PassageTable, drawn: Ints, times: Ints, rule: DigestRule) -> Digest | None:
    sources, first = np.unique(drawn[:, 1], return_index=True)
    if len(sources) < rule.least_sources:
        return None
    document, lengths = int(drawn[0, 0]), found.sentences.lengths
    total = int(found.sentences.document_lengths[document])
    kept = np.split(drawn[:, 2], first[1:])
    by_time = sorted(range(len(sources)), key=lambda place: (int(times[sources[place]]), int(sources[place])))
    open_sentences: dict[int, Ints] = {place: kept[place] for place in by_time}
    parts: list[DigestPart] = []
    while open_sentences:
        # `max` returns the first of equals.
        best = max(open_sentences, key=lambda place: int(lengths[open_sentences[place]].sum()))
        own = open_sentences.pop(best)
        share = int(lengths[own].sum()) / total
        if share < rule.least_part or (not parts and share > rule.most_from_one):
            break
        spans = tuple(zip(found.sentences.starts[own].tolist(), found.sentences.ends[own].tolist(), strict=True))
        parts.append(DigestPart(int(sources[best]), spans, share))
        open_sentences = {place: rest[~np.isin(rest, own)] for place, rest in open_sentences.items()}
    share = sum(part.share for part in parts)
    if len(parts) < rule.least_sources or share < rule.least_share:
        return None
    return Digest(document, tuple(sorted(parts, key=lambda part: part.spans)), share)


# Stretches of a text, each shared or not, and each a translated word or not


class TextStretch(NamedTuple):
    """A stretch of a text."""

    text: str  # as in the text
    passage: int  # number of its passage, counted from 1; 0 if the other text lacks it
    begins: bool  # whether it is the first stretch of its passage
    # whether these are words of a copied sentence that the other text has in another form, or not at all
    changed: bool = False
    word: int = 0  # number of the translated word, counted from 1, as in the other text; 0 if this is none


def with_words_cut(
    stretches: list[TextStretch], words: Iterable[tuple[int, Sequence[tuple[int, int]]]]
) -> list[TextStretch]:
    """Cut stretches so that each translated word is one of its own.

    Example:
        >>> whole = [TextStretch("Мэр открыл мост", 0, begins=False)]
        >>> [(one.text, one.word) for one in with_words_cut(whole, [(1, [(0, 3)]), (2, [(11, 15)])])]
        [('Мэр', 1), (' открыл ', 0), ('мост', 2)]
    """
    places = {span: number for number, spans in words for span in spans}
    cuts = sorted({edge for span in places for edge in span})
    number_at = {start: number for (start, _), number in places.items()}
    found: list[TextStretch] = []
    at = cut = word = 0
    for stretch in stretches:
        start, end = at, at + len(stretch.text)
        while at < end:
            while cut < len(cuts) and cuts[cut] <= at:
                word = number_at.get(cuts[cut], 0)
                cut += 1
            close = min(end, cuts[cut]) if cut < len(cuts) else end
            part = stretch.text[at - start : close - start]
            found.append(stretch._replace(text=part, begins=stretch.begins and at == start, word=word))
            at = close
    return found


_ALIGNED: Final = 1000  # maximum number of aligned passages (the heaviest ones): the time grows with its square


class Difference(NamedTuple):
    """Words that differ in two matching sentences; a span is empty where words were added or left out."""

    passage: int  # number of the passage, counted from 1
    start_a: int  # start in a, code points
    end_a: int  # end in a, exclusive
    start_b: int  # start in b
    end_b: int  # end in b


class _Copy(NamedTuple):
    """Consecutive copied words: their span in the text, and the number of their passage, counted from 1."""

    start: int
    end: int
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TextComparison(Tabular):
    """Passages that two texts share."""

    text_a: str  # as given
    text_b: str  # as given
    passages: tuple[Passage, ...]  # passages in the order of a's text
    coverage_a: float  # share of a's words in sentences and runs that b also has, 0 to 1
    coverage_b: float  # share of b's words in sentences and runs that a also has, 0 to 1
    sentences: int  # number of pairs of matching sentences
    # copied sentences and runs of a in text order; those of one passage that touch are joined
    copies_a: tuple[_Copy, ...]
    copies_b: tuple[_Copy, ...]  # copied sentences and runs of b, likewise
    differences: tuple[Difference, ...] = ()  # words that differ in matching sentences, by passage and place
    languages: tuple[Language, Language] = ("ru", "ru")  # those of a and b
    translated: TranslatedWords = NO_WORDS  # words that are translations of each other, if the languages differ

    @property
    def pieces_a(self) -> list[TextStretch]:
        """Return the whole text a in stretches."""
        pieces = _pieces(self.text_a, self.copies_a, [(one.start_a, one.end_a) for one in self.differences])
        return with_words_cut(pieces, ((one.number, one.spans_a) for one in self.translated.met))

    @property
    def pieces_b(self) -> list[TextStretch]:
        """Return the whole text b in stretches."""
        pieces = _pieces(self.text_b, self.copies_b, [(one.start_b, one.end_b) for one in self.differences])
        return with_words_cut(pieces, ((one.number, one.spans_b) for one in self.translated.met))

    def aligned(self) -> list[tuple[list[TextStretch], list[TextStretch]]]:
        """Return both texts in rows, with shared passages side by side.

        Passages in the same order in both texts are aligned; among possible choices, the one with the most words wins.
        """
        left, right = self.pieces_a, self.pieces_b
        numbers = _in_order(self.passages)
        begins_a, begins_b = _begins(left), _begins(right)
        cuts_a = [0, *(begins_a[number] for number in numbers), len(left)]
        cuts_b = [0, *(begins_b[number] for number in numbers), len(right)]
        rows = [
            (left[start_a:end_a], right[start_b:end_b])
            for (start_a, end_a), (start_b, end_b) in zip(pairwise(cuts_a), pairwise(cuts_b), strict=True)
        ]
        return [row for row in rows if row[0] or row[1]]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, without the texts.

        They are ``spans``, ``coverage_a``, ``coverage_b``, ``sentences``, ``languages``, ``met`` (words that are
        translations of each other: ``number``, ``a``, ``b``, ``pivot``, ``rung``, ``spans_a``, ``spans_b``),
        ``translated_a`` and ``translated_b`` (share of the nouns and names that are among them). Each span has
        ``changed``: places ``a`` and ``b`` of the words in which its sentences differ.
        """
        changed: list[list[dict[str, list[int]]]] = [[] for _ in self.passages]
        for one in self.differences:
            changed[one.passage - 1].append({"a": [one.start_a, one.end_a], "b": [one.start_b, one.end_b]})
        return {
            "spans": [passage.as_dict() | {"changed": changed[place]} for place, passage in enumerate(self.passages)],
            "coverage_a": round(self.coverage_a, 6),
            "coverage_b": round(self.coverage_b, 6),
            "sentences": self.sentences,
            "languages": list(self.languages),
            "met": [word.as_dict() for word in self.translated.met],
            "translated_a": round(self.translated.share_a, 6),
            "translated_b": round(self.translated.share_b, 6),
        }

    def _repr_html_(self) -> str:
        """Both texts side by side, for notebooks: what they share and words that translate each other are marked."""
        rows = "".join(
            "<tr>"
            + "".join(f'<td style="text-align:left;vertical-align:top">{_marked(side)}</td>' for side in row)
            + "</tr>"
            for row in self.aligned()
        )
        told = f"{self.coverage_a:.0%} of a, {self.coverage_b:.0%} of b"
        return f"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>{rows}</tbody></table><p>{told}</p>"

    def as_rows(self) -> list[dict[str, Any]]:
        """One row for each passage, with the copied words of both texts."""
        return [
            span | {"text_a": self.text_a[slice(*span["a"])], "text_b": self.text_b[slice(*span["b"])]}
            for span in self.as_dict()["spans"]
        ]


def _marked(stretches: Iterable[TextStretch]) -> str:
    """Stretches as HTML: shared ones are marked, words that differ in them are underlined."""
    found = []
    for one in stretches:
        text = escape(one.text).replace("\n", "<br>")
        text = f"<u>{text}</u>" if one.changed else text
        found.append(f'<mark title="{one.passage or one.word}">{text}</mark>' if one.passage or one.word else text)
    return "".join(found)


def text_comparison(text_a: str, text_b: str, found: PassageTable) -> TextComparison:
    """Project the passages of a table of two documents onto their texts."""
    pair = next(found.document_pairs(), DocumentPair(0, 1, (), 0.0, 0.0, 0))
    return TextComparison(
        text_a=text_a,
        text_b=text_b,
        passages=pair.passages,
        coverage_a=pair.coverage_a,
        coverage_b=pair.coverage_b,
        sentences=pair.sentences,
        copies_a=_copies(found, 0),
        copies_b=_copies(found, 1),
        differences=tuple(_differences(found)),
    )


def _copies(found: PassageTable, side: int) -> tuple[_Copy, ...]:
    """Return the copied words of one side; stretches of one passage that touch are joined."""
    table = found.sentences
    indptr = table.words.rows.indptr
    own = found.matches[:, side]
    first = np.concatenate((indptr[own], found.runs[:, side]))
    last = np.concatenate((indptr[own + 1], found.runs[:, side] + found.runs[:, 2]))
    passages = np.arange(1, len(found) + 1)
    number = np.concatenate([np.repeat(passages, np.diff(one)) for one in (found.first_match, found.first_run)])
    order = np.lexsort((last, first))
    stretches = zip(
        *(one[order].tolist() for one in (first, last, table.begins(first), table.finishes(last), number)), strict=True
    )
    copies: list[_Copy] = []
    before = (-1, 0)
    for begin, close, start, end, passage in stretches:
        if (begin, passage) == before:
            copies[-1] = copies[-1]._replace(end=end)
        else:
            copies.append(_Copy(start, end, passage))
        before = (close, passage)
    return tuple(copies)


def _differences(found: PassageTable) -> Iterator[Difference]:
    rows = found.sentences.words.rows
    for number, (begin, end) in enumerate(pairwise(found.first_match.tolist()), start=1):
        for one, other in found.matches[begin:end].tolist():
            left, right = rows.row(one).tolist(), rows.row(other).tolist()
            if left == right:
                continue
            first_a, first_b = int(rows.indptr[one]), int(rows.indptr[other])
            for i, i_end, j, j_end in replacements(left, right):
                yield Difference(
                    number,
                    *_span(found.sentences, one, first_a + i, first_a + i_end),
                    *_span(found.sentences, other, first_b + j, first_b + j_end),
                )


def _span(table: SentenceTable, sentence: int, word: int, end: int) -> tuple[int, int]:
    """Return where words of a sentence are; if there are none, the place before the next word."""
    if word < end:
        return int(table.word_starts[word]), int(table.word_ends[end - 1])
    inside = word < table.words.rows.indptr[sentence + 1]
    place = int(table.word_starts[word] if inside else table.word_ends[word - 1])
    return place, place


def _pieces(text: str, copies: tuple[_Copy, ...], changed: list[tuple[int, int]]) -> list[TextStretch]:
    pieces: list[TextStretch] = []
    seen: set[int] = set()
    marks = sorted(span for span in changed if span[0] < span[1])
    at = mark = 0
    for start, end, passage in copies:
        if at < start:
            pieces.append(TextStretch(text[at:start], 0, begins=False))
        at = start
        while at < end:
            while mark < len(marks) and marks[mark][1] <= at:
                mark += 1
            is_changed = mark < len(marks) and marks[mark][0] <= at
            close = min(end, marks[mark][is_changed]) if mark < len(marks) else end
            pieces.append(TextStretch(text[at:close], passage, begins=passage not in seen, changed=is_changed))
            seen.add(passage)
            at = close
    if at < len(text):
        pieces.append(TextStretch(text[at:], 0, begins=False))
    return pieces


def _begins(pieces: list[TextStretch]) -> dict[int, int]:
    return {piece.passage: number for number, piece in enumerate(pieces) if piece.begins}


def _in_order(passages: tuple[Passage, ...]) -> list[int]:
    """Choose the passages that begin in the same order in both texts and have the most words."""
    kept = sorted(sorted(range(len(passages)), key=lambda place: -passages[place].words)[:_ALIGNED])
    weights: list[int] = []
    previous: list[int] = []
    for number, place in enumerate(kept):
        earlier = [one for one in range(number) if passages[kept[one]].start_b < passages[place].start_b]
        best = max(earlier, key=weights.__getitem__, default=-1)
        weights.append(passages[place].words + (weights[best] if best >= 0 else 0))
        previous.append(best)
    chosen: list[int] = []
    at = max(range(len(kept)), key=weights.__getitem__, default=-1)
    while at >= 0:
        chosen.append(kept[at] + 1)
        at = previous[at]
    return chosen[::-1]
