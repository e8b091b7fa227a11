"""Translates the words of a text in another language into the terms of the stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs
from infostream_dedup.language.translation.written_names import plain_term
from infostream_dedup.model import LANGUAGES, Document, Language, Settings
from infostream_dedup.stream.analysis import Analysed, Analyser
from infostream_dedup.stream.frequencies import Frequencies
from infostream_dedup.stream.key_choice import choose_keys
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.stream.written_words import WrittenWords
from infostream_dedup.terms.representation import representation

if TYPE_CHECKING:
    from numpy.typing import NDArray


_SURE: Final = 0.75
"""Equivalents with lower confidence are guesses: they may match, but never become key terms."""

_MOST_REMEMBERED: Final = 200_000


@dataclass(frozen=True, slots=True)
class TranslatedQuery:
    """Key terms of a text in another language.

    Attributes:
        keys: int64, number of each key term, heaviest first.
        weights: int64, weight of each key term in units of 1e-9.
        sets: for each key term the numbers that match it, its own included: int64, ascending.
        targets: int64, ascending: all equivalents of all words.
        words: the word of the text that became each key term; of several, the most frequent.
    """

    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    sets: list[NDArray[np.int64]]
    targets: NDArray[np.int64]
    words: list[str]


class QueryTranslator:
    """Translates texts by the dictionaries alone, because the slower rungs of the ladder take seconds to start.

    Args:
        settings: settings of the stream's terms.
        numbers: numbers of words; those of translations are added.
        frequencies: document frequencies by these numbers, for the weights.
    """

    def __init__(self, settings: Settings, numbers: TermNumbers, frequencies: Frequencies) -> None:
        self._settings = settings
        self._numbers = numbers
        self._frequencies = frequencies
        self._own = TermNumbers()
        self._reader = Analyser(settings.but(representation="pivot"), self._own)
        self._written = WrittenWords(self._own)
        self._rungs = dictionary_rungs()
        self._known: dict[tuple[Language, Language], dict[str, tuple[int, tuple[int, ...]]]] = {}

    def translated(self, document: Document, into: Sequence[int]) -> dict[int, TranslatedQuery]:
        """Translate a text into other languages."""
        analysed = self._reader.read([document])
        own, words = int(analysed.languages[0]), self._counted(analysed)
        return {
            language: self._in_language(words, analysed.lengths, own, language) for language in into if language != own
        }

    def _counted(self, analysed: Analysed) -> dict[str, int]:
        """How often each word occurs."""
        numbers = self._written.decided(analysed.terms.numbers, analysed.terms.row(0)).tolist()
        words: dict[str, int] = {}
        for number, count in zip(numbers, analysed.counts.tolist(), strict=True):
            word = self._own.terms[number]
            words[word] = words.get(word, 0) + count
        return words

    def _in_language(
        self, words: Mapping[str, int], lengths: NDArray[np.int64], own: int, language: int
    ) -> TranslatedQuery:
        known = self._equivalents([*words], LANGUAGES[own], LANGUAGES[language])
        counts: dict[int, int] = {}
        sets: dict[int, set[int]] = {}
        word_of: dict[int, tuple[int, str]] = {}
        for word, count in words.items():
            canonical, every = known[word]
            if canonical >= 0:
                word_of[canonical] = min(word_of.get(canonical, (0, word)), (-count, word))
                counts[canonical] = counts.get(canonical, 0) + count
                sets.setdefault(canonical, set()).update(every)
        terms = sorted(counts)
        translated = Analysed(
            Ragged(np.array([0, len(terms)], dtype=np.int64), np.array(terms, dtype=np.int32)),
            np.array([counts[term] for term in terms], dtype=np.int32),
            np.array([language], dtype=np.uint8),
            lengths,
        )
        chosen = choose_keys(translated, 0, 1, self._frequencies, self._numbers, self._settings)
        keys = chosen.keys.row(0)
        return TranslatedQuery(
            keys,
            chosen.weights.row(0),
            [np.array(sorted(sets[key]), dtype=np.int64) for key in keys.tolist()],
            np.array(sorted({term for word in words for term in known[word][1]}), dtype=np.int64),
            [plain_term(word_of[key][1]) for key in keys.tolist()],
        )

    def _equivalents(
        self, words: Sequence[str], source: Language, target: Language
    ) -> dict[str, tuple[int, tuple[int, ...]]]:
        """For each word find the number of its best equivalent (-1 if none is sure), and the numbers of all."""
        known = self._known.setdefault((source, target), {})
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        new = [word for word in dict.fromkeys(words) if word not in known]
        answers = Translator(source, target, rungs=self._rungs).translate(new) if new else []
        distinct = list(dict.fromkeys(one.term for found in answers for one in found))
        number_of = dict(zip(distinct, self._stream_terms(distinct, target), strict=True))
        for word, found in zip(new, answers, strict=True):
            numbers = [(number_of[one.term], one.confidence) for one in found]
            sure = [number for number, confidence in numbers if number >= 0 and confidence >= _SURE]
            every = dict.fromkeys(number for number, _ in numbers if number >= 0)
            known[word] = (sure[0] if sure else -1, tuple(every))
        return known

    def _stream_terms(self, words: Sequence[str], language: Language) -> list[int]:
        """Return the stream's term number of each translated word; -1 if it is not a term, as for phrases."""
        terms: Sequence[str | None] = words
        if self._settings.representation == "stem" or language == "en":
            forms = [Form(word, Shape.CAPITAL) for word in words]
            terms = representation(self._settings.representation).terms(forms, language, self._settings)
        return [-1 if term is None or " " in term else self._numbers.number(term) for term in terms]
