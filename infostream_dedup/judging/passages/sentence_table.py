"""Sentences of a collection with their words, and the alignment of the words of two texts."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from itertools import count, pairwise
from typing import Final, NamedTuple, TypeVar

import numpy as np

from infostream_dedup.judging.features.words import WORD, Words, hash_sequences, hash_words, in_order
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.normalise import clean, fold, without_blocks
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.machine.arrays import Int32s, Ints, Ragged, Uint8s, Uint64s
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import LANGUAGES, NO_TIME, Document, Language, language_number, microseconds_of
from infostream_dedup.model.document import without_text
from infostream_dedup.model.limits import check_limits, make_from_notation
from infostream_dedup.model.registry import Registry

_FEW: Final = 200 * 200  # maximum product of the lengths of two sequences that are compared whole
_WINDOW: Final = 64


class Block(NamedTuple):
    """Equal words in both sequences."""

    left: int  # place of the first one in the first sequence
    right: int  # place of the first one in the second sequence
    size: int  # number of words


def matching_blocks(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    """Return blocks of equal words, ascending in both sequences.

    Example:
        >>> [tuple(block) for block in matching_blocks("зима пришла в город".split(), "зима в город".split())]
        [(0, 0, 1), (2, 1, 2)]
    """
    if len(left) * len(right) <= _FEW:
        return _whole(left, right)
    blocks: list[Block] = []
    anchors = [(-1, -1), *_anchors(left, right), (len(left), len(right))]
    for (start, other_start), (end, other_end) in pairwise(anchors):
        if start >= 0:
            blocks.append(Block(start, other_start, 1))
        gap, other_gap = left[start + 1 : end], right[other_start + 1 : other_end]
        found = _whole if len(gap) * len(other_gap) <= _FEW else _by_windows
        blocks += [Block(i + start + 1, j + other_start + 1, size) for i, j, size in found(gap, other_gap)]
    return blocks


def replacements(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[tuple[int, int, int, int]]:
    """Yield where words stand between blocks of equal words, maybe on one side only: begin and end, left and right."""
    at = other = 0
    for block in (*matching_blocks(left, right), Block(len(left), len(right), 0)):
        if (at, other) != block[:2]:
            yield at, block.left, other, block.right
        at, other = block.left + block.size, block.right + block.size


def _whole(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Block]:
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    return [Block(*block) for block in blocks if block.size]


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of triples that occur once in either sequence: the longest series that ascends in both."""
    one, other = _single_triples(left), _single_triples(right)
    pairs = [(place, other[triple]) for triple, place in one.items() if triple in other]
    # For each length, the series that ends earliest on the right, as its last pair; and for each pair the one before.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    series = []
    number = last[-1] if last else -1
    while number >= 0:
        series.append(pairs[number])
        number = before[number]
    return series[::-1]


def _single_triples(words: Sequence[Hashable]) -> dict[tuple[Hashable, ...], int]:
    """Return the place of each triple of words that occurs once, ascending."""
    triples = list(zip(words, words[1:], words[2:], strict=False))
    times = Counter(triples)
    return {triple: place for place, triple in enumerate(triples) if times[triple] == 1}


