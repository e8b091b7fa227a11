"""DSC-SS: documents that share a supershingle, the hash of a group of sampled shingles.

A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997, section on supershingles: the
sorted sample is divided into groups, each group is hashed, and documents that share a hash are candidates without any
counting. The paper gives neither sample size nor group size; ours are those of Fetterly, Manasse and Najork: 84
fingerprints in groups of 14. An incomplete last group counts only if it is the only one. Yu et al. find the method much
worse on short texts.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> method("dsc-ss", group=2).run(Texts.of(story, f"{story} рано", "Мост закрыт")).pairs.as_list()
    [(0, 1, 0.2)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.samples import grouped, sample_min, sample_mod
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["Supershingles"]


@register("dsc-ss")
@dataclass(frozen=True)
class Supershingles(Method):
    """Compares hashes of groups of sampled shingles.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        sample: ``min`` or ``mod``.
        s: with ``min``, number of fingerprints kept, 1 to 10,000.
        m: with ``mod``, one in m fingerprints is kept, 1 to 10,000.
        group: number of fingerprints in a supershingle, 1 to 1000.
    """

    w: Annotated[int, Range(1, 20)] = 3
    sample: Annotated[str, OneOf("min", "mod")] = "min"
    s: Annotated[int, Range(1, 10_000)] = 84
    m: Annotated[int, Range(1, 10_000)] = 25
    group: Annotated[int, Range(1, 1000)] = 14

    def sign(self, texts: Texts) -> Rows:
        """Return the supershingles of each document."""
        shingles = texts.shingles(self.w, all_words=True)
        sample = sample_min(shingles, self.s) if self.sample == "min" else sample_mod(shingles, self.m)
        return grouped(sample, self.group)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs with a common supershingle; the score is the share of common ones."""
        del texts
        met = pairs_sharing(signatures)
        sizes = signatures.sizes
        return Pairs(met.a, met.b, met.shared / np.minimum(sizes[met.a], sizes[met.b]))
