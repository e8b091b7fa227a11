"""Plant copies of known origin into a collection, and measure how many of them the links recover."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.lab.estimation.census import LEAST_TOKENS
from infostream_dedup.lab.estimation.copy_scores import Links
from infostream_dedup.links.pair_rules import count_grades
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Document, Language, Settings
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.terms.key_terms import KeyTerms, pattern

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
    """Words and sentences of a collection, for editing its texts."""

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
    """Copy a document with changes in its text; in the title, if there is one, only word forms change."""
    sentences = sentences_of(document.text)
    if edit in ("cuts", "all"):
        sentences = [one for one in sentences if random.random() >= rate] or sentences[:1]
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


RATES: Final = (0.1, 0.3, 0.5)
"""Share of the sentences, words or numbers that are changed."""

MOST_OF_A_KIND: Final = 100
"""Copies in one language with one kind of edit at one rate."""

_SEED: Final = 21
_FOR_WORDS: Final = 1000
_NORMAL: Final = 1.959964


@dataclass(frozen=True, slots=True)
class PlantedCollection:
    """A collection with edited copies of some of its documents."""

    collection: Collection  # the documents, then the copies
    originals: NDArray[np.int64]  # int64 (copies,), ordinal of the original of each copy
    kinds: list[tuple[Language, Edit, float]]  # language, edit and rate of each copy

    @classmethod
    def of(
        cls, documents: Sequence[Document], languages: Sequence[Language], *, progress: Progress | None = None
    ) -> PlantedCollection:
        """Plant copies: one of each sampled document, at most ``MOST_OF_A_KIND`` of a kind."""
        random = Random(_SEED)  # noqa: S311
        every = [(edit, rate) for edit in EDITS for rate in RATES]
        copies: list[Document] = []
        originals: list[int] = []
        kinds: list[tuple[Language, Edit, float]] = []
        for language in sorted(set(languages)):
            long_enough = [
                number
                for number, one in enumerate(documents)
                if languages[number] == language and len(one.text.split()) >= LEAST_TOKENS
            ]
            drawn = random.sample(long_enough, min(len(long_enough), MOST_OF_A_KIND * len(every)))
            vocabulary = Vocabulary(documents[number].text for number in drawn[:_FOR_WORDS])
            for place, number in enumerate(drawn):
                edit, rate = every[place % len(every)]
                one = replace(documents[number], lang=language)
                copies.append(replace(edited(one, edit, rate, vocabulary, random), id=f"copy of {one.id}"))
                originals.append(number)
                kinds.append((language, edit, rate))
        collection = collect([*documents, *copies], hashes=False, progress=progress)
        return cls(collection, np.array(originals, dtype=np.int64), kinds)

    def recovered(self, settings: Settings, ks: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """Rows ``representation, language, edit, rate, copies, k, recovered, low, high``.

        ``recovered`` is the share of the copies that are linked to their original both ways at k (``need(k)``);
        ``low`` and ``high`` are its 95 % interval (Wilson, Journal of the American Statistical Association 22, 1927).
        """
        grades = self._grades(self.collection.key_terms(settings), settings)
        rows: list[dict[str, Any]] = []
        for kind in dict.fromkeys(self.kinds):
            of_kind = grades[[one == kind for one in self.kinds]]
            language, edit, rate = kind
            for k in range(1, settings.n + 1) if ks is None else ks:
                found = int((of_kind >= k).sum())
                low, high = _wilson(found, len(of_kind))
                row = {"representation": settings.representation, "language": language, "edit": edit, "rate": rate}
                shares = {"recovered": found / len(of_kind), "low": low, "high": high}
                shown = {name: round(share, SHOWN_DECIMALS) for name, share in shares.items()}
                rows.append(row | {"copies": len(of_kind), "k": k} | shown)
        return sorted(rows, key=lambda row: (row["language"], EDITS.index(row["edit"]), row["rate"], row["k"]))

    def _grades(self, key_terms: KeyTerms, settings: Settings) -> NDArray[np.uint8]:
        """Largest k at which each copy and its original are linked both ways: uint8 (copies,)."""
        documents = len(self.collection)
        copies = np.arange(documents - len(self.originals), documents)
        asking = np.concatenate([self.originals, copies])
        answering = np.concatenate([copies, self.originals])
        keys, targets = (one[rows] for one, rows in ((key_terms.keys, asking), (key_terms.targets, answering)))
        met = pattern(keys).multiply(pattern(targets))
        shared = np.asarray(met.sum(axis=1)).ravel().astype(np.uint8)
        counts = sp.csr_array((shared, (asking, answering)), shape=(documents, documents))
        counts.sort_indices()
        graded = count_grades(counts, key_terms.sizes, n=settings.n, short=settings.short)
        return Links.of(graded).grades_of(self.originals, copies)


def _wilson(found: int, of: int) -> tuple[float, float]:
    share, squared = found / of, _NORMAL * _NORMAL
    middle = share + squared / (2 * of)
    half = _NORMAL * math.sqrt(share * (1 - share) / of + squared / (4 * of * of))
    whole = 1 + squared / of
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)
