"""Methods that compare sentences and runs of words: chosen sentences, shingles, spots."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features import sentences as sentence_features
from infostream_dedup.judging.features.fingerprints import (
    antecedent_places,
    grouped,
    low_idf_signatures,
    normalised_idf,
    sample_min,
    sample_mod,
    spot_signatures,
)
from infostream_dedup.judging.features.joins import containing, numbered, pairs_sharing, resembling
from infostream_dedup.judging.features.words import Words, hash_text, string_similarities, winnowed
from infostream_dedup.lab.methods import Method, Pairs, Sharing, Texts, hashed_rows, register, unordered_pairs
from infostream_dedup.machine.arrays import Ints, Ragged, Uint64s, distinct, offsets_of, smallest
from infostream_dedup.model.limits import OneOf, Range

# Documents with the same longest or heaviest sentences.


@dataclass(frozen=True)
class _ChosenSentences(Method):
    """Compares one fingerprint of each document's first sentences by rank."""

    sentences: Annotated[int, Range(1, 20)] = 2  # number of sentences kept; a document with fewer keeps all
    distinct: bool = True  # whether a repeated sentence counts once
    bits: Annotated[int, OneOf(32, 64)] = 32  # 32 for CRC32 as in the paper, 64 to avoid chance collisions

    @staticmethod
    @abstractmethod
    def _rank(sentence: sentence_features.Sentence) -> tuple[int, str]:
        """Return what sentences are sorted by; the lowest are kept."""

    def sign(self, texts: Texts) -> Ragged:
        """Return one fingerprint of the sentences kept for each document."""
        return sentence_features.sentence_fingerprints(
            texts.sentences, self._rank, self.sentences, distinct=self.distinct, bits=self.bits
        )


@register("long-sent")
@dataclass(frozen=True)
class LongSentences(_ChosenSentences):
    """Long Sent: two documents are duplicates if their two longest sentences are the same (A4).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007: the best recall of the simple methods (.84). Length is counted in the words that preprocessing leaves;
    sentences of equal length are taken in alphabetical order; the two are joined in alphabetical order and hashed by
    CRC32. In the paper a sentence that occurs twice may fill both places; here it counts once, unless ``distinct`` is
    false.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> method("long-sent").run(Texts.of(story, f"{story} Подробнее.", "Мост открыт.")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    @staticmethod
    def _rank(sentence: sentence_features.Sentence) -> tuple[int, str]:
        return -sentence.length, sentence.text


@register("heavy-sent")
@dataclass(frozen=True)
class HeavySentences(_ChosenSentences):
    """Heavy Sent: two documents are duplicates if their two sentences with the highest TF * IDF are the same (A5).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The weight of a sentence is the sum of the A2 weights of all its word occurrences. Sentences of equal
    weight are taken in alphabetical order; the two are joined in alphabetical order and hashed by CRC32. A repeated
    sentence counts once, unless ``distinct`` is false.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> texts = Texts.of(story, f"Подробнее. {story}", "Футбол, футбол.", "Погода испортилась.", "Подробнее.")
        >>> method("heavy-sent").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    @staticmethod
    def _rank(sentence: sentence_features.Sentence) -> tuple[int, str]:
        return -sentence.weight, sentence.text


