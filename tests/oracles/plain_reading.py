"""The evidence of one document in plain Python: specifies ``kernels.reading`` and tests it.

A *token* is a word or a number. A word is a run of letters, which may have apostrophes between them; it ends where a
capital follows a small letter ("пишетАгора") and before a digit ("стоит17,76"). Letters are folded: lower case, without
accents, ё as е, й as и. A word that mixes Latin and Cyrillic letters is written in one alphabet if its letters allow
it, so that disguised copies share their wording. Numbers are normalised, whatever separates their thousands and
decimals.
"""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from infostream_dedup.judging.evidence import constants
from infostream_dedup.judging.evidence.characters import (
    CODE_POINTS,
    CYRILLIC_BEGIN,
    DAY_WORDS,
    ENGLISH_MONTH,
    MONTH_WORDS,
    TWINS,
    CharacterKind,
    alphabet,
)

_MASK: Final = (1 << 64) - 1
_KIND_SIGNS: Final = "osCdx'.,_!-/"  # character for each ``CharacterKind``; the patterns below match strings of these

_TOKEN: Final = re.compile(r"(?P<word>[sC](?:(?<!s)C|s|'+[sC])*)|(?P<number>d)|(?P<opener>[.!])")
_DAY_FIRST: Final = re.compile(r"d{1,2}(?P<sign>[./-])d{1,2}(?P=sign)(?:d{4}|d{2})(?!d)(?!(?P=sign)d)")
_YEAR_FIRST: Final = re.compile(r"d{4}-d{2}-d{2}(?!d)")
_SHORT_DATE: Final = re.compile(r"d{2}\.d{2}(?!d)(?!\.d)")
_SPACED: Final = re.compile(r"d{1,3}(?:_d{3}(?!d))+(?P<rest>[.,]d+(?![.,]?d))?")
_PARTS: Final = re.compile(r"d+(?:[.,]d+)*")
_DIGRAPHS: Final = {"ph": "f", "kh": "h", "zh": "j", "sh": "s", "ch": "c"}
_DIGRAPH: Final = re.compile("[pkzsc]h")
_DOUBLE: Final = re.compile(r"(.)\1+")
_VOWELS: Final = re.compile("[aeiou]")


def in_one_alphabet(folded: str, capitals: list[bool]) -> str:
    """A folded word of both alphabets, in Cyrillic if its letters allow it, or else in Latin if they do."""
    for from_cyrillic in (False, True):
        letters = list(folded)
        for at, letter in enumerate(folded):
            if (ord(letter) >= CYRILLIC_BEGIN) == from_cyrillic:
                letters[at] = chr(alphabet().twins[int(capitals[at]), ord(letter)] if ord(letter) < TWINS else 0)
        if "\0" not in letters and any(x == y for x, y in zip(letters, folded, strict=True)):
            return "".join(letters)
    return folded


@dataclass(slots=True, kw_only=True)
class PlainEvidence:
    """Evidence of one document, without weights: hashes, each once, ascending; ``names`` are codes of skeletons."""

    triples: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    lead: list[int] = field(default_factory=list)
    body: list[int] = field(default_factory=list)
    tokens: int = 0
    title: int = 0
    title_form: int = 0
    title_figures: int = 0


class _Number(NamedTuple):
    """A number read from a text: ``figures`` have no head bit, ``whole`` is -1 but for one or two digits."""

    end: int
    token: int
    figures: tuple[int, ...]
    whole: int


def _step(state: int, character: int) -> int:
    return ((state ^ character) * 0x100000001B3) & _MASK


def mixed_plainly(state: int) -> int:
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return state ^ (state >> 31)


def _joined(first: int, second: int, third: int) -> int:
    return mixed_plainly((first * 0x9E3779B97F4A7C15 + second * 0xD1342543DE82EF95 + third) & _MASK)


def _hash_of(seed: int, characters: str) -> int:
    for character in characters:
        seed = _step(seed, ord(character))
    return mixed_plainly(seed)


def word_hash(folded: str) -> int:
    return _hash_of(constants.SEED, folded)


def figure_hash(written: str) -> int:
    """Entry in ``numbers`` for a normalised figure such as ``17.76``."""
    return _hash_of(constants.FIGURE_SEED, written) >> 34 << 2


def date_hash(value: int) -> int:
    """Entry in ``numbers`` for a day (32 times the month plus the day) or a year."""
    return mixed_plainly(_step(constants.FIGURE_SEED, value)) >> 34 << 2 | constants.DATE_BIT


