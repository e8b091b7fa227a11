"""Detect Russian, Ukrainian or English by letters and, if those are inconclusive, by function words.

Meant for documents: a heading of three words may be the same in Russian and Ukrainian.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.lexicon.other_languages import other_language
from infostream_dedup.language.text.normalise import URL, clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.model import Language

SAMPLE: Final = 4000
"""Characters examined; documents contain quotes in other languages, but seldom this many at the beginning."""

_LATIN_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"
_CYRILLIC_LETTERS: Final = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ".encode("cp1251")
# Only whole words: the ending of an ordinal (3-й), half of a name (Рио-де-Жанейро) or the end of a site's name
# (Цензор.НЕТ) may look like a word of one language.
_CYRILLIC_WORD: Final = re.compile("(?<![^\\W_])(?<![-.\u2010\u2011])[а-яёіїєґ]+(?![^\\W_]|[-\u2010\u2011])")
# t.me/channel, example.com, @channel, in lower case. Few texts are searched for them.
_SHORT_ADDRESS: Final = re.compile("(?<![a-z0-9.-])(?:[a-z0-9][a-z0-9-]*\\.)+[a-z]{2,}(?:/[!-~]*)?|@[a-z0-9_.]+")

_STYLED: Final = re.compile("[\uff21-\uff5a\u249c-\u24e9\U0001d400-\U0001d7ff\U0001f110-\U0001f189]")
"""Letters in another style: full width, bold, in circles."""

LATIN_NAMES: Final = 2
"""Latin letters per Cyrillic letter that news full of names (iPhone 15 Pro Max) may contain; English texts have hardly
any Cyrillic letters."""

_RUSSIAN_LETTERS: Final = "ыэъё".encode("cp1251")
_UKRAINIAN_LETTERS: Final = "іїєґ".encode("cp1251")
# Of 100 letters, 3 are distinctive in Russian and 7 in Ukrainian; these weights balance them.
RUSSIAN_WEIGHT: Final = 7
UKRAINIAN_WEIGHT: Final = 3
_WORD_WEIGHT: Final = 14
FEW: Final = 10
"""Minimum number of distinctive letters; below it, function words are counted too."""

_ENOUGH: Final = 40
"""Letters of another alphabet that contradict a stated language."""

_MOSTLY: Final = 10
_CONTRADICTION: Final = 21
"""Weight of the letters that distinguish Russian or Ukrainian in 100 letters, on average."""

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

    Example:
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
        if "&#" in sample or _STYLED.search(sample):
            folded = unicodedata.normalize("NFKC", clean(text))
            if folded[:SAMPLE].lower() != sample:
                return detect(folded)
        words = _CYRILLIC_WORD.findall(sample)
        balance += _WORD_WEIGHT * sum((word in _UKRAINIAN_WORDS) - (word in _RUSSIAN_WORDS) for word in words)
    return "uk" if balance > 0 else "ru"


def language_beyond_ours(text: str) -> str | None:
    """Return the language of a text that is clearly not one of ours, by its words without markup."""
    return other_language(clean(text) if "<" in text or "&" in text else text)


def letter_counts(text: str) -> tuple[int, int, int, int]:
    """Count the Latin, Cyrillic, Russian-only and Ukrainian-only letters that show the language of a text."""
    latin, cyrillic, russian, ukrainian = count_kinds(text[:SAMPLE], _counted())
    return latin, cyrillic, russian, ukrainian


@cache
def _counted() -> NDArray[np.int64]:
    return kinds_of_bytes(*map(both_cases, (_LATIN_LETTERS, _CYRILLIC_LETTERS, _RUSSIAN_LETTERS, _UKRAINIAN_LETTERS)))


def is_contradicted(stated: str | None, letters: Sequence[int]) -> bool:
    """Whether letters (see ``letter_counts``) rule out the stated language, if it is one of ours.

    Names and quotes must not do that: it takes as many letters of another language as 100 letters of it have, and three
    times the weight of the stated one. Latin letters contradict Russian and Ukrainian only where hardly any other are.

    Example:
        >>> is_contradicted("uk", letter_counts("Объявлен новый этап конкурса, подъезды закрыты"))
        True
    """
    latin, cyrillic, russian, ukrainian = letters
    if stated == "en":
        return cyrillic >= _ENOUGH and cyrillic > LATIN_NAMES * latin
    if stated not in ("ru", "uk"):
        return False
    if latin >= _ENOUGH and latin > _MOSTLY * cyrillic:
        return True
    for_russian, for_ukrainian = RUSSIAN_WEIGHT * russian, UKRAINIAN_WEIGHT * ukrainian
    own, other = (for_russian, for_ukrainian) if stated == "ru" else (for_ukrainian, for_russian)
    return other >= _CONTRADICTION and other >= _AHEAD * own


def one_byte_each(text: str) -> bytes:
    """Encode a text to count its letters fast: Windows-1251 has our alphabets; the rest becomes question marks."""
    return text.encode("cp1251", "replace")


def count_bytes(text: bytes, counted: bytes) -> int:
    """Count the bytes of a text that are among those given."""
    return len(text) - len(text.translate(None, counted))


def kinds_of_bytes(*kinds: bytes) -> NDArray[np.int64]:
    """Kinds of bytes for ``count_kinds``: int64 (256, kinds), 1 where a byte is of a kind."""
    found = np.zeros((256, len(kinds)), dtype=np.int64)
    for kind, of_kind in enumerate(kinds):
        found[list(of_kind), kind] = 1
    return found


def count_kinds(text: str, kinds: NDArray[np.int64]) -> list[int]:
    """Count the letters of each kind in a text, of which Windows-1251 has the letters that are counted."""
    counts = np.bincount(np.frombuffer(one_byte_each(text), dtype=np.uint8), minlength=256)
    found: list[int] = (counts @ kinds).tolist()
    return found


def both_cases(letters: bytes) -> bytes:
    """Small letters of Windows-1251, and their capitals."""
    return letters + letters.decode("cp1251").upper().encode("cp1251")


def _mostly_latin(sample: str) -> bool:
    letters = one_byte_each(sample)
    most = LATIN_NAMES * count_bytes(letters, _CYRILLIC_LETTERS)
    if count_bytes(letters, _LATIN_LETTERS) <= most:
        return False
    # A short post may have more letters in its links than in its words.
    return most == 0 or count_bytes(one_byte_each(_SHORT_ADDRESS.sub(" ", URL.sub(" ", sample))), _LATIN_LETTERS) > most
