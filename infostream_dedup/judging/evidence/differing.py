"""What two texts that differ in few words differ in, and whether that turns the news round.

Form decides wherever it can: numbers or names in other roles, a negation, a question, a denial, another figure. Of
other replaced words, only one that stands alone decides: a verb, an adjective or a name in place of another one, unless
the two are forms or spellings of one word, or stand in one line of synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import islice, product, repeat
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.characters import DAY_WORDS, LABELS, MONTH_WORDS, day_of, word_hash
from infostream_dedup.judging.evidence.constants import LONGEST_ACRONYM, OPENING
from infostream_dedup.judging.evidence.kernels import differing as kernels
from infostream_dedup.judging.evidence.numbers import find_runs, numbers_of_run, one_value, value_of
from infostream_dedup.judging.evidence.reading import ALPHABET, codes, packed
from infostream_dedup.language.lexicon import word_lists as lists
from infostream_dedup.language.lexicon.frequency import form_frequencies, zipf
from infostream_dedup.language.morphology.readings import classes, is_proper, lemmas, opposites, synonyms
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Uint32s, numbered_ends, offsets_of
from infostream_dedup.machine.kernels import HALF
from infostream_dedup.model import Language


@dataclass(frozen=True, slots=True)
class WordDifference:
    """The words in which two texts differ, if these decide what kind of pair they are."""

    # `numbers exchanged`, `names exchanged`, `negation`, `question`, `denial`, `another name`, `another day`,
    # `another word`, or `another figure`
    reason: str
    words: tuple[tuple[str, str], ...]  # words of either text in the same place; empty where the other has none

    def as_dict(self) -> dict[str, Any]:
        """The two fields that a row has if these words decided its kind."""
        return {"differs_by": self.reason, "differing": [list(pair) for pair in self.words]}

    @property
    def is_figure(self) -> bool:
        """Whether the texts only give another figure: the later one is an update."""
        return self.reason == ANOTHER_FIGURE

    @property
    def is_certain(self) -> bool:
        """Whether it decides texts that differ elsewhere as well."""
        return self.is_figure or self.reason.endswith("exchanged")

    @property
    def of_series(self) -> bool:
        """Whether the figure belongs to a name or day, as in DSA-249: two of a series, in one form."""
        return self.is_figure and self.words[0][0][0].isalpha()


ANOTHER_FIGURE, ANOTHER_WORD = "another figure", "another word"
_FULL_STOP: Final = re.compile(r"[.!?…\n]")
_PARTS: Final = re.compile(r"[:\-– ]")
_SENTENCE: Final = 4  # tokens of an added sentence that denies the rest; in fewer, the verb is another rendering
_FRONT: Final = 6  # tokens at the beginning among which a text says that what follows is false
_NEAR: Final = 4  # tokens around a name among which a word of reporting makes it the name of whoever reports

_FREQUENT: Final = 2.0
"""Frequency on the Zipf scale from which a verb may be the news; rarer ones are chosen for their colour."""

_VOWEL: Final = re.compile(r"[аеиоуыэюяіїєaeiouy]")
_SHORTEST: Final = 3

_PREFIXES: Final = tuple(
    sorted(
        "без бес в во вз вс вы до за из изо ис на над о об обо от ото пере по под подо пре при про раз разо рас с со у"
        " ви від з зі із пере перед під підо при про роз розі у уз".split(),
        key=lambda prefix: (-len(prefix), prefix),
    )
)
_ROOT: Final = 4
_ASPECT: Final = frozenset("с по на за о вы про у з ви об".split())  # prefixes that often only make a verb perfective


def _folded(text: str) -> str:
    # Five times as fast as a table of characters.
    return text.lower().replace("ё", "е").replace("’", "ʼ").replace("'", "ʼ")


@cache
def _tables() -> kernels.OpeningTables:
    """Classes and folded forms of the characters of windows-1251, and marks of words."""
    characters = [bytes([code]).decode(ALPHABET, "replace") for code in range(256)]
    letters = codes()
    matched = {
        kernels.LETTER: r"[^\W\d_]", kernels.DIGIT: r"\d", kernels.SPACE: r"\s", kernels.WORD: r"\w",
        kernels.JOINS_DIGITS: r"[.,:\-–]",
        kernels.JOINS_LETTERS: "['’-]", kernels.ENDS_CLAUSE: r"[.!?…\n:;|«\"“„(—]",
    }  # fmt: skip
    classes = np.zeros(256, dtype=np.uint8)
    for bit, pattern in matched.items():
        classes += np.array([bit * bool(re.match(pattern, one)) for one in characters], dtype=np.uint8)
    classes += np.array([kernels.UPPER * one.isupper() for one in characters], dtype=np.uint8)
    folded = np.array([letters[_folded(one)] for one in characters], dtype=np.uint8)
    marks: dict[str, int] = {}
    marked = (kernels.NEGATION, lists.NEGATIONS), (kernels.AUXILIARY, lists.AUXILIARIES), (kernels.LABEL, LABELS)
    for bit, words in (*marked, (kernels.DATE, DAY_WORDS.union(MONTH_WORDS))):
        marks |= {word: marks.get(word, 0) | bit for word in words}
    coded = ("".join(chr(letters[letter]) for letter in word) for word in marks)
    hashes = np.array(list(map(word_hash, coded)), dtype=np.uint64)
    order = np.argsort(hashes)
    denials = sorted(bytes(letters[letter] for letter in beginning) for beginning in lists.DENYING)
    return kernels.OpeningTables(
        classes,
        folded,
        hashes[order],
        np.array(list(marks.values()), dtype=np.uint16)[order],
        np.searchsorted(hashes[order] >> np.uint64(56), np.arange(257)),
        np.frombuffer(b"".join(denials), np.uint8),
        offsets_of([len(one) for one in denials]),
        np.searchsorted([one[0] for one in denials], np.arange(257)),
    )


class Openings:
    """Tokens of beginnings of texts, ``packed`` from ``firsts`` to ``lasts``; one of ``most`` or more may be cut."""

    def __init__(self, words: Uint32s, firsts: Ints, lasts: Ints, most: int | Ints = OPENING) -> None:
        size, count = 4 * int((lasts - firsts).sum()), len(firsts)
        self.tokens = kernels.OpeningTokens(
            clean=np.empty(size + HALF, dtype=np.uint8),
            clean_begins=np.empty(count + 1, dtype=np.int64),
            begins=np.empty(count + 1, dtype=np.int64),
            places=np.empty((size, 2), dtype=np.int32),
            hashes=np.empty(size, dtype=np.uint64),
            flags=np.empty(size, dtype=np.uint16),
            distinct=np.empty(count, dtype=np.int64),
            cut=np.empty(count, dtype=np.bool_),
        )
        packed, known = words.astype("<u4", copy=False).view(np.uint8), np.full(count, most, dtype=np.int64)
        kernels.read_openings(packed, 4 * firsts, 4 * lasts, known, _tables(), self.tokens)
        self._texts: dict[int, _Text] = {}

    def text(self, document: int) -> _Text:
        """The tokens of one text."""
        if document not in self._texts:
            tokens = self.tokens
            (begin, end), (first, last) = (x[document:][:2].tolist() for x in (tokens.clean_begins, tokens.begins))
            of_tokens = tokens.places[first:last].tobytes(), tokens.flags[first:last].tobytes()
            self._texts[document] = _Text.read(tokens.clean[begin:end].tobytes(), *of_tokens)
        return self._texts[document]

    def other_counts(self, a: Ints, b: Ints) -> Bools:
        """Whether both leads of a pair have numbers, none of them in common."""
        # Numbers in figures or words, without years, links and "one", which also is a pronoun. Of 12 000 and 12
        # thousand, both are 12.
        rows, (ones, others) = numbered_ends(a, b)
        begins, ends = self.tokens.clean_begins[rows], self.tokens.clean_begins[rows + 1]
        spans = zip(begins.tolist(), np.minimum(ends, begins + _LEAD_CHARACTERS).tolist(), strict=True)
        found = find_runs(
            texts_of([self.tokens.clean[i:end].tobytes().decode(ALPHABET, "replace") for i, end in spans])
        )
        runs = map(_counts, found.runs)
        counts = [frozenset[str]().union(*islice(runs, size)) for size in found.sizes.tolist()]
        sides = zip(map(counts.__getitem__, ones.tolist()), map(counts.__getitem__, others.tolist()), strict=True)
        return np.array([bool(one) and bool(other) and one.isdisjoint(other) for one, other in sides], dtype=np.bool_)

    def filled_anew(self, a: Ints, b: Ints) -> Bools:
        """Whether most words of each text of a pair that the other has not are other names, numbers or days."""
        counts = np.empty((len(a), 4), dtype=np.int64)
        kernels.count_slots(a, b, self.tokens, counts)
        found: Bools = (counts[:, 1::2] >= np.maximum(_FEWEST_SLOTS, _SLOTS * counts[:, ::2])).all(axis=1)
        for pair in np.flatnonzero(found).tolist():
            one, other = self.text(int(a[pair])), self.text(int(b[pair]))
            mine, theirs = one.names.difference(other.folded), other.names.difference(one.folded)
            found[pair] = not any(_sounds_alike(x, y) for x in mine for y in theirs)
        return found

    def compared(self, a: Ints, b: Ints, lacks: Floats | None = None) -> Iterator[tuple[int, WordDifference]]:
        """Compare the texts of pairs; yield pairs whose few differing words decide their kind, and these words.

        lacks: triples of words of each text that the other lacks, float64 (pairs, 2), 0 where it does not matter. Texts
            that differ elsewhere as well are decided by a figure or by words that changed places: that is no chance.
        """
        lacks = np.zeros((len(a), 2)) if lacks is None else lacks
        scratch, found = kernels.difference_scratch(), np.empty(len(a), dtype=np.int64)
        changes = np.empty((4 * len(a) + 2 * OPENING, 4), dtype=np.int64)
        first = 0
        while first < len(a):
            rest = a[first:], b[first:], lacks[first:]
            done = kernels.compare_openings(*rest, self.tokens, scratch, found[first:], changes)
            begin = 0
            for pair in (first + np.flatnonzero(found[first : first + done])).tolist():
                count = int(found[pair])
                some = changes[begin : begin + abs(count)].tolist()
                begin += abs(count)
                rule = _what_differs if count > 0 else _in_one_form
                one, other = int(a[pair]), int(b[pair])
                changed = [_Change(range(i, end), range(j, last)) for i, end, j, last in some]
                decided = rule(self.text(one), self.text(other), changed)
                if decided and (decided.is_certain or not self._differ_elsewhere(one, other, some, lacks[pair])):
                    yield pair, decided
            first += done

    def _differ_elsewhere(self, one: int, other: int, changes: list[list[int]], lacks: Floats) -> bool:
        """As the kernel asks: an exchange that it thought possible may turn out to be another change."""
        touched = [sum(each[k + 1] - each[k] + kernels.TOUCHED for each in changes) for k in (0, 2)]
        return bool((self.tokens.cut[one] or self.tokens.cut[other]) and np.any(lacks > touched))


@lru_cache(1 << 14)
def _counts(run: str) -> frozenset[str]:
    found = (one for one in numbers_of_run(run) if one != "1" and not _YEAR.fullmatch(one))
    return frozenset(_THOUSANDS.sub("", one) for one in found)


class _Text(NamedTuple):
    """The tokens of the beginning of a text."""

    text: str
    places: list[int]  # where each token begins, and where it ends
    words: tuple[str, ...]  # as written
    folded: tuple[str, ...]  # in lower case, apostrophes alike
    starts: frozenset[int]  # tokens that begin a sentence or a quotation
    numbers: tuple[int, ...]  # tokens that are numbers
    parts: list[str]  # the numbers of their digits, ascending
    figures: frozenset[int]  # tokens that begin with a digit
    days: frozenset[int]  # tokens that are names of days
    capitals: frozenset[int]  # tokens that are written as names
    names: frozenset[str]  # folded words with a capital letter that may be names
    denies: bool  # whether a word may say that something is false
    vowels: tuple[int, ...]  # letters of each of `_LETTERS`

    @classmethod
    @lru_cache(1 << 11)  # Copies of one form are compared with the same few texts.
    def read(cls, clean: bytes, stands: bytes, flags: bytes) -> _Text:
        text, marks = clean.decode(ALPHABET, "replace"), np.frombuffer(flags, dtype=np.uint16)
        places = np.frombuffer(stands, dtype=np.int32).tolist()
        words = [text[first:last] for first, last in zip(places[::2], places[1::2], strict=True)]
        folded = _folded("\n".join(words)).split("\n") if words else []
        bits = kernels.START, kernels.NUMBER, kernels.NAME, kernels.DENIAL | kernels.LABEL
        starts, numbers, names, denials = (np.flatnonzero(marks & bit).tolist() for bit in bits)
        named = frozenset(folded[i] for i in names)
        parts = sorted(_PARTS.split(" ".join(folded[i] for i in numbers)))
        figures = frozenset(i for i, word in enumerate(folded) if word[:1].isdigit())
        days = frozenset(i for i, word in enumerate(folded) if word in DAY_WORDS)
        capitals = frozenset(i for i, word in enumerate(words) if _is_name(word))
        letters, kinds = "".join(folded), (frozenset(starts), tuple(numbers), parts, figures, days, capitals, named)
        vowels = tuple(sum(map(letters.count, some)) for some in _LETTERS)
        return cls(text, places, tuple(words), tuple(folded), *kinds, bool(denials), vowels)

    def before(self, i: int) -> str:
        """What stands between a token and the one before."""
        return self.text[self.places[2 * i - 1] : self.places[2 * i]] if i else ""

    @property
    def lead(self) -> int:
        """Tokens of the sentences that begin in front: of later ones, only another verb may be news."""
        ends = (i for i in self.starts if i >= _FRONT and len(self.words[i - 1]) >= _SHORTEST)
        return min([*(i for i in ends if _FULL_STOP.search(self.before(i))), kernels.LEAD])


class _Change(NamedTuple):
    """Tokens of one text in place of tokens of the other."""

    a: Sequence[int]
    b: Sequence[int]


_Rule = Callable[[_Text, _Text, list[_Change], "Language"], WordDifference | None]


def openings_of(*texts: str, most: int = OPENING) -> Openings:
    """The beginnings of texts."""
    words, bounds = packed(texts_of(texts), most)
    return Openings(words, bounds[:-1], bounds[1:], most)


def _what_differs(one: _Text, other: _Text, changes: list[_Change]) -> WordDifference | None:
    """What the kernel's changes decide: the kernel only leaves out changes for which no rule holds."""
    found = _denial(one, other, changes)
    few = _few(one, other)
    if found is not None or sum([max(len(each.a), len(each.b)) for each in changes]) > few:
        return found
    language = _language_of(one, other)
    for exchanged in (_numbers_exchanged, _names_exchanged):
        found = exchanged(one, other, changes, language)
        if found is not None:
            return found
    few_changes = len(changes) <= kernels.MOST_CHANGES
    asked: list[tuple[_Rule, list[_Change]]] = [(_negation, changes)] if few_changes else []
    told = (each for each in changes if not _tells_the_same(one, other, each, language))
    telling = list(islice(told, 2)) if len(changes) <= kernels.MOST_EDITS else []
    # In a text that was edited elsewhere as well, only a word of the lead turns the news round.
    if len(telling) == 1 and (
        len(changes) == 1 or ((*telling[0].a, -1)[0] < one.lead and (*telling[0].b, -1)[0] < other.lead)
    ):
        asked += [(rule, telling) for rule in (_negation, _another_day, _another_name, _another_word)]
    if asked and _denied_alike(one, other, changes, language):
        asked = []
    for rule, some in (*asked, *([(_question, changes)] if few_changes else [])):
        found = rule(one, other, some, language)
        if found is not None:
            return found
    return _another_figure(one, other, changes, language)


