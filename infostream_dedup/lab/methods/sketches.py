"""Documents whose short sketches agree: random projections and minima of random permutations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.features.fingerprints import megashingles, minwise, supershingles, tf_idf_weights
from infostream_dedup.judging.features.joins import near_pairs, pairs_sharing
from infostream_dedup.judging.features.rows import distinct, rows_from
from infostream_dedup.judging.features.words import hash_words
from infostream_dedup.lab.methods.method import Method, Pairs, Texts, unordered_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray


@register("megashingles")
@dataclass(frozen=True)
class Megashingles(Method):
    """Megashingles: two documents are duplicates if two of their six supershingles agree (A6).

    D. Fetterly, M. Manasse, M. Najork: On the evolution of clusters of near-duplicate web pages, LA-WEB 2003; in the
    smaller form of Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents
    (in Russian), RCDL 2007: 36 min-wise samples of 5-word shingles in 6 groups of 6. Each group is hashed to a
    supershingle, and every two supershingles to a megashingle; one common megashingle makes a pair. Such pairs are not
    transitive.

    The papers use random polynomials; here the samples are minima of seeded one-to-one maps of 64-bit fingerprints. Two
    documents of resemblance p become a pair with probability 1 - (1 - q)^6 - 6 q (1 - q)^5, q = p^6 (p^14 for the
    original 84 functions): .29 at p = .75, .49 at .80, .73 at .85. The figures in the 2007 paper (.33, .42, .50) are
    miscalculated.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        groups: number of supershingles of a document, 2 to 20.
        group_size: number of samples in a supershingle, 1 to 50; 14 in the original.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("megashingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5
    groups: Annotated[int, Range(2, 20)] = 6
    group_size: Annotated[int, Range(1, 50)] = 6

    def sign(self, texts: Texts) -> Ragged:
        """Return all megashingles of each document: groups (groups - 1) / 2 values."""
        shingles = texts.shingles(self.w)
        samples = minwise(shingles, self.groups * self.group_size)
        values = megashingles(supershingles(samples, self.groups))
        sizes = np.where(shingles.sizes > 0, values.shape[1], 0)
        return Ragged(offsets_of(sizes), values.ravel())

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs with a common megashingle; the score is the share of common ones."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / (self.groups * (self.groups - 1) // 2))


_BITS: Final = 64


@dataclass(frozen=True)
class _Projections(Method):
    """Compares one value of 64 bits for each document.

    Attributes:
        k: maximum number of differing bits, 0 to 15.
    """

    k: Annotated[int, Range(0, 15)] = 3

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that differ in at most k bits; the score is the share of equal bits."""
        del texts
        signed = np.flatnonzero(signatures.sizes > 0)
        a, b, differing = near_pairs(signatures.values, self.k)
        return Pairs(signed[a], signed[b], 1 - differing / _BITS)


@register("simhash")
@dataclass(frozen=True)
class SimHash(_Projections):
    """SimHash: documents whose 64-bit projections differ in few bits.

    M. Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002; G. Manku, A. Jain, A. Das Sarma:
    Detecting near-duplicates for Web crawling, WWW 2007, whose 3 bits of 64 are the default. Each feature votes on
    every bit with a bit of its hash; features are w-shingles of the significant words, counted as often as they occur.
    If the bits are divided into k + 1 equal parts, two documents that differ in k bits agree in at least one part, so
    that sorting by each part finds all pairs.

    Attributes:
        w: number of words in a feature, 1 to 20.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("simhash").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 1

    def sign(self, texts: Texts) -> Ragged:
        """Return one 64-bit value for each document."""
        shingles = texts.shingles(self.w)
        indptr = offsets_of(shingles.sizes > 0)
        return Ragged(indptr, projections(shingles))


def projections(features: Ragged, weights: NDArray[np.int64] | None = None) -> NDArray[np.uint64]:
    """Return the majority of all features' votes on each bit, one value per document with features; a tie gives 0.

    Weights are above 0; without them each feature has one vote.
    """
    starts = features.indptr[:-1][features.sizes > 0]
    result = np.zeros(len(starts), dtype=np.uint64)
    if not len(starts):
        return result
    votes = np.ones(len(features.values), dtype=np.int64) if weights is None else weights
    whole = np.add.reduceat(votes, starts)
    for bit in range(_BITS):
        ones = ((features.values >> np.uint64(bit)) & np.uint64(1)).astype(np.int64)
        result |= (2 * np.add.reduceat(ones * votes, starts) > whole).astype(np.uint64) << np.uint64(bit)
    return result


@register("weighted-simhash")
@dataclass(frozen=True)
class WeightedSimHash(_Projections):
    """Weighted SimHash: SimHash whose words vote with their weight.

    M. Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002, section 3, whose vectors are
    weighted; ``simhash`` counts words instead. Votes are TF * IDF of Zelenkov and Segalovich's A2; a word in more than
    half of the documents, whose weight is below 0, does not vote. The search is that of ``simhash``.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> others = ("Мост закрыт", "Снег идёт", "Дождь прошёл", "Рынок вырос")
        >>> method("weighted-simhash").run(Texts.of(story, story.upper(), *others)).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def sign(self, texts: Texts) -> Ragged:
        """Return one 64-bit value for each document with a word that votes."""
        counts = texts.counts
        weights = np.maximum(tf_idf_weights(counts), 0)
        voting = weights > 0
        hashes = hash_words(texts.significant.vocabulary)[counts.tf.indices]
        features = Ragged(counts.tf.indptr.astype(np.int64), hashes).chosen(voting)
        indptr = offsets_of(features.sizes > 0)
        return Ragged(indptr, projections(features, weights[voting]))


@register("minhash")
@dataclass(frozen=True)
class MinHashLsh(Method):
    """MinHash and LSH by the datasketch package: an external baseline.

    A. Broder: On the resemblance and containment of documents, SEQUENCES 1997; P. Indyk, R. Motwani: Approximate
    nearest neighbors, STOC 1998; E. Zhu: datasketch, https://github.com/ekzhu/datasketch. We hash shingles to 32 bits;
    permutations, bands and buckets are the package's. A candidate becomes a pair if the resemblance estimated from the
    signatures reaches the threshold. Requires the extra ``bench``.

    Attributes:
        permutations: number of minima of a document, 16 to 1024.
        tau: minimum estimated resemblance, 0.05 to 1.
        w: number of words in a shingle, 1 to 20.
        seed: random seed of the permutations, 0 to 2^31 - 1.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Мэр открыл новый мост через реку!", "Мост закрыт")
        >>> method("minhash").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    permutations: Annotated[int, Range(16, 1024)] = 128
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6
    w: Annotated[int, Range(1, 20)] = 3
    seed: Annotated[int, Range(0, 2**31 - 1)] = 1

    def sign(self, texts: Texts) -> Ragged:
        """Return the minima of each document."""
        package = _import_datasketch()
        sets = distinct(texts.shingles(self.w, all_words=True))
        hashes = Ragged(sets.indptr, sets.values >> np.uint64(32))
        empty = package.MinHash(num_perm=self.permutations, seed=self.seed, hashfunc=int)
        rows = []
        for document in range(len(hashes)):
            values = hashes.row(document).tolist()
            minima = empty.copy()
            minima.update_batch(values)
            rows.append(minima.hashvalues if values else [])
        return rows_from(rows, empty.hashvalues.dtype)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return candidates whose estimate reaches the threshold; the score is the estimate."""
        del texts
        package = _import_datasketch()
        index = package.MinHashLSH(threshold=self.tau, num_perm=self.permutations)
        empty = package.MinHash(num_perm=self.permutations, seed=self.seed, hashfunc=int)
        a: list[int] = []
        b: list[int] = []
        for document in np.flatnonzero(signatures.sizes > 0).tolist():
            minima = empty.copy()
            minima.hashvalues = signatures.row(document)
            earlier = sorted(index.query(minima))
            a.extend(earlier)
            b.extend([document] * len(earlier))
            index.insert(document, minima, check_duplication=False)
        first, second = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
        table = signatures.values.reshape(-1, self.permutations)
        row = np.cumsum(signatures.sizes > 0) - 1
        scores = (table[row[first]] == table[row[second]]).mean(axis=1)
        similar = scores >= self.tau
        return unordered_pairs(first[similar], second[similar], scores[similar])


def _import_datasketch() -> Any:
    try:
        import datasketch
    except ImportError as error:
        raise MissingExtraError("datasketch", "compare", "the method minhash") from error
    return datasketch
