"""Methods that hash a text or its choice of words: equal texts, leading words, lexicons, sketches."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from hashlib import md5
from typing import Annotated, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.features import fingerprints
from infostream_dedup.judging.features.joins import near_pairs, pairs_sharing
from infostream_dedup.judging.features.sentences import fingerprints_of_words, leading_words
from infostream_dedup.judging.features.words import hash_text, hash_words, read_words
from infostream_dedup.lab.methods import Method, Pairs, Sharing, Texts, hashed_rows, register, unordered_pairs
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, Uint64s, distinct, offsets_of, rows_from
from infostream_dedup.model.limits import OneOf, Range

# Documents whose texts, or beginnings, are equal.


@register("md5")
@dataclass(frozen=True)
class Md5(Method):
    """MD5: two documents are duplicates if their texts are the same word for word (A0).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The baseline of the comparison, with precision 1.00 and recall .23. The paper does not say which text is
    hashed; we hash what its preprocessing leaves, so that punctuation, case and function words are ignored.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Снег выпал в Киеве", "Снег выпал и в Киеве!", "Снег выпал во Львове")
        >>> method("md5").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def sign(self, texts: Texts) -> Ragged:
        """Return the MD5 of each document's significant words joined by blanks: two 64-bit values."""
        words = texts.significant
        return rows_from([_hash_text(words.text(document)) for document in range(len(texts))], np.dtype("<u8"))


def _hash_text(text: str) -> list[int]:
    if not text:
        return []
    digest = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")]


@register("checksum")
@dataclass(frozen=True)
class Checksum(Method):
    """Checksum: documents with the same text, regardless of their titles.

    D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1:
    one of the older rules of InfoStream, without parameters. White space is ignored.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> method("checksum").run(Texts.of("Мост открыт.", "Мост  открыт.", "Мост открыт!")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def sign(self, texts: Texts) -> Ragged:
        """Return the checksum of each body: two 64-bit values."""
        hashes = [text_hash(document.text) for document in texts.documents]
        indptr = offsets_of([len(found) // 8 for found in hashes])
        return Ragged(indptr, np.frombuffer(b"".join(hashes), dtype="<u8"))


@register("first-paragraph")
@dataclass(frozen=True)
class FirstParagraph(Method):
    r"""First paragraph: documents whose texts start with the same paragraph or sentence.

    D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1:
    older rules of InfoStream for messages with uninformative headlines, without parameters. A paragraph ends at a line
    break; case, punctuation and the title are ignored.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мост открыт.\nНачалось движение.", "МОСТ ОТКРЫТ\nПробок нет.", "Мост закрыт.")
        >>> method("first-paragraph").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    unit: Annotated[str, OneOf("paragraph", "sentence")] = "paragraph"  # what a beginning is
    # minimum number of words; a document with a shorter beginning has no signature
    least_words: Annotated[int, Range(1, 100)] = 1

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the words of the beginning for each document."""
        beginnings = read_words([self._read_beginning(document.text) for document in texts.documents])
        rows = [
            [hash_text(beginnings.text(document), 64)] if size >= self.least_words else []
            for document, size in enumerate(beginnings.rows.sizes.tolist())
        ]
        return rows_from(rows, np.uint64)

    def _read_beginning(self, text: str) -> str:
        if self.unit == "paragraph":
            return text.lstrip().partition("\n")[0]
        start, end = next(iter(sentences(text)), (0, 0))
        return text[start:end]


# Documents with the same few leading words: the six words of Zelenkov and Segalovich under four weights.


@dataclass(frozen=True)
class _LeadingWords(Method):
    """Compares one fingerprint of each document's heaviest words."""

    words: Annotated[int, Range(1, 100)] = 6  # number of words kept
    bits: Annotated[int, OneOf(32, 64)] = 32  # 32 for CRC32 as in the paper, 64 to avoid chance collisions

    @abstractmethod
    def _weigh(self, texts: Texts) -> sp.csr_array:
        """Return the weight of each word of each document."""

    def sign(self, texts: Texts) -> Ragged:
        return fingerprints_of_words(
            leading_words(self._weigh(texts), self.words), texts.significant.vocabulary, self.bits
        )


