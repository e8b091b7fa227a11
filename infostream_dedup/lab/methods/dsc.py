"""DSC: documents whose samples of shingles resemble or contain each other.

A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997. The sample is MOD_m, the
fingerprints divisible by m (m = 25 according to Yu et al.), or MIN_s, the s smallest, equally many for long and short
documents; containment can be estimated only from MOD_m. Broder's threshold for a cluster is 50 %.

A short document may have an empty MOD_m sample and then matches nothing, the weakness that Yu et al. point out.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку")
    >>> method("dsc", m=1, w=3).run(texts).pairs.as_list()
    [(0, 1, 0.8)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.samples import sample_min, sample_mod
from infostream_dedup.judging.features.set_join import containing, resembling
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, directed_pairs, symmetric_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["DigitalSyntacticClustering"]


@register("dsc")
@dataclass(frozen=True)
class DigitalSyntacticClustering(Method):
    """Compares samples of the documents' shingles.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        tau: minimum resemblance or containment of the samples, 0.05 to 1.
        sample: ``mod`` or ``min``.
        m: with ``mod``, one in m fingerprints is kept, 1 to 10,000.
        s: with ``min``, number of fingerprints kept, 1 to 10,000.
        measure: ``resemblance`` or, with ``mod`` only, ``containment``.
    """

    w: Annotated[int, Range(1, 20)] = 3
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5
    sample: Annotated[str, OneOf("mod", "min")] = "mod"
    m: Annotated[int, Range(1, 10_000)] = 25
    s: Annotated[int, Range(1, 10_000)] = 100
    measure: Annotated[str, OneOf("resemblance", "containment")] = "resemblance"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.measure == "containment" and self.sample == "min":
            raise ConfigurationError("containment cannot be estimated from the smallest fingerprints; use sample mod")

    @property
    def directed(self) -> bool:
        """Whether the measure is containment, which is directed."""
        return self.measure == "containment"

    def sign(self, texts: Texts) -> Rows:
        """Return the sampled shingles of each document."""
        shingles = texts.shingles(self.w, all_words=True)
        return sample_mod(shingles, self.m) if self.sample == "mod" else sample_min(shingles, self.s)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance or containment of the samples."""
        del texts
        if self.directed:
            return directed_pairs(containing(signatures, self.tau))
        return symmetric_pairs(resembling(signatures, self.tau))
