"""Lex Rand: I-Match with several random lexicons; one equal fingerprint makes a pair (A7).

A. Kołcz, A. Chowdhury, J. Alspector: Improved robustness of signature-based near-replica detection via lexicon
randomization, KDD 2004; in the form of Yu. Zelenkov, I. Segalovich (RCDL 2007). From the lexicon of words of medium IDF
K further lexicons are made, each without a random third of the words. If n words of a document change, some fingerprint
still agrees with probability 1 - (1 - p^n)^K.

The papers do not specify the IDF bounds and the minimum number of words; the defaults are those of the SpotSigs
authors' I-Match: normalised IDF ln((N + 1) / df) / ln(N + 1) from 0.2 to 0.85, 4 words. SHA-1 is truncated to 64 bits.
Which words a lexicon lacks depends on a hash of the word, not on the collection.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> texts = Texts.of(story, f"{story}, сообщила пресс-служба", "Мост закрыт")
    >>> method("lex-rand").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.lexicon_fingerprints import lexicon_fingerprints, middle_lexicon, random_lexicons
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["LexiconRandomization"]


@register("lex-rand")
@dataclass(frozen=True)
class LexiconRandomization(Method):
    """Compares fingerprints by a lexicon and its random parts.

    Attributes:
        k: number of random lexicons besides the whole one (K in the paper), 0 to 100.
        p: share of the words that each random lexicon lacks, 0.01 to 0.99.
        idf_low: minimum normalised IDF of the lexicon, 0 to 1.
        idf_high: maximum normalised IDF of the lexicon, 0 to 1.
        least_words: number of distinct words of a lexicon that a document needs for a fingerprint, 1 to 100.
    """

    k: Annotated[int, Range(0, 100)] = 10
    p: Annotated[float, Range(0.01, 0.99)] = 0.33
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Rows:
        """Return at most k + 1 fingerprints of each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = random_lexicons(lexicon, vocabulary, self.k, self.p)
        return lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs with a common fingerprint; the score is the share of those that both could have in common."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / np.minimum(signatures.sizes[met.a], signatures.sizes[met.b]))
