"""Detect Russian, Ukrainian or English by letters, else by function words; undo what a wrong encoding did.

Meant for documents: a heading of three words may be the same in Russian and Ukrainian.
"""

from __future__ import annotations

import re
import unicodedata
from codecs import register_error
from collections.abc import Callable
from functools import cache
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from infostream_dedup.language.lexicon.word_lists import is_belied, other_language, short_code
from infostream_dedup.language.text.normalise import INVISIBLE, URL, clean
from infostream_dedup.model import Language

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Ints

SAMPLE: Final = 4000
"""Characters examined; documents contain quotes in other languages, but seldom this many at the beginning."""

_LATIN_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"
_CYRILLIC_LETTERS: Final = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ".encode("cp1251")
# Only whole words: the ending of an ordinal (3-й), half of a name (Рио-де-Жанейро) or the end of a site's name
# (Цензор.НЕТ) may look like a word of one language. Begins with a class of letters, to which a search can skip.
_CYRILLIC_WORD: Final = re.compile(
    "[а-яёіїєґ](?<![^\\W_].)(?<![-.\u2010\u2011].)[а-яёіїєґ]*(?![^\\W_]|[-\u2010\u2011])"
)
# t.me/channel, example.com, @channel, in lower case. Few texts are searched for them.
_SHORT_ADDRESS: Final = re.compile("(?<![a-z0-9.-])(?:[a-z0-9][a-z0-9-]*\\.)+[a-z]{2,}(?:/[!-~]*)?|@[a-z0-9_.]+")
_UNCLEAN: Final = re.compile(
    f"[\uff21-\uff5a\u249c-\u24e9\U0001d400-\U0001d7ff\U0001f110-\U0001f189]|[{INVISIBLE}](?<=[^\\W\\d_].)(?=[^\\W\\d_])"
)
"""Letters in another style (full width, bold, in circles), and what nobody sees between two letters."""

LATIN_NAMES: Final = 2
"""Latin letters per Cyrillic letter that news full of names (iPhone 15 Pro Max) may contain; English texts have hardly
any Cyrillic letters."""

_RUSSIAN_LETTERS: Final = "ыэъё".encode("cp1251")
_UKRAINIAN_LETTERS: Final = "іїєґ".encode("cp1251")
_COMMON_LETTERS: Final = "оаеинтсрвлі".encode("cp1251")
# Of 100 letters, 3 are distinctive in Russian and 7 in Ukrainian; these weights balance them.
RUSSIAN_WEIGHT: Final = 7
UKRAINIAN_WEIGHT: Final = 3
_WORD_WEIGHT: Final = 14
FEW: Final = 10  # minimum number of distinctive letters; below it, function words are counted too
_ENOUGH: Final = 40  # letters of another alphabet that contradict a stated language
# Letters among which every text in Ukrainian has its own, and nearly every text in Russian.
_ENOUGH_CYRILLIC: Final = 80
_MOSTLY: Final = 10
_CONTRADICTION: Final = 21  # weight of the letters that distinguish Russian or Ukrainian in 100 letters, on average
_AHEAD: Final = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Each list leaves out words that the other language also has (на, за, не, для, все, через, так, про, тому, ось ...),
# even if only in names (де Голль).
_RUSSIAN_WORDS: Final = _words(
    "более больше будет будут бы был была были было быть во время год года году даже ее ему если есть еще и из "
    "или их к как какой когда которая которого которой которые который кто лет лишь между меня много могут может "
    "можно мы нет ничего но однако он она они очень после потом потому против с себя сейчас сказал со также тем "
    "теперь тогда только том хотя чего чем что чтобы эта эти это этого этой этом этот"
)
_UKRAINIAN_WORDS: Final = _words(
    "або адже але багато буде бути був була були було вже ви від він вона вони всі всіх дуже з зараз зі із його й "
    "коли лише мають має між можна можуть навіть немає нехай ні ніж нічого ніхто новий оскільки після під проте "
    "протягом роки років року році свої своєї своїх серед собі та також такі тепер тим тільки тоді треба усі хто "
    "хоча це цей ці цього цьому ця чи чого чому ще що щоб щодо є і її їх як яка яке яких якщо який які якого якої "
    "якому якою яку"
)