@register("three-plus-five")
@dataclass(frozen=True)
class ThreePlusFive(Method):
    """3+5: three sentences and five words of a document, with tolerant rules for pairs (A12).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007: the authors' own method, F .95. A document is described by its length, its number of sentences, and the
    CRC32 of its three longest sentences and of its five longest words. Two documents that share a sentence are
    duplicates if their lengths differ by at most 15 %, their numbers of sentences differ by at most 20 %, they share
    two of the words, and either they have the same longest sentence or both have more than five sentences and share two
    of the three.

    The length of a document is its number of words of three or more letters; the length of a sentence, which the paper
    does not specify, is counted in words. A repeated sentence counts once. Ties are broken by signature, as in the
    paper.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> method("three-plus-five").run(Texts.of(story, f"{story} Да.", "Мост открыт.")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    length_ratio: Annotated[float, Range(1.0, 10.0)] = 1.15  # maximum ratio of lengths
    sentence_ratio: Annotated[float, Range(1.0, 10.0)] = 1.20  # maximum ratio of the numbers of sentences
    shared_words: Annotated[int, Range(0, 5)] = 2  # number of words that must be shared
    shared_sentences: Annotated[int, Range(1, 3)] = 2  # number of sentences that longer documents must share
    bits: Annotated[int, OneOf(32, 64)] = 32  # 32 for CRC32 as in the paper, 64 to avoid chance collisions

    def sign(self, texts: Texts) -> Ragged:
        """Return length, number of sentences, three sentences and five words of each document, 0 for missing ones."""
        lengths = sentence_features.document_lengths(texts.words)
        records = [
            sentence_features.DocumentRecord(
                lengths[document],
                len(sentences),
                sentence_features.longest_sentences(sentences, 3, self.bits),
                sentence_features.longest_words(texts.significant, document, 5, self.bits),
            )
            for document, sentences in enumerate(texts.sentences)
        ]
        return sentence_features.record_rows(records, sentences=3, words=5, bits=self.bits)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs by the rules above; the score is the shared part of the smaller record's features."""
        del texts
        return _record_pairs(self, signatures, 3, self.shared_sentences)


@register("three-plus-two")
@dataclass(frozen=True, kw_only=True)
class ThreePlusTwo(Method):
    """3+2: the three sentences with most of the document's frequent words and its two longest, with the rules of 3+5.

    L. Chala, P. Popadenko: A method for finding near duplicates of electronic text documents (in Ukrainian), Kharkiv
    National University of Radio Electronics. The 10 most frequent words of a document are its frequency dictionary. It
    is described by the three sentences with the most dictionary words, then the two longest of the others, and by five
    words: up to three of the dictionary, then the longest of the document; ``frequent`` sets another ratio than 3 to 2.
    A pair needs the same first sentence or, for documents with more than five sentences, N common ones: N = 2 for
    recall, N = 3 for precision. Everything else is as in 3+5.

    Each dictionary word counts once per sentence unless ``occurrences`` is true; the paper is inconsistent. A document
    with fewer than five sentences keeps them by length, and its five longest words. A repeated sentence counts once.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> method("three-plus-two").run(Texts.of(story, f"{story} Да.", "Мост открыт.")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    # number of sentences that documents with more than five must share (N in the paper)
    n: Annotated[int, Range(1, 5)] = 2
    # number of sentences chosen by dictionary words, and of words taken from the dictionary at most; the other of the
    # five are the longest
    frequent: Annotated[int, Range(0, 5)] = 3
    dictionary: Annotated[int, Range(1, 100)] = 10  # number of words in the frequency dictionary
    occurrences: bool = False  # whether every occurrence of a dictionary word in a sentence counts
    length_ratio: Annotated[float, Range(1.0, 10.0)] = 1.15  # maximum ratio of lengths
    sentence_ratio: Annotated[float, Range(1.0, 10.0)] = 1.20  # maximum ratio of the numbers of sentences
    shared_words: Annotated[int, Range(0, 5)] = 2  # number of words that must be shared
    bits: Annotated[int, OneOf(32, 64)] = 32  # 32 for CRC32 as in the paper, 64 to avoid chance collisions

    def sign(self, texts: Texts) -> Ragged:
        """Return length, number of sentences, five sentences and five words of each document, 0 for missing ones."""
        lengths = sentence_features.document_lengths(texts.words)
        records = [
            self._make_record(texts.significant, document, sentences, lengths[document])
            for document, sentences in enumerate(texts.sentences)
        ]
        return sentence_features.record_rows(records, sentences=5, words=5, bits=self.bits)

    def _make_record(
        self, words: Words, document: int, sentences: Sequence[sentence_features.Sentence], length: int
    ) -> sentence_features.DocumentRecord:
        distinct = sentence_features.once_each(sentences)
        if len(distinct) < 5:
            kept = sentence_features.longest_sentences(distinct, 5, self.bits)
            return sentence_features.DocumentRecord(
                length, len(sentences), kept, sentence_features.longest_words(words, document, 5, self.bits)
            )
        frequent = frequency_dictionary(words, document, self.dictionary)
        texts = five_sentences(distinct, frequent, occurrences=self.occurrences, chosen=self.frequent)
        return sentence_features.DocumentRecord(
            length,
            len(sentences),
            [hash_text(text, self.bits) for text in texts],
            [hash_text(word, self.bits) for word in five_words(words, document, frequent[: self.frequent])],
        )

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs by the rules above; the score is the shared part of the smaller record's features."""
        del texts
        return _record_pairs(self, signatures, 5, self.n)


