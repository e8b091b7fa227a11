"""TF: two documents are duplicates if their six most frequent words are the same (A1).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. The words are sorted, joined and hashed by CRC32; the paper names no separator, so we use a blank. Equally
frequent words are taken in alphabetical order.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр открыл мост. Новый мост мэра", "Новый мост мэра! Мэр открыл мост.", "Мост закрыт мэром")
    >>> method("tf", words=2).run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.leading_words import fingerprints_of_words, leading_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["TermFrequency"]


@register("tf")
@dataclass(frozen=True)
class TermFrequency(Method):
    """Compares the most frequent words of documents.

    Attributes:
        words: number of words kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Rows:
        """Return one fingerprint of the most frequent words for each document."""
        tf = texts.counts.tf
        return fingerprints_of_words(leading_words(tf, self.words), texts.significant.vocabulary, self.bits)
