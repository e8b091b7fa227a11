"""Documents that share shingles: runs of w words, all of them or a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.fingerprints import grouped, sample_min, sample_mod
from infostream_dedup.judging.features.joins import containing, numbered, pairs_sharing, resembling
from infostream_dedup.judging.features.rows import distinct, smallest
from infostream_dedup.judging.features.string_similarity import string_similarities
from infostream_dedup.judging.features.words import hash_sequences, winnowed
from infostream_dedup.lab.methods.method import (
    Method,
    Pairs,
    Texts,
    directed_pairs,
    sharing_pairs,
    symmetric_pairs,
    unordered_pairs,
)
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Measured(Method):
    """Links documents by the resemblance of their signatures, or by their containment, which is directed."""

    tau: float
    measure: str

    @property
    def directed(self) -> bool:
        """Whether the measure is containment."""
        return self.measure == "containment"

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance or containment."""
        del texts
        if self.directed:
            return directed_pairs(containing(signatures, self.tau))
        return symmetric_pairs(resembling(signatures, self.tau))


@register("shingles")
@dataclass(frozen=True)
class Shingles(_Measured):
    """Shingles: documents whose sets of word shingles resemble or contain each other.

    A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997; A. Broder: On the
    resemblance and containment of documents, SEQUENCES 1997. Resemblance is |A ∩ B| / |A ∪ B|; containment |A ∩ B| /
    |A| is directed: a is found in b. All shingles are kept, without sampling, and every pair that reaches the threshold
    is found (``features.set_join``).

    Defaults are those of the 3-Shingle with which Yu et al. compare Low-IDF-Sig: w = 3, tau = 0.6, with repetitions
    counted (``bag``), unlike Broder's sets. All words count, function words included.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        tau: minimum resemblance or containment, 0.05 to 1.
        measure: ``resemblance`` or ``containment``.
        bag: whether repeated shingles count as often as they occur.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку. Она довольна")
        >>> method("shingles", tau=0.5).run(texts).pairs.as_list()
        [(0, 1, 0.571)]
        >>> method("shingles", measure="containment").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 3
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6
    measure: Annotated[str, OneOf("resemblance", "containment")] = "resemblance"
    bag: bool = True

    def sign(self, texts: Texts) -> Ragged:
        """Return the shingles of each document."""
        found = texts.shingles(self.w, all_words=True)
        return distinct(numbered(found)) if self.bag else distinct(found)


@register("dsc")
@dataclass(frozen=True)
class DigitalSyntacticClustering(_Measured):
    """DSC: documents whose samples of shingles resemble or contain each other.

    A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997. The sample is MOD_m, the
    fingerprints divisible by m (m = 25 according to Yu et al.), or MIN_s, the s smallest, equally many for long and
    short documents; containment can be estimated only from MOD_m. Broder's threshold for a cluster is 50 %.

    A short document may have an empty MOD_m sample and then matches nothing, the weakness that Yu et al. point out.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        tau: minimum resemblance or containment of the samples, 0.05 to 1.
        sample: ``mod`` or ``min``.
        m: with ``mod``, one in m fingerprints is kept, 1 to 10,000.
        s: with ``min``, number of fingerprints kept, 1 to 10,000.
        measure: ``resemblance`` or, with ``mod`` only, ``containment``.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку")
        >>> method("dsc", m=1, w=3).run(texts).pairs.as_list()
        [(0, 1, 0.8)]
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

    def sign(self, texts: Texts) -> Ragged:
        """Return the sampled shingles of each document."""
        shingles = texts.shingles(self.w, all_words=True)
        return sample_mod(shingles, self.m) if self.sample == "mod" else sample_min(shingles, self.s)


