"""Makes edited copies of a collection's own texts: the changes of a reprint, at given rates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Final, Literal

from infostream_dedup.model import Document

__all__ = ["EDITS", "Edit", "Vocabulary", "edited"]

Edit = Literal["cuts", "additions", "word forms", "numbers", "all"]

EDITS: Final[tuple[Edit, ...]] = ("cuts", "additions", "word forms", "numbers", "all")
"""``cuts``: sentences are left out; ``additions``: sentences of other documents are inserted; ``word forms``: words are
replaced by others of the collection that begin alike; ``numbers``: numbers are replaced; ``all``: all of these."""

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d+")
_OPENING: Final = 5
"""Number of first letters that forms of a word have in common."""
_SHORTEST: Final = 6


class Vocabulary:
    """Words and sentences of a collection, for editing its texts.

    Args:
        texts: texts of one language; a thousand are enough.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        forms: dict[str, set[str]] = defaultdict(set)
        self.sentences: list[str] = []
        for text in texts:
            for word in _WORD.findall(text.lower()):
                if len(word) >= _SHORTEST:
                    forms[word[:_OPENING]].add(word)
            self.sentences.extend(sentences_of(text))
        self._forms: Mapping[str, Sequence[str]] = {opening: sorted(words) for opening, words in forms.items()}

    def another_form(self, word: str, random: Random) -> str:
        """Another word that begins alike, in the same letter case; the word itself if no other does."""
        known = self._forms.get(word[:_OPENING].lower(), ())
        others = [one for one in known if one != word.lower()] if len(word) >= _SHORTEST else []
        if not others:
            return word
        found = random.choice(others)
        return found.capitalize() if word[0].isupper() else found


def sentences_of(text: str) -> list[str]:
    """Split a text into sentences, roughly: at line ends and at spaces after a full stop."""
    return [one for one in _SENTENCE.split(text) if one.strip()]


def edited(document: Document, edit: Edit, rate: float, vocabulary: Vocabulary, random: Random) -> Document:
    """Copy a document with changes in its text; in the title, if there is one, only word forms change.

    Args:
        document: the original.
        edit: kind of change.
        rate: share of the sentences, words or numbers that are changed, 0 to 1; for additions, sentences inserted per
            sentence.
        vocabulary: vocabulary of documents in the same language.
        random: chooses what is changed.
    """
    sentences = sentences_of(document.text)
    if edit in ("cuts", "all"):
        kept = [one for one in sentences if random.random() >= rate]
        sentences = kept or sentences[:1]
    if edit in ("additions", "all") and vocabulary.sentences:
        sentences = _with_additions(sentences, rate, vocabulary, random)
    text, title = " ".join(sentences), document.title
    if edit in ("word forms", "all"):
        text, title = (
            _replaced(_WORD, one, rate, random, lambda word: vocabulary.another_form(word, random))
            for one in (text, title)
        )
    if edit in ("numbers", "all"):
        text = _replaced(_NUMBER, text, rate, random, lambda number: _another_number(number, random))
    return replace(document, text=text, title=title)


def _with_additions(sentences: Sequence[str], rate: float, vocabulary: Vocabulary, random: Random) -> list[str]:
    found: list[str] = []
    for sentence in sentences:
        found.append(sentence)
        if random.random() < rate:
            found.append(random.choice(vocabulary.sentences))
    return found


def _replaced(pattern: re.Pattern[str], text: str, rate: float, random: Random, another: Callable[[str], str]) -> str:
    return pattern.sub(lambda found: another(found[0]) if random.random() < rate else found[0], text)


def _another_number(number: str, random: Random) -> str:
    """A random number with the same number of digits."""
    return str(random.randrange(1, 10)) + "".join(str(random.randrange(10)) for _ in number[1:])