def detect(text: str) -> Language:
    """Detect the language of a document by its first 4000 characters.

    >>> detect("Уряд України схвалив бюджет"), detect("Рада приняла закон"), detect("Budget approved"), detect("")
    ('uk', 'ru', 'en', 'ru')
    """
    sample = text[:SAMPLE].lower()
    if _mostly_latin(sample):
        # Tags, scripts and references may have more letters than the text.
        sample = clean(text)[:SAMPLE].lower() if "<" in sample or "&" in sample else sample
        if _mostly_latin(sample):
            return "en"
    letters = one_byte_each(sample)
    russian, ukrainian = count_bytes(letters, _RUSSIAN_LETTERS), count_bytes(letters, _UKRAINIAN_LETTERS)
    balance = UKRAINIAN_WEIGHT * ukrainian - RUSSIAN_WEIGHT * russian
    if russian + ukrainian < FEW:
        # Of what is unclean, Windows-1251 has the soft hyphen.
        if "&#" in sample or ((b"?" in letters or b"\xad" in letters) and _UNCLEAN.search(sample)):
            folded = unicodedata.normalize("NFKC", clean(text))
            if folded[:SAMPLE].lower() != sample:
                return detect(folded)
        words = _CYRILLIC_WORD.findall(sample)
        told = sum(map(_UKRAINIAN_WORDS.__contains__, words)) - sum(map(_RUSSIAN_WORDS.__contains__, words))
        balance += _WORD_WEIGHT * told
    return "uk" if balance > 0 else "ru"


def twin_of(text: str) -> Language | None:
    """Return the other of Russian and Ukrainian if no letter of a Cyrillic text tells which of both it is."""
    letters = letter_counts(text)
    if letters.russian or letters.ukrainian or letters.cyrillic <= letters.latin:
        return None
    return "uk" if detect(text) == "ru" else "ru"


def language_beyond_ours(text: str) -> str | None:
    """Return the language of a text that is clearly not one of ours, by its words without markup."""
    found = other_language(_without_markup(text))
    # Words that something invisible cuts may look like those of another language.
    return other_language(clean(text)) if found and _UNCLEAN.search(text[:SAMPLE]) else found


def language_as_labelled(code: str, text: str) -> str | None:
    """Return the language beyond ours that a label names, unless the words of the text show one of ours."""
    short = short_code(code)
    return None if is_belied(short, _without_markup(text)) else short


def _without_markup(text: str) -> str:
    return clean(text) if "<" in text or "&" in text else text


class LetterCounts(NamedTuple):
    """Letters at the beginning of a text that show its language and whether it was read in a wrong encoding."""

    latin: int
    cyrillic: int  # Russian and Ukrainian
    russian: int  # what Ukrainian lacks
    ukrainian: int  # what Russian lacks
    small: int  # small Cyrillic letters
    common: int  # Cyrillic letters that make up more than half of any text
    small_common: int  # the small ones of these
    any: int  # what may be a letter of any alphabet

    def with_those(self, other: LetterCounts) -> LetterCounts:
        """Sum of both."""
        return LetterCounts(*map(int.__add__, self, other))


def letter_counts(text: str) -> LetterCounts:
    """Count letters of the beginning of a text."""
    import numpy as np

    counts = np.bincount(np.frombuffer(one_byte_each(text[:SAMPLE]), dtype=np.uint8), minlength=256)
    return LetterCounts(*(counts @ _kinds()).tolist())


@cache
def _kinds() -> Ints:
    """Letters of Windows-1251 that are counted ("?" is any other character): int64 (256, 8), 1 where of a kind."""
    import numpy as np

    found = np.zeros((256, 8), dtype=np.int64)
    ours = (_LATIN_LETTERS, _CYRILLIC_LETTERS, _RUSSIAN_LETTERS, _UKRAINIAN_LETTERS)
    kinds = [*map(_both_cases, ours), _CYRILLIC_LETTERS, _both_cases(_COMMON_LETTERS), _COMMON_LETTERS]
    for kind, letters in enumerate(kinds):
        found[list(letters), kind] = 1
    for byte in range(256):
        found[byte, -1] = byte == 0x3F or bytes((byte,)).decode("cp1251", "replace").isalpha()
    return found


