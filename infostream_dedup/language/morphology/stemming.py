"""Stem forms: Snowball for Russian, English and others, our own light stemmer for Ukrainian.

Ukrainian is never stemmed by the Russian stemmer (which groups .42 of the forms of a word), nor by a Ukrainian one that
a later Snowball may include: the stems must not depend on the installed version. Snowball (M. Porter, 2001,
https://snowballstem.org) comes from ``snowballstemmer``, which takes the compiled code of PyStemmer.

Many words in memory as UTF-8 are stemmed by ``listed_stems``, to the same stems.

The parts of a hyphenated word are stemmed separately, because both may be inflected: инженеров-строителей.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology import kernels
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.surface_pool import SurfaceList, Utf8Texts, texts_of
from infostream_dedup.language.text.tokens import forms, surfaces
from infostream_dedup.machine.arrays import Ints
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import OUR_LANGUAGES, Language

# A light stemmer for Ukrainian, which Snowball lacks: remove the longest ending, then level four alternations.
#
# Written for this package. The endings are those of school grammar paradigms; which endings and alternations help was
# decided on the forms of frequent words (wordfreq, zipf >= 3) grouped by lemma (pymorphy3):
# `tests/morphology/test_stemming.py` measures it. Endings that mostly cut into real stems were left out: -ий after
# -н- and -ов- is removed, but -ний and -овий are not; otherwise україну and стороні would lose their н, and голові
# its ов.

_NOUN: Final = "а у ю я о е є и і ї ь й ів їв ей ом ем єм ою ею єю ам ям ами ями ах ях"
_ADJECTIVE: Final = "ий ій ого ьому ому ього им ім ими іми их іх ої ьої ою ьою"
_PARTICIPLE: Final = "ий а е і ого ому им ими их у ої ою о"  # after `ован` and `ен`: організований, створено
_PAST: Final = "в ла ло ли ти ть тиме тиму тимуть"  # after a theme vowel: читав, робити, працюватиме
_PRESENT: Final = "ю єш є єть ємо єте ють й йте"  # after a theme vowel: читаю, працює, думай, займаєть(ся)
_VERB: Final = (
    "еш еть емо ете уть єш єть ємо єте ють иш имо ите їть ать ять нути нув нула нули неш немо нете нуть ла ло ли"
)


def _after(stems: str, endings: str) -> list[str]:
    return [stem + ending for stem in stems.split() for ending in endings.split()]


ENDINGS: Final = frozenset(
    [
        *f"{_NOUN} {_ADJECTIVE} {_VERB}".split(),
        *_after("ован ен", _PARTICIPLE),
        *_after("а я и і ува юва", _PAST),
        *_after("а я у ю", _PRESENT),
    ]
)
"""Endings that may be removed."""

_LONGEST: Final = max(map(len, ENDINGS))
_SHORTEST_STEM: Final = 3
_VOWELS: Final = frozenset("аеєиіїоуюя")
_REFLEXIVE: Final = ("ся", "сь")
_SHORTEST_REFLEXIVE: Final = 6
_FLEETING: Final = ("ец", "єц", "ок", "ек")
_LABIALS: Final = frozenset("бпвмф")


def stem_ukrainian(form: str) -> str:
    """Return roughly what the inflected forms of a Ukrainian word share: at least 3 letters, often not a word.

    >>> stem_ukrainian("можливість"), stem_ukrainian("можливостями")
    ('можливост', 'можливост')
    """
    if len(form) >= _SHORTEST_REFLEXIVE and form.endswith(_REFLEXIVE):
        form = form[:-2]
    return _levelled(_without_ending(form).rstrip(APOSTROPHE) or form)


def _without_ending(form: str) -> str:
    for size in range(min(_LONGEST, len(form) - _SHORTEST_STEM), 0, -1):
        if form[-size:] in ENDINGS and not _VOWELS.isdisjoint(form[:-size]):
            return form[:-size]
    return form


def _levelled(stem: str) -> str:
    """Return one spelling for stems whose last sounds change between cases or persons."""
    if len(stem) <= _SHORTEST_STEM:
        return stem[:-1] + "к" if stem[-1:] == "ц" else stem  # руці, року
    if stem[-1] == stem[-2]:
        stem = stem[:-1]  # знання, знань
    elif stem.endswith(_FLEETING):
        stem = stem[:-2] + stem[-1]  # будинок, будинку
    elif stem.endswith("іст") and len(stem) > _SHORTEST_STEM + 2:
        stem = stem[:-3] + "ост"  # кількість, кількості
    elif stem[-1] == "л" and stem[-2] in _LABIALS:
        stem = stem[:-1]  # роблю, робиш
    # українець, українці; році, року
    return stem[:-1] + "к" if stem[-1] == "ц" else stem


ALGORITHMS: Final = {
    "ru": "russian", "en": "english",
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's names of languages. Words of languages not listed here are their own stems."""


def stem(form: str, language: str) -> str:
    """Return the stem of one form; ``stems`` is faster for many.

    >>> stem("премьер-министрами", "ru"), stem("trumpʼs", "en"), stem("українською", "uk")
    ('премьер-министр', 'trump', 'українськ')
    """
    return stems([form], language)[0]


