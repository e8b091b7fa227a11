"""Reads a search text: its key terms in its own language, and translated into others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Document
from infostream_dedup.model.constants import COMPARED_TERMS
from infostream_dedup.stream.analysis import Analyser
from infostream_dedup.stream.key_choice import choose_keys
from infostream_dedup.stream.near_documents import AskedTerms
from infostream_dedup.stream.query_words import QueryWords
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.found_rows import FoundDocument, term_names_of
from infostream_dedup.stream.translated_query import QueryTranslator

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray


_UNKNOWN_FROM: Final = 1 << 30
"""First number for words that the store does not know; the store's terms have smaller numbers."""

_MOST_WORDS: Final = 200_000
"""Maximum number of words remembered; beyond it, all are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text that is searched for.

    Attributes:
        language: index into ``LANGUAGES``.
        asked: its key terms.
        keys: int64, up to 30 key terms, heaviest first, by the store's numbers or, for unknown words, larger ones.
        weights: int64, their weights.
        targets: int64, all its terms, ascending.
        document: the text that was read; ``None`` for a stored document, which is compared as stored.
    """

    language: int
    asked: AskedTerms
    keys: NDArray[np.int64]
    weights: NDArray[np.int64]
    targets: NDArray[np.int64]
    document: Document | None = None


class QuestionReader:
    """Reads questions with the settings and frequencies of a stream, without changing them.

    Args:
        settings: settings of the stream.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._settings = settings.terms
        self._start_over()

    def _start_over(self) -> None:
        self._words = QueryWords(self._settings)
        self._analyser = Analyser(self._settings, self._words.numbers)
        self._translator = QueryTranslator(self._settings, self._words.numbers, self._words.frequencies)

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Update from the store."""
        if len(self._words.numbers) > _MOST_WORDS:
            self._start_over()
        self._words.refresh(connection)

    @property
    def nbytes(self) -> int:
        """Bytes of the index of terms that are in memory."""
        return self._words.nbytes

    def read(self, document: Document) -> Question:
        """Read a text."""
        words, terms = self._words, self._settings
        analysed = self._analyser.read([document])
        compared = terms.but(n=max(terms.n, COMPARED_TERMS))
        every = choose_keys(analysed, 0, 1, words.frequencies, words.numbers, compared)
        keys, weights, targets = every.keys.row(0), every.weights.row(0), analysed.terms.row(0).astype(np.int64)
        stored = words.stored(targets)
        first = keys[: terms.n]
        asked = AskedTerms(
            sets=[one[one >= 0] for one in words.stored(first).reshape(-1, 1)],
            weights=weights[: terms.n],
            targets=stored[stored >= 0],
            words=words.numbers.terms.some(first),
        )
        return Question(
            language=int(analysed.languages[0]),
            asked=asked,
            keys=_numbered_apart(words.stored(keys), keys),
            weights=weights,
            targets=np.sort(_numbered_apart(stored, targets)),
            document=document,
        )

    def stored(self, connection: sqlite3.Connection, document: FoundDocument) -> Question:
        """Make a question of a stored document, as it is in the store."""
        names = term_names_of(connection, document.keys.tolist())
        asked = AskedTerms(
            sets=list(document.keys.reshape(-1, 1)),
            weights=document.weights,
            targets=document.targets,
            words=[names[key] for key in document.keys.tolist()],
        )
        return Question(
            language=LANGUAGES.index(document.language),
            asked=asked,
            keys=np.concatenate((document.keys, document.further_keys)),
            weights=np.concatenate((document.weights, document.further_weights)),
            targets=document.targets,
        )

    def translated(self, document: Document, into: Sequence[int]) -> list[AskedTerms]:
        """Translate a text into other languages, by index into ``LANGUAGES``; its own is skipped."""
        found = []
        for language, query in self._translator.translated(document, into).items():
            targets = self._words.stored(query.targets)
            asked = AskedTerms(
                sets=[self._known(terms) for terms in query.sets],
                weights=query.weights,
                targets=targets[targets >= 0],
                words=query.words,
                language=language,
            )
            found.append(asked)
        return found

    def _known(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        stored = self._words.stored(words)
        # By the store's numbers, because ours depend on earlier questions.
        return np.sort(stored[stored >= 0])


def _numbered_apart(stored: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(stored >= 0, stored, own + _UNKNOWN_FROM)