def _record_pairs(method: ThreePlusFive | ThreePlusTwo, signatures: Ragged, sentences: int, shared: int) -> Pairs:
    rules = {name: getattr(method, name) for name in ("length_ratio", "sentence_ratio", "shared_words")}
    return Pairs(
        *sentence_features.record_pairs(signatures, sentences=sentences, words=5, shared_sentences=shared, **rules)
    )


def frequency_dictionary(words: Words, document: int, size: int) -> list[str]:
    """Return the most frequent words of a document; ties go to the longer word, then to the first in the alphabet."""
    frequency: dict[int, int] = {}
    for word in words.rows.row(document).tolist():
        frequency[word] = frequency.get(word, 0) + 1
    spelling = words.vocabulary
    order = sorted(frequency, key=lambda word: (-frequency[word], -len(spelling[word]), word))
    return [spelling[word] for word in order[:size]]


def five_sentences(
    sentences: Sequence[sentence_features.Sentence], frequent: Sequence[str], *, occurrences: bool, chosen: int = 3
) -> list[str]:
    """Choose the sentences with the most dictionary words, then the longest of the others."""
    known = set(frequent)

    def count_known(sentence: sentence_features.Sentence) -> int:
        inside = [word for word in sentence.text.split(" ") if word in known]
        return len(inside) if occurrences else len(set(inside))

    by_words = sorted(sentences, key=lambda sentence: (-count_known(sentence), -sentence.length, sentence.text))
    by_length = sorted(by_words[chosen:], key=lambda sentence: (-sentence.length, sentence.text))
    return [sentence.text for sentence in (*by_words[:chosen], *by_length[: 5 - chosen])]


def five_words(words: Words, document: int, frequent: Sequence[str]) -> list[str]:
    """Choose the given words, then the longest other words of the document, five in all."""
    chosen = list(frequent)
    distinct = {words.vocabulary[word] for word in words.rows.row(document).tolist()}
    others = sorted(distinct.difference(chosen), key=lambda word: (-len(word), word))
    return [*chosen, *others[: 5 - len(chosen)]]


# Documents that share shingles: runs of w words, all of them or a sample.


