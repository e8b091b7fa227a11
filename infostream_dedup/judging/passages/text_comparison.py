"""Stretches of a text, each shared or not, and each a translated word or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.passages.passage_table import Passage, PassageTable
from infostream_dedup.judging.passages.sentence_table import SentenceTable, replacements
from infostream_dedup.model import Language
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.terms.translated_words import NO_WORDS, TranslatedWords


class TextStretch(NamedTuple):
    """A stretch of a text.

    Attributes:
        text: as in the text.
        passage: number of its passage, counted from 1; 0 if the other text lacks it.
        begins: whether it is the first stretch of its passage.
        changed: whether these are words of a copied sentence that the other text has in another form, or not at all.
        word: number of the translated word, counted from 1, as in the other text; 0 if this is none.
    """

    text: str
    passage: int
    begins: bool
    changed: bool = False
    word: int = 0


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


_ALIGNED: Final = 1000
"""Maximum number of aligned passages (the heaviest ones): the time grows with its square."""


class Difference(NamedTuple):
    """Words that differ in two matching sentences; a span is empty where words were added or left out.

    Attributes:
        passage: number of the passage, counted from 1.
        start_a: start in a, code points.
        end_a: end in a, exclusive.
        start_b: start in b.
        end_b: end in b.
    """

    passage: int
    start_a: int
    end_a: int
    start_b: int
    end_b: int


class _Copy(NamedTuple):
    """Consecutive copied words: their span in the text, and the number of their passage, counted from 1."""

    start: int
    end: int
    passage: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TextComparison(Tabular):
    """Passages that two texts share.

    Attributes:
        text_a: as given.
        text_b: as given.
        passages: passages in the order of a's text.
        coverage_a: share of a's words in sentences and runs that b also has, 0 to 1.
        coverage_b: share of b's words in sentences and runs that a also has, 0 to 1.
        sentences: number of pairs of matching sentences.
        copies_a: copied sentences and runs of a in text order; those of one passage that touch are joined.
        copies_b: copied sentences and runs of b, likewise.
        differences: words that differ in matching sentences, by passage and place.
        languages: those of a and b.
        translated: words that are translations of each other, if the languages differ.
    """

    text_a: str
    text_b: str
    passages: tuple[Passage, ...]
    coverage_a: float
    coverage_b: float
    sentences: int
    copies_a: tuple[_Copy, ...]
    copies_b: tuple[_Copy, ...]
    differences: tuple[Difference, ...] = ()
    languages: tuple[Language, Language] = ("ru", "ru")
    translated: TranslatedWords = NO_WORDS

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

    def as_rows(self) -> list[dict[str, Any]]:
        """One row for each passage, with the copied words of both texts."""
        return [
            span | {"text_a": self.text_a[slice(*span["a"])], "text_b": self.text_b[slice(*span["b"])]}
            for span in self.as_dict()["spans"]
        ]


def text_comparison(text_a: str, text_b: str, found: PassageTable) -> TextComparison:
    """Project the passages of a table of two documents onto their texts."""
    pair = next(found.document_pairs(), None)
    if pair is None:
        return TextComparison(
            text_a=text_a,
            text_b=text_b,
            passages=(),
            coverage_a=0.0,
            coverage_b=0.0,
            sentences=0,
            copies_a=(),
            copies_b=(),
        )
    copies = [_copies(found, side) for side in range(2)]
    return TextComparison(
        text_a=text_a,
        text_b=text_b,
        passages=pair.passages,
        coverage_a=pair.coverage_a,
        coverage_b=pair.coverage_b,
        sentences=pair.sentences,
        copies_a=copies[0],
        copies_b=copies[1],
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
    """Compare the words of all matching sentences."""
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
    """Return the index of the first stretch of each passage."""
    return {piece.passage: number for number, piece in enumerate(pieces) if piece.begins}


def _in_order(passages: tuple[Passage, ...]) -> list[int]:
    """Choose the passages that begin in the same order in both texts and have the most words."""
    heaviest = sorted(range(len(passages)), key=lambda place: -passages[place].words)[:_ALIGNED]
    kept = sorted(heaviest)
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
