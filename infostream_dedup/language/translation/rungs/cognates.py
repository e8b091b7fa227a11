"""Rungs for words of common origin (cognates, international words) and, last, for words that only look alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from string import ascii_uppercase
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.translation import romanisation, target_lexicon
from infostream_dedup.language.translation.model_files import best_models
from infostream_dedup.language.translation.rungs import Rung, Translation, register
from infostream_dedup.language.translation.slavic_cognates import cognates, look_alikes
from infostream_dedup.language.translation.word_pairs import word_pairs
from infostream_dedup.model import Language

# A key that words of Greek and Latin origin share in Russian, Ukrainian and English

_ENDINGS: Final[tuple[tuple[str, str, str, str], ...]] = (
    # mark, Russian, Ukrainian, English; several spellings are separated by blanks
    ("IZATION", "изация", "ізація изація", "ization isation"),
    ("CTION", "кция", "кція", "ction xion"),
    ("TION", "ция", "ція", "tion"),
    ("NCE", "нция", "нція", "nce ncy"),
    ("SION", "сия зия", "сія зія", "sion ssion"),
    ("ISM", "изм", "ізм изм", "ism"),
    ("IST", "ист", "іст ист", "ist"),
    ("OLOG", "олог", "олог", "ologist ologue olog"),
    ("OLOGY", "ология", "ологія", "ology"),
    ("LOG", "лог", "лог", "logue log"),
    ("GRAPHY", "графия", "графія", "graphy"),
    ("GRAPH", "граф", "граф", "graph grapher"),
    ("METRY", "метрия", "метрія", "metry"),
    ("METER", "метр", "метр", "meter metre"),
    ("CRACY", "кратия", "кратія", "cracy"),
    ("PHOBIA", "фобия", "фобія", "phobia"),
    ("IC", "ика", "іка ика", "ics ic ica ique"),
    ("IC", "ик", "ік ик", "ic ician"),
    ("TY", "тет", "тет", "ty"),
    ("TOR", "тор", "тор", "tor ter"),
    ("ER", "ер", "ер", "er or eer"),
    ("OR", "ор", "ор", "or er"),
    ("URE", "ура", "ура", "ure"),
    ("AGE", "аж", "аж", "age"),
    ("IVE", "ив", "ив", "ive"),
    ("OSIS", "оз", "оз", "osis ose"),
    ("ITIS", "ит", "іт ит", "itis ite it"),
    ("ID", "ид", "ід ид", "id ide"),
    ("IN", "ин", "ін ин", "in ine"),
    ("ON", "он", "он", "on one"),
    ("ENT", "ент", "ент", "ent"),
    ("ANT", "ант", "ант", "ant"),
    ("IAL", "иал", "іал", "ial"),
    ("AL", "ал аль", "ал аль", "al"),
    ("IUM", "ий иум", "ій іум", "ium"),
    ("UM", "ум", "ум", "um"),
    ("US", "ус", "ус", "us"),
    ("Y", "ия", "ія", "y ia"),
    ("A", "а", "а", "a"),
    ("", "а", "а", "e"),
    ("", "", "", "e"),
    ("", "", "", ""),
)
_CYRILLIC: Final = str.maketrans(
    "абвгдезиклмнопрстуфцыэіїйєґхжчшщюя", "abvgdesiklmnoprstufsieiiiegkgcccua", "ьъ" + APOSTROPHE
)
_ENGLISH_GROUPS: Final = dict(
    pair.split(":")
    for pair in (
        "ph:f th:t rh:r sch:ck sh:c ch:k ck:k qu:kv ce:se ci:si cy:si ou:u oo:u ee:i ae:e oe:e x:ks c:k y:i z:s w:v j:g"
        " h:g"
    ).split()
)
_ENGLISH: Final = re.compile("|".join(sorted(_ENGLISH_GROUPS, key=len, reverse=True)))
_GROUP: Final = re.compile("|".join(group for group in _ENGLISH_GROUPS if len(group) > 1))
_ENGLISH_LETTERS: Final = str.maketrans({group: sound for group, sound in _ENGLISH_GROUPS.items() if len(group) == 1})
_SHORTEST_STEM: Final = 2
_SHORTEST_BARE_STEM: Final = 5
_STRONG: Final = 4  # minimum length of the mark of an ending that native words hardly ever have by chance


def international_keys(word: str, language: Language) -> list[str]:
    """Return the keys of a word: with its longest international ending first, and without one if long enough."""
    found: dict[str, None] = {}
    endings = _ENDINGS_OF[language]
    for mark, ending in endings.get(word[-1:], endings[""]):
        if not word.endswith(ending):
            continue
        stem = word[: len(word) - len(ending)] if ending else word
        if len(stem) >= (_SHORTEST_STEM if len(mark) > 1 else _SHORTEST_BARE_STEM):
            found[_fold_word(stem, language) + mark] = None
    return list(found)


def has_strong_ending(key: str) -> bool:
    """Whether the ending of a key is proof of an international word: -ция and -tion, not -ер and -er.

    >>> has_strong_ending("privatIZATION"), has_strong_ending("karpER")
    (True, False)
    """
    stem = key.rstrip(ascii_uppercase)
    mark = len(key) - len(stem)
    return mark >= _STRONG or (mark == _STRONG - 1 and len(stem) >= _STRONG)


def _fold_word(stem: str, language: Language) -> str:
    if language != "en":
        spelt = stem.translate(_CYRILLIC)
    elif _GROUP.search(stem):
        spelt = _ENGLISH.sub(lambda group: _ENGLISH_GROUPS[group[0]], stem)
    else:
        spelt = stem.translate(_ENGLISH_LETTERS)
    return romanisation.without_equal(spelt)


_COLUMN: Final[dict[Language, int]] = {"ru": 1, "uk": 2, "en": 3}


def _by_last_letter(column: int) -> dict[str, tuple[tuple[str, str], ...]]:
    """Group marks and endings, in order, by the last letter of words ("" for any other): most words have only a few."""
    every = [(row[0], ending) for row in _ENDINGS for ending in (row[column].split() or [""])]
    letters = {ending[-1:] for _, ending in every}
    return {letter: tuple(one for one in every if one[1][-1:] in ("", letter)) for letter in sorted(letters)}


_ENDINGS_OF: Final[dict[Language, dict[str, tuple[tuple[str, str], ...]]]] = {
    language: _by_last_letter(column) for language, column in _COLUMN.items()
}
_LEAST_SHARE: Final = 0.02
_LEAST_SHARE_OF_WEAK: Final = 0.1
_RAREST: Final = 1e-7
_MOST_SHARE: Final = 300.0
_SHORTEST: Final = 5
_MOST: Final = 2
_DEAREST: Final = 0.3
_SOFTNESS: Final = 0.4
_SOFT: Final = re.compile("[бвгдзклмнпрстфхцшщч](?:[яью]|ье|ьё)")
_SOFT_LATIN: Final = re.compile("[yj]|i[aou]|ll|l$|gn|ñ|u")
"""Spellings that may mark a soft consonant: сериал, Версаль, бюро."""


def international_words(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most two international equivalents of each term, best first."""
    candidates = [_candidates(term, source, target) for term in terms]
    nouns = target_lexicon.are_terms((word for found in candidates for word in found), target)
    return [[word for word in found if word in nouns][:_MOST] for found in candidates]