def _by_windows(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[Block]:
    """Compare sequences ``_WINDOW`` words at a time; after more new words than that, they no longer meet."""
    at = other = 0
    while at < len(left) and other < len(right):
        size, most = 0, min(len(left) - at, len(right) - other)
        while size < most and left[at + size] == right[other + size]:
            size += 1
        if size:
            yield Block(at, other, size)
            at, other = at + size, other + size
        found = _whole(left[at : at + _WINDOW], right[other : other + _WINDOW])
        # What matches late in a window may belong to words beyond it, unless nothing matches before.
        early = [block for block in found if max(block.left, block.right) < _WINDOW // 2] or found[:1]
        for block in early:
            yield Block(at + block.left, other + block.right, block.size)
        if early:
            at, other = at + early[-1].left + early[-1].size, other + early[-1].right + early[-1].size
        else:
            at, other = at + _WINDOW, other + _WINDOW


# The splitter knows only \n. Each character is replaced by one character, so that no position changes.
_LINE_END: Final = re.compile("\r(?!\n)|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")

# Words of one alphabet, which are nearly all, need no repair.
_PLAIN: Final = re.compile("[а-яіїєґ0-9]+|[a-z0-9]+")

# Items of a list (of streets without power, say) are copied one by one, so a semicolon ends a sentence, but not that of
# an HTML entity.
_ITEM_END: Final = re.compile("&#?\\w{1,31};|(;)\\s*")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SentenceTable:
    """Sentences with words, in order of document and position."""

    first: Ints  # int64 (documents + 1,): document d has the sentences `first[d]` to `first[d + 1]`
    starts: Ints  # int64 (sentences,), in code points of the raw text
    ends: Ints  # int64 (sentences,), exclusive
    words: Words  # words of each sentence; each row is one sentence
    word_starts: Int32s  # int32 (words,), in code points of the raw text; ascending, as are the ends
    word_ends: Int32s  # int32 (words,), exclusive
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def documents(self) -> Ints:
        """Document of each sentence: int64 (sentences,)."""
        return np.repeat(np.arange(len(self.first) - 1, dtype=np.int64), np.diff(self.first))

    @property
    def sentence_languages(self) -> list[Language]:
        """Language of each sentence, which is that of its document."""
        return [LANGUAGES[number] for number in self.languages[self.documents].tolist()]

    @property
    def lengths(self) -> Ints:
        """Number of words of each sentence: int64 (sentences,)."""
        return self.words.rows.sizes

    @property
    def document_lengths(self) -> Ints:
        """Number of words of each document: int64 (documents,)."""
        return np.diff(self.words.rows.indptr[self.first])

    def begins(self, words: Ints) -> Ints:
        """Return where stretches that begin with these words begin: int64, code points."""
        # A stretch that begins with the first word of a sentence takes what precedes the word, such as a quote.
        rows = self.words.rows
        sentence = np.searchsorted(rows.indptr, words, side="right") - 1
        opens = rows.indptr[sentence] == words
        return np.where(opens, self.starts[sentence], self.word_starts[words]).astype(np.int64)

    def finishes(self, ends: Ints) -> Ints:
        """Return where stretches of words end: int64, code points, exclusive; a last word takes the full stop."""
        rows = self.words.rows
        sentence = np.searchsorted(rows.indptr, ends - 1, side="right") - 1
        closes = rows.indptr[sentence + 1] == ends
        return np.where(closes, self.ends[sentence], self.word_ends[ends - 1]).astype(np.int64)

    def spans(self, document: int) -> list[tuple[int, int]]:
        """Return the spans ``[start, end)`` of a document's sentences."""
        chosen = slice(self.first[document], self.first[document + 1])
        return list(zip(self.starts[chosen].tolist(), self.ends[chosen].tolist(), strict=True))


class TableBuilder:
    """Builds a table document by document, so that the texts need not be in memory together."""

    def __init__(self) -> None:
        # Looking up a new word gives it the next number.
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self._words = array("i")
        self._word_starts = array("i")
        self._word_ends = array("i")
        self._breaks = array("q", [0])
        self._starts = array("q")
        self._ends = array("q")
        self._first = array("q", [0])
        self._languages = array("B")

    def add(self, text: str, language: str | None = None) -> None:
        """Cut one raw text into sentences and words; a missing language is detected."""
        text = without_blocks(text, " ")
        # Most texts are clean already; cleaning whole texts is much faster than cleaning sentences.
        is_clean, has_items = clean(text) == text, ";" in text
        for sentence in sentences(_LINE_END.sub("\n", text)):
            for start, end in _items(text, *sentence) if has_items else (sentence,):
                places = [found.span() for found in WORD.finditer(text, start, end)]
                words = [text[begin:close] for begin, close in places]
                if not is_clean and (cleaned := WORD.findall(clean(text[start:end]))) != words:
                    places, words = _places(cleaned, words, places), cleaned
                if words:
                    self._add_sentence((start, end), words, places)
        self._first.append(len(self._starts))
        self._languages.append(language_number(language or detect(text)))

    def _add_sentence(self, span: tuple[int, int], words: list[str], places: list[tuple[int, int]]) -> None:
        self._words.extend(map(self._numbers.__getitem__, words))
        self._word_starts.extend([start for start, _ in places])
        self._word_ends.extend([end for _, end in places])
        self._breaks.append(len(self._words))
        self._starts.append(span[0])
        self._ends.append(span[1])

    def table(self) -> SentenceTable:
        """Return the table of all texts added."""
        # The key form is computed once for each spelling; words are numbered in the sort order of key forms.
        vocabulary, renumbered = in_order(map(_fold_word, self._numbers))
        breaks = np.array(self._breaks, dtype=np.int64)
        rows = np.arange(len(self._starts), dtype=np.int64)
        return SentenceTable(
            first=np.array(self._first, dtype=np.int64),
            starts=np.array(self._starts, dtype=np.int64),
            ends=np.array(self._ends, dtype=np.int64),
            words=Words(Ragged(breaks, renumbered[np.array(self._words, dtype=np.int32)]), vocabulary, breaks, rows),
            word_starts=np.array(self._word_starts, dtype=np.int32),
            word_ends=np.array(self._word_ends, dtype=np.int32),
            languages=np.array(self._languages, dtype=np.uint8),
        )


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _ITEM_END.finditer(text, start, end):
        if found[1]:
            yield start, found.start() + 1
            start = min(found.end(), end)
    if start < end:
        yield start, end


def _places(cleaned: list[str], words: list[str], places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the words of a cleaned sentence in the raw one."""
    # Between two words that cleaning left unchanged, each changed word takes one raw word, in order. The last takes all
    # that remain; a word for which none is left has no characters.
    found: list[tuple[int, int]] = []
    done = raw_done = 0
    for start, raw_start, size in [*matching_blocks(cleaned, words), (len(cleaned), len(words), 0)]:
        raw = places[raw_done:raw_start]
        missing = start - done
        at = found[-1][1] if found else (places[0][0] if places else 0)
        for number in range(missing):
            own = raw[number:] if number == missing - 1 else raw[number : number + 1]
            found.append((own[0][0], own[-1][1]) if own else (at, at))
            at = found[-1][1]
        found += places[raw_start : raw_start + size]
        done, raw_done = start + size, raw_start + size
    return found


def _fold_word(word: str) -> str:
    """Return what ``fold`` does, faster."""
    lower = word.lower().replace("ё", "е")
    return lower if _PLAIN.fullmatch(lower) else fold(word)


def read_sentences(texts: Iterable[str], languages: Iterable[str | None] | None = None) -> SentenceTable:
    """Cut raw texts into sentences and words.

    Example:
        >>> text = "Снег! *** Зима пришла."
        >>> table = read_sentences([text])
        >>> [text[start:end] for start, end in table.spans(0)]
        ['Снег!', '*** Зима пришла.']
    """
    builder = TableBuilder()
    if languages is None:
        for text in texts:
            builder.add(text)
    else:
        for text, language in zip(texts, languages, strict=True):
            builder.add(text, language)
    return builder.table()


def word_sequence_hashes(words: Words) -> Uint64s:
    """Hash the sequence of words of each row; equal sequences have equal hashes."""
    # A polynomial over all words of the collection, from which the part before each row is subtracted.
    hashes = hash_words(words.vocabulary)[words.rows.values]
    sizes = words.rows.sizes
    result = np.zeros(len(words), dtype=np.uint64)
    order = np.argsort(sizes, kind="stable")
    bounds = np.searchsorted(sizes[order], np.arange(1, int(sizes.max(initial=0)) + 2))
    for size in np.unique(sizes[sizes > 0]).tolist():
        rows = order[bounds[size - 1] : bounds[size]]
        starts = words.rows.indptr[rows]
        result[rows] = hash_sequences([hashes[starts + step] for step in range(size)])
    return result


_REPORTED: Final = 1000


@dataclass(frozen=True, slots=True, eq=False)
class SentenceCollection:
    """Documents and the spans of their sentences; the texts themselves are not kept."""

    documents: tuple[Document, ...]  # documents in input order, without their bodies
    sentences: SentenceTable  # sentences of the bodies; document d of the table is `documents[d]`

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all documents."""
        return tuple(document.id for document in self.documents)

    @property
    def times(self) -> Ints:
        """Times of all documents: int64 (documents,), microseconds since 1970, ``NO_TIME`` if unknown."""
        return times_of(document.time for document in self.documents)


def read_collection(documents: Iterable[Document], *, progress: Progress | None = None) -> SentenceCollection:
    """Cut the bodies of documents, not their titles, into sentences and words, one document at a time."""
    builder = TableBuilder()
    kept: list[Document] = []
    for document in documents:
        builder.add(document.text, document.lang)
        kept.append(without_text(document))
        if progress is not None and len(kept) % _REPORTED == 0:
            progress("sentences", len(kept), None)
    return SentenceCollection(tuple(kept), builder.table())


def times_of(times: Iterable[datetime | None]) -> Ints:
    """Convert times to microseconds since 1970: int64, ``NO_TIME`` if unknown."""
    return np.array([NO_TIME if time is None else microseconds_of(time) for time in times], dtype=np.int64)


# What a sentence feature does, and all of them by name


@dataclass(frozen=True)
class SentenceFeature(ABC):
    """Turns a sentence into a bag; two sentences are copies if their bags resemble each other by tau or more.

    A feature is a frozen data class. Its fields are its parameters, annotated with their limits.

    Raises:
        ConfigurationError: a parameter is out of range.
    """

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    @abstractmethod
    def tau(self) -> float:
        """Default minimum multiset Jaccard of a copy, above 0 to 1."""

    @abstractmethod
    def bags(self, table: SentenceTable) -> Ragged:
        """Return the features of each sentence, with repetitions: uint64 rows; an empty one is never a copy."""


FEATURES: Final[Registry[type[SentenceFeature]]] = Registry("infostream_dedup.judging.passages.features", "feature")
"""All sentence features by name."""

_Class = TypeVar("_Class", bound=type[SentenceFeature])


def register(name: str, *, order: float = float("inf")) -> Callable[[_Class], _Class]:
    """Return a class decorator that gives a feature its name."""

    def add_class(found: _Class) -> _Class:
        FEATURES.add(name, found, order=order)
        return found

    return add_class


def sentence_feature(notation: str) -> SentenceFeature:
    """Make the feature that a notation describes.

    Example:
        >>> sentence_feature("low-idf-sig:n=10:skip=the,an").skip
        ('the', 'an')
    """
    # The threshold is a separate option: `tau`.
    return make_from_notation(notation, FEATURES.get_known, reserved=("tau",))
