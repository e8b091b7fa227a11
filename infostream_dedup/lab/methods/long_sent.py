"""Long Sent: two documents are duplicates if their two longest sentences are the same (A4).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007: the best recall of the simple methods (.84). Length is counted in the words that preprocessing leaves; sentences
of equal length are taken in alphabetical order; the two are joined in alphabetical order and hashed by CRC32. In the
paper a sentence that occurs twice may fill both places; here it counts once, unless ``distinct`` is false.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
    >>> method("long-sent").run(Texts.of(story, f"{story} Подробнее.", "Мост открыт.")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.sentence_texts import Sentence, sentence_fingerprints
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["LongSentences"]


@register("long-sent")
@dataclass(frozen=True)
class LongSentences(Method):
    """Compares the longest sentences of documents.

    Attributes:
        sentences: number of sentences kept, 1 to 20; a document with fewer keeps all.
        distinct: whether a repeated sentence counts once.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    sentences: Annotated[int, Range(1, 20)] = 2
    distinct: bool = True
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Rows:
        """Return one fingerprint of the longest sentences for each document."""
        return sentence_fingerprints(
            texts.sentences, _longest_first, self.sentences, distinct=self.distinct, bits=self.bits
        )


def _longest_first(sentence: Sentence) -> tuple[int, str]:
    return -sentence.length, sentence.text
