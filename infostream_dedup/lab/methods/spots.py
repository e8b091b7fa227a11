"""Documents with similar bags of word chains that begin at frequent words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.fingerprints import (
    antecedent_places,
    low_idf_signatures,
    normalised_idf,
    spot_signatures,
)
from infostream_dedup.judging.features.joins import numbered, resembling, resembling_bags
from infostream_dedup.judging.features.rows import distinct
from infostream_dedup.lab.methods.method import Method, Pairs, Texts, symmetric_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray


@register("spotsigs")
@dataclass(frozen=True, kw_only=True)
class SpotSigs(Method):
    """SpotSigs: documents with similar bags of spot signatures.

    M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: robust and efficient near duplicate detection in large Web
    collections, SIGIR 2008. A spot signature is a frequent word and the c content words that follow it; pairs are found
    by partitioning the bags by size, with pruned inverted lists (see ``features.length_partitions`` on which of their
    bounds are wrong).

    Where we differ: the paper's 24 antecedents are English articles and auxiliaries, which Russian and Ukrainian lack,
    so here all stop words of the language are antecedents (Yu et al. also find 24 too few and 365 best). The authors'
    code drops signatures with a normalised IDF outside 0.2 to 0.8; in a stream of pairs, where most signatures occur in
    two documents, that upper bound drops all that matter, so it is 1 here. Their tau is 0.85; at 0.5 a reprint may add
    or lose a third.

    Attributes:
        c: number of words after the antecedent, 1 to 10.
        d: distance from one word to where the search for the next starts, 1 to 10.
        tau: minimum multiset resemblance, 0.05 to 1.
        least_spots: number of signatures that a document needs, 1 to 100.
        idf_low: minimum normalised IDF of a signature, 0 to 1.
        idf_high: maximum normalised IDF of a signature, 0 to 1.
        antecedent: whether the signature includes the antecedent, as in the paper; the authors' code leaves it out.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города и глава района открыли мост, который по плану строили три года, "
        >>> story += "а затем и дорогу за рекой"
        >>> texts = Texts.of(story, f"{story}.", "Мост через реку закрыт", "Погода испортилась")
        >>> method("spotsigs", least_spots=2).run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    c: Annotated[int, Range(1, 10)] = 3
    d: Annotated[int, Range(1, 10)] = 1
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5
    least_spots: Annotated[int, Range(1, 100)] = 4
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2
    idf_high: Annotated[float, Range(0.0, 1.0)] = 1.0
    antecedent: bool = True

    def sign(self, texts: Texts) -> Ragged:
        """Return the spot signatures of each document, with repetitions, ascending."""
        stops = texts.stop_places
        spots = spot_signatures(texts.words, stops, stops, c=self.c, d=self.d, with_antecedent=self.antecedent)
        kept = spots.chosen(self._select_medium_frequency(spots))
        enough = kept.chosen(np.repeat(kept.sizes >= self.least_spots, kept.sizes))
        order = np.lexsort((enough.values, enough.numbers))
        return Ragged(enough.indptr, enough.values[order])

    def _select_medium_frequency(self, spots: Ragged) -> NDArray[np.bool_]:
        distinct_spots, place = np.unique(spots.values, return_inverse=True)
        pairs = np.unique(place * len(spots) + spots.numbers)
        df = np.bincount(pairs // max(len(spots), 1), minlength=len(distinct_spots)).astype(np.int64)
        idf = np.round(normalised_idf(df, max(len(spots), 1)), 9)
        return np.asarray((idf >= self.idf_low) & (idf <= self.idf_high), dtype=np.bool_)[place]

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance."""
        del texts
        return symmetric_pairs(resembling_bags(signatures, self.tau))


@register("low-idf-sig")
@dataclass(frozen=True)
class LowIdfSignatures(Method):
    """Low-IDF-Sig: documents with similar bags of word chains that follow frequent words.

    Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig (in Chinese; an improvement of SpotSigs for sentences).
    A feature is one of the n most frequent words of the language, or the first word of a sentence, with the c words
    that follow it; there are a third as many features as shingles. Here the features of all sentences of a document
    form one bag. The most frequent words come from wordfreq. The paper leaves some articles and prepositions out of the
    chains without naming them; its example keeps them, and so do we. Its similarity formula is lost; we use that of
    SpotSigs.

    Attributes:
        n: number of most frequent words of the language that start a chain, 0 to 5000.
        c: number of words after the antecedent, 1 to 10.
        d: step from word to word, 1 to 10.
        tau: minimum multiset resemblance, 0.05 to 1.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города и глава района открыли мост, который по плану строили три года, "
        >>> story += "а затем и дорогу за рекой"
        >>> method("low-idf-sig").run(Texts.of(story, f"Вчера {story}", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.75)]
    """

    n: Annotated[int, Range(0, 5000)] = 50
    c: Annotated[int, Range(1, 10)] = 3
    d: Annotated[int, Range(1, 10)] = 1
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6

    def sign(self, texts: Texts) -> Ragged:
        """Return the features of each document; repeated ones are numbered."""
        antecedent = antecedent_places(texts.words, texts.languages, self.n)
        return distinct(numbered(low_idf_signatures(texts.words, antecedent, c=self.c, d=self.d)))

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance."""
        del texts
        return symmetric_pairs(resembling(signatures, self.tau))