def _few(one: _Text, other: _Text) -> float:
    """How many tokens may differ."""
    return max(kernels.MOST_TOKENS, min(len(one.words), len(other.words)) / kernels.PART)


def _in_one_form(one: _Text, other: _Text, changes: list[_Change]) -> WordDifference | None:
    """Texts in which only numbers differ: of a form there are many copies, and many more pairs."""
    found = _numbers_exchanged(one, other, changes, "en")  # The words, which have a language, are the same.
    return found or _another_figure(one, other, changes, "en")


def _language_of(one: _Text, other: _Text) -> Language:
    cyrillic, latin, ukrainian, russian = map(add, one.vowels, other.vowels)
    if cyrillic <= latin:
        return "en"
    return "uk" if ukrainian > russian else "ru"


_LETTERS: Final = ("аеиоі", "aeiou", "іїєґ", "ыэъ")
_LEAD_CHARACTERS: Final = 200
_YEAR: Final = re.compile("(?:19|20)[0-9]{2}")
_THOUSANDS: Final = re.compile("(?:000)+$")
_FEWEST_SLOTS: Final = 2
_SLOTS: Final = 0.6  # fewest slots of a form, and their share of the words that differ


# The rules of form


def _denial(one: _Text, other: _Text, changes: list[_Change]) -> WordDifference | None:
    """One text says that what the other tells is false, at its beginning or in what it adds."""
    if not (one.denies or other.denies):
        return None
    lost = [sum(len(side) for side in sides) for sides in zip(*((each.a, each.b) for each in changes), strict=True)]
    if min(lost) > _few(one, other):
        return None
    # Who denies that something will be says that it will not be.
    negated = [
        any(text.folded[i] in lists.NEGATIONS for side in sides for i in side)
        for text, sides in zip((one, other), zip(*changes, strict=True), strict=True)
    ]
    for each in changes:
        mine, its = ([text.folded[i] for i in side] for text, side in ((one, each.a), (other, each.b)))
        says = [_denies(one, each.a, its), _denies(other, each.b, mine)]
        labels = [word.lower() in LABELS for word in says]
        if bool(says[0]) != bool(says[1]):
            believes, told = (other, each.b) if says[0] else (one, each.a)
            denied = any(word.startswith(lists.DENYING) for word in believes.folded)
            denied = denied or negated[bool(says[0])]
            if any(labels) or not denied:
                stated = next((believes.words[i] for i in told if believes.folded[i].startswith(lists.STATING)), "")
                return WordDifference("denial", ((says[0] or stated, says[1] or stated),))
    return None


