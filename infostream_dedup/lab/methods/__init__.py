"""Every method of the source papers, in a file per family, found by a registry.

Example:
    >>> from infostream_dedup.model import Document
    >>> news = ["Снег выпал вчера в Киеве.", "Снег выпал вчера в Киеве!"]
    >>> texts = Texts([Document(id=str(number), text=text) for number, text in enumerate(news)])
    >>> found = method("md5").run(texts)
    >>> found.pairs.a.tolist(), found.pairs.b.tolist(), found.bytes_per_document
    ([0], [1], 16.0)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Final, TypeVar

import numpy as np

from infostream_dedup.judging.features import fingerprints as word_weights
from infostream_dedup.judging.features.joins import Resembling, SharedCounts, equal_pairs, pairs_sharing
from infostream_dedup.judging.features.sentences import Sentence, sentence_weights, sentences_by_document
from infostream_dedup.judging.features.words import (
    Words,
    hash_sequences,
    read_words,
    shingles,
    significant,
    stop_word_places,
)
from infostream_dedup.language.text.language import detect
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, offsets_of
from infostream_dedup.model import Document, full_text
from infostream_dedup.model.limits import check_limits, make_from_notation, make_with_parameters
from infostream_dedup.model.registry import Registry
from infostream_dedup.terms.compiled import SurfaceCounter, SurfaceTokens

__all__ = ["Method", "Pairs", "Run", "Texts", "method", "method_class", "methods"]

# The interface of every method, the collection it reads and the pairs it links.
#
# A method is a frozen data class: its fields are its parameters, with their ranges as annotations. ``register``
# gives it a name.


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Distinct linked pairs of different documents, ordered by (a, b)."""

    a: Ints  # int64 (pairs,), ordinals of the first documents
    b: Ints  # int64 (pairs,), ordinals of the second documents; a < b if the method is symmetric
    scores: Floats  # float64 (pairs,), share of a's signature found in b's
    directed: bool = False  # whether a pair only means "a is found in b"

    def __len__(self) -> int:
        return len(self.a)

    @classmethod
    def of(cls, found: Resembling, *, directed: bool = False) -> Pairs:
        """Make pairs from the result of a join."""
        return cls(found.a, found.b, found.scores, directed)

    def as_list(self) -> list[tuple[int, int, float]]:
        """Return the pairs as tuples, with scores rounded to 3 decimals."""
        return list(zip(self.a.tolist(), self.b.tolist(), np.round(self.scores, 3).tolist(), strict=True))


def unordered_pairs(a: Ints, b: Ints, scores: Floats) -> Pairs:
    """Make sorted pairs a < b from distinct pairs in any order."""
    first, second = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], scores[order])


def hashed_rows(rows: Ragged) -> Ragged:
    """One hash of all values of each row; an empty row stays empty."""
    hashes = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
    return Ragged(offsets_of(rows.sizes > 0), np.concatenate([np.zeros(0, dtype=np.uint64), *hashes]))


def equal(met: SharedCounts) -> Pairs:
    """Make the pairs of a method without degrees: every score is 1."""
    return Pairs(met.a, met.b, np.ones(len(met.a), dtype=np.float64))


_Made = TypeVar("_Made")


