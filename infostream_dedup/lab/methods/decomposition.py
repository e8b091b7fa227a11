"""Decomposition: documents that share a shingle and are of similar length are compared in full (A11).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007: "practically 100 % recall and precision". Records <shingle, document, length> are sorted into chains; within a
chain only documents whose lengths differ by a ratio of at most r are compared, each pair once, by String::Similarity.

The paper uses r = 1.15 for a similarity of .85. A similarity of t allows a ratio of (2 - t) / t = 1.35, so the paper's
r loses some pairs by design; it is the default nevertheless. Cut chains, and chains contained in others, do not change
the pairs. Texts are compared as words without punctuation. Lengths are counted in words, as in the paper; in characters
of these with ``unit`` characters.

If many documents share little more than a stock phrase, ``least_shared`` requires a share of the smaller set of
shingles before texts are compared ("something cheaper" in the paper); by default every candidate is compared.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра"
    >>> method("decomposition").run(Texts.of(story, f"{story} утром", "Мост закрыт")).pairs.as_list()
    [(0, 1, 0.962)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.rows import Rows, distinct
from infostream_dedup.judging.features.string_similarity import string_similarities
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["Decomposition"]


@register("decomposition")
@dataclass(frozen=True)
class Decomposition(Method):
    """Compares texts in full within the chain of each shingle.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        t: minimum String::Similarity, 0.05 to 1.
        r: maximum ratio of lengths, 1 to 100.
        unit: in which lengths are counted, ``words`` or ``characters``.
        least_shared: minimum share of the smaller document's shingles that both have, 0 to 1; 0 compares all
            candidates.
    """

    w: Annotated[int, Range(1, 20)] = 5
    t: Annotated[float, Range(0.05, 1.0)] = 0.85
    r: Annotated[float, Range(1.0, 100.0)] = 1.15
    unit: Annotated[str, OneOf("words", "characters")] = "words"
    least_shared: Annotated[float, Range(0.0, 1.0)] = 0.0

    def sign(self, texts: Texts) -> Rows:
        """Return all distinct shingles of each document."""
        return distinct(texts.shingles(self.w, all_words=True))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs of similar texts; the score is String::Similarity."""
        plain = texts.plain
        in_characters = self.unit == "characters"
        lengths = np.array([len(text) for text in plain], dtype=np.int64) if in_characters else texts.words.rows.sizes
        met = pairs_sharing(signatures, lengths=lengths, ratio=self.r)
        smaller = np.minimum(signatures.sizes[met.a], signatures.sizes[met.b])
        promising = met.shared >= self.least_shared * smaller
        a, b = met.a[promising], met.b[promising]
        scores = string_similarities(plain, a, b, threshold=self.t)
        similar = scores > 0
        return Pairs(a[similar], b[similar], scores[similar])