def _denies(text: _Text, places: Sequence[int], rest: Sequence[str]) -> str:
    """The word of a sentence, of a mark put in front, or in the place of a statement, that says the rest is false."""
    enough = len(places) >= _SENTENCE or (0 in places and not rest)
    stated = any(word.startswith(lists.STATING) for word in rest)
    denials = lists.DENYING if stated else lists.DENIALS if enough else ()
    for i in places:
        word = text.folded[i]
        # "This is a fake" says it anywhere; "fake" and "false" may be adjectives.
        named = word in LABELS and not word.startswith(lists.RUMOURS) and (enough or not (rest or word.isascii()))
        front = word in LABELS and i < _FRONT
        if named or front or (word.startswith(denials) and text.folded[i + 1 : i + 2] not in lists.REFUSED):
            return text.words[i]
    return ""


def _numbers_exchanged(one: _Text, other: _Text, changes: list[_Change], _: Language) -> WordDifference | None:
    if one.parts != other.parts or len(one.numbers) != len(other.numbers) or not _only_replaced(changes):
        return None
    p, q = ([text.folded[i] for i in text.numbers] for text in (one, other))
    wrong = [(x, y) for x, y in zip(p, q, strict=True) if x != y]
    moved = {i for each in changes for i in each.a if not one.folded[i][0].isdigit()}
    return WordDifference("numbers exchanged", tuple(wrong)) if 0 < len(wrong) <= 4 and len(moved) <= 2 else None