def skeleton_code(folded: str) -> int:
    """First letter and up to four consonants of a word in Latin letters, five bits each; 0 if none are left."""
    latin = alphabet().latin
    numbers = (int(latin[ord(letter)]) for letter in folded)
    written = "".join(chr(96 + number) for number in numbers if number).replace("x", "ks")
    written = _DOUBLE.sub(r"\1", _DIGRAPH.sub(lambda found: _DIGRAPHS[found[0]], written))
    kept = (written[:1] + _VOWELS.sub("", written[1:]))[:5]
    code = 0
    for letter in kept:
        code = code << 5 | (ord(letter) - 96)
    return code


def read_plainly(text: str, title_end: int) -> PlainEvidence:
    return _Reader(text, title_end).read()


class _Reader:
    """Reads the tokens of one document."""

    def __init__(self, text: str, title_end: int) -> None:
        table = alphabet()
        points = [ord(one) if ord(one) < CODE_POINTS else 0 for one in text]
        kept = [place for place, point in enumerate(points) if table.kinds[point] != CharacterKind.DROPPED]
        self.kinds = "".join(_KIND_SIGNS[table.kinds[points[place]]] for place in kept)
        self.folded = [int(table.folded[points[place]]) for place in kept]
        self.signs = [text[place] for place in kept]
        self.title_end = sum(place < title_end for place in kept)
        self.found = PlainEvidence()
        self.tokens: list[int] = []
        self.lead_words = 0
        self.opens = True
        self.initial = False
        self.before = ""
        self.day = -1
        self.month = 0

    def read(self) -> PlainEvidence:
        place = 0
        while match := _TOKEN.search(self.kinds, place):
            if match.lastgroup == "opener":
                self.opens = self.opens or match[0] != "." or not (self.initial and match.start() == place)
                self.initial, place = False, match.end()
            elif match.lastgroup == "word":
                place = self.take_word(match.start(), match.end())
            else:
                place = self.take_number(match.start())
        return self.finish()

    def take_word(self, begin: int, end: int) -> int:
        places = [place for place in range(begin, end) if self.kinds[place] in "sC"]
        large = [self.kinds[place] == "C" for place in places]
        word, capitals = in_one_alphabet("".join(chr(self.folded[place]) for place in places), large), sum(large)
        hyphened = begin > 0 and self.kinds[begin - 1] in "-d" and self.before == "number"
        ordinal = hyphened and len(word) <= 3
        dated = ordinal or len(word) < constants.SHORTEST_FORM_WORD or word in MONTH_WORDS or word in DAY_WORDS
        self.take_token(word_hash(word), begin, dated=dated)
        if len(word) >= constants.WORD_LETTERS:
            start = word_hash(word[: constants.PREFIX]) >> 32
            self.found.body.append(start)
            if self.lead_words < constants.LEAD_WORDS:
                self.lead_words += 1
                self.found.lead.append(start)
        headline = capitals == len(word) > constants.LONGEST_ACRONYM
        if self.kinds[begin] == "C" and not self.opens and len(word) >= constants.SHORTEST_NAME and not headline:
            code = skeleton_code(word)
            if code:
                self.found.names.append(code)
        self.read_month(word)
        self.initial, self.opens, self.before = capitals == len(word) == 1, False, "word"
        return end

    def read_month(self, word: str) -> None:
        month = MONTH_WORDS.get(word, 0)
        if month and self.day > 0:
            self.found.numbers[-1] = date_hash(month % ENGLISH_MONTH * 32 + self.day) | (
                self.found.numbers[-1] & constants.HEAD_BIT
            )
        self.month = month - ENGLISH_MONTH if month > ENGLISH_MONTH and self.day <= 0 else 0
        self.day = -1

    def take_number(self, begin: int) -> int:
        number = self.number_at(begin)
        self.take_token(number.token, begin, dated=True)
        head = constants.HEAD_BIT if begin < self.title_end + constants.HEAD_CHARACTERS else 0
        figures = number.figures
        long = self.kinds.count("d", begin, number.end) >= constants.TITLE_FIGURE_DIGITS
        if begin < self.title_end and long and not figures[0] & constants.DATE_BIT:
            self.found.title_figures |= 1 << (figures[0] >> 2) % constants.TITLE_FIGURE_BITS
        if self.month and 1 <= number.whole <= 31:
            figures, self.day = (date_hash(self.month * 32 + number.whole),), -1
        else:
            self.day = number.whole if 1 <= number.whole <= 31 else -1
        self.found.numbers.extend(figure | head for figure in figures)
        self.month, self.initial, self.opens, self.before = 0, False, False, "number"
        return number.end

    def number_at(self, begin: int) -> _Number:
        number = self.date_at(begin)
        if number is not None:
            return number
        written, end = self.figure_at(begin)
        whole = int(written) if written.isdecimal() and len(written) <= 2 else -1
        year = written.isdecimal() and len(written) == 4 and constants.FIRST_YEAR <= int(written) <= constants.LAST_YEAR
        figure = date_hash(int(written)) if year else figure_hash(written)
        return _Number(end, _hash_of(constants.FIGURE_SEED, written), (figure,), whole)

    def date_at(self, begin: int) -> _Number | None:
        for pattern, order in ((_DAY_FIRST, (0, 1, 2)), (_YEAR_FIRST, (2, 1, 0))):
            match = pattern.match(self.kinds, begin)
            if match:
                parts = [int(part) for part in re.findall(r"\d+", self.digits(begin, match.end()))]
                day, month, year = (parts[place] for place in order)
                if 1 <= day <= 31 and 1 <= month <= 12:
                    year += 2000 if year < 100 else 0
                    figures = (date_hash(month * 32 + day), date_hash(year))
                    return _Number(match.end(), _joined(day, month, year), figures, -1)
        match = _SHORT_DATE.match(self.kinds, begin)
        if match and match.end() <= self.title_end:
            day, month = (int(part) for part in self.digits(begin, match.end()).split("."))
            if 1 <= day <= 31 and 1 <= month <= 12:
                return _Number(match.end(), _joined(day, month, 0), (date_hash(month * 32 + day),), -1)
        return None

    def figure_at(self, begin: int) -> tuple[str, int]:
        match = _SPACED.match(self.kinds, begin)
        if match and self.folded[begin] != 0:
            whole_end = match.start("rest") if match["rest"] else match.end()
            whole = self.digits(begin, whole_end).replace(" ", "")
            return _decimal(whole, self.digits(whole_end + 1, match.end()) if match["rest"] else ""), match.end()
        parts = _PARTS.match(self.kinds, begin)
        end = parts.end() if parts else begin
        signs = "".join(sign for sign in self.kinds[begin:end] if sign != "d")
        return _written(re.split("[.,]", self.digits(begin, end)), signs), end

    def digits(self, begin: int, end: int) -> str:
        """Characters of a number, with its digits as 0-9 and its spaces as blanks."""
        written = []
        for place in range(begin, end):
            kind = self.kinds[place]
            written.append(str(self.folded[place]) if kind == "d" else " " if kind == "_" else kind)
        return "".join(written)

    def take_token(self, token: int, begin: int, *, dated: bool) -> None:
        self.tokens.append(token)
        if begin < self.title_end:
            found = self.found
            found.title = mixed_plainly((found.title or constants.TITLE_SEED) ^ token)
            if not dated:
                found.title_form = mixed_plainly((found.title_form or constants.TITLE_SEED) ^ token)

    def finish(self) -> PlainEvidence:
        found, tokens = self.found, self.tokens
        padded = tokens + [0] * (3 - len(tokens)) if tokens else []
        found.triples = sorted({_joined(*padded[at : at + 3]) for at in range(len(padded) - 2)})
        found.tokens = len(tokens)
        heads: dict[int, int] = {}
        for number in found.numbers:
            heads[number >> 1] = heads.get(number >> 1, 0) | (number & constants.HEAD_BIT)
        found.numbers = [entry << 1 | heads[entry] for entry in sorted(heads)]
        found.names, found.lead, found.body = (sorted(set(one)) for one in (found.names, found.lead, found.body))
        return found


def _written(groups: list[str], signs: str) -> str:
    """Normalise a figure given as groups of digits and the separators between them."""
    first = groups[0]
    thousands = 0
    if len(first) <= 3 and first[0] != "0":
        while thousands < len(signs) and signs[thousands] == signs[0] and len(groups[thousands + 1]) == 3:
            thousands += 1
    if thousands and len(signs) - thousands <= 1:
        return _decimal("".join(groups[: thousands + 1]), "".join(groups[thousands + 1 :]))
    return _decimal(first, "".join(groups[1:])) if len(signs) <= 1 else ".".join(groups)


def _decimal(whole: str, decimals: str) -> str:
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole
