"""Winnowing: documents whose samples of shingles resemble or contain each other.

S. Schleimer, D. Wilkerson, A. Aiken: Winnowing: local algorithms for document fingerprinting, SIGMOD 2003. The sample
is chosen by place (``features.winnowing``): two documents with a common run of w + window - 1 words always share a
fingerprint, which neither MOD nor MIN samples promise. The defaults, 5 words and windows of 4, promise it for 8 words.

Pairs are scored by the share of the smaller document's fingerprints that the other has, so that a text inside another
is found; with ``measure`` resemblance by the share of the union.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> texts = Texts.of(story, f"Вчера вечером сообщили: {story}. Погода была хорошей", "Мост закрыт")
    >>> method("winnowing").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.rows import Rows, distinct
from infostream_dedup.judging.features.set_join import containing, resembling
from infostream_dedup.judging.features.winnowing import winnowed
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, symmetric_pairs, unordered_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["Winnowing"]


@register("winnowing")
@dataclass(frozen=True)
class Winnowing(Method):
    """Compares fingerprints chosen by place.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        window: one of this many consecutive shingles is kept, 1 to 100.
        tau: minimum share of common fingerprints, 0.05 to 1.
        measure: ``containment``: share of the smaller document's; ``resemblance``: share of both documents'.
    """

    w: Annotated[int, Range(1, 20)] = 5
    window: Annotated[int, Range(1, 100)] = 4
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5
    measure: Annotated[str, OneOf("containment", "resemblance")] = "containment"

    def sign(self, texts: Texts) -> Rows:
        """Return the distinct fingerprints of each document."""
        return distinct(winnowed(texts.words, self.w, self.window))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the share."""
        del texts
        if self.measure == "resemblance":
            return symmetric_pairs(resembling(signatures, self.tau))
        found = containing(signatures, self.tau)
        low, high = np.minimum(found.a, found.b), np.maximum(found.a, found.b)
        # The direction from the smaller document has the greater share; it comes first of its pair.
        order = np.lexsort((-found.scores, high, low))
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
        kept = order[first]
        return unordered_pairs(low[kept], high[kept], found.scores[kept])
