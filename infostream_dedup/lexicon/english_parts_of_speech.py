"""The most frequent part of speech of English words, from the lexicon that TextBlob ships.

The lexicon is that of Brill's tagger: 94 thousand forms, each with the Penn tag that it had most often in the Brown
corpus and the Wall Street Journal. Only the file is read; TextBlob itself and NLTK are never imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final

__all__ = ["is_usually_noun", "part_of_speech"]

_FILE: Final = ("en", "en-lexicon.txt")
_NOUN: Final = "NN"


def part_of_speech(word: str) -> str | None:
    """Return the most frequent Penn tag of a word as it is spelt, capitals included; ``None`` for an unknown one.

    Example:
        >>> part_of_speech("running"), part_of_speech("Reading"), part_of_speech("reading"), part_of_speech("xyzzy")
        ('VBG', 'NNP', 'NN', None)
    """
    return _lexicon().get(word)


def is_usually_noun(word: str, *, capital: bool) -> bool | None:
    """Return whether a word is a noun in most of its places; ``None`` for an unknown one.

    Args:
        word: in small letters.
        capital: written with a capital inside a sentence: the capitalised word is looked up first, for Polish is not
            the verb to polish.
    """
    tag = (part_of_speech(word.capitalize()) if capital else None) or part_of_speech(word)
    return None if tag is None else tag.startswith(_NOUN)


@cache
def _lexicon() -> Mapping[str, str]:
    spec = find_spec("textblob")
    folders = spec.submodule_search_locations if spec is not None else None
    path = Path(next(iter(folders or ()), "")).joinpath(*_FILE)
    if not path.is_file():
        raise ModuleNotFoundError("package textblob, or its file en/en-lexicon.txt, is missing: pip install textblob")
    found: dict[str, str] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            word, _, tag = line.strip().partition(" ")
            if tag and not word.startswith(";;;"):
                found[word] = tag
    return MappingProxyType(found)