def _names_exchanged(one: _Text, other: _Text, changes: list[_Change], language: Language) -> WordDifference | None:
    """Exactly two names stand in each other's place; names that a conjunction joins may be listed in any order."""
    if not _only_replaced(changes):
        return None
    places = [pair for each in changes for pair in zip(each.a, each.b, strict=False)]
    named = [(i, j) for i, j in places if i in one.capitals and j in other.capitals]
    named = [(i, j) for i, j in named if not alike(one.folded[i], other.folded[j], language)]
    if len(named) != 2 or named[1][0] - named[0][0] < 2:
        return None
    (i, j), (k, far) = named
    between = set(one.folded[i + 1 : k])
    if not between or between <= lists.CONJUNCTIONS:
        return None
    crossed = alike(one.folded[i], other.folded[far], language) and alike(one.folded[k], other.folded[j], language)
    left = (each for each in places if each not in named)
    if not crossed or not all(alike(one.folded[x], other.folded[y], language) for x, y in left):
        return None
    return WordDifference("names exchanged", tuple((one.words[x], other.words[y]) for x, y in named))


def _only_replaced(changes: list[_Change]) -> bool:
    return all((each.a and each.b) or len(each.a) + len(each.b) <= 2 for each in changes)


def _negation(one: _Text, other: _Text, changes: list[_Change], language: Language) -> WordDifference | None:
    for each in changes:
        sides = [text.folded[side[0] : side[-1] + 1] if side else () for text, side in ((one, each.a), (other, each.b))]
        rest = [
            [word for word in side if word not in lists.NEGATIONS and word not in lists.AUXILIARIES] for side in sides
        ]
        counts = [sum(word in lists.NEGATIONS for word in side) for side in sides]
        negative = len(rest[0]) == len(rest[1]) == 1 and _negates(rest[0][0], rest[1][0])
        after = {x for t, side in zip((one, other), each, strict=True) if side for x in t.folded[side[-1] + 1 :][:1]}
        # "Not profitable" and "unprofitable" tell the same.
        if (sum(counts) + negative) % 2 == 0 or not lists.NEVER_NEGATED.isdisjoint(after):
            continue
        same = len(rest[0]) == len(rest[1]) and all(
            alike(x, y, language)
            or synonyms(x, y, language)
            or (x.startswith(lists.STATING) and y.startswith(lists.STATING))
            for x, y in zip(sorted(rest[0]), sorted(rest[1]), strict=True)
        )
        if (same or negative) and not _ordinary(one, other, each, language):
            mine, its = (" ".join(text.words[i] for i in side) for text, side in ((one, each.a), (other, each.b)))
            return WordDifference("negation", ((mine, its),))
    return None