@register("dsc-ss")
@dataclass(frozen=True)
class Supershingles(Method):
    """DSC-SS: documents that share a supershingle, the hash of a group of sampled shingles.

    A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997, section on supershingles:
    the sorted sample is divided into groups, each group is hashed, and documents that share a hash are candidates
    without any counting. The paper gives neither sample size nor group size; ours are those of Fetterly, Manasse and
    Najork: 84 fingerprints in groups of 14. An incomplete last group counts only if it is the only one. Yu et al. find
    the method much worse on short texts.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        sample: ``min`` or ``mod``.
        s: with ``min``, number of fingerprints kept, 1 to 10,000.
        m: with ``mod``, one in m fingerprints is kept, 1 to 10,000.
        group: number of fingerprints in a supershingle, 1 to 1000.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("dsc-ss", group=2).run(Texts.of(story, f"{story} рано", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.2)]
    """

    w: Annotated[int, Range(1, 20)] = 3
    sample: Annotated[str, OneOf("min", "mod")] = "min"
    s: Annotated[int, Range(1, 10_000)] = 84
    m: Annotated[int, Range(1, 10_000)] = 25
    group: Annotated[int, Range(1, 1000)] = 14

    def sign(self, texts: Texts) -> Ragged:
        """Return the supershingles of each document."""
        shingles = texts.shingles(self.w, all_words=True)
        sample = sample_min(shingles, self.s) if self.sample == "min" else sample_mod(shingles, self.m)
        return grouped(sample, self.group)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs with a common supershingle; the score is the share of common ones."""
        del texts
        return sharing_pairs(signatures)


@register("winnowing")
@dataclass(frozen=True)
class Winnowing(Method):
    """Winnowing: documents whose samples of shingles resemble or contain each other.

    S. Schleimer, D. Wilkerson, A. Aiken: Winnowing: local algorithms for document fingerprinting, SIGMOD 2003. The
    sample is chosen by place (``features.winnowing``): two documents with a common run of w + window - 1 words always
    share a fingerprint, which neither MOD nor MIN samples promise. The defaults, 5 words and windows of 4, promise it
    for 8 words.

    Pairs are scored by the share of the smaller document's fingerprints that the other has, so that a text inside
    another is found; with ``measure`` resemblance by the share of the union.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        window: one of this many consecutive shingles is kept, 1 to 100.
        tau: minimum share of common fingerprints, 0.05 to 1.
        measure: ``containment``: share of the smaller document's; ``resemblance``: share of both documents'.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> texts = Texts.of(story, f"Вчера вечером сообщили: {story}. Погода была хорошей", "Мост закрыт")
        >>> method("winnowing").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5
    window: Annotated[int, Range(1, 100)] = 4
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5
    measure: Annotated[str, OneOf("containment", "resemblance")] = "containment"

    def sign(self, texts: Texts) -> Ragged:
        """Return the distinct fingerprints of each document."""
        return distinct(winnowed(texts.words, self.w, self.window))

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
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


@register("log-shingles")
@dataclass(frozen=True)
class LogShingles(Method):
    """Log Shingles: two documents are duplicates if samples of logarithmic size of their shingles are equal (A8).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007, who keep "the shingles divisible by powers of a small number". Taken literally that is half of all
    shingles, which would behave like MD5, whereas the paper reports nearly twice its recall and speaks of a logarithmic
    sample. So for i = 1 to log2 n we keep the smallest fingerprint divisible by 2^i, where n is the number of words.
    With ``sample="mod"`` we keep those divisible by 2^m, with m such that about ``target`` remain.

    The last words are joined to the first, so that n words have n shingles. A document with an empty sample keeps its
    smallest fingerprint.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        sample: ``log`` or ``mod``.
        target: with ``mod``, approximate number of fingerprints kept for a long document, 1 to 1000.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("log-shingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5
    sample: Annotated[str, OneOf("log", "mod")] = "log"
    target: Annotated[int, Range(1, 1000)] = 8

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the sampled fingerprints for each document."""
        shingles = texts.shingles(self.w, wrap=True)
        sample = logarithmic_sample(shingles) if self.sample == "log" else modular_sample(shingles, self.target)
        sample = _fill_empty_samples(distinct(sample), shingles)
        rows = [sample.row(document) for document in range(len(sample))]
        hashes = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
        indptr = offsets_of(sample.sizes > 0)
        return Ragged(indptr, np.concatenate([np.zeros(0, dtype=np.uint64), *hashes]))


