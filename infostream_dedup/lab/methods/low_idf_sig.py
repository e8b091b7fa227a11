"""Low-IDF-Sig: documents with similar bags of word chains that follow frequent words.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig (in Chinese; an improvement of SpotSigs for sentences). A
feature is one of the n most frequent words of the language, or the first word of a sentence, with the c words that
follow it; there are a third as many features as shingles. Here the features of all sentences of a document form one
bag. The most frequent words come from wordfreq. The paper leaves some articles and prepositions out of the chains
without naming them; its example keeps them, and so do we. Its similarity formula is lost; we use that of SpotSigs.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города и глава района открыли мост, который по плану строили три года, а затем и дорогу за рекой"
    >>> method("low-idf-sig").run(Texts.of(story, f"Вчера {story}", "Мост закрыт")).pairs.as_list()
    [(0, 1, 0.75)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.low_idf_signatures import antecedent_places, low_idf_signatures
from infostream_dedup.judging.features.rows import Rows, distinct
from infostream_dedup.judging.features.set_join import numbered, resembling
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, symmetric_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["LowIdfSignatures"]


@register("low-idf-sig")
@dataclass(frozen=True)
class LowIdfSignatures(Method):
    """Compares chains of words that follow frequent words.

    Attributes:
        n: number of most frequent words of the language that start a chain, 0 to 5000.
        c: number of words after the antecedent, 1 to 10.
        d: step from word to word, 1 to 10.
        tau: minimum multiset resemblance, 0.05 to 1.
    """

    n: Annotated[int, Range(0, 5000)] = 50
    c: Annotated[int, Range(1, 10)] = 3
    d: Annotated[int, Range(1, 10)] = 1
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6

    def sign(self, texts: Texts) -> Rows:
        """Return the features of each document; repeated ones are numbered."""
        antecedent = antecedent_places(texts.words, texts.languages, self.n)
        return distinct(numbered(low_idf_signatures(texts.words, antecedent, c=self.c, d=self.d)))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance."""
        del texts
        return symmetric_pairs(resembling(signatures, self.tau))
