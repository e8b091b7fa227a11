"""Megashingles: two documents are duplicates if two of their six supershingles agree (A6).

D. Fetterly, M. Manasse, M. Najork: On the evolution of clusters of near-duplicate web pages, LA-WEB 2003; in the
smaller form of Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in
Russian), RCDL 2007: 36 min-wise samples of 5-word shingles in 6 groups of 6. Each group is hashed to a supershingle,
and every two supershingles to a megashingle; one common megashingle makes a pair. Such pairs are not transitive.

The papers use random polynomials; here the samples are minima of seeded one-to-one maps of 64-bit fingerprints. Two
documents of resemblance p become a pair with probability 1 - (1 - q)^6 - 6 q (1 - q)^5, q = p^6 (p^14 for the original
84 functions): .29 at p = .75, .49 at .80, .73 at .85. The figures in the 2007 paper (.33, .42, .50) are miscalculated.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> method("megashingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.samples import megashingles, minwise, supershingles
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["Megashingles"]


@register("megashingles")
@dataclass(frozen=True)
class Megashingles(Method):
    """Compares pairs of groups of min-wise samples.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        groups: number of supershingles of a document, 2 to 20.
        group_size: number of samples in a supershingle, 1 to 50; 14 in the original.
    """

    w: Annotated[int, Range(1, 20)] = 5
    groups: Annotated[int, Range(2, 20)] = 6
    group_size: Annotated[int, Range(1, 50)] = 6

    def sign(self, texts: Texts) -> Rows:
        """Return all megashingles of each document: groups (groups - 1) / 2 values."""
        shingles = texts.shingles(self.w)
        samples = minwise(shingles, self.groups * self.group_size)
        values = megashingles(supershingles(samples, self.groups))
        sizes = np.where(shingles.sizes > 0, values.shape[1], 0)
        return Rows(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), values.ravel())

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs with a common megashingle; the score is the share of common ones."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / (self.groups * (self.groups - 1) // 2))
