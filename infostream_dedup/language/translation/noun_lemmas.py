"""Russian and Ukrainian nouns in use, by the morphological dictionaries and wordfreq together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from infostream_dedup.language.lexicon.name_tables import names
from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.language.lexicon.word_lists import added_nouns
from infostream_dedup.language.translation.frequent_words import frequent_words
from infostream_dedup.model import Language

_NAME: Final = frozenset(("Surn", "Name", "Geox"))
_NOTHING: Final = (False, False)


@dataclass(frozen=True, slots=True)
class NounLemmas:
    """Lemmas in use, most frequent first. A word may be in both tuples.

    Attributes:
        common: common nouns.
        names: surnames, first names and places; Ukrainian dictionaries do not mark places.
    """

    common: tuple[str, ...]
    names: tuple[str, ...]


@cache
def noun_lemmas(language: Language) -> NounLemmas:
    """Return the nouns among the words of wordfreq, and those of our own tables.

    The entries are read directly from the dictionary of pymorphy3 in 1 s; analysing 600,000 words would take 15 s.
    """
    from pymorphy3 import MorphAnalyzer

    dictionary: Any = MorphAnalyzer(lang=language).dictionary
    added, tabled = added_nouns(language), names(language)
    kinds: dict[int, tuple[bool, bool]] = {}
    common, proper = [], []
    for word in frequent_words(language):
        is_common, is_name = word in added, word in tabled
        for paradigm, place in dictionary.words.get(word.replace(APOSTROPHE, "'")) or ():
            if place == 0:
                if paradigm not in kinds:
                    kinds[paradigm] = _kinds(dictionary.build_tag_info(paradigm, 0))
                is_common, is_name = is_common or kinds[paradigm][0], is_name or kinds[paradigm][1]
        if is_common:
            common.append(word)
        if is_name:
            proper.append(word)
    return NounLemmas(tuple(common), tuple(proper))


def _kinds(tag: Any) -> tuple[bool, bool]:
    """Whether a lemma is a common noun, and whether it is a name."""
    if str(tag.POS) != "NOUN":
        return _NOTHING
    is_name = not _NAME.isdisjoint(tag.grammemes)
    return not is_name, is_name