@register("tf")
@dataclass(frozen=True)
class TermFrequency(_LeadingWords):
    """TF: two documents are duplicates if their six most frequent words are the same (A1).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The words are sorted, joined and hashed by CRC32; the paper names no separator, so we use a blank.
    Equally frequent words are taken in alphabetical order.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл мост. Новый мост", "Новый мост! Мэр открыл мост.", "Мост закрыт мэром")
        >>> method("tf", words=2).run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.tf


@register("tf-idf")
@dataclass(frozen=True)
class TfIdf(_LeadingWords):
    """TF*IDF: two documents are duplicates if their six words with the highest TF * IDF are the same (A2).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The weight is Okapi BM25 with k1 = 2, b = 0.75, up to a constant factor. Words are sorted, joined by
    blanks and hashed by CRC32; words of equal weight are taken in alphabetical order.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("tf-idf").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(fingerprints.tf_idf_weights(texts.counts))


@register("tf-ridf")
@dataclass(frozen=True)
class TfResidualIdf(_LeadingWords):
    """TF*RIDF: two documents are duplicates if their six words with the highest TF * residual IDF are the same (A3).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. Residual IDF measures in how many fewer documents a word occurs than expected by chance: K. Church, W.
    Gale: Inverse document frequency (IDF): a measure of deviations from Poisson, 1995. It is negative for words spread
    more evenly than by chance; the sign is kept.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("tf-ridf").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(residual_weights(texts.counts))


def residual_weights(counts: fingerprints.WordCounts) -> Ints:
    """Return (0.5 + 0.5 tf / tf_max) * (-ln(df / N) + ln(1 - exp(-cf / N)))."""
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    word = counts.tf.indices
    rate = counts.cf[word] / counts.documents
    return fingerprints.in_units(tf * (-np.log(counts.df[word] / counts.documents) + np.log(-np.expm1(-rate))))


@register("opt-freq")
@dataclass(frozen=True)
class OptimalFrequency(_LeadingWords):
    """Opt Freq: TF*IDF that gives most weight to words of one frequency, 10 in a million documents (A10).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The optimal frequency is due to M. Maslov (Yandex). IDF grows as a square root up to c and then falls as
    a hyperbola. In a collection of fewer than e^c = 98,700 documents no word is that rare, so that the weight is merely
    a flatter IDF; a smaller c brings the optimum within reach.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("opt-freq").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    c: Annotated[float, Range(0.1, 50.0)] = 11.5  # IDF of the optimal frequency: -ln(10 / 10^6) = 11.5 in the paper

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(optimal_weights(texts.counts, self.c))


def optimal_weights(counts: fingerprints.WordCounts, c: float) -> Ints:
    """Return (0.5 + 0.5 tf / tf_max) * IDFopt, where IDFopt is sqrt(IDF / c) below c and c / IDF otherwise."""
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    idf = -np.log(counts.df[counts.tf.indices] / counts.documents)
    optimal = np.where(idf < c, np.sqrt(np.maximum(idf, 0.0) / c), c / np.maximum(idf, c))
    return fingerprints.in_units(tf * optimal)


# Documents with the same words of a lexicon.


@register("i-match")
@dataclass(frozen=True)
class IMatch(Sharing):
    """I-Match: two documents are duplicates if they have the same words of medium IDF.

    A. Chowdhury, O. Frieder, D. Grossman, M. McCabe: Collection statistics for fast duplicate document detection, ACM
    TOIS 20(2), 2002. The distinct words within the IDF bounds are sorted and hashed by SHA-1, here truncated to 64
    bits; the bounds and the minimum number of words are those of the SpotSigs authors' code.

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

    lists: Annotated[int, Range(1, 64)] = 1  # number of parts of the lexicon; 1 is I-Match itself
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2  # minimum normalised IDF of the lexicon
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85  # maximum normalised IDF of the lexicon
    # number of distinct words of a part that a document needs for a fingerprint
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Ragged:
        """Return at most one fingerprint per list for each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = fingerprints.middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = fingerprints.split_lexicons(lexicon, vocabulary, self.lists)
        return fingerprints.lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)


