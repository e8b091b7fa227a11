"""I-Match: two documents are duplicates if they have the same words of medium IDF.

A. Chowdhury, O. Frieder, D. Grossman, M. McCabe: Collection statistics for fast duplicate document detection, ACM TOIS
20(2), 2002. The distinct words within the IDF bounds are sorted and hashed by SHA-1, here truncated to 64 bits; the
bounds and the minimum number of words are those of the SpotSigs authors' code.

With more than one list it is the variant of W. Pugh, M. Henzinger: Detecting duplicate and near-duplicate files, US
patent 6,658,423, 2003: words are assigned to lists by hash, each list has its own fingerprint, and one common
fingerprint makes a pair.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> texts = Texts.of(story, f"{story}, сообщила пресс-служба", "Мост закрыт")
    >>> method("i-match").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.lexicon_fingerprints import lexicon_fingerprints, middle_lexicon, split_lexicons
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["IMatch"]


@register("i-match")
@dataclass(frozen=True)
class IMatch(Method):
    """Compares one fingerprint by a lexicon, or one by each part of it.

    Attributes:
        lists: number of parts of the lexicon, 1 to 64; 1 is I-Match itself.
        idf_low: minimum normalised IDF of the lexicon, 0 to 1.
        idf_high: maximum normalised IDF of the lexicon, 0 to 1.
        least_words: number of distinct words of a part that a document needs for a fingerprint, 1 to 100.
    """

    lists: Annotated[int, Range(1, 64)] = 1
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Rows:
        """Return at most one fingerprint per list for each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = split_lexicons(lexicon, vocabulary, self.lists)
        return lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs with a common fingerprint; the score is the share of those that both could have in common."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / np.minimum(signatures.sizes[met.a], signatures.sizes[met.b]))
