"""Documents with the same longest or heaviest sentences."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from infostream_dedup.judging.features.sentences import (
    DocumentRecord,
    Sentence,
    document_lengths,
    longest_sentences,
    longest_words,
    once_each,
    record_pairs,
    record_rows,
    sentence_fingerprints,
)
from infostream_dedup.judging.features.words import Words, hash_text
from infostream_dedup.lab.methods.method import Method, Pairs, Texts
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.arrays import Ragged


@dataclass(frozen=True)
class _ChosenSentences(Method):
    """Compares one fingerprint of each document's first sentences by rank.

    Attributes:
        sentences: number of sentences kept, 1 to 20; a document with fewer keeps all.
        distinct: whether a repeated sentence counts once.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    sentences: Annotated[int, Range(1, 20)] = 2
    distinct: bool = True
    bits: Annotated[int, OneOf(32, 64)] = 32

    @staticmethod
    @abstractmethod
    def _rank(sentence: Sentence) -> tuple[int, str]:
        """Return what sentences are sorted by; the lowest are kept."""

    def sign(self, texts: Texts) -> Ragged:
        """Return one fingerprint of the sentences kept for each document."""
        return sentence_fingerprints(
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
    def _rank(sentence: Sentence) -> tuple[int, str]:
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
    def _rank(sentence: Sentence) -> tuple[int, str]:
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

    Attributes:
        length_ratio: maximum ratio of lengths, 1 to 10.
        sentence_ratio: maximum ratio of the numbers of sentences, 1 to 10.
        shared_words: number of words that must be shared, 0 to 5.
        shared_sentences: number of sentences that longer documents must share, 1 to 3.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> method("three-plus-five").run(Texts.of(story, f"{story} Да.", "Мост открыт.")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    length_ratio: Annotated[float, Range(1.0, 10.0)] = 1.15
    sentence_ratio: Annotated[float, Range(1.0, 10.0)] = 1.20
    shared_words: Annotated[int, Range(0, 5)] = 2
    shared_sentences: Annotated[int, Range(1, 3)] = 2
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Ragged:
        """Return length, number of sentences, three sentences and five words of each document, 0 for missing ones."""
        lengths = document_lengths(texts.words)
        records = [
            DocumentRecord(
                lengths[document],
                len(sentences),
                longest_sentences(sentences, 3, self.bits),
                longest_words(texts.significant, document, 5, self.bits),
            )
            for document, sentences in enumerate(texts.sentences)
        ]
        return record_rows(records, sentences=3, words=5, bits=self.bits)

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

    Attributes:
        n: number of sentences that documents with more than five must share (N in the paper), 1 to 5.
        frequent: number of sentences chosen by dictionary words, and of words taken from the dictionary at most, 0 to
            5; the other of the five are the longest.
        dictionary: number of words in the frequency dictionary, 1 to 100.
        occurrences: whether every occurrence of a dictionary word in a sentence counts.
        length_ratio: maximum ratio of lengths, 1 to 10.
        sentence_ratio: maximum ratio of the numbers of sentences, 1 to 10.
        shared_words: number of words that must be shared, 0 to 5.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."
        >>> method("three-plus-two").run(Texts.of(story, f"{story} Да.", "Мост открыт.")).pairs.as_list()
        [(0, 1, 1.0)]
    """

    n: Annotated[int, Range(1, 5)] = 2
    frequent: Annotated[int, Range(0, 5)] = 3
    dictionary: Annotated[int, Range(1, 100)] = 10
    occurrences: bool = False
    length_ratio: Annotated[float, Range(1.0, 10.0)] = 1.15
    sentence_ratio: Annotated[float, Range(1.0, 10.0)] = 1.20
    shared_words: Annotated[int, Range(0, 5)] = 2
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Ragged:
        """Return length, number of sentences, five sentences and five words of each document, 0 for missing ones."""
        lengths = document_lengths(texts.words)
        records = [
            self._make_record(texts.significant, document, sentences, lengths[document])
            for document, sentences in enumerate(texts.sentences)
        ]
        return record_rows(records, sentences=5, words=5, bits=self.bits)

    def _make_record(self, words: Words, document: int, sentences: Sequence[Sentence], length: int) -> DocumentRecord:
        distinct = once_each(sentences)
        if len(distinct) < 5:
            kept = longest_sentences(distinct, 5, self.bits)
            return DocumentRecord(length, len(sentences), kept, longest_words(words, document, 5, self.bits))
        frequent = frequency_dictionary(words, document, self.dictionary)
        texts = five_sentences(distinct, frequent, occurrences=self.occurrences, chosen=self.frequent)
        return DocumentRecord(
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
    return Pairs(*record_pairs(signatures, sentences=sentences, words=5, shared_sentences=shared, **rules))


def frequency_dictionary(words: Words, document: int, size: int) -> list[str]:
    """Return the most frequent words of a document; ties go to the longer word, then to the first in the alphabet."""
    frequency: dict[int, int] = {}
    for word in words.rows.row(document).tolist():
        frequency[word] = frequency.get(word, 0) + 1
    spelling = words.vocabulary
    order = sorted(frequency, key=lambda word: (-frequency[word], -len(spelling[word]), word))
    return [spelling[word] for word in order[:size]]


def five_sentences(
    sentences: Sequence[Sentence], frequent: Sequence[str], *, occurrences: bool, chosen: int = 3
) -> list[str]:
    """Choose the sentences with the most dictionary words, then the longest of the others."""
    known = set(frequent)

    def count_known(sentence: Sentence) -> int:
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
