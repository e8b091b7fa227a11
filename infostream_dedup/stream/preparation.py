"""What a stream compares of a batch, without the lines that recur, and its hashes and times before words are read."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import orjson

from infostream_dedup.documents.documents import row_of, with_read_date
from infostream_dedup.judging.evidence.numbers import NumberRuns, find_runs, numbers, numbers_of_run
from infostream_dedup.judging.evidence.reading import with_replaced
from infostream_dedup.judging.repeated import lines as repeated
from infostream_dedup.judging.repeated.apart import not_compared, parts_apart
from infostream_dedup.judging.repeated.equality import equality_hashes
from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.language.text.normalise import clean
from infostream_dedup.language.text.sentences import decisions
from infostream_dedup.language.text.surface_pool import SurfacePool, Utf8Texts, encoded, texts_of_bytes
from infostream_dedup.machine.arrays import Ints, Ragged, offsets_of
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, full_text
from infostream_dedup.stream.clock import NO_CLOCK, StreamClock
from infostream_dedup.stream.kernels.gathering import distinct_of_parts

if TYPE_CHECKING:
    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.store.reader import StoreReader
    from infostream_dedup.stream.store.restoring import Loaded


class Compared(NamedTuple):
    """Documents of a batch as they are compared."""

    documents: DocumentBlock  # the documents, without repeated lines
    lines: list[bytes] | None  # what a store keeps of the fragments of each; `None` if repeated lines are kept
    openings: Ints  # int64 (documents,), `openings_of` them; none if not needed
    left_out: repeated.LeftOut  # the repeated lines


class ComparedTexts:
    """Leaves repeated lines out of documents; ``left_out`` is what those judged so far have lost."""

    def __init__(self, settings: StreamSettings) -> None:
        keeps = settings.keep_repeated_lines or settings.preset != "judged"
        self._learner = None if keeps else repeated.LineLearner()
        self._compares_openings = settings.compares_openings
        self.left_out = repeated.LeftOut()

    def read(self, documents: DocumentBlock, first: int) -> Compared:
        """Read documents in order; ``first`` is the ordinal of the first."""
        if self._learner is None and not self._compares_openings:
            return Compared(documents, None, np.zeros(0, dtype=np.int64), repeated.LeftOut())
        texts = Utf8Texts(documents.offsets, documents.data)
        rows, sources, times = repeated.fragments_of(texts), documents.sources, documents.times
        if self._learner is None:
            return Compared(documents, None, repeated.openings_of(rows, sources, times), repeated.LeftOut())
        self._learner.skip_to(first)
        lines = repeated.LeftOut()
        marks = self._learner.learn(rows, sources, times)
        apart = list(parts_apart(texts, documents.bodies))
        spans = [one[:3] for one in apart]
        cut = list(repeated.shortened(texts, documents.titles, documents.bodies, (rows, marks), lines, spans))
        openings = repeated.openings_of(rows, sources, times, marks)
        if cut:
            left_out = not_compared(rows, marks, apart, texts)
            documents = replace(repeated.without_lines(documents, cut), not_compared=left_out)
        if apart:
            chosen = np.zeros(len(documents), dtype=np.bool_)
            chosen[[part.number for part in apart]] = True
            again = repeated.fragments_of(Utf8Texts(documents.offsets, documents.data), only_first=True, chosen=chosen)
            openings = np.where(chosen, repeated.openings_of(again, sources, times), openings)
        return Compared(documents, repeated.blobs_of(rows, marks), openings, lines)

    def resume(self, loaded: Loaded) -> None:
        """Continue a stored stream, or continue after batches that other processes have stored."""
        if self._learner is not None:
            rows = loaded.lines
            self._learner.resume(rows.ordinals, rows.blobs, rows.sources, rows.times)


def repeated_spans(title: str, text: str, lines: bytes) -> list[tuple[int, int]]:
    """Where lines were left out of a text, by what a store keeps of its fragments: code points, ascending."""
    prefix = encoded(title) + b"\n" if title and not text.startswith(title) else b""
    full = texts_of_bytes([prefix + encoded(text)])
    rows, kept = repeated.fragments_of(full), np.frombuffer(lines, dtype=repeated.FRAGMENT)
    count = int(rows.counts[0])
    if rows.hashes[0, :count].tolist() != kept["hash"].tolist():
        # A wrong encoding was undone before the fragments were read.
        return []
    data, found = full.data[len(prefix) :].tobytes(), []
    for at in np.flatnonzero(kept["marks"] & LEFT_OUT).tolist():
        begin, end = (max(0, int(one[0, at]) - len(prefix)) for one in (rows.begins, rows.ends))
        line, before = data[begin:end].decode(), len(data[:begin].decode())
        if line.strip():
            before += len(line) - len(line.lstrip())
            found.append((before, before + len(line.strip())))
    for part in parts_apart(full, np.array([len(prefix)])):
        begin, end = (len(data[: at - len(prefix)].decode()) for at in (part.begin, part.end))
        found.append((begin, end))
    return sorted(found)


def with_repeated(
    store: StoreReader, ordinals: Sequence[int]
) -> tuple[list[Document], list[Sequence[tuple[int, int]]]]:
    """Documents of a store with their texts, and the ``repeated_spans`` of each."""
    documents, lines = [store.kept(one) for one in ordinals], [store.lines(one) for one in ordinals]
    each = zip(documents, lines, strict=True)
    return documents, [repeated_spans(one.title, one.text, kept) if kept else () for one, kept in each]


# Checksums of documents: of all fields, of the opening, and of each number

_WORD: Final = re.compile(r"\w+")
_SENTENCES: Final = 3
_LEAST_WORDS: Final = 5  # shorter first paragraphs ("Киев, 5 мая") are shared by too many texts
_MOST_NUMBERS_KNOWN: Final = 1 << 16
_EVERY_VALUE: Final = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY

_MANY_RUNS: Final = 300
"""Minimum number of runs for which equal ones are found first; for fewer, it takes longer than it saves."""


def content_hash(document: Document) -> bytes:
    """Return 16 bytes that depend on every field of a document, not on the order of the fields."""
    # 1 and "1" are one id.
    return _hash_of_record(row_of(document) | {"id": document.id})


def content_hashes(documents: DocumentBlock) -> list[bytes]:
    """Return ``content_hash`` of each document."""
    records = enumerate(map(documents.record, range(len(documents))))
    ids = documents.ids
    return [
        content_hash(documents[number]) if record is None else _hash_of_record(with_read_date(record, ids[number]))
        for number, record in records
    ]


def _hash_of_record(row: dict[str, Any]) -> bytes:
    if "item" in row:
        # When a feed was read again says nothing about its items.
        row.pop("collected_at", None)
    try:
        content = orjson.dumps(row, default=str, option=_EVERY_VALUE)
    except orjson.JSONEncodeError:
        # Documents made in memory may hold lone surrogates and integers beyond 64 bits.
        content = json.dumps(row, default=str, sort_keys=True, ensure_ascii=True).encode()
    return blake2b(content, digest_size=16).digest()


def batch_hash(content_hashes: Sequence[bytes]) -> bytes:
    """Return 16 bytes that depend on every document of a batch and on their order."""
    return blake2b(b"".join(content_hashes), digest_size=16).digest()


def opening_hash(text: str, rule: str) -> bytes:
    """Return 16 bytes for the opening words of a text, without case and punctuation; empty below five words."""
    if rule == "text":
        return b""
    begin = text.lstrip()
    begin = begin.partition("\n")[0] if rule == "opening" else _first_sentences(begin)
    words = _WORD.findall(begin.casefold())
    if len(words) < _LEAST_WORDS:
        return b""
    return blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _first_sentences(text: str) -> str:
    ends = (decision.end for decision in decisions(text) if decision.ends)
    return text[: next(islice(ends, _SENTENCES - 1, None), None)]


def number_rows(documents: DocumentBlock) -> Ragged:
    """Return 63-bit hashes of the distinct numbers in each title and text, ascending; numbers in tags do not count."""
    texts = Utf8Texts(documents.offsets, documents.data)
    tags = np.flatnonzero(texts.data[: texts.offsets[-1]] == ord("<"))
    which = sorted(set((np.searchsorted(texts.offsets, tags, side="right") - 1).tolist()))
    marked = {number: clean(full_text(documents[number])) for number in which}
    if marked:
        texts = with_replaced(texts, {number: encoded(text) for number, text in marked.items()})
    found = find_runs(texts)
    plain = {number: marked.get(number, full_text(documents[number])) for number in found.left}
    left = {number: tuple(map(_number_hash, numbers(text))) for number, text in plain.items()}
    return (_of_few_runs if len(found.runs) < _MANY_RUNS else _of_many_runs)(found, left)


def _of_few_runs(found: NumberRuns, left: Mapping[int, Sequence[int]]) -> Ragged:
    """Return the distinct hashes of each document, given those of the documents that are left to the plain code."""
    runs = iter(found.runs)
    rows = [
        sorted({value for run in islice(runs, size) for value in _run_hashes(run)}) for size in found.sizes.tolist()
    ]
    for number, hashes in left.items():
        rows[number] = sorted(set(hashes))
    return _rows_of(rows)


def _of_many_runs(found: NumberRuns, left: Mapping[int, Sequence[int]]) -> Ragged:
    """Like ``_of_few_runs``; most of many runs recur, such as years, and each is read once."""
    pool = SurfacePool(len(found.runs))
    numbered, sizes = pool.add(found.runs).astype(np.int64), found.sizes.copy()
    known = [_run_hashes(run) for run in pool.listed()]
    # What the plain code finds in a document counts as one more run, the only one of that document.
    places = np.array(found.left, dtype=np.int64)
    numbered = np.insert(numbered, np.cumsum(sizes)[places], np.arange(len(known), len(known) + len(places)))
    sizes[places] = 1
    parts = _rows_of([*known, *left.values()])
    room = np.empty(int(parts.sizes[numbered].sum()), dtype=np.int64)
    ends = np.empty(len(sizes) + 1, dtype=np.int64)
    distinct_of_parts(offsets_of(sizes), numbered, parts.indptr, parts.values, room, ends)
    return Ragged(ends, room[: ends[-1]].copy())


def _rows_of(rows: Sequence[Sequence[int]]) -> Ragged:
    ends = [0, *accumulate(map(len, rows))]
    return Ragged(np.array(ends, dtype=np.int64), np.fromiter(chain.from_iterable(rows), np.int64, ends[-1]))


@lru_cache(_MOST_NUMBERS_KNOWN)
def _run_hashes(run: str) -> tuple[int, ...]:
    return tuple(map(_number_hash, numbers_of_run(run)))


@lru_cache(_MOST_NUMBERS_KNOWN)
def _number_hash(number: str) -> int:
    return int.from_bytes(blake2b(number.encode(), digest_size=8).digest(), "little") >> 1


# Not frozen, like ``Remembered``.
@dataclass(slots=True, kw_only=True)
class Prepared:
    """Documents of a batch, with their hashes and times."""

    first: int  # ordinal of the first document
    given: DocumentBlock  # the documents as given
    documents: DocumentBlock  # the documents as they are compared
    lines: list[bytes] | None  # what a store keeps of the fragments of each; `None` if repeated lines are kept
    versions: Sequence[int]  # number of earlier documents with each id
    content_hashes: Sequence[bytes]  # checksum of all fields of each document
    # equality hash and opening hash of each document; the latter is empty if no rule needs it
    hashes: list[tuple[bytes, bytes]]
    published: list[int | None]  # publication times in UTC microseconds since 1970
    clocks: Ints  # int64, the stream's clock at each document
    times: Ints  # int64, publication times, or the clock if there is none
    numbers: Ragged  # hashes of the numbers in title and text; empty rows if no rule needs them

    def __len__(self) -> int:
        return len(self.documents)


def prepare(
    given: DocumentBlock,
    compared: Compared,
    settings: StreamSettings,
    *,
    first: int,
    clock: StreamClock,
    content_hashes: Sequence[bytes],
    versions: Sequence[int] | None = None,
) -> Prepared:
    """Compute the hashes and times of a batch."""
    documents = compared.documents
    published = [None if time == NO_TIME else time for time in documents.times.tolist()]
    clocks = [clock.advance(time) for time in published]
    times = [clock if time is None or time <= NO_CLOCK else time for time, clock in zip(published, clocks, strict=True)]
    return Prepared(
        first=first,
        given=given,
        documents=documents,
        lines=compared.lines,
        versions=versions or [0] * len(documents),
        content_hashes=content_hashes,
        hashes=list(zip(equality_hashes(documents), _openings(compared, settings), strict=True)),
        published=published,
        clocks=np.array(clocks, dtype=np.int64),
        times=np.array(times, dtype=np.int64),
        numbers=number_rows(documents) if settings.compares_numbers else no_rows(len(documents)),
    )


def _openings(compared: Compared, settings: StreamSettings) -> list[bytes]:
    if settings.compares_openings:
        return [b"" if one < 0 else one.to_bytes(8, "little") for one in compared.openings.tolist()]
    if settings.exact_rule == "text":
        return [b""] * len(compared.documents)
    return [opening_hash(one.text, settings.exact_rule) for one in compared.documents]


def no_rows(documents: int) -> Ragged:
    """Rows without values."""
    return Ragged(np.zeros(documents + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