class Texts:
    """All documents of a collection, with their texts.

    Word statistics are those of the collection itself, with all languages in one space, as the papers assume a single
    language. A missing ``lang`` is detected.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = list(documents)
        self._made: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, *texts: str) -> Texts:
        """Make a collection of bare texts, with ids numbered from 0."""
        return cls([Document(id=str(number), text=text) for number, text in enumerate(texts)])

    def __len__(self) -> int:
        return len(self.documents)

    @cached_property
    def raw(self) -> list[str]:
        """Title and text of each document."""
        return [full_text(document) for document in self.documents]

    @cached_property
    def languages(self) -> list[str]:
        """Language of each document, given or detected."""
        return [document.lang or detect(text) for document, text in zip(self.documents, self.raw, strict=True)]

    @cached_property
    def words(self) -> Words:
        """All words of each document."""
        return read_words(self.raw)

    @cached_property
    def stop_places(self) -> Bools:
        """Bool (words,), whether each word is a stop word of its document's language."""
        return stop_word_places(self.words, self.languages)

    @cached_property
    def significant(self) -> Words:
        """Words except stop words and words of up to three letters: the text of Zelenkov and Segalovich."""
        return significant(self.words, self.languages)

    @cached_property
    def counts(self) -> word_weights.WordCounts:
        """Frequencies of the significant words."""
        return word_weights.count_words(self.significant)

    @cached_property
    def sentences(self) -> list[list[Sentence]]:
        """Sentences of significant words, with their total TF * IDF."""
        words = self.significant
        weights = word_weights.weights_of_occurrences(self.counts, words, word_weights.tf_idf_weights(self.counts))
        return sentences_by_document(words, sentence_weights(words, weights))

    @cached_property
    def plain(self) -> list[str]:
        """All words of each document, joined by blanks."""
        return [self.words.text(document) for document in range(len(self))]

    @cached_property
    def surfaces(self) -> SurfaceTokens:
        """The surfaces of all documents, from which key terms are made."""
        counter = SurfaceCounter()
        for text, language in zip(self.raw, self.languages, strict=True):
            counter.add(text, language)
        return counter.finish()

    def without_features(self) -> Texts:
        """Return a copy that shares what was read, but not what ``once`` keeps, to be timed alone."""
        bare = copy(self)
        bare._made = {}
        return bare

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what ``make`` returned for this key, calling it only the first time."""
        if key not in self._made:
            self._made[key] = make()
        made: _Made = self._made[key]
        return made

    def shingles(self, w: int, *, wrap: bool = False, all_words: bool = False) -> Ragged:
        """Return the shingles of w words, see ``features.shingles``."""
        words = self.words if all_words else self.significant
        return self.once(("shingles", w, wrap, all_words), lambda: shingles(words, w, wrap=wrap))


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Result of a method on a collection."""

    signatures: Ragged  # signature of each document, one row each
    pairs: Pairs  # pairs that the method links

    @property
    def bytes_per_document(self) -> float:
        """Mean size of a signature in bytes; 0 without documents."""
        return self.signatures.nbytes / len(self.signatures) if len(self.signatures) else 0.0


@dataclass(frozen=True)
class Method(ABC):
    """A method with its parameters, each within its range."""

    name: ClassVar[str] = ""
    only_when_named: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    def directed(self) -> bool:
        """Whether a pair (a, b) only means that a is found in b."""
        return False

    @abstractmethod
    def sign(self, texts: Texts) -> Ragged:
        """Return the signature of each document: one row of values, empty if the document has no signature.

        A signature depends on the document and, if the method weights words by the collection, on the collection, but
        never on the order of the documents.
        """

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return the pairs of near duplicates: by default, of documents whose signatures have a value in common."""
        del texts
        return equal(equal_pairs(signatures))

    def relation(self, texts: Texts, run: Run) -> Pairs:
        """The relation that S and T describe: links, where a pair is made of links in two directions."""
        del texts
        return run.pairs

    def run(self, texts: Texts) -> Run:
        """Sign and link a collection."""
        signatures = self.sign(texts)
        return Run(signatures, self.link(texts, signatures))

    def as_dict(self) -> dict[str, Any]:
        """Return name and parameters."""
        return {"method": self.name, **{field.name: getattr(self, field.name) for field in fields(self)}}


class Sharing(Method):
    """Links documents with a common value, one of several that each has."""

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs with a common value; the score is the share of those that both could have in common."""
        del texts
        met = pairs_sharing(signatures)
        return Pairs(met.a, met.b, met.shared / np.minimum(signatures.sizes[met.a], signatures.sizes[met.b]))


# All methods by name: a file in this folder, or a class in one of its files, registers itself and is found.


POOL_METHODS: Final = tuple(
    "md5 tf tf-idf tf-ridf long-sent heavy-sent megashingles lex-rand log-shingles descr-words opt-freq".split()
)
"""A0 to A10."""

_ORDER: Final = (
    *POOL_METHODS,
    *(
        "decomposition three-plus-five three-plus-two i-match spotsigs low-idf-sig shingles dsc dsc-ss "
        "simhash minhash tf-idf-cosine key-terms-stem key-terms-morph key-terms-pivot checksum "
        "first-paragraph pair-model"
    ).split(),
)
"""Order of methods in tables; methods not listed here follow by name."""

METHODS: Final[Registry[type[Method]]] = Registry("infostream_dedup.lab.methods", "method")
_Class = TypeVar("_Class", bound=type[Method])


def register(name: str) -> Callable[[_Class], _Class]:
    """Make a class decorator that names a method and registers it."""

    def name_class(found: _Class) -> _Class:
        found.name = name
        METHODS.add(name, found, order=_ORDER.index(name) if name in _ORDER else len(_ORDER))
        return found

    return name_class


def methods() -> list[str]:
    """Return the names of all methods, in the order used for tables."""
    return list(METHODS)


def method_class(name: str) -> type[Method]:
    """Return the class of a method; its docstring names the parameters."""
    return METHODS.get_known(name)


def method(name: str, **parameters: Any) -> Method:
    """Create a method; parameters not given keep their defaults."""
    return make_with_parameters(name, method_class(name), parameters)


def written(notation: str) -> Method:
    """Return the method that a notation describes."""
    return make_from_notation(notation, method_class)