def _candidates(term: str, source: Language, target: Language) -> list[str]:
    """Return the words under the first key that has any words in use."""
    if len(term) < _SHORTEST:
        return []
    words, frequency = words_by_international_key(target), form_frequencies(target)
    own = form_frequencies(source)(term)
    for key in international_keys(term, source):
        found = [word for word in words.of(key) if _LEAST_SHARE * own <= frequency(word) <= _MOST_SHARE * own]
        if not has_strong_ending(key):
            least = max(_RAREST, _LEAST_SHARE_OF_WEAK * own)
            found = [word for word in found if frequency(word) >= least and _sound_alike(term, word, source)]
        if found:
            return sorted(found, key=lambda word: (-frequency(word), word))
    return []


def _sound_alike(term: str, word: str, source: Language) -> bool:
    """Whether two words without a strong ending sound alike, including soft consonants."""
    latin, cyrillic = (term, word) if source == "en" else (word, term)
    read = romanisation.folded_latin(latin)
    spellings = (cyrillic, cyrillic.removesuffix("а"))
    cost = min(romanisation.transcription_cost(read, romanisation.folded_cyrillic(spelt)) for spelt in spellings)
    soft = len(_SOFT.findall(cyrillic)) if not _SOFT_LATIN.search(latin) else 0
    return cost + _SOFTNESS * soft <= _DEAREST


