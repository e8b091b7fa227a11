"""A text as documents of another language would have it: its words translated into the terms of the stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Document, Language
from infostream_dedup.stream.analysis import Analysed, Analyser
from infostream_dedup.stream.frequencies import Frequencies
from infostream_dedup.stream.key_choice import choose_keys
from infostream_dedup.stream.rows import Rows
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.representation import representation
from infostream_dedup.text.tokens import Form, Shape
from infostream_dedup.translation.dictionary import DictionaryRung
from infostream_dedup.translation.identity import IdentityRung
from infostream_dedup.translation.ladder import Translator

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["QueryTranslator", "TranslatedQuery"]

_SURE: Final = 0.75
"""Equivalents of less confidence are guesses: good enough to be met, not to make a key term of."""

_MOST_REMEMBERED: Final = 200_000
_MOST_ASKED: Final = 255
"""Terms that the index looks up at once."""


@dataclass(frozen=True, slots=True)
class TranslatedQuery:
    """Key terms of a text in another language.

    Attributes:
        keys: int64, number of each key term, heaviest first.
        weights: int64, of the keys in units of 1e-9.
        sets: for each key term int64, ascending: the numbers any of which meets it, its own among them.
        targets: int64, ascending: all equivalents of all words.
    """

    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    sets: list[NDArray[np.int64]]
    targets: NDArray[np.int64]

    def asked(self) -> NDArray[np.int64]:
        """int64, each once: the numbers that meet any key term, those of the heaviest first, 255 at most."""
        every = np.concatenate([np.zeros(0, dtype=np.int64), *self.sets])
        _, first = np.unique(every, return_index=True)
        return every[np.sort(first)][:_MOST_ASKED]

    def met_by(self, rows: Rows) -> NDArray[np.int64]:
        """Int64 (rows,): how many key terms each row of terms meets, each counted once."""
        row = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
        met = np.zeros(len(rows), dtype=np.int64)
        for equivalents in self.sets:
            hit = np.bincount(row[np.isin(rows.values, equivalents)], minlength=len(rows))
            met += hit > 0
        return met


class QueryTranslator:
    """Translates texts by the dictionaries alone: the slower rungs of the ladder take seconds to begin.

    Args:
        settings: of the stream.
        numbers: of the stream's terms.
        frequencies: what documents of the stream are weighed by.
    """

    def __init__(self, settings: StreamSettings, numbers: TermNumbers, frequencies: Frequencies) -> None:
        self._settings = settings.terms
        self._numbers = numbers
        self._frequencies = frequencies
        self._own = TermNumbers()
        self._reader = Analyser(settings.terms.but(representation="pivot"), self._own)
        self._rungs = (IdentityRung(), DictionaryRung())
        self._known: dict[tuple[Language, Language], dict[str, tuple[int, tuple[int, ...]]]] = {}

    def translated(self, document: Document, into: Sequence[int]) -> dict[int, TranslatedQuery]:
        """The text in other languages.

        Args:
            document: any.
            into: index into ``LANGUAGES`` of each language wanted; the document's own is left out.
        """
        analysed = self._reader.read([document])
        own = int(analysed.languages[0])
        return {language: self._in_language(analysed, own, language) for language in into if language != own}

    def _in_language(self, analysed: Analysed, own: int, language: int) -> TranslatedQuery:
        words = [self._own.terms[number] for number in analysed.terms.row(0).tolist()]
        known = self._equivalents(words, LANGUAGES[own], LANGUAGES[language])
        counts: dict[int, int] = {}
        sets: dict[int, set[int]] = {}
        for word, count in zip(words, analysed.counts.tolist(), strict=True):
            canonical, every = known[word]
            if canonical >= 0:
                counts[canonical] = counts.get(canonical, 0) + count
                sets.setdefault(canonical, set()).update(every)
        terms = sorted(counts)
        told = Analysed(
            Rows(np.array([0, len(terms)], dtype=np.int64), np.array(terms, dtype=np.int32)),
            np.array([counts[term] for term in terms], dtype=np.int32),
            np.array([language], dtype=np.uint8),
            analysed.lengths,
        )
        chosen = choose_keys(told, 0, 1, self._frequencies, self._numbers, self._settings)
        keys = chosen.keys.row(0)
        return TranslatedQuery(
            keys,
            chosen.weights.row(0),
            [np.array(sorted(sets[key]), dtype=np.int64) for key in keys.tolist()],
            np.array(sorted({term for word in words for term in known[word][1]}), dtype=np.int64),
        )

    def _equivalents(
        self, words: Sequence[str], source: Language, target: Language
    ) -> dict[str, tuple[int, tuple[int, ...]]]:
        """For each word the number of its best equivalent (-1 if none is sure), and those of all."""
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
        """What words of the translations are among the stream's terms; -1 where they are none, as phrases are."""
        terms: Sequence[str | None] = words
        if self._settings.representation == "stem" or language == "en":
            forms = [Form(word, Shape.CAPITAL) for word in words]
            terms = representation(self._settings.representation).terms(forms, language, self._settings)
        return [-1 if term is None or " " in term else self._numbers.number(term) for term in terms]