class _Measured(Method):
    """Links documents by the resemblance of their signatures, or by their containment, which is directed."""

    tau: float
    measure: str = "resemblance"

    @property
    def directed(self) -> bool:
        return self.measure == "containment"

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance or containment."""
        del texts
        found = containing(signatures, self.tau) if self.directed else resembling(signatures, self.tau)
        return Pairs.of(found, directed=self.directed)


@register("shingles")
@dataclass(frozen=True)
class Shingles(_Measured):
    """Shingles: documents whose sets of word shingles resemble or contain each other.

    A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997; A. Broder: On the
    resemblance and containment of documents, SEQUENCES 1997. Resemblance is |A ∩ B| / |A ∪ B|; containment |A ∩ B| /
    |A| is directed: a is found in b. All shingles are kept, without sampling, and every pair that reaches the threshold
    is found (``features.joins``).

    Defaults are those of the 3-Shingle with which Yu et al. compare Low-IDF-Sig: w = 3, tau = 0.6, with repetitions
    counted (``bag``), unlike Broder's sets. All words count, function words included.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку. Она довольна")
        >>> method("shingles", tau=0.5).run(texts).pairs.as_list()
        [(0, 1, 0.571)]
        >>> method("shingles", measure="containment").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 3  # number of words in a shingle
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6  # minimum resemblance or containment
    measure: Annotated[str, OneOf("resemblance", "containment")] = "resemblance"  # what is asked of a pair
    bag: bool = True  # whether repeated shingles count as often as they occur

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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост через реку", "Вчера мэр открыл новый мост через реку")
        >>> method("dsc", m=1, w=3).run(texts).pairs.as_list()
        [(0, 1, 0.8)]
    """

    w: Annotated[int, Range(1, 20)] = 3  # number of words in a shingle
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5  # minimum resemblance or containment of the samples
    sample: Annotated[str, OneOf("mod", "min")] = "mod"  # MOD_m or MIN_s
    m: Annotated[int, Range(1, 10_000)] = 25  # with ``mod``, one in m fingerprints is kept
    s: Annotated[int, Range(1, 10_000)] = 100  # with ``min``, number of fingerprints kept
    # what is asked of a pair; containment with ``mod`` only
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
class Supershingles(Sharing):
    """DSC-SS: documents that share a supershingle, the hash of a group of sampled shingles.

    A. Broder, S. Glassman, M. Manasse, G. Zweig: Syntactic clustering of the Web, WWW6, 1997, section on supershingles:
    the sorted sample is divided into groups, each group is hashed, and documents that share a hash are candidates
    without any counting. The paper gives neither sample size nor group size; ours are those of Fetterly, Manasse and
    Najork: 84 fingerprints in groups of 14. An incomplete last group counts only if it is the only one. Yu et al. find
    the method much worse on short texts.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("dsc-ss", group=2).run(Texts.of(story, f"{story} рано", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.2)]
    """

    w: Annotated[int, Range(1, 20)] = 3  # number of words in a shingle
    sample: Annotated[str, OneOf("min", "mod")] = "min"  # MIN_s or MOD_m
    s: Annotated[int, Range(1, 10_000)] = 84  # with ``min``, number of fingerprints kept
    m: Annotated[int, Range(1, 10_000)] = 25  # with ``mod``, one in m fingerprints is kept
    group: Annotated[int, Range(1, 1000)] = 14  # number of fingerprints in a supershingle

    def sign(self, texts: Texts) -> Ragged:
        """Return the supershingles of each document."""
        shingles = texts.shingles(self.w, all_words=True)
        sample = sample_min(shingles, self.s) if self.sample == "min" else sample_mod(shingles, self.m)
        return grouped(sample, self.group)


@register("winnowing")
@dataclass(frozen=True)
class Winnowing(Method):
    """Winnowing: documents whose samples of shingles resemble or contain each other.

    S. Schleimer, D. Wilkerson, A. Aiken: Winnowing: local algorithms for document fingerprinting, SIGMOD 2003. The
    sample is chosen by place (``features.fingerprints``): two documents with a common run of w + window - 1 words
    always share a fingerprint, which neither MOD nor MIN samples promise. The defaults, 5 words and windows of 4,
    promise it for 8 words.

    Pairs are scored by the share of the smaller document's fingerprints that the other has, so that a text inside
    another is found; with ``measure`` resemblance by the share of the union.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> texts = Texts.of(story, f"Вчера вечером сообщили: {story}. Погода была хорошей", "Мост закрыт")
        >>> method("winnowing").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5  # number of words in a shingle
    window: Annotated[int, Range(1, 100)] = 4  # one of this many consecutive shingles is kept
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5  # minimum share of common fingerprints
    # ``containment``: share of the smaller document's; ``resemblance``: share of both documents'
    measure: Annotated[str, OneOf("containment", "resemblance")] = "containment"

    def sign(self, texts: Texts) -> Ragged:
        """Return the distinct fingerprints of each document."""
        return distinct(winnowed(texts.words, self.w, self.window))

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the share."""
        del texts
        if self.measure == "resemblance":
            return Pairs.of(resembling(signatures, self.tau))
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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> method("log-shingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    w: Annotated[int, Range(1, 20)] = 5  # number of words in a shingle
    sample: Annotated[str, OneOf("log", "mod")] = "log"  # how many are kept
    # with ``mod``, approximate number of fingerprints kept for a long document
    target: Annotated[int, Range(1, 1000)] = 8

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the sampled fingerprints for each document."""
        shingles = texts.shingles(self.w, wrap=True)
        sample = logarithmic_sample(shingles) if self.sample == "log" else modular_sample(shingles, self.target)
        return hashed_rows(_fill_empty_samples(distinct(sample), shingles))


