"""Compile one message from a group: the first text, with the clauses and numbers that other texts add in their places.

Andreev et al. name it as further work (section 8), after Nikkonen: to combine what is original in every document. A
clause is the part of a sentence between commas, semicolons, colons, dashes or brackets, with at least four words that
are not numbers. It is known if one earlier sentence, of this document or another, has most of its significant stems or
synonyms of them, at least three or all, whatever the words around them; a known clause with a number that no earlier
sentence like it has is shown for the number. Clauses of numbers alone are compared by these. A clause is not known that
names somebody whom nobody has named, has two words that nobody has said, denies what was told (or tells what was
denied), or has another verb or noun in a place of an earlier sentence with all its other words.

Where several documents add something at one place, their additions follow in order of publication.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast

import numpy as np

from infostream_dedup.judging.evidence.differing import alike
from infostream_dedup.judging.evidence.numbers import numbers
from infostream_dedup.judging.passages.sentence_table import SentenceTable, read_sentences
from infostream_dedup.language.lexicon.word_lists import NEGATIONS, stop_words
from infostream_dedup.language.morphology.readings import classes, meanings, synonyms
from infostream_dedup.language.morphology.stemming import stem
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import OUR_LANGUAGES, Document, Language

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.boilerplate import Boilerplate

FragmentKind = Literal["first", "added", "number"]

_BORDER: Final = re.compile(r"(?<!\d)[,:]|[,:](?!\d)|[;()\[\]]|(?<=\s)[—–-](?=\s)")
"""A comma or colon between two digits belongs to a number or a clock time."""
_FEWEST_WORDS: Final = 4
_KNOWN: Final = 0.6  # share of a clause's significant stems that one earlier sentence must have
_MOST_NEW: Final = 1
_BEGINNING: Final = 4  # letters by which a stem counts as said: "получал", "получен"
_TELLING: Final = frozenset(("verb", "noun"))
_FEWEST_KNOWN: Final = 3  # of "the gunman died in hospital", "the gunman is in hospital" has two stems of three


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFragment:
    """A piece of the message."""

    document: Document  # the document that it comes from
    start: int  # its position in the raw text, in code points
    end: int  # exclusive
    # `first`: a sentence of the first document; `added`: no earlier document has it; `number`: known except for the
    # numbers
    kind: FragmentKind
    numbers: tuple[str, ...] = ()  # the numbers that no earlier document has; only for kind `number`

    @property
    def text(self) -> str:
        """Return its text in the document."""
        return self.document.text[self.start : self.end]

    def as_dict(self, group: str, position: int) -> dict[str, Any]:
        """Return a row of ``passages provenance --original``."""
        return {
            "group": group,
            "position": position,
            "id": self.document.id,
            "source": self.document.source,
            "kind": self.kind,
            "span": [self.start, self.end],
            "text": self.text,
            "numbers": list(self.numbers),
        }


class _Clause(NamedTuple):
    """A clause: its position, significant stems, numbers, stems with a capital letter, and stems after a denial."""

    start: int
    end: int
    stems: dict[str, frozenset[str]]  # each with what else is known by it: its lines of synonyms
    numbers: Counter[str]
    names: frozenset[str]
    denied: frozenset[str]
    words: tuple[str, ...]  # all but numbers, and the ones before and behind it in its sentence
    language: Language

    def denies_as(self, one: _Known) -> bool:
        """Whether an earlier sentence denies the same of what it tells."""
        return self.denied == one.denied & self.stems.keys()

    def replaces(self, one: _Known) -> bool:
        """Whether an earlier sentence has all its words in their order, but for another verb or noun in one place."""
        for first in range(len(one.words) - len(self.words) + 1 if len(one.words) <= _LONGEST else 0):
            others = [at for at, word in enumerate(self.words) if word != one.words[first + at]]
            if len(others) == 1 and 0 < others[0] < len(self.words) - 1 > _FEWEST_WORDS:
                new, old = self.words[others[0]], one.words[first + others[0]]
                if new not in one.words and old not in self.words and _another_thing(new, old, self.language):
                    return True
        return False


_LONGEST: Final = 300  # words of a sentence that is looked at word by word


class _Known(NamedTuple):
    """A sentence of an earlier document: its content, and the fragment that it belongs to or follows."""

    stems: frozenset[str]
    numbers: Counter[str]
    denied: frozenset[str]
    words: tuple[str, ...]
    fragment: OriginalFragment


_Content = tuple[frozenset[str], frozenset[tuple[str, int]], frozenset[str]]


def original_message(
    documents: Sequence[Document],
    boilerplate: Boilerplate | None = None,
    repeated: Sequence[Sequence[tuple[int, int]]] = (),
) -> list[OriginalFragment]:
    """Combine what every document of a group contributes first, without ``repeated`` spans of each.

    Example:
        >>> from infostream_dedup.model import Document
        >>> first = Document(id="1", text="Пожар на складе тушили двенадцать машин. Никто не пострадал.")
        >>> later = "Пожар на складе тушили двенадцать машин, сообщила пресс-служба городского управления. Снег."
        >>> [(one.document.id, one.text) for one in original_message([first, Document(id="2", text=later)])][1]
        ('2', 'сообщила пресс-служба городского управления.')
    """
    opening: list[OriginalFragment] = []
    followers: defaultdict[int | None, list[OriginalFragment]] = defaultdict(list)
    known: list[_Known] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    contents: set[_Content] = set()
    said: set[str] = set()
    spoken: str | None = None
    for number, document in enumerate(documents):
        language = cast("Language", document.lang or detect(document.text))
        table = read_sentences([document.text], [language])
        # The message begins with the first text; what another language says comes behind it, unless it is known where.
        before = opening[-1 if language != spoken else 0] if opening else None
        spoken = spoken or language
        marked = [] if boilerplate is None else boilerplate.marked(table, [document.source]).tolist()
        for place, (start, end) in enumerate(table.spans(0)):
            recurs = repeated and any(2 * (min(end, b) - max(start, a)) > end - start for a, b in repeated[number])
            if recurs or (marked and marked[place]):
                continue
            sentence = _clause(document.text, start, end, table, language, (start, end))
            if not number:
                before = OriginalFragment(document=document, start=start, end=end, kind="first")
                opening.append(before)
            for clause in _clauses(document.text, start, end, table, language) if number else ():
                new = {word for word, same in clause.stems.items() if said.isdisjoint((word[:_BEGINNING], *same))}
                match = _best(clause, known, holders)
                strange = len(new) > _MOST_NEW or bool(new & clause.names)
                strange = strange or (match is not None and (not clause.denies_as(match) or clause.replaces(match)))
                found = _fragment(document, clause, match, strange=strange)
                if found is None:
                    before = match.fragment if match else before
                    continue
                anchor = match.fragment if match else before
                followers[None if anchor is None else id(anchor)].append(found)
                before = found
            senses = frozenset[str]().union(*sentence.stems.values())
            said.update(senses, (word[:_BEGINNING] for word in sentence.stems))
            if before is not None:
                content = senses, sentence.numbers, sentence.denied, sentence.words, before
                _remember(_Known(*content), known, holders, contents)
    return _in_order([*followers[None], *opening], followers)


def _remember(one: _Known, known: list[_Known], holders: dict[str, list[int]], contents: set[_Content]) -> None:
    """Add what was read to the known sentences; of equal ones, only the first can be the best for a clause."""
    content = one.stems, frozenset(one.numbers.items()), one.denied
    if content not in contents:
        contents.add(content)
        for word in one.stems or one.numbers:
            holders[word].append(len(known))
        known.append(one)


def _in_order(
    opening: Sequence[OriginalFragment], followers: Mapping[int | None, Sequence[OriginalFragment]]
) -> list[OriginalFragment]:
    """Insert after each fragment those that follow it: first those of other documents, as read, then its own."""
    message: list[OriginalFragment] = []
    waiting = [*reversed(opening)]
    while waiting:
        one = waiting.pop()
        message.append(one)
        after = sorted(followers.get(id(one), ()), key=lambda other: other.document is one.document)
        waiting.extend(after[::-1])
    return message


def _fragment(document: Document, clause: _Clause, match: _Known | None, *, strange: bool) -> OriginalFragment | None:
    """Return what a clause adds; ``None`` if all of it is known, or if it is empty."""
    new = () if match is None else tuple((clause.numbers - match.numbers).elements())
    added = strange if match is not None else bool(clause.stems or clause.numbers)
    if not new and not added:
        return None
    kind: FragmentKind = "number" if new else "added"
    return OriginalFragment(document=document, start=clause.start, end=clause.end, kind=kind, numbers=new)


def _best(clause: _Clause, known: Sequence[_Known], holders: dict[str, list[int]]) -> _Known | None:
    """Find the earlier sentence that has most of a clause; among equals, one with its numbers, then the first."""
    # One that denies the same goes before all others.
    words = [*clause.stems.values()] or [frozenset((one,)) for one in clause.numbers]
    met = Counter(place for same in words for place in {at for one in same for at in holders.get(one, ())})
    least = max(_KNOWN * len(words), min(_FEWEST_KNOWN, len(words)))
    close = [place for place, common in met.items() if common >= least]
    if not close:
        return None

    def closeness(at: int) -> tuple[bool, int, int, int]:
        return clause.denies_as(known[at]), met[at], (clause.numbers & known[at].numbers).total(), -at

    return known[max(close, key=closeness)]


def _clauses(text: str, start: int, end: int, table: SentenceTable, language: Language) -> Iterator[_Clause]:
    """Split a sentence at its punctuation; a piece of fewer than four words joins the next, the last the one before."""
    bounds = [start, *(found.end() for found in _BORDER.finditer(text, start, end)), end]
    spans: list[tuple[int, int]] = []
    begin = start
    for border in bounds[1:]:
        if len(_words(table, begin, border)) >= _FEWEST_WORDS:
            spans.append((begin, border))
            begin = border
    if begin < end:
        if spans and len(_words(table, begin, end)) < _FEWEST_WORDS:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin, end))
    for begin, close in spans:
        yield _clause(text, begin, close, table, language, (start, end))


def _clause(text: str, start: int, end: int, table: SentenceTable, language: Language, own: tuple[int, int]) -> _Clause:
    ignored = stop_words(language)
    inside = [(word, text[at].isupper() and at > start) for at, word in _words(table, start, end)]
    told = [(stem(word, language), word, capital) for word, capital in inside if word not in ignored]
    stems = {one: frozenset((one, *(f"={line}" for line in meanings(word, language)))) for one, word, _ in told}
    piece = text[start:end]
    found = numbers(piece)
    # The separator itself does not belong to the clause.
    stripped = piece.strip(" \t\r\n,;:()[]—–-")
    begin = start + piece.index(stripped) if stripped else start
    names = frozenset(one for one, _, capital in told if capital)
    denied, denies = set(), False
    for word, _ in inside:
        if word not in ignored and denies:
            denied.add(stem(word, language))
        denies = word in NEGATIONS or (denies and word in ignored)
    around = [(-1, ""), *_words(table, *own), (-1, "")]
    numbered = [place for place, (at, _) in enumerate(around) if start <= at < end]
    words = tuple(word for _, word in around[numbered[0] - 1 : numbered[-1] + 2]) if numbered else ()
    return _Clause(begin, begin + len(stripped), stems, Counter(found), names, frozenset(denied), words, language)


def _another_thing(one: str, other: str, language: Language) -> bool:
    """Whether a verb or noun in the place of another is neither another form of it nor a synonym."""
    if language not in OUR_LANGUAGES:
        return False
    ignored, pair = stop_words(language), (one, other)
    telling = all(word not in ignored and classes(word, language) & _TELLING for word in pair)
    return telling and not alike(one, other, language) and not synonyms(one, other, language)


def _words(table: SentenceTable, start: int, end: int) -> list[tuple[int, str]]:
    """The words but for numbers, each with its place."""
    inside = np.flatnonzero((table.word_starts >= start) & (table.word_ends <= end))
    words = map(table.words.vocabulary.__getitem__, table.words.rows.values[inside].tolist())
    return [
        (at, word) for at, word in zip(table.word_starts[inside].tolist(), words, strict=True) if not word.isdigit()
    ]