def _denied_alike(one: _Text, other: _Text, changes: list[_Change], language: Language) -> bool:
    """Whether what differs denies in both texts: "not very convenient", "very inconvenient"; "denied that it will"."""
    denied = [
        sum(_is_negative(text.folded[i], language) for side in sides for i in side)
        for text, sides in zip((one, other), zip(*((each.a, each.b) for each in changes), strict=True), strict=True)
    ]
    return min(denied) > 0 and sum(denied) % 2 == 0


def _is_negative(word: str, language: Language) -> bool:
    rests = [word.removeprefix(prefix) for prefix in lists.NEGATIVE_PREFIXES if word.startswith(prefix)]
    if word in lists.NEGATIONS or word.startswith(lists.DENYING):
        return True
    return any("adjective" in classes(rest, language) for rest in rests if len(rest) >= _SHORTEST)


def _negates(x: str, y: str) -> bool:
    """Whether one word is the other behind a negative prefix."""
    shorter, longer = sorted((x, y), key=len)
    return len(shorter) >= 4 and any(longer == prefix + shorter for prefix in lists.NEGATIVE_PREFIXES)


def _question(one: _Text, other: _Text, changes: list[_Change], _: Language) -> WordDifference | None:
    asks = tuple("?" in text.folded for text in (one, other))
    places = [i for each in changes for i in (*each.a, *each.b)]
    if asks[0] == asks[1] or not places:
        return None
    asking = one if asks[0] else other
    mark = asking.folded.index("?")
    # A mark behind a quotation begins nothing; with "how", "why" or "of whom" it is a question without a mark as well.
    first = max((start for start in asking.starts if start < mark), default=mark)
    if any(first in each[asks[1]] and mark in each[asks[1]] for each in changes):
        return None  # The other text has nothing of this sentence.
    changed = {i for each in changes for i in each[asks[1]]}
    common = [word if i not in changed else "" for i, word in enumerate(asking.folded[:mark])]
    asked = common[first : first + 1 + (len(asking.folded[first]) < _SHORTEST)]
    if lists.INTERROGATIVES.intersection(asked) or "ли" in common[first:]:
        return None
    return WordDifference("question", (("?", ""),) if asks[0] else (("", "?"),))