def stems(forms: Sequence[str], language: str) -> list[str]:
    """Return the stems of many forms, in order."""
    stem_words = _stemmer(language)
    stemmed = stem_words(forms)
    compound = [number for number, form in enumerate(forms) if "-" in form]
    for number in compound:
        stemmed[number] = "-".join(stem_words(forms[number].split("-")))
    return stemmed


@cache
def _stemmer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """Return a function from words without hyphens to their stems."""
    if language == "uk":
        return lambda words: [stem_ukrainian(word) for word in words]
    if language not in ALGORITHMS:
        return list
    # PyStemmer's, whose cache would only cost time, as every form occurs once; without it, the same in Python.
    snowball = snowballstemmer.stemmer(ALGORITHMS[language])
    snowball.maxCacheSize = 0

    def stem_words(words: Sequence[str]) -> list[str]:
        # The English stemmer only recognises the possessive with the typewriter apostrophe.
        typed = [word.replace(APOSTROPHE, "'") if APOSTROPHE in word else word for word in words]
        found: list[str] = snowball.stemWords(typed)
        return [one.replace("'", APOSTROPHE) if "'" in one else one for one in found]

    return stem_words


# Stem texts in languages other than ours


def stemmed_text(text: str, language: str) -> str:
    """Return the stems of the words of a text, joined by blanks, without the most frequent words of its language.

    All other languages share one set of statistics, in which a word is its own term.

    >>> stemmed_text("Die Minister beschlossen neue Gesetze.", "de")
    'minist beschloss neu gesetz'
    """
    ignored = stop_words(language)
    words = [form.form for surface in surfaces(clean(text)) for form in forms(surface)]
    return " ".join(stems([word for word in words if word not in ignored], language))


def with_stems(texts: Utf8Texts, languages: Sequence[str | None]) -> Utf8Texts:
    """Replace texts in other languages by their stems."""
    return texts_of(
        [
            texts[number] if language is None or language in OUR_LANGUAGES else stemmed_text(texts[number], language)
            for number, language in enumerate(languages)
        ]
    )


# Stem many words at once, without Python strings


def listed_stems(words: SurfaceList, numbers: Ints, language: Language) -> SurfaceList:
    """Return the stems of the words with these numbers, in order. Thread-safe."""
    lengths = words.starts[numbers + 1] - words.starts[numbers]
    starts = np.zeros(len(numbers) + 1, dtype=np.int64)
    pool = np.empty(int(lengths.sum()) + BLOCK, dtype=np.uint8)
    if language == "uk":
        kernels.stem_ukrainian_words(words.pool, words.starts, numbers, _ukrainian_endings(), starts, pool)
        return SurfaceList(starts, pool)
    library = _library()
    if library is None or language not in ALGORITHMS:
        return SurfaceList.of(stems(words.some(numbers), language))
    typed = np.empty(int(lengths.max(initial=0)) + 1, dtype=np.uint8)
    wanted = kernels.WordsToStem(words.pool, words.starts, numbers)
    with library.stemmer(language) as snowball:
        done = kernels.stem_words(snowball, wanted, 0, typed, starts, pool[:-BLOCK])
        while kernels.OUT_OF_MEMORY < done < len(numbers):
            pool = np.concatenate([pool, np.empty(len(pool), dtype=np.uint8)])
            done = kernels.stem_words(snowball, wanted, done, typed, starts, pool[:-BLOCK])
    if done == kernels.OUT_OF_MEMORY:
        raise MemoryError("libstemmer could not allocate memory for a word; process fewer documents at a time")
    return SurfaceList(starts, pool)


@cache
def _ukrainian_endings() -> NDArray[np.int16]:
    return kernels.ending_tree(ENDINGS)


@dataclass(frozen=True, slots=True)
class _Library:
    """The C functions of libstemmer."""

    new: Any
    delete: Any
    stem: int
    length: int

    @contextmanager
    def stemmer(self, language: Language) -> Iterator[kernels.Snowball]:
        """Create a stemmer; it is cheap and must not be shared between threads."""
        address = self.new(ALGORITHMS[language].encode(), None)
        if not address:
            raise MemoryError(f"libstemmer could not create a stemmer for {language}")
        try:
            yield kernels.Snowball(self.stem, self.length, address)
        finally:
            self.delete(address)


@cache
def _library() -> _Library | None:
    """Return the functions that the extension module of PyStemmer exports; ``None`` if there are none."""
    try:
        import Stemmer

        exported = ctypes.CDLL(Stemmer.__file__)
        new, delete = exported.sb_stemmer_new, exported.sb_stemmer_delete
        stem, length = exported.sb_stemmer_stem, exported.sb_stemmer_length
    except (AttributeError, ImportError, OSError):
        return None
    new.restype, new.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
    delete.restype, delete.argtypes = None, [ctypes.c_void_p]
    addresses = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in (stem, length)]
    return _Library(new, delete, *addresses)
