"""What is compared of a source that is read more than once: to learn repeated lines, to decide, to copy."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import orjson

from infostream_dedup.documents import Reading, ReadingReport, paths_of, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.documents import row_as_given
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.judging.repeated import lines
from infostream_dedup.judging.repeated.apart import not_compared, parts_apart
from infostream_dedup.judging.repeated.kernels.fragments import FragmentRows
from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.machine.arrays import Uint64s
from infostream_dedup.machine.files import reopenable_file
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.model import Document, DocumentBlock, single_documents
from infostream_dedup.runs.batch.collection import in_blocks

Documents = Iterable[Document | DocumentBlock]
_Read = tuple[DocumentBlock, FragmentRows]

_KEPT: Final = 1 << 29  # bytes of text up to which a collection is kept instead of being read twice


def without_repeated_lines(
    first: Documents, again: Callable[[], Documents], report: ReadingReport | None
) -> Iterator[tuple[DocumentBlock, DocumentBlock]]:
    """Yield documents, and without the lines that many of them repeat, which are learned from all of them first."""
    # ``report`` takes how many documents lost lines.
    left_out, learner = lines.LeftOut(), lines.LineLearner(collects=True)
    kept: list[_Read] | None = []
    size, threads = 0, thread_count(0)
    for one, rows in mapped(_with_fragments, in_blocks(first), threads):
        learner.learn(rows, one.sources, one.times)
        size += int(one.offsets[-1] - one.offsets[0])
        if kept is not None:
            kept.append((one, rows._replace(stems=rows.stems[:0].copy())))  # they are not asked for again
            if size > _KEPT:
                kept = None
    known = learner.known()
    del learner

    def shortened(read: _Read) -> tuple[DocumentBlock, DocumentBlock, lines.LeftOut]:
        (one, rows), own = read, lines.LeftOut()
        return one, _without_lines(one, rows, known, own), own

    every = mapped(_with_fragments, in_blocks(again()), threads) if kept is None else kept
    for whole, short, own in mapped(shortened, every, threads):
        left_out.add(own)
        yield whole, short
    if report is not None:
        left_out.note(report)


def _with_fragments(one: DocumentBlock) -> _Read:
    return one, lines.fragments_of(Utf8Texts(one.offsets, one.data))


def _without_lines(block: DocumentBlock, rows: FragmentRows, known: Uint64s, left_out: lines.LeftOut) -> DocumentBlock:
    texts = Utf8Texts(block.offsets, block.data)
    marks = lines.known_marks(rows, block.sources, known)
    chosen, apart = np.any(marks & LEFT_OUT, axis=1), list(parts_apart(texts, block.bodies))
    openings = lines.openings_of(rows, block.sources, block.times)
    if not chosen.any() and not apart:
        return replace(block, openings=openings)
    spans = [one[:3] for one in apart]
    cut = list(lines.shortened(texts, block.titles, block.bodies, (rows, marks), left_out, spans))
    changed = lines.without_lines(block, cut)
    chosen[:] = False
    chosen[[one.number for one in cut]] = True
    again = lines.fragments_of(Utf8Texts(changed.offsets, changed.data), only_first=True, chosen=chosen)
    openings = np.where(chosen, lines.openings_of(again, block.sources, block.times), openings)
    return replace(changed, not_compared=not_compared(rows, marks, apart, texts), openings=openings)


class Rereadable:
    """A source that can be read a second time.

    Files, lists and frames are simply read again. Standard input is copied to a temporary file on the first pass.

    ``source``: the documents; ``reading``: how to read them; ``copy``: file for standard input; ``keep``: keep the
    documents of a list of records, instead of checking them again, as their texts are in memory anyway, and those of an
    iterator, which has no second pass. ``report``: what the first pass read.
    """

    def __init__(self, source: Any, reading: Reading, copy: IO[bytes] | None, *, keep: bool = False) -> None:
        self._source = source
        self._reading = reading
        self._copy = copy
        self._mark: int | None = 0
        self._kept: list[Document] | None = [] if keep and _is_kept(source) else None
        self.report = ReadingReport()

    @property
    def paths(self) -> list[str]:
        """The files of the source, which must not be overwritten."""
        return paths_of(self._source)

    def first(self) -> Iterator[Document | DocumentBlock]:
        """The first pass, with many documents in blocks: bad records are reported and quarantined here."""
        read = read_documents if isinstance(self._source, Iterator) else read_document_blocks
        for one in read(self._source, report=self.report, reading=self._reading):
            if self._kept is not None:
                self._kept.extend(single_documents(one))
            else:
                self._mark = _mark_with(self._mark or 0, one)
            if self._copy is not None:
                rows = map(row_as_given, single_documents(one))
                self._copy.writelines(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
            yield one
        if self._copy is not None:
            self._copy.flush()

    @property
    def mark(self) -> int | None:
        """Checksum of what the first pass read; ``None`` if the documents are kept."""
        return None if self._kept is not None else self._mark

    def was_read(self, report: ReadingReport, mark: int | None) -> None:
        """Treat the first pass as done by an earlier run."""
        self.report = report
        self._mark = mark

    def again(self) -> Iterator[Document]:
        """A further pass: the same documents in the same order."""
        return chain.from_iterable(map(single_documents, self.again_blocks()))

    def again_blocks(self) -> Iterator[Document | DocumentBlock]:
        """A further pass, with many documents in blocks."""
        if self._kept is not None:
            yield from self._kept
            return
        reading = self._reading
        if reading.quarantine is not None:
            reading = replace(reading, quarantine=os.devnull)
        source = self._source
        if self._copy is not None:
            source = self._copy.name
            reading = replace(reading, encoding=None)
        report = ReadingReport()
        mark = 0
        for one in read_document_blocks(source, report=report, reading=reading):
            mark = _mark_with(mark, one)
            # A document more than before would have no status.
            if report.used > self.report.used:
                break
            yield one
        if report.used != self.report.used or self._mark not in (mark, None):
            raise BadDataError(
                f"the second reading returned different documents from the first, which returned {self.report.used}; "
                "leave the files alone while they are read, and give a list instead of an iterator",
                code="E_CHANGED",
                source=", ".join(str(item) for item in _items(self._source) if isinstance(item, str | Path)) or "-",
            )


@contextmanager
def rereadable(source: Any, reading: Reading, *, keep: bool = False) -> Iterator[Rereadable]:
    """Open a source for two passes, as in ``Rereadable``; a temporary copy, if needed, is removed at the end."""
    if isinstance(source, Iterator) and not keep:
        raise UsageError(
            f"the documents are read twice, and this {type(source).__name__} can be read only once; give a list, a "
            "table or a file"
        )
    if not any(isinstance(item, str) and item == "-" for item in _items(source)):
        yield Rereadable(source, reading, None, keep=keep)
        return
    with reopenable_file(".jsonl") as copy:
        yield Rereadable(source, reading, copy)


def _mark_with(mark: int, one: Document | DocumentBlock) -> int:
    """Update the checksum of ids and text lengths: enough to notice that a file was replaced or changed."""
    if isinstance(one, Document):
        return zlib.crc32(f"{one.id}\0{len(one.text)}\0".encode(), mark)
    lengths = one.characters[:, 1].tolist()
    whole = "".join(f"{name}\0{length}\0" for name, length in zip(one.ids, lengths, strict=True))
    return zlib.crc32(whole.encode(), mark)


def _is_kept(source: Any) -> bool:
    """Whether the source is an iterator or a list of records."""
    if isinstance(source, Iterator):
        return True
    return isinstance(source, list | tuple) and len(source) > 0 and isinstance(source[0], Mapping | Document)


def _items(source: Any) -> list[Any]:
    return list(source) if isinstance(source, list | tuple) else [source]
