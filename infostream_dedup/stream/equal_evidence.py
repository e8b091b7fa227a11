"""Gives documents of the window with equal evidence the same number: a story that fills a stream repeats texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.stream.row_window import RowWindow, with_room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.stream.window import Window


_UNKNOWN: Final = -1
_LEARNED_AT_ONCE: Final = 4096


class EqualEvidence:
    """Numbers from 0, equal for documents of equal text and evidence, and the evidence of each number.

    Evidence is equal if key terms, weights, terms, records and word triples are. Compared with any third document, such
    documents give the same result, apart from sources, times and addresses.

    Args:
        window: holds the documents.
        triples: returns the word triples of documents, given ascending and distinct ordinals.
    """

    def __init__(self, window: Window, triples: Callable[[NDArray[np.int64]], TripleRows]) -> None:
        self._window = window
        self._triples_of = triples
        self._known: dict[bytes, int] = {}
        self._texts: dict[bytes, int] = {}
        self._first = window.first
        self._numbers: NDArray[Any] = np.full(1 << 10, _UNKNOWN, dtype=np.int64)
        self._text_numbers: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self._terms, self._weights, self._heaviest = RowWindow(np.int32), RowWindow(np.int64), RowWindow(np.uint8)
        self._targets, self._words, self._triples = RowWindow(np.int32), RowWindow(np.uint32), RowWindow(np.uint64)
        self._own: NDArray[Any] = np.zeros(1 << 11, dtype=np.int64)
        self._squares: NDArray[Any] = np.zeros(1 << 10, dtype=np.float64)

    def __len__(self) -> int:
        """Number of distinct numbers so far."""
        return len(self._known)

    @property
    def nbytes(self) -> int:
        """Bytes of the evidence, without spare room."""
        rows = (self._terms, self._weights, self._heaviest, self._targets, self._words, self._triples)
        return sum(one.nbytes for one in rows)

    def numbers(self, ordinals: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of each document: int64 (documents,).

        Args:
            ordinals: int64 (documents,), of documents in the window, in any order, repeated or not.
        """
        places = ordinals - self._first
        held, more = len(self._numbers), int(places.max(initial=0)) + 1
        self._numbers = with_room(self._numbers, more)
        self._numbers[held:] = _UNKNOWN
        unknown = np.unique(ordinals[self._numbers[places] == _UNKNOWN])
        for begin in range(0, len(unknown), _LEARNED_AT_ONCE):
            self._learn(unknown[begin : begin + _LEARNED_AT_ONCE])
        found: NDArray[np.int64] = self._numbers[places]
        return found

    @property
    def keys(self) -> ComparedKeys:
        """Key terms and terms by number; a view that changes with ``numbers``."""
        terms, targets = self._terms.rows_from(0), self._targets.rows_from(0)
        return ComparedKeys(
            begins=terms.indptr,
            terms=terms.values,
            weights=self._weights.rows.values,
            heaviest=self._heaviest.rows.values,
            own=self._own[: 2 * len(self)].reshape(-1, 2),
            squares=self._squares,
            target_begins=targets.indptr,
            targets=targets.values,
        )

    @property
    def records(self) -> EvidenceRecords:
        """Packed evidence by number; a view that changes with ``numbers``."""
        words = self._words.rows_from(0)
        return EvidenceRecords(words.values, words.indptr)

    @property
    def triples(self) -> TripleRows:
        """Word triples by number; a view that changes with ``numbers``."""
        triples = self._triples.rows_from(0)
        return TripleRows(triples.values, triples.indptr)

    def texts(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Text of each number: int64, equal for equal texts, -1 for an empty one."""
        found: NDArray[np.int64] = self._text_numbers[numbers]
        return found

    def _learn(self, ordinals: NDArray[np.int64]) -> None:
        """Number new documents, given ascending and distinct ordinals."""
        window, before = self._window, len(self)
        rows = ordinals - window.first
        evidence = window.evidence_columns
        keys, records, triples = evidence.keys_of(rows, window), evidence.records_of(rows), self._triples_of(ordinals)
        texts = [window.hashes[row][0] for row in rows.tolist()]
        new: list[int] = []
        numbers = []
        for place, content in enumerate(_contents(texts, keys, records, triples)):
            numbers.append(self._known.setdefault(content, len(self._known)))
            if len(self._known) > before + len(new):
                new.append(place)
        self._numbers[ordinals - self._first] = numbers
        self._add(np.array(new, dtype=np.int64), keys, records, triples)
        self._text_numbers = with_room(self._text_numbers, len(self))
        self._text_numbers[before : len(self)] = [
            self._texts.setdefault(texts[place], len(self._texts)) if texts[place] else -1 for place in new
        ]

    def _add(self, new: NDArray[np.int64], keys: ComparedKeys, records: EvidenceRecords, triples: TripleRows) -> None:
        """Keep the evidence of new numbers, given their positions in the gathered evidence."""
        before, after = len(self) - len(new), len(self)
        for column, begins, values in (
            (self._terms, keys.begins, keys.terms),
            (self._weights, keys.begins, keys.weights),
            (self._heaviest, keys.begins, keys.heaviest),
            (self._targets, keys.target_begins, keys.targets),
            (self._words, records.begins, records.words),
            (self._triples, triples.begins, triples.triples),
        ):
            column.extend(_chosen(Ragged(begins, values), new))
        self._own = with_room(self._own, 2 * after)
        self._own[2 * before : 2 * after] = keys.own[new].ravel()
        self._squares = with_room(self._squares, after)
        self._squares[before:after] = keys.squares[new]


def _chosen(rows: Ragged, places: NDArray[np.int64]) -> Ragged:
    sizes = rows.sizes
    keep = np.zeros(len(rows), dtype=np.bool_)
    keep[places] = True
    return Ragged(offsets_of(sizes[keep]), rows.values[np.repeat(keep, sizes)])


def _contents(texts: list[bytes], keys: ComparedKeys, records: EvidenceRecords, triples: TripleRows) -> Iterator[bytes]:
    """Hash all evidence of each document into sixteen bytes."""
    columns = (
        Ragged(keys.begins, keys.terms),
        Ragged(keys.begins, keys.weights),
        Ragged(keys.begins, keys.heaviest),
        Ragged(keys.target_begins, keys.targets),
        Ragged(records.begins, records.words),
        Ragged(triples.begins, triples.triples),
    )
    for text, *rows in zip(texts, *columns, strict=True):
        content = blake2b(digest_size=16)
        for part in (text, *(row.tobytes() for row in rows)):
            content.update(len(part).to_bytes(4, "little"))
            content.update(part)
        yield content.digest()
