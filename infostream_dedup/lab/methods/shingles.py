"""Shingles: documents whose sets of word shingles resemble or contain each other.

A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997; A. Broder: On the resemblance
and containment of documents, SEQUENCES 1997. Resemblance is |A ∩ B| / |A ∪ B|; containment |A ∩ B| / |A| is directed:
a is found in b. All shingles are kept, without sampling, and every pair that reaches the threshold is found
(``features.set_join``).

Defaults are those of the 3-Shingle with which Yu et al. compare Low-IDF-Sig: w = 3, tau = 0.6, with repetitions counted
(``bag``), unlike Broder's sets. All words count, function words included.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку. Она довольна")
    >>> method("shingles", tau=0.5).run(texts).pairs.as_list()
    [(0, 1, 0.571)]
    >>> method("shingles", measure="containment").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.rows import Rows, distinct
from infostream_dedup.judging.features.set_join import containing, numbered, resembling
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, directed_pairs, symmetric_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["Shingles"]


@register("shingles")
@dataclass(frozen=True)
class Shingles(Method):
    """Compares all shingles of documents.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        tau: minimum resemblance or containment, 0.05 to 1.
        measure: ``resemblance`` or ``containment``.
        bag: whether repeated shingles count as often as they occur.
    """

    w: Annotated[int, Range(1, 20)] = 3
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6
    measure: Annotated[str, OneOf("resemblance", "containment")] = "resemblance"
    bag: bool = True

    @property
    def directed(self) -> bool:
        """Whether the measure is containment, which is directed."""
        return self.measure == "containment"

    def sign(self, texts: Texts) -> Rows:
        """Return the shingles of each document."""
        found = texts.shingles(self.w, all_words=True)
        return distinct(numbered(found)) if self.bag else distinct(found)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance or containment."""
        del texts
        if self.directed:
            return directed_pairs(containing(signatures, self.tau))
        return symmetric_pairs(resembling(signatures, self.tau))