# Another word, name or figure in the place of one


def _ordinary(one: _Text, other: _Text, change: _Change, language: Language) -> bool:
    """Whether a change is an edit that tells the same: spelling, form, order, function words."""
    x = [one.folded[i] for i in change.a if one.folded[i] != "?"]
    y = [other.folded[i] for i in change.b if other.folded[i] != "?"]
    if len(x) == len(y) and all(p == q or alike(p, q, language) for p, q in zip(x, y, strict=True)):
        return True
    return "".join(x).replace("-", "") == "".join(y).replace("-", "")


def _tells_the_same(one: _Text, other: _Text, change: _Change, language: Language) -> bool:
    """Whether beside a change another word may be the news: only spelling, forms, order or function words differ."""
    words = {text.folded[i] for text, side in ((one, change.a), (other, change.b)) for i in side}
    small = words <= lists.stop_words(language) and words.isdisjoint(lists.NEGATIONS)
    same = small or _ordinary(one, other, change, language)
    return same and _opposite(one, other, change, language) is None


def _opposite(one: _Text, other: _Text, change: _Change, language: Language) -> tuple[str, str] | None:
    """A word and its opposite, if beside them only function words differ: "за проект", "против проекта"."""
    if not 0 < max(len(change.a), len(change.b)) <= _SHORTEST:
        return None
    small = lists.stop_words(language)
    for i, j in product(*change):
        x, y = one.folded[i], other.folded[j]
        left = [
            [w for w in (t.folded[k] for k in s if k != at) if w not in small]
            for t, s, at in ((one, change.a, i), (other, change.b, j))
        ]
        if opposites(x, y, language) and len(left[0]) == len(left[1]) and all(map(alike, *left, repeat(language))):
            return one.words[i], other.words[j]
    return None


def _another_name(one: _Text, other: _Text, changes: list[_Change], language: Language) -> WordDifference | None:
    (change,) = changes
    if len(change.a) == len(change.b) <= 3 and not _ordinary(one, other, change, language):
        for i, j in zip(change.a, change.b, strict=True):
            if _other_name(one, i, other, j, language):
                return WordDifference("another name", ((one.words[i], other.words[j]),))
    return None


def _another_day(one: _Text, other: _Text, changes: list[_Change], _: Language) -> WordDifference | None:
    """Another day of the week, or another month, alone in the place of one: what was announced is moved."""
    (change,) = changes
    if len(change.a) == len(change.b) <= 3:
        for i, j in zip(change.a, change.b, strict=True):
            days = day_of(one.folded[i]), day_of(other.folded[j])
            if all(days) and len(days[0]) == len(days[1]) and days[0] != days[1]:
                return WordDifference("another day", ((one.words[i], other.words[j]),))
    return None