def _both_cases(letters: bytes) -> bytes:
    return letters + letters.decode("cp1251").upper().encode("cp1251")


def is_contradicted(stated: str | None, letters: LetterCounts) -> bool:
    """Whether letters (see ``letter_counts``) rule out the stated language, if it is one of ours.

    Names and quotes must not do that: it takes as many letters of another language as 100 letters of it have, and three
    times the weight of the stated one; a few if a text that should have own letters has none. Latin letters contradict
    Russian and Ukrainian only where hardly any other are.

    >>> is_contradicted("uk", letter_counts("Объявлен новый этап конкурса, подъезды закрыты"))
    True
    """
    latin, cyrillic, russian, ukrainian = letters[:4]
    if stated == "en":
        return cyrillic >= _ENOUGH and cyrillic > LATIN_NAMES * latin
    if stated not in ("ru", "uk"):
        return False
    if latin >= _ENOUGH and latin > _MOSTLY * cyrillic:
        return True
    for_russian, for_ukrainian = RUSSIAN_WEIGHT * russian, UKRAINIAN_WEIGHT * ukrainian
    own, other = (for_russian, for_ukrainian) if stated == "ru" else (for_ukrainian, for_russian)
    if cyrillic >= _ENOUGH_CYRILLIC and not own:
        return other >= (RUSSIAN_WEIGHT if stated == "uk" else _CONTRADICTION // 2)
    return other >= _CONTRADICTION and other >= _AHEAD * own


def one_byte_each(text: str) -> bytes:
    """Encode a text to count its letters fast: Windows-1251 has our alphabets; the rest becomes question marks."""
    return text.encode("cp1251", "replace")


def count_bytes(text: bytes, counted: bytes) -> int:
    """Count the bytes of a text that are among those given."""
    return len(text) - len(text.translate(None, counted))


def _mostly_latin(sample: str) -> bool:
    letters = one_byte_each(sample)
    most = LATIN_NAMES * count_bytes(letters, _CYRILLIC_LETTERS)
    if count_bytes(letters, _LATIN_LETTERS) <= most:
        return False
    # A short post may have more letters in its links than in its words.
    return most == 0 or count_bytes(one_byte_each(_SHORT_ADDRESS.sub(" ", URL.sub(" ", sample))), _LATIN_LETTERS) > most


_UNDEFINED: Final = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
_WESTERN: Final = {
    **{chr(byte): byte for byte in range(0x80, 0x100)},
    **{bytes((byte,)).decode("cp1252"): byte for byte in range(0x80, 0xA0) if byte not in _UNDEFINED},
}
"""Bytes of characters by Windows-1252, and by Latin-1 where it has none."""

_CYRILLIC: Final = {
    **{chr(byte): byte for byte in range(0x80, 0xA0)},
    **{bytes((byte,)).decode("cp1251"): byte for byte in range(0x80, 0x100) if byte != 0x98},
    # A program that knows no letter for this byte put a mark in its place.
    "\ufffd": 0x98,
}
_KOI8: Final = {bytes((byte,)).decode("koi8-r"): byte for byte in range(0x80, 0x100)}


def _misread(codec: str, bytes_of: dict[str, int]) -> tuple[re.Pattern[str], Callable[[str], bytes]]:
    """What a text that was read so cannot contain, and the function that gives the bytes of other text."""

    def lacking(error: UnicodeError) -> tuple[bytes, int]:
        assert isinstance(error, UnicodeEncodeError)  # noqa: S101 - nothing is decoded with it
        return bytes(bytes_of[one] for one in error.object[error.start : error.end]), error.end

    register_error(f"infostream-dedup-{codec}", lacking)
    others = re.compile(f"[^\x00-\x7f{re.escape(''.join(bytes_of))}]")
    return others, lambda text: text.encode(codec, f"infostream-dedup-{codec}")


_AS_WESTERN = _misread("cp1252", _WESTERN)
_AS_CYRILLIC = _misread("cp1251", _CYRILLIC)
_AS_KOI8 = _misread("koi8-r", _KOI8)
_READINGS: Final = (
    (_AS_WESTERN, "utf-8"), (_AS_CYRILLIC, "utf-8"), (_AS_WESTERN, "cp1251"), (_AS_WESTERN, "koi8-u"),
    (_AS_CYRILLIC, "koi8-u"), (_AS_KOI8, "cp1251"),
)  # fmt: skip
"""How a text was read wrongly, and the encoding that it has."""

_BEYOND_ASCII_LETTERS: Final = re.compile(r"[^\x00-\x7f\W\d_]")
_LEAST_LETTERS: Final = 12
_LEAST_SHARE: Final = 0.95
_COMMON_SHARE: Final = 0.45
_SMALL_SHARE: Final = 0.6
_MOST_BAD: Final = 0.02
_TIMES: Final = 2  # some texts went wrong twice


def repaired(text: str, letters: LetterCounts | None = None) -> str | None:
    """Return a text as it was before it was read in a wrong encoding; None if nothing shows that it was.

    >>> repaired("Городской совет".encode("cp1251").decode("latin-1")), repaired("Déjà vu, señor, на área")
    ('Городской совет', None)
    """
    found = None
    for _ in range(_TIMES):
        # In capitals, a text looks like one of the other Cyrillic encoding.
        better = None if _is_plausible(text, letters, capitals=True) else _once(text)
        if better is None:
            return found
        found = text = better
        letters = letter_counts(found)
        if _is_plausible(found, letters):
            return found
    return None


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _once(text: str) -> str | None:
    """Undo one wrong reading: the first that gives a plausible text, or else the first that gives valid UTF-8."""
    sample = text[:SAMPLE]
    beyond, letters = _beyond_ascii(sample), letter_counts(sample)
    # A broken letter is one character beyond ASCII or more; quotation marks and dashes of an English text are few. No
    # wrong reading of ours makes mostly small Cyrillic letters.
    if beyond < max(_LEAST_LETTERS, letters.latin) or letters.small > _SMALL_SHARE * beyond:
        return None
    valid, most = None, int(max(1, _MOST_BAD * _beyond_ascii(text)))
    for (others, bytes_of), encoding in _READINGS:
        # Characters that were read correctly stay; a wrong encoding leaves few of them.
        kept = [found.group() for found in islice(others.finditer(text), most + 1)]
        if len(kept) > most:
            continue
        runs = (bytes_of(run).decode(encoding, "replace") for run in others.split(text))
        read = "".join(chain.from_iterable(zip_longest(runs, kept, fillvalue="")))
        if len(kept) + read.count("\ufffd") > max(1, _MOST_BAD * _beyond_ascii(read)):
            continue
        if _is_plausible(read):
            return read
        if encoding == "utf-8" and valid is None:
            valid = read
    return valid


def _is_plausible(text: str, letters: LetterCounts | None = None, *, capitals: bool = False) -> bool:
    """Whether most letters are Russian or Ukrainian, as frequent as in such texts and, unless told otherwise, small."""
    letters = letters or letter_counts(text)
    cyrillic, latin = letters.cyrillic, letters.latin
    small, common = (cyrillic, letters.common) if capitals else (letters.small, letters.small_common)
    if small < _SMALL_SHARE * cyrillic or common < _COMMON_SHARE * small:
        return False
    foreign = letters.any - latin - cyrillic
    if foreign > (1 - _LEAST_SHARE) * cyrillic or latin + foreign >= cyrillic:
        # Emoji and marks of other alphabets were counted too.
        foreign = len(_BEYOND_ASCII_LETTERS.findall(text[:SAMPLE])) - cyrillic
    return cyrillic > latin + foreign and foreign <= (1 - _LEAST_SHARE) * cyrillic