def logarithmic_sample(shingles: Ragged) -> Ragged:
    """Sample, for i = 1 to log2 n, the smallest fingerprint divisible by 2^i, if any."""
    most = int(shingles.sizes.max(initial=1)).bit_length() - 1
    documents: list[Ints] = [np.zeros(0, dtype=np.int64)]
    values: list[Uint64s] = [np.zeros(0, dtype=np.uint64)]
    for i in range(1, most + 1):
        long_enough = np.repeat(shingles.sizes >= 1 << i, shingles.sizes)
        divided = shingles.chosen(long_enough & (shingles.values % np.uint64(1 << i) == 0))
        documents.append(np.flatnonzero(divided.sizes > 0))
        values.append(smallest(divided.values, divided.indptr))
    document = np.concatenate(documents)
    order = np.argsort(document, kind="stable")
    return Ragged(offsets_of(np.bincount(document, minlength=len(shingles))), np.concatenate(values)[order])


def modular_sample(shingles: Ragged, target: int) -> Ragged:
    """Sample the fingerprints divisible by 2^m, where m = floor(log2(n / target)), at least 0."""
    m = np.array([max(size // target, 1).bit_length() - 1 for size in shingles.sizes.tolist()], dtype=np.uint64)
    return shingles.chosen(shingles.values % np.repeat(np.uint64(1) << m, shingles.sizes) == 0)


def _fill_empty_samples(sample: Ragged, shingles: Ragged) -> Ragged:
    """Return the sample with the smallest fingerprint added for documents whose sample is empty."""
    empty = (sample.sizes == 0) & (shingles.sizes > 0)
    indptr = offsets_of(sample.sizes + empty)
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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра"
        >>> method("decomposition").run(Texts.of(story, f"{story} утром", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.962)]
    """

    w: Annotated[int, Range(1, 20)] = 5  # number of words in a shingle
    t: Annotated[float, Range(0.05, 1.0)] = 0.85  # minimum String::Similarity
    r: Annotated[float, Range(1.0, 100.0)] = 1.15  # maximum ratio of lengths
    # in which lengths are counted
    unit: Annotated[str, OneOf("words", "characters")] = "words"
    # minimum share of the smaller document's shingles that both have; 0 compares all candidates
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


# Documents with similar bags of word chains that begin at frequent words.


@register("spotsigs")
@dataclass(frozen=True, kw_only=True)
class SpotSigs(Method):
    """SpotSigs: documents with similar bags of spot signatures.

    M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: robust and efficient near duplicate detection in large Web
    collections, SIGIR 2008. A spot signature is a frequent word and the c content words that follow it. The paper's
    partitions by size and pruned lists find the pairs that any exact join finds; ours looks at rare signatures first.

    Where we differ: the paper's 24 antecedents are English articles and auxiliaries, which Russian and Ukrainian lack,
    so here all stop words of the language are antecedents (Yu et al. also find 24 too few and 365 best). The authors'
    code drops signatures with a normalised IDF outside 0.2 to 0.8; in a stream of pairs, where most signatures occur in
    two documents, that upper bound drops all that matter, so it is 1 here. Their tau is 0.85; at 0.5 a reprint may add
    or lose a third.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города и глава района открыли мост, который по плану строили три года, "
        >>> story += "а затем и дорогу за рекой"
        >>> texts = Texts.of(story, f"{story}.", "Мост через реку закрыт", "Погода испортилась")
        >>> method("spotsigs", least_spots=2).run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    c: Annotated[int, Range(1, 10)] = 3  # number of words after the antecedent
    d: Annotated[int, Range(1, 10)] = 1  # distance from one word to where the search for the next starts
    tau: Annotated[float, Range(0.05, 1.0)] = 0.5  # minimum multiset resemblance
    least_spots: Annotated[int, Range(1, 100)] = 4  # number of signatures that a document needs
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2  # minimum normalised IDF of a signature
    idf_high: Annotated[float, Range(0.0, 1.0)] = 1.0  # maximum normalised IDF of a signature
    # whether the signature includes the antecedent, as in the paper; the authors' code leaves it out
    antecedent: bool = True

    def sign(self, texts: Texts) -> Ragged:
        """Return the spot signatures of each document, with repetitions, ascending."""
        stops = texts.stop_places
        spots = spot_signatures(texts.words, stops, stops, c=self.c, d=self.d, with_antecedent=self.antecedent)
        distinct_spots, place = np.unique(spots.values, return_inverse=True)
        pairs = np.unique(place * len(spots) + spots.numbers)
        df = np.bincount(pairs // max(len(spots), 1), minlength=len(distinct_spots)).astype(np.int64)
        idf = np.round(normalised_idf(df, max(len(spots), 1)), 9)
        kept = spots.chosen(((idf >= self.idf_low) & (idf <= self.idf_high))[place])
        enough = kept.chosen(np.repeat(kept.sizes >= self.least_spots, kept.sizes))
        return Ragged(enough.indptr, enough.values[np.lexsort((enough.values, enough.numbers))])

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the resemblance."""
        del texts
        return Pairs.of(resembling(distinct(numbered(signatures)), self.tau))


@register("low-idf-sig")
@dataclass(frozen=True)
class LowIdfSignatures(_Measured):
    """Low-IDF-Sig: documents with similar bags of word chains that follow frequent words.

    Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig (in Chinese; an improvement of SpotSigs for sentences).
    A feature is one of the n most frequent words of the language, or the first word of a sentence, with the c words
    that follow it; there are a third as many features as shingles. Here the features of all sentences of a document
    form one bag. The most frequent words come from wordfreq. The paper leaves some articles and prepositions out of the
    chains without naming them; its example keeps them, and so do we. Its similarity formula is lost; we use that of
    SpotSigs.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города и глава района открыли мост, который по плану строили три года, "
        >>> story += "а затем и дорогу за рекой"
        >>> method("low-idf-sig").run(Texts.of(story, f"Вчера {story}", "Мост закрыт")).pairs.as_list()
        [(0, 1, 0.75)]
    """

    n: Annotated[int, Range(0, 5000)] = 50  # number of most frequent words of the language that start a chain
    c: Annotated[int, Range(1, 10)] = 3  # number of words after the antecedent
    d: Annotated[int, Range(1, 10)] = 1  # step from word to word
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6  # minimum multiset resemblance

    def sign(self, texts: Texts) -> Ragged:
        """Return the features of each document; repeated ones are numbered."""
        antecedent = antecedent_places(texts.words, texts.languages, self.n)
        return distinct(numbered(low_idf_signatures(texts.words, antecedent, c=self.c, d=self.d)))