def _another_word(one: _Text, other: _Text, changes: list[_Change], language: Language) -> WordDifference | None:
    """The two words that are all that differs, if they tell another thing."""
    (change,) = changes
    turned = _opposite(one, other, change, language)
    if turned or len(change.a) != 1 or len(change.b) != 1:
        return WordDifference(ANOTHER_WORD, (turned,)) if turned else None
    (i,), (j,) = change
    x, y = one.folded[i], other.folded[j]
    told = all(_tells(text, at, language) and not _reports(text, at) for text, at in ((one, i), (other, j)))
    if not told or not _other_statement(x, y, language):
        return None
    return WordDifference(ANOTHER_WORD, ((one.words[i], other.words[j]),))


def _verbs(x: str, y: str, language: Language) -> bool:
    """Whether two words in one place are verbs; in English, "doubt", mostly a noun, is one in the place of "think"."""
    kinds = classes(x, language), classes(y, language)
    if language != "en" or all("verb" in one for one in kinds):
        return all("verb" in one for one in kinds)
    finite = (x[-1] == "s") == (y[-1] == "s") and not any(word.endswith(("ing", "ed", "en")) for word in (x, y))
    return {"verb"} in kinds and {"noun"} in kinds and finite


def _is_name(word: str) -> bool:
    # In SPb, the capital letters are those of an acronym.
    return word[:1].isupper() and not word.isupper() and (len(word) > _SHORTEST or word[1:].islower())


def _is_acronym(text: _Text, i: int) -> bool:
    """Whether a word of capital letters stands between others."""
    near = (*text.words[max(0, i - 1) : i], *text.words[i + 1 : i + 2])
    return text.words[i].isalpha() and 1 < len(text.words[i]) <= LONGEST_ACRONYM and not any(map(str.isupper, near))


def _other_name(one: _Text, i: int, other: _Text, j: int, language: Language) -> bool:
    """Whether a name that does not begin a sentence is replaced by one of another sound."""
    x, y = one.folded[i], other.folded[j]
    if one.words[i].isupper() and other.words[j].isupper():
        told = _is_acronym(one, i) and _is_acronym(other, j) and x.isascii() == y.isascii()
        return told and not alike(x, y, language) and not synonyms(x, y, language)
    if not (i in one.capitals and j in other.capitals):
        return False
    if (i in one.starts or j in other.starts) and not (
        is_proper(one.words[i], language) and is_proper(other.words[j], language)
    ):
        return False
    return not (
        _sounds_alike(x, y) or alike(x, y, language) or _reports(one, i, near=True) or _reports(other, j, near=True)
    )


@lru_cache(1 << 14)
def _sounds_alike(x: str, y: str) -> bool:
    """Whether two names may be spellings of one."""
    p, q = x.translate(_SOUNDS), y.translate(_SOUNDS)
    # In any order, at least as many letters are common.
    common = sum(min(p.count(letter), q.count(letter)) for letter in set(p))
    return p == q or (
        2.0 * common / (len(p) + len(q)) > _ONE_SOUND and SequenceMatcher(None, p, q, False).ratio() > _ONE_SOUND
    )


_SOUNDS: Final = str.maketrans("иїйыэєґяюоz", "іііііегауаs", "ьъʼ")
_ONE_SOUND: Final = 0.65
_BEFORE_CONSONANT: Final = re.compile("^у(?=[^аеиіоуюяєїыэв])")


def _reports(text: _Text, i: int, *, near: bool = False) -> bool:
    if near:
        return any(word.startswith(lists.MEDIA) for word in text.folded[max(0, i - _NEAR) : i + _NEAR + 1])
    return text.folded[i].startswith((*lists.MEDIA, *lists.SPEAKING))


def _tells(text: _Text, i: int, language: Language) -> bool:
    """Whether a word says something: it is no function word, abbreviation or sign."""
    word = text.folded[i]
    known = len(word) >= _SHORTEST and word not in lists.stop_words(language) and not text.words[i].isupper()
    return known and _VOWEL.search(word) is not None


def _other_statement(x: str, y: str, language: Language) -> bool:
    nouns = any(classes(word, language) <= {"noun"} for word in (x, y)) and not _verbs(x, y, language)
    if nouns or min(_frequency(word, language) for word in (x, y)) < _FREQUENT:
        return False
    # Another form of the verb is another wording: "have been riding", "have travelled".
    if {x, y} <= lists.AUXILIARIES or (language == "en" and x.endswith("ing") != y.endswith("ing")):
        return False
    return not (alike(x, y, language) or _negates(x, y) or synonyms(x, y, language))


def _frequency(word: str, language: Language) -> float:
    """How frequent a word is in the most frequent of its forms that a list has."""
    return max(zipf(form_frequencies(language)(one)) for one in (word, *lemmas(word, language)))


