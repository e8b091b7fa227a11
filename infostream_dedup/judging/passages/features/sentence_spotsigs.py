"""SpotSigs of a sentence: chains of content words that follow stop words.

M. Theobald, J. Siddharth, A. Paepcke, SIGIR 2008. Yu et al. find 24 antecedents too few for sentences and all 365 stop
words best, with chains of 3 and tau .7; all stop words of the language are antecedents here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.spot_signatures import spot_signatures
from infostream_dedup.judging.features.words import stop_word_places
from infostream_dedup.judging.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.model.limits import Range

__all__ = ["SentenceSpotSigs"]


@register("spotsigs", order=20)
@dataclass(frozen=True)
class SentenceSpotSigs(SentenceFeature):
    """Chains that end within the sentence; a sentence without one is never a copy.

    Attributes:
        c: content words after the antecedent, 1 to 10.
        d: distance from one word to where the search for the next begins, 1 to 10.
        tau: minimum resemblance, above 0 to 1.

    Raises:
        ConfigurationError: a value is out of range.
    """

    c: Annotated[int, Range(1, 10)] = 3
    d: Annotated[int, Range(1, 10)] = 1
    tau: float = 0.7

    def bags(self, table: SentenceTable) -> Rows:
        """Return the chains of each sentence."""
        stops = stop_word_places(table.words, table.sentence_languages)
        return spot_signatures(table.words, stops, stops, c=self.c, d=self.d, within_sentences=True)