@cache
def words_by_international_key(language: Language) -> target_lexicon.WordsByKey:
    """Return the index of nouns in use by their international keys."""

    def places() -> Iterator[int]:
        known = target_lexicon.places_of_words(language)
        for word in known if language == "en" else target_lexicon.noun_lemmas(language).common:
            if len(word) >= _SHORTEST:
                yield known[word]

    return target_lexicon.words_by_key(
        "international", language, lambda word: international_keys(word, language), places
    )


def leading_to(words: Iterable[str], terms: Sequence[str], source: Language) -> list[str]:
    """Return the terms that may surely lead to any of some English words: no others do, by any rung."""
    if best_models() or not terms:
        return list(terms)
    wanted = set(words)
    tabled = {term for term, found in word_pairs(source, "en").items() if any(one.term in wanted for one in found)}
    tabled |= wanted
    sounds = {key for word in wanted for key in romanisation.sound_keys(word, "en")}
    origins = {key for word in wanted for key in international_keys(word, "en")}
    heads = {key.rstrip(ascii_uppercase)[:_SHORTEST_STEM] for key in origins}
    # All at once; a line break inside a term is no letter.
    whole = "\n".join(term.replace("\n", "") for term in terms)
    keys = (spelt.split("\n") for spelt in (*romanisation.sound_keys(whole, source), _fold_word(whole, source)))
    every = zip(terms, *keys, strict=True)
    return [
        term
        for term, letter, consonant, folded in every
        if (term.rpartition("-")[2] in tabled or term in tabled or letter in sounds or consonant in sounds)
        or ((folded[:2] in heads or folded[:1] in heads) and not origins.isdisjoint(international_keys(term, source)))
    ]


_REGULAR: Final = 0.92
_IRREGULAR: Final = 0.85
_INTERNATIONAL: Final = 0.85
_FREE: Final = 0.3  # maximum cost of a regular correspondence


@register(order=40)
class CognatesRung(Rung):
    """Words of common origin that are nouns in use in the target language."""

    name = "cognates"
    silence = "the other language has no such noun in use"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the cognates of each term, the most regular first."""
        if "en" in (source, target):
            return [
                tuple(Translation(word, self.name, _INTERNATIONAL) for word in found)
                for found in international_words(terms, source, target)
            ]
        return [
            tuple(Translation(one.term, self.name, _REGULAR if one.cost <= _FREE else _IRREGULAR) for one in found)
            for found in cognates(terms, source, target)
        ]


_CONFIDENCE: Final = 0.3


@register(order=60)
class SkeletonRung(Rung):
    """At most one word with the same skeleton."""

    name = "skeleton"
    silence = "no word looks alike"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the most frequent word with the coarse key or, to and from English, the consonants of each term."""
        find = romanisation.sound_alikes if "en" in (source, target) else look_alikes
        return [tuple(Translation(word, self.name, _CONFIDENCE) for word in one) for one in find(terms, source, target)]
