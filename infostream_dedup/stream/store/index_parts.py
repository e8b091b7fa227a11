"""Parts of a store's index: consecutive documents by their terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import orjson

from infostream_dedup.arrays import places_of
from infostream_dedup.model.document import LANGUAGES
from infostream_dedup.stream.store.blobs import INT32

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_DOCUMENTS: Final = 1 << 16
"""Maximum number of documents in a part, so that two bytes can number them."""

GONE: Final = 255
"""Replaces the language of a document whose signature is not in the store, because it was forgotten or expired."""

_UINT16: Final = np.dtype("<u2")
_UINT8: Final = np.dtype("u1")
_NUMBER_BITS: Final = 16
_NO_SOURCE: Final = -1


@dataclass(frozen=True, slots=True)
class TermDocuments:
    """The documents that have each term.

    Attributes:
        terms: int32, numbers of the terms, ascending.
        ends: int32 (terms + 1,), bounds of the documents of each term.
        documents: uint16, numbers of documents in the part, ascending within each term.
    """

    terms: NDArray[np.int32]
    ends: NDArray[np.int32]
    documents: NDArray[np.uint16]

    @classmethod
    def of(cls, rows: Sequence[bytes | None]) -> Self:
        """Invert the terms of each document: blobs of INT32, ``None`` for a document that is gone."""
        terms = np.frombuffer(b"".join(row for row in rows if row), dtype=INT32).astype(np.int64)
        sizes = np.array([0 if row is None else len(row) // INT32.itemsize for row in rows], dtype=np.int64)
        # One number orders by term and document.
        codes = terms << _NUMBER_BITS | np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
        codes.sort()
        terms = codes >> _NUMBER_BITS
        begins = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1]))) if len(terms) else terms
        ends = np.concatenate((begins, [len(terms)])).astype(INT32)
        return cls(terms[begins].astype(INT32), ends, (codes & (MOST_DOCUMENTS - 1)).astype(_UINT16))

    def of_terms(self, asked: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the documents that have some of the terms.

        Args:
            asked: int64, numbers of terms; negative ones are in no document.

        Returns:
            int64 each: position of a term among those requested, ascending, and number of a document that has it.
        """
        if not len(self.terms):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        slots = np.minimum(np.searchsorted(self.terms, asked), len(self.terms) - 1)
        known = np.flatnonzero(self.terms[slots] == asked)
        begins = self.ends[slots[known]].astype(np.int64)
        sizes = self.ends[slots[known] + 1] - begins
        return np.repeat(known, sizes), self.documents[places_of(begins, sizes)].astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPart:
    """Consecutive documents, numbered from 0.

    Attributes:
        first: ordinal of the first one.
        languages: uint8 (documents,), index into ``LANGUAGES``, or ``GONE``.
        sizes: uint8 (documents,), number of key terms.
        sources: int32 (documents,), index into ``names``, -1 without a source.
        names: sources.
        keys: documents by key term.
        targets: documents by the terms in which key terms are looked up.
    """

    first: int
    languages: NDArray[np.uint8]
    sizes: NDArray[np.uint8]
    sources: NDArray[np.int32]
    names: list[str]
    keys: TermDocuments
    targets: TermDocuments

    def __len__(self) -> int:
        return len(self.languages)

    @property
    def end(self) -> int:
        """Ordinal after the last one."""
        return self.first + len(self)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._arrays())

    @classmethod
    def of_documents(cls, first: int, rows: Sequence[tuple[str, str | None, bytes | None, bytes | None]]) -> Self:
        """Index documents.

        Args:
            rows: language, source, and blobs of INT32 with key terms and terms, which are ``None`` for a document that
                is gone; at most ``MOST_DOCUMENTS``.
        """
        if len(rows) > MOST_DOCUMENTS:
            raise ValueError(f"{len(rows)} documents are more than {MOST_DOCUMENTS}")
        numbers: dict[str | None, int] = {language: number for number, language in enumerate(LANGUAGES)}
        if unknown := {one for one, _, keys, _ in rows if keys is not None} - numbers.keys():
            raise ValueError(f"no language: {min(map(repr, unknown))}")
        names: dict[str, int] = {}
        sources = [
            names.setdefault(source, len(names)) if source and keys is not None else _NO_SOURCE
            for _, source, keys, _ in rows
        ]
        return cls(
            first=first,
            languages=np.array([GONE if keys is None else numbers[one] for one, _, keys, _ in rows], dtype=_UINT8),
            sizes=np.array([len(keys or b"") // INT32.itemsize for _, _, keys, _ in rows], dtype=_UINT8),
            sources=np.array(sources, dtype=INT32),
            names=list(names),
            keys=TermDocuments.of([keys for _, _, keys, _ in rows]),
            targets=TermDocuments.of([targets for *_, targets in rows]),
        )

    def packed(self) -> bytes:
        """Return the part as bytes; equal documents give equal bytes."""
        arrays = self._arrays()
        head = orjson.dumps({"names": self.names, "sizes": [len(array) for array in arrays]})
        # Arrays that start at multiples of their width are faster to read.
        head += b" " * (-len(head) % 8)
        return b"".join((len(head).to_bytes(8, "little"), head, *(array.tobytes() for array in arrays)))

    @classmethod
    def unpacked(cls, first: int, packed: bytes) -> Self:
        """Return the part that ``packed`` wrote; its arrays are views of the bytes."""
        size = int.from_bytes(packed[:8], "little")
        head = orjson.loads(packed[8 : 8 + size])
        ends = np.cumsum([8 + size, *(n * kind.itemsize for n, kind in zip(head["sizes"], _KINDS, strict=True))])
        arrays = [
            np.frombuffer(packed, dtype=kind, count=count, offset=begin)
            for (begin, _), kind, count in zip(pairwise(ends.tolist()), _KINDS, head["sizes"], strict=True)
        ]
        sources, key_terms, key_ends, target_terms, target_ends, keys, targets, languages, sizes = arrays
        return cls(
            first=first,
            languages=languages,
            sizes=sizes,
            sources=sources,
            names=head["names"],
            keys=TermDocuments(key_terms, key_ends, keys),
            targets=TermDocuments(target_terms, target_ends, targets),
        )

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, of the types in ``_KINDS``."""
        keys, targets = self.keys, self.targets
        numbers = self.sources, keys.terms, keys.ends, targets.terms, targets.ends
        return (*numbers, keys.documents, targets.documents, self.languages, self.sizes)


_KINDS: Final[tuple[np.dtype[Any], ...]] = (*[INT32] * 5, *[_UINT16] * 2, *[_UINT8] * 2)