@register("lex-rand")
@dataclass(frozen=True)
class LexiconRandomization(Sharing):
    """Lex Rand: I-Match with several random lexicons; one equal fingerprint makes a pair (A7).

    A. Kołcz, A. Chowdhury, J. Alspector: Improved robustness of signature-based near-replica detection via lexicon
    randomization, KDD 2004; in the form of Yu. Zelenkov, I. Segalovich (RCDL 2007). From the lexicon of words of medium
    IDF K further lexicons are made, each without a random third of the words. If n words of a document change, some
    fingerprint still agrees with probability 1 - (1 - p^n)^K.

    The papers do not specify the IDF bounds and the minimum number of words; the defaults are those of the SpotSigs
    authors' I-Match: normalised IDF ln((N + 1) / df) / ln(N + 1) from 0.2 to 0.85, 4 words. SHA-1 is truncated to 64
    bits. Which words a lexicon lacks depends on a hash of the word, not on the collection.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> texts = Texts.of(story, f"{story}, сообщила пресс-служба", "Мост закрыт")
        >>> method("lex-rand").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    k: Annotated[int, Range(0, 100)] = 10  # number of random lexicons besides the whole one (K in the paper)
    p: Annotated[float, Range(0.01, 0.99)] = 0.33  # share of the words that each random lexicon lacks
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2  # minimum normalised IDF of the lexicon
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85  # maximum normalised IDF of the lexicon
    # number of distinct words of a lexicon that a document needs for a fingerprint
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Ragged:
        """Return at most k + 1 fingerprints of each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = fingerprints.middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = fingerprints.random_lexicons(lexicon, vocabulary, self.k, self.p)
        return fingerprints.lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)


