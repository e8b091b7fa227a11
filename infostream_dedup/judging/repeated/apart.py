"""What of a document stands apart from its news: the dateline, and the other half of a text in two languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, tee
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.documents.dates import MONTHS
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.judging.repeated.kernels.fragments import MAY_BE_DATED, MAY_BE_IN_TWO, FragmentRows, read_apart
from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.language.text.language import detect, letter_counts
from infostream_dedup.language.text.normalise import URL
from infostream_dedup.language.text.sentences import sentence_spans
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.machine.arrays import Ints, Uint8s
from infostream_dedup.model import Document, NotCompared

_CAPITAL: Final = "[A-ZÀ-ÞĂȘȚŞŢА-ЯЁІЇЄҐ]"
_WORD: Final = rf"{_CAPITAL}(?:[^\W_]|[.'’ʼ&-])*"
_PLACE: Final = rf"{_WORD}(?:[ ,]{{1,2}}{_WORD}){{0,3}}"
_MONTH: Final = rf"(?i:{'|'.join(MONTHS)})[^\W\d_]{{0,6}}\.?"
_DATE: Final = (
    rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th|-?го)?\.? ?{_MONTH}|{_MONTH} [0-9]{{1,2}}"
    r"|[0-9]{1,2}\.[0-9]{1,2}(?:\.[0-9]{2,4})?)(?:,? [0-9]{4})?(?: ?(?:г|р|года|року)\b\.?)?"
)
_DASH: Final = r"[ \xa0]*(?:—|–|−|--?)[ \xa0]+"
_SIGNED: Final = r"[(/][^()/\n]{2,40}[)/]\.?"
_AGENCY: Final = rf"{_WORD}(?: {_WORD}){{0,2}}"
_DATELINE: Final = re.compile(
    rf"\s*(?:\[{_PLACE}[,.]? {_DATE}[^\]\n]{{0,40}}\]\s*"
    rf"|{_PLACE}[,.]? {_DATE}[.,]?\s*(?:{_SIGNED}(?:{_DASH}|\s+)|{_DASH}(?:{_AGENCY}\.\s+)?|{_AGENCY}{_DASH}"
    rf"|{_CAPITAL}{{2,6}}\.\s+)"
    rf"|(?:{_PLACE} )?{_SIGNED}{_DASH}"
    rf"|{_CAPITAL}{{4}}(?:{_CAPITAL}|[ ,.-]{{1,2}}{_CAPITAL}){{0,30}}\.?{_DASH})"
    rf"(?=[«\"“„0-9]?{_CAPITAL}|[«\"“„]|[0-9])"
)
_BEGINNING: Final = 200
_LEFT_WORDS: Final = 4
_HALF: Final = 30  # letters that each half of a text in two languages has at least
_RATIO: Final = 2.0
_SIGN: Final = 12  # letters up to which a sentence may be a link or a name in any language
_LATIN: Final = 0.8  # share of Latin letters in a half that is written in them; one of names and links has fewer
_COGNATES: Final = 0.15
_STEMS: Final = 4
_ALIKE: Final = str.maketrans("іїєґыэёъ", "ииегиеее")
_FIGURE: Final = re.compile(r"[0-9]+")
_LONG: Final = re.compile(r"[^\W\d_]{5,}")
_RULE: Final = " \t\r\n\xa0—–-*=_~/|·•"
_LABEL: Final = re.compile(
    r"[^\w(«\"“„]*(?:[(\[]?(?:ua|ukr|uk|укр|ru|rus|рус|en|eng|англ|ro|md|english|ukrainian|russian|українською"
    r"|по-русски|русский)(?: version| below)?\s*[:.)\]|\n—–-][^\w(«\"“„]*)?",
    re.IGNORECASE,
)
"""How a half is marked: UA:, [EN], a flag."""


class Apart(NamedTuple):
    """A part of a document that is not compared with its news."""

    number: int  # number of the document
    begin: int  # where it begins in the bytes of all texts
    end: int
    half: int | None = None  # where the half in another language begins after its label, if it is one


def not_compared(rows: FragmentRows, marks: Uint8s, apart: Sequence[Apart], texts: Utf8Texts) -> NotCompared:
    """Hash what is left out of documents."""
    hashes = np.where(marks & LEFT_OUT, rows.hashes, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    found = NotCompared(hashes)
    for one in apart:
        left = texts.data[slice(one.half or one.begin, one.end)].tobytes().decode()
        own = equality_hash(Document(id="", text=left))
        hashes[one.number] ^= np.uint64(int.from_bytes(own[:8], "little") | 1)
        if one.half is not None:
            found.halves[one.number] = own
    return found


def parts_apart(texts: Utf8Texts, bodies: Ints) -> Iterator[Apart]:
    """Find datelines and halves in other languages."""
    asked = np.zeros(len(bodies), dtype=np.uint8)
    read_apart(texts.data, bodies, texts.offsets[1:], asked)
    for number in np.flatnonzero(asked).tolist():
        begin, end = int(bodies[number]), int(texts.offsets[number + 1])
        data = texts.data[begin:end]
        length = _dateline(data) if asked[number] & MAY_BE_DATED else 0
        if length:
            yield Apart(number, begin, begin + length)
        if asked[number] & MAY_BE_IN_TWO:
            yield from _halves(number, begin + length, data[length:].tobytes().decode())


def _dateline(data: Uint8s) -> int:
    """Bytes of the dateline of a text: places, dates, agencies and a dash, as KYIV, May 3 (Agency) — ."""
    found = _DATELINE.match(data[:_BEGINNING].tobytes().decode(errors="ignore"))
    if found is None:
        return 0
    length = len(found[0].encode())
    return length if len(data[length:].tobytes().split(None, _LEFT_WORDS)) >= _LEFT_WORDS else 0


def _halves(number: int, begin: int, text: str) -> Iterator[Apart]:
    """The second half of a text, if it says in another language what the first one says, and labels of both."""
    # A half has at least half of the other's figures, so at least one in three is there twice.
    repeated = sum(count > 1 for count in Counter(_FIGURE.findall(text)).values())
    if 3 * repeated < len(set(_FIGURE.findall(URL.sub("", text)))):
        return
    some, every = tee(sentence_spans(text))
    known = ((place, kind) for place, span in enumerate(some) if (kind := _kind(text[slice(*span)])) is not None)
    # Most texts that are asked for mix languages; a second border shows it.
    borders = list(islice(((one, other) for one, other in pairwise(known) if one[1] != other[1]), 2))
    if len(borders) != 1:
        return
    (last, before), (first, after), spans = *borders[0], list(every)

    def certainty(place: int) -> tuple[int, int]:
        """How well the halves are told apart here: by lines, and by the words of sentences without own letters."""
        own = [detect(text[slice(*spans[one])]) for one in range(last + 1, first)]
        told = [before] * (place - last - 1) + [after] * (first - place)
        agreeing = sum(one == other or (other == "latin" and one == "en") for one, other in zip(own, told, strict=True))
        return text.count("\n", spans[place - 1][1], spans[place][0]), agreeing

    place = max(range(last + 1, first + 1), key=certainty)
    label, inner = _LABEL.match(text), _LABEL.match(text, spans[place][0])
    head, body = label.end() if label else 0, inner.end() if inner else spans[place][0]
    one, other = text[head : spans[place][0]].rstrip(_RULE), text[body:].rstrip()
    if _says_the_same(one, other):
        ends = [begin + len(text[:end].encode()) for end in (head, head + len(one), body, len(text))]
        if head:
            yield Apart(number, begin, ends[0])
        yield Apart(number, ends[1], ends[3], ends[2])


def _kind(sentence: str) -> str | None:
    """The language that only the letters of a sentence show; ``None`` for either."""
    sentence = URL.sub("", sentence)
    latin, cyrillic, russian, ukrainian = letter_counts(sentence)[:4]
    if latin > cyrillic and 2 * latin > (letters := sum(map(str.isalpha, sentence))):
        return "latin" if letters > _SIGN else None
    if bool(russian) == bool(ukrainian):
        return None
    return "ru" if russian else "uk"


def _says_the_same(one: str, other: str) -> bool:
    one, other = URL.sub("", one), URL.sub("", other)
    sizes = sorted(sum(map(str.isalpha, half)) for half in (one, other))
    if sizes[0] < _HALF or sizes[1] > _RATIO * sizes[0]:
        return False
    figures, theirs = (set(_FIGURE.findall(half)) for half in (one, other))
    if 2 * len(figures & theirs) < max(len(figures), len(theirs)):
        return False
    shares = sorted(_latin_share(half) for half in (one, other))
    if shares[1] >= _LATIN:
        return shares[0] <= 1 - _LATIN
    words = (_LONG.findall(half.lower().translate(_ALIKE)) for half in (one, other))
    stems, others = ({word[:_STEMS] for word in long} for long in words)
    return len(stems & others) >= _COGNATES * min(len(stems), len(others))


def _latin_share(text: str) -> float:
    letters = letter_counts(text)
    return letters.latin / max(letters.latin + letters.cyrillic, 1)