def logarithmic_sample(shingles: Ragged) -> Ragged:
    """Sample, for i = 1 to log2 n, the smallest fingerprint divisible by 2^i, if any."""
    most = int(shingles.sizes.max(initial=1)).bit_length() - 1
    documents: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    values: list[NDArray[np.uint64]] = [np.zeros(0, dtype=np.uint64)]
    for i in range(1, most + 1):
        long_enough = np.repeat(shingles.sizes >= 1 << i, shingles.sizes)
        divided = shingles.chosen(long_enough & (shingles.values % np.uint64(1 << i) == 0))
        documents.append(np.flatnonzero(divided.sizes > 0))
        values.append(smallest(divided.values, divided.indptr))
    document = np.concatenate(documents)
    order = np.argsort(document, kind="stable")
    sizes = np.bincount(document, minlength=len(shingles))
    return Ragged(offsets_of(sizes), np.concatenate(values)[order])


def modular_sample(shingles: Ragged, target: int) -> Ragged:
    """Sample the fingerprints divisible by 2^m, where m = floor(log2(n / target)), at least 0."""
    m = np.array([max(size // target, 1).bit_length() - 1 for size in shingles.sizes.tolist()], dtype=np.uint64)
    divisor = np.repeat(np.uint64(1) << m, shingles.sizes)
    return shingles.chosen(shingles.values % divisor == 0)


def _fill_empty_samples(sample: Ragged, shingles: Ragged) -> Ragged:
    """Return the sample with the smallest fingerprint added for documents whose sample is empty."""
    empty = (sample.sizes == 0) & (shingles.sizes > 0)
    sizes = sample.sizes + empty
    indptr = offsets_of(sizes)
    values = np.empty(int(indptr[-1]), dtype=np.uint64)
    added = np.zeros(len(values), dtype=np.bool_)
    added[indptr[:-1][empty]] = True
    values[~added] = sample.values
    unsampled = shingles.chosen(np.repeat(empty, shingles.sizes))
    values[added] = smallest(unsampled.values, unsampled.indptr)
    return Ragged(indptr, values)


@register("decomposition")
@dataclass(frozen=True)
class Decomposition(Method):
    """Decomposition: documents that share a shingle and are of similar length are compared in full (A11).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007: "practically 100 % recall and precision". Records <shingle, document, length> are sorted into chains;
    within a chain only documents whose lengths differ by a ratio of at most r are compared, each pair once, by
    String::Similarity.

    The paper uses r = 1.15 for a similarity of .85. A similarity of t allows a ratio of (2 - t) / t = 1.35, so the
    paper's r loses some pairs by design; it is the default nevertheless. Cut chains, and chains contained in others, do
    not change the pairs. Texts are compared as words without punctuation. Lengths are counted in words, as in the
    paper; in characters of these with ``unit`` characters.

    If many documents share little more than a stock phrase, ``least_shared`` requires a share of the smaller set of
    shingles before texts are compared ("something cheaper" in the paper); by default every candidate is compared.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        t: minimum String::Similarity, 0.05 to 1.
        r: maximum ratio of lengths, 1 to 100.
        unit: in which lengths are counted, ``words`` or ``characters``.
        least_shared: minimum share of the smaller document's shingles that both have, 0 to 1; 0 compares all
            candidates.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра"
        >>> method("decomposition").run(Texts.of(story, f"{story} утром", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.962)]
    """

    w: Annotated[int, Range(1, 20)] = 5
    t: Annotated[float, Range(0.05, 1.0)] = 0.85
    r: Annotated[float, Range(1.0, 100.0)] = 1.15
    unit: Annotated[str, OneOf("words", "characters")] = "words"
    least_shared: Annotated[float, Range(0.0, 1.0)] = 0.0

    def sign(self, texts: Texts) -> Ragged:
        """Return all distinct shingles of each document."""
        return distinct(texts.shingles(self.w, all_words=True))

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
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
