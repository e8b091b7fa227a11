"""A collection as methods see it: data that several methods need are computed once, on first use."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.sentence_texts import Sentence, sentence_weights, sentences_by_document
from infostream_dedup.judging.features.shingles import shingles
from infostream_dedup.judging.features.word_counts import (
    WordCounts,
    count_words,
    tf_idf_weights,
    weights_of_occurrences,
)
from infostream_dedup.judging.features.words import Words, read_words, significant, stop_word_places
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import Document, full_text
from infostream_dedup.terms.plain import SurfaceCounter, SurfaceCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Texts"]

_Made = TypeVar("_Made")


class Texts:
    """All documents of a collection, with their texts.

    Word statistics are those of the collection itself, with all languages in one space, as the papers assume a single
    language.

    Args:
        documents: documents in input order; a missing ``lang`` is detected.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = list(documents)
        self._made: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, *texts: str) -> Texts:
        """Make a collection of bare texts, with ids numbered from 0."""
        return cls([Document(id=str(number), text=text) for number, text in enumerate(texts)])

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def raw(self) -> list[str]:
        """Title and text of each document."""
        return [full_text(document) for document in self.documents]

    @cached_property
    def languages(self) -> list[str]:
        """Language of each document, given or detected."""
        return [document.lang or detect(text) for document, text in zip(self.documents, self.raw, strict=True)]

    @cached_property
    def words(self) -> Words:
        """All words of each document."""
        return read_words(self.raw)

    @cached_property
    def stop_places(self) -> NDArray[np.bool_]:
        """Bool (words,), whether each word is a stop word of its document's language."""
        return stop_word_places(self.words, self.languages)

    @cached_property
    def significant(self) -> Words:
        """Words except stop words and words of up to three letters: the text of Zelenkov and Segalovich."""
        return significant(self.words, self.languages)

    @cached_property
    def counts(self) -> WordCounts:
        """Frequencies of the significant words."""
        return count_words(self.significant)

    @cached_property
    def sentences(self) -> list[list[Sentence]]:
        """Sentences of significant words, with their total TF * IDF."""
        words = self.significant
        weights = weights_of_occurrences(self.counts, words, tf_idf_weights(self.counts))
        return sentences_by_document(words, sentence_weights(words, weights))

    @cached_property
    def plain(self) -> list[str]:
        """All words of each document, joined by blanks."""
        return [self.words.text(document) for document in range(len(self))]

    @cached_property
    def surfaces(self) -> SurfaceCounts:
        """Counts of surfaces, from which key terms are made."""
        counter = SurfaceCounter()
        for text, language in zip(self.raw, self.languages, strict=True):
            counter.add(text, language)
        return counter.finish()

    def without_features(self) -> Texts:
        """Return a copy that shares what has been read, but not what ``once`` keeps.

        A method that is timed does not profit from features that another method computed.
        """
        bare = copy(self)
        bare._made = {}
        return bare

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what ``make`` returned for this key, calling it only the first time."""
        if key not in self._made:
            self._made[key] = make()
        made: _Made = self._made[key]
        return made

    def shingles(self, w: int, *, wrap: bool = False, all_words: bool = False) -> Rows:
        """Return the shingles of w words, see ``features.shingles``.

        Args:
            w: number of words in a shingle.
            wrap: whether the last words are joined to the first.
            all_words: whether to use all words instead of the significant ones.
        """
        words = self.words if all_words else self.significant
        return self.once(("shingles", w, wrap, all_words), lambda: shingles(words, w, wrap=wrap))