@lru_cache(1 << 14)
def alike(x: str, y: str, language: Language) -> bool:
    """Whether two words are one, in another form, spelling or aspect, or derived from one another."""
    if x == y or x[0].isdigit() or y[0].isdigit():
        return x == y or (x[0].isdigit() and y[0].isdigit() and value_of(x) == value_of(y))
    if opposites(x, y, language):
        return False
    if lemmas(x, language) & lemmas(y, language):
        return True
    shared = next((n for n, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    if _spelt_alike(x, y, language):
        return True
    known = bool(classes(x, language)) and bool(classes(y, language))
    verbs = known and _verbs(x, y, language)
    if not verbs and shared >= (5 if known else 3) and shared >= 0.6 * min(len(x), len(y)):
        return True
    if known:
        return verbs and any(_aspects(p, q) for p in lemmas(x, language) for q in lemmas(y, language))
    return SequenceMatcher(None, x, y, False).ratio() > 0.6


def _spelt_alike(x: str, y: str, language: Language) -> bool:
    """Whether two words are spellings of one: проект, проєкт; взяв, узяв; centre, center; colour, color."""
    p, q = (re.sub(r"(.)\1", r"\1", _BEFORE_CONSONANT.sub("в", word.translate(_SOUNDS))) for word in (x, y))
    if p == q:
        return True
    if language != "en" or min(len(p), len(q)) < 2 * _SHORTEST or p[0] != q[0]:
        return False
    return sorted(p) == sorted(q) or (
        abs(len(p) - len(q)) == 1
        and SequenceMatcher(None, p, q, False).ratio() >= 2 * min(len(p), len(q)) / (len(p) + len(q))
    )


def _aspects(p: str, q: str) -> bool:
    """Whether one verb is the other with a prefix that makes it perfective."""
    shorter, longer = sorted((p, q), key=len)
    ahead = longer[: len(longer) - len(shorter)]
    if ahead in _ASPECT and longer.endswith(shorter):
        return True
    # With two prefixes it is another verb: "принял", "снял".
    roots = [[(root, ahead) for root, ahead in _roots(verb) if not ahead or ahead in _ASPECT] for verb in (p, q)]
    prefixed = any(root == its and (one == "") != (other == "") for root, one in roots[0] for its, other in roots[1])
    same = next((n for n, (x, y) in enumerate(zip(p, q, strict=False)) if x != y), len(shorter))
    rests = p[same:], q[same:]
    if frozenset(rest[:1] for rest in rests) in _ALTERNATING:
        rests = rests[0][1:], rests[1][1:]
    return prefixed or (same >= _SHORTEST and all(_VERB_ENDING.fullmatch(rest) for rest in rests))


_VERB_ENDING: Final = re.compile("д?(?:л?[иіаяеуыо]|ну|[иіыоеаую]?ва)?т[ьи](?:ся)?")
_ALTERNATING: Final = frozenset(map(frozenset, "тщ тч дж сш зж кч гж".split()))
"""How the stem of a verb changes with its aspect: "сократить", "сокращать"."""


def _roots(verb: str) -> Iterator[tuple[str, str]]:
    """A verb without each prefix that it may have, cut to four letters: its ending changes with aspect."""
    for prefix in ("", *_PREFIXES):
        if verb.startswith(prefix) and len(verb) >= len(prefix) + _ROOT:
            yield verb[len(prefix) :][:_ROOT], prefix


def _another_figure(one: _Text, other: _Text, changes: list[_Change], language: Language) -> WordDifference | None:
    """Figures one for one; what else differs may be what goes with them."""
    for each in changes:
        if len(each.a) != len(each.b) or one.figures.isdisjoint(each.a):
            continue
        p, q = ([i for i in side if i in text.figures] for text, side in ((one, each.a), (other, each.b)))
        same = len(p) != len(q) or all(one_value(one.folded[i], other.folded[j]) for i, j in zip(p, q, strict=True))
        if not same and not _ordinary(one, other, each, language):
            shown = (
                [f"{text.words[i - 1]}-{text.folded[i]}" if text.before(i) == "-" else text.folded[i] for i in side]
                for text, side in ((one, p), (other, q))
            )
            return WordDifference(ANOTHER_FIGURE, (*_other_day(one, other, changes), *zip(*shown, strict=True)))
    return None


def _other_day(one: _Text, other: _Text, changes: list[_Change]) -> Iterator[tuple[str, str]]:
    """The names of days that stand in each other's place."""
    for each in changes if one.days and other.days else ():
        for i, j in zip(each.a, each.b, strict=False):
            days = i in one.days and j in other.days
            if days and one.folded[i][:_SHORTEST] != other.folded[j][:_SHORTEST]:
                yield one.words[i], other.words[j]