@register("descr-words")
@dataclass(frozen=True)
class DescriptiveWords(Method):
    """Descr Words: two documents are duplicates if the same support words are frequent in both (A9).

    S. Ilyinsky, M. Kuzmin, A. Melkov, I. Segalovich: An efficient method to detect duplicates of Web documents with the
    use of inverted index, WWW 2002, poster 187; its training as described by Yu. Zelenkov, I. Segalovich (RCDL 2007).
    Each support word has its own threshold; bit i of a document is 1 if the frequency of word i, divided by that of the
    most frequent word, exceeds the threshold. Documents with equal bit vectors form a pair.

    Training. A threshold is good if few documents are near it, since there a small edit flips the bit: it is placed
    where the fewest documents are within Delta. Each round drops the least precise words (those with the largest share
    of their documents near the threshold), as long as the documents remain covered with at least one bit each.

    The paper does not specify Delta, the number of rounds and the number of words dropped; the defaults are ours. At
    least 1 % of a word's documents must be above its threshold. Documents without any bit would all be equal; they get
    no signature.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("мост мост мост река", "Мост, мост, мост! Река?", "река река река мост", "река мост")
        >>> method("descr-words").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    # number of steps into which the frequency range is divided; Delta is one step
    steps: Annotated[int, Range(2, 100)] = 20
    rounds: Annotated[int, Range(0, 50)] = 5  # number of training rounds
    dropped: Annotated[float, Range(0.01, 0.9)] = 0.3  # share of the words dropped in each round
    fewest: Annotated[int, Range(1, 10**6)] = 3000  # number of support words that training keeps at least
    coverage: Annotated[float, Range(0.0, 1.0)] = 0.95  # share of the documents that must keep at least one bit

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the words whose bit is 1 for each document."""
        counts = texts.counts
        tf_max = counts.tf_max[counts.document_of]
        level = np.asarray(-(-counts.tf.data.astype(np.int64) * self.steps // tf_max), dtype=np.int64)
        threshold, near = thresholds(counts, level, self.steps)
        above = level > threshold[counts.tf.indices]
        kept = support_words(counts, above, near, self)
        hashes = Ragged(counts.tf.indptr.astype(np.int64), hash_words(texts.significant.vocabulary)[counts.tf.indices])
        return hashed_rows(hashes.chosen(above & kept[counts.tf.indices]))


def thresholds(counts: fingerprints.WordCounts, level: Ints, steps: int) -> tuple[Ints, Floats]:
    """Find the best threshold of each word."""
    size = counts.tf.shape[1]
    cells = counts.tf.indices.astype(np.int64) * (steps + 1) + level
    histogram = np.bincount(cells, minlength=size * (steps + 1)).reshape(size, steps + 1).astype(np.int32)
    near = histogram[:, 1:-1] + histogram[:, 2:]
    above = np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1][:, 2:]
    allowed = (above > 0) & (100 * above.astype(np.int64) >= counts.df[:, None])
    cost = np.where(allowed, near, np.iinfo(np.int32).max)
    # Take the highest: with the lowest, a bit would only say that the word occurs.
    best = steps - 2 - np.argmin(cost[:, ::-1], axis=1)
    least = cost[np.arange(size), best]
    possible = least < np.iinfo(np.int32).max
    share = np.where(possible, least / np.maximum(counts.df, 1), 1.0)
    return np.where(possible, best + 1, steps).astype(np.int64), share


def support_words(counts: fingerprints.WordCounts, above: Bools, near: Floats, chosen: DescriptiveWords) -> Bools:
    """Train and return the words that remain."""
    useful = np.bincount(counts.tf.indices[above], minlength=len(near)) > 0
    words = np.flatnonzero(useful)
    # The most precise words first; ties go to the more frequent word, then to the first in the alphabet.
    words = words[np.lexsort((words, -counts.df[words], np.round(near[words], 9)))]
    document = counts.document_of[above]
    word = counts.tf.indices[above]
    needed = chosen.coverage * len(np.unique(document))
    kept = useful
    for _ in range(chosen.rounds):
        words = words[: max(len(words) - int(chosen.dropped * len(words)), chosen.fewest)]
        fewer = np.zeros(len(near), dtype=np.bool_)
        fewer[words] = True
        if len(np.unique(document[fewer[word]])) < needed:
            break
        kept = fewer
    return kept


# Documents whose short sketches agree: random projections and minima of random permutations.


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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("megashingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5  # number of words in a shingle
    groups: Annotated[int, Range(2, 20)] = 6  # number of supershingles of a document
    group_size: Annotated[int, Range(1, 50)] = 6  # number of samples in a supershingle; 14 in the original

    def sign(self, texts: Texts) -> Ragged:
        """Return all megashingles of each document: groups (groups - 1) / 2 values."""
        shingles = texts.shingles(self.w)
        samples = fingerprints.minwise(shingles, self.groups * self.group_size)
        values = fingerprints.megashingles(fingerprints.supershingles(samples, self.groups))
        return Ragged(offsets_of(np.where(shingles.sizes > 0, values.shape[1], 0)), values.ravel())

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs with a common megashingle; the score is the share of common ones."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / (self.groups * (self.groups - 1) // 2))


_BITS: Final = 64


@dataclass(frozen=True)
class _Projections(Method):
    """Compares one value of 64 bits for each document."""

    k: Annotated[int, Range(0, 15)] = 3  # maximum number of differing bits

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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("simhash").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 1  # number of words in a feature

    def sign(self, texts: Texts) -> Ragged:
        """Return one 64-bit value for each document."""
        shingles = texts.shingles(self.w)
        return Ragged(offsets_of(shingles.sizes > 0), projections(shingles))


def projections(features: Ragged, weights: Ints | None = None) -> Uint64s:
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
        weights = np.maximum(fingerprints.tf_idf_weights(counts), 0)
        voting = weights > 0
        hashes = hash_words(texts.significant.vocabulary)[counts.tf.indices]
        features = Ragged(counts.tf.indptr.astype(np.int64), hashes).chosen(voting)
        return Ragged(offsets_of(features.sizes > 0), projections(features, weights[voting]))


@register("minhash")
@dataclass(frozen=True)
class MinHashLsh(Method):
    """MinHash and LSH by the datasketch package: an external baseline.

    A. Broder: On the resemblance and containment of documents, SEQUENCES 1997; P. Indyk, R. Motwani: Approximate
    nearest neighbors, STOC 1998; E. Zhu: datasketch, https://github.com/ekzhu/datasketch. We hash shingles to 32 bits;
    permutations, bands and buckets are the package's. A candidate becomes a pair if the resemblance estimated from the
    signatures reaches the threshold. Requires the extra ``bench``.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Мэр открыл новый мост через реку!", "Мост закрыт")
        >>> method("minhash").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    permutations: Annotated[int, Range(16, 1024)] = 128  # number of minima of a document
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6  # minimum estimated resemblance
    w: Annotated[int, Range(1, 20)] = 3  # number of words in a shingle
    seed: Annotated[int, Range(0, 2**31 - 1)] = 1  # random seed of the permutations

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
