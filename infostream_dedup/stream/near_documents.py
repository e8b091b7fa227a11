"""Finds the documents that share key terms with a text, in the index of a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.stream.store.index_parts import IndexPart


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTerms:
    """A text in the language of some documents; terms are those of the store.

    Attributes:
        sets: for each key term, heaviest first, the terms that match it: int64; empty if the store has none of them.
        weights: int64, weight of each key term.
        targets: int64, all terms, each once.
        words: for each key term, the word of the text that it was made from.
        language: index into ``LANGUAGES``: compare only documents in this language; ``None`` for all.
    """

    sets: Sequence[NDArray[np.int64]]
    weights: NDArray[np.int64]
    targets: NDArray[np.int64]
    words: Sequence[str]
    language: int | None = None

    @property
    def matching(self) -> NDArray[np.int64]:
        """The terms that match any key term, each once, ascending."""
        return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *self.sets]))


@dataclass(frozen=True, slots=True)
class NearDocuments:
    """Documents that share enough terms with a text.

    Attributes:
        ordinals: int64 (documents,), ascending.
        counts: int64 (documents, 2), key terms of the text found in each document, and its key terms found in the text.
        shares: float64 (documents,), share, by weight, of the text's key terms found in each document.
    """

    ordinals: NDArray[np.int64]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]

    def nearest(self, most: int) -> NearDocuments:
        """The documents with the greatest shares, and all that tie with the last of them."""
        if len(self.ordinals) <= most:
            return self
        least = np.partition(self.shares, -most)[-most]
        chosen = self.shares >= least
        return NearDocuments(self.ordinals[chosen], self.counts[chosen], self.shares[chosen])


@dataclass(frozen=True, slots=True)
class FoundInPart:
    """Documents of a part that may share enough terms with a text.

    Attributes:
        ordinals: int64 (documents,), ascending.
        backward: int64 (documents,), number of each document's key terms found in the text.
        least: int64 (documents,), how many key terms must match in either direction.
        rows: int64, for each match of a term with a key term of the text, the index of the document in ``ordinals``.
        keys: int64, the key term of each match.
    """

    ordinals: NDArray[np.int64]
    backward: NDArray[np.int64]
    least: NDArray[np.int64]
    rows: NDArray[np.int64]
    keys: NDArray[np.int64]


class TermQuestions:
    """Texts, or one text in several languages, that are looked up together.

    Args:
        asked: the texts.
        least: for each text, the number of key terms that must match in either direction, by number of the document's
        key terms: int64 (256,).
        in_text: look key terms up in all terms of the other document, not only among its key terms.
    """

    def __init__(self, asked: Sequence[AskedTerms], least: Sequence[NDArray[np.int64]], *, in_text: bool) -> None:
        self._asked = asked
        self._least = least
        self._lowest = [int(one.min()) for one in least]
        self._in_text = in_text
        forward = [np.concatenate([np.zeros(0, dtype=np.int64), *one.sets]) for one in asked]
        backward = [one.targets if in_text else one.matching for one in asked]
        self._key_of = [np.repeat(np.arange(len(one.sets)), [len(terms) for terms in one.sets]) for one in asked]
        self._forward, self._forward_ends = _joined(forward)
        self._backward, self._backward_ends = _joined(backward)

    def ask(self, part: IndexPart, allowed: NDArray[np.bool_]) -> Iterator[tuple[int, FoundInPart]]:
        """Find documents of a part; yield the number of each text and the documents found for it.

        Args:
            allowed: bool (documents,), which of them may be found.
        """
        hits = (part.targets if self._in_text else part.keys).of_terms(self._forward)
        met = part.keys.of_terms(self._backward)
        bounds = np.searchsorted(hits[0], self._forward_ends), np.searchsorted(met[0], self._backward_ends)
        for number, one in enumerate(self._asked):
            forward = slice(*bounds[0][number : number + 2].tolist())
            backward = slice(*bounds[1][number : number + 2].tolist())
            counted = np.bincount(met[1][backward], minlength=len(part))
            # Several terms that match one key term are counted separately here: too many hits, never too few.
            most = np.bincount(hits[1][forward], minlength=len(part))
            found = np.flatnonzero((most >= self._lowest[number]) | (counted >= self._lowest[number]))
            least = self._least[number][part.sizes[found]]
            kept = allowed[found] & (np.maximum(most[found], counted[found]) >= least)
            if one.language is not None:
                kept &= part.languages[found] == one.language
            found, least = found[kept], least[kept]
            if not len(found):
                continue
            keys = self._key_of[number][hits[0][forward] - self._forward_ends[number]]
            rows = _rows_of(found, hits[1][forward], len(part))
            met_rows = rows >= 0
            yield number, FoundInPart(part.first + found, counted[found], least, rows[met_rows], keys[met_rows])

    def near(self, number: int, parts: Sequence[FoundInPart]) -> NearDocuments:
        """Join the documents that the parts found for one text, and compare them with it."""
        if not parts:
            return NearDocuments(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), np.zeros(0))
        one = self._asked[number]
        ordinals, backward, least, rows, keys = (
            np.concatenate([getattr(part, name) for part in parts]) for name in FoundInPart.__slots__
        )
        sizes = [len(part.ordinals) for part in parts]
        rows += np.repeat(np.cumsum([0, *sizes[:-1]]), [len(part.rows) for part in parts])
        matched = np.zeros((len(ordinals), len(one.sets)), dtype=np.bool_)
        matched[rows, keys] = True
        counts = np.stack((matched.sum(axis=1), backward), axis=1).astype(np.int64)
        near = counts.max(axis=1) >= least
        shares = np.round(matched @ one.weights / max(int(one.weights.sum()), 1), 9)
        return NearDocuments(ordinals[near], counts[near], shares[near])


def _joined(rows: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.concatenate([np.zeros(0, dtype=np.int64), *rows]), np.cumsum([0, *map(len, rows)])


def _rows_of(found: NDArray[np.int64], documents: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Index in ``found`` of each document, -1 if it was not found: int64."""
    place = np.full(size, -1, dtype=np.int64)
    place[found] = np.arange(len(found))
    rows: NDArray[np.int64] = place[documents]
    return rows
