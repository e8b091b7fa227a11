"""3+5: three sentences and five words of a document, with tolerant rules for pairs (A12).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007: the authors' own method, F .95. A document is described by its length, its number of sentences, and the CRC32 of
its three longest sentences and of its five longest words. Two documents that share a sentence are duplicates if their
lengths differ by at most 15 %, their numbers of sentences differ by at most 20 %, they share two of the words, and
either they have the same longest sentence or both have more than five sentences and share two of the three.

The length of a document is its number of words of three or more letters; the length of a sentence, which the paper does
not specify, is counted in words. A repeated sentence counts once. Ties are broken by signature, as in the paper.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    >>> method("three-plus-five").run(Texts.of(story, f"{story} Да.", "Мост открыт.")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.sentence_records import (
    DocumentRecord,
    document_lengths,
    longest_sentences,
    longest_words,
    record_pairs,
    record_rows,
)
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["ThreePlusFive"]


@register("three-plus-five")
@dataclass(frozen=True)
class ThreePlusFive(Method):
    """Compares three sentences and five words of documents.

    Attributes:
        length_ratio: maximum ratio of lengths, 1 to 10.
        sentence_ratio: maximum ratio of the numbers of sentences, 1 to 10.
        shared_words: number of words that must be shared, 0 to 5.
        shared_sentences: number of sentences that longer documents must share, 1 to 3.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    length_ratio: Annotated[float, Range(1.0, 10.0)] = 1.15
    sentence_ratio: Annotated[float, Range(1.0, 10.0)] = 1.20
    shared_words: Annotated[int, Range(0, 5)] = 2
    shared_sentences: Annotated[int, Range(1, 3)] = 2
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Rows:
        """Return length, number of sentences, three sentences and five words of each document, 0 for missing ones."""
        lengths = document_lengths(texts.words)
        records = [
            DocumentRecord(
                lengths[document],
                len(sentences),
                longest_sentences(sentences, 3, self.bits),
                longest_words(texts.significant, document, 5, self.bits),
            )
            for document, sentences in enumerate(texts.sentences)
        ]
        return record_rows(records, sentences=3, words=5, bits=self.bits)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs by the rules above; the score is the shared part of the smaller record's features."""
        del texts
        return Pairs(
            *record_pairs(
                signatures,
                sentences=3,
                words=5,
                length_ratio=self.length_ratio,
                sentence_ratio=self.sentence_ratio,
                shared_words=self.shared_words,
                shared_sentences=self.shared_sentences,
            )
        )
