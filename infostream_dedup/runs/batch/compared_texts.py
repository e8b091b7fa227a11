"""What is compared of a collection: its texts without listed sentences and without lines that many of them repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.repeated.apart import not_compared, parts_apart
from infostream_dedup.judging.repeated.kernels.fragments import FragmentRows
from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.judging.repeated.lines import (
    LeftOut,
    LineLearner,
    Shortened,
    fragments_of,
    joined_rows,
    known_marks,
    part_of,
    shortened,
    without_lines,
    without_places,
)
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.model import Document, DocumentBlock, with_texts
from infostream_dedup.runs.batch.collection import in_blocks

Documents = Iterable[Document | DocumentBlock]

_KEPT: Final = 1 << 29
"""Bytes of text up to which a collection is kept instead of being read twice."""
_ROWS_KEPT: Final = 1 << 18
"""Documents whose fragments are kept (88 bytes each) instead of being hashed twice."""


def without_repeated_lines(
    first: Documents, again: Callable[[], Documents], left_out: LeftOut
) -> Iterator[tuple[Document | DocumentBlock, Document | DocumentBlock]]:
    """Yield documents, and without the lines that many of them repeat, which are learned from all of them first."""
    learner = LineLearner(collects=True)
    kept: list[Document | DocumentBlock] | None = []
    found: list[FragmentRows] | None = []
    size = documents = 0
    for one in in_blocks(first):
        if isinstance(one, DocumentBlock):
            rows = fragments_of(Utf8Texts(one.offsets, one.data))
            learner.learn(rows, one.sources, one.times)
            size += int(one.offsets[-1] - one.offsets[0])
            documents += len(rows.counts)
            if found is not None:
                found.append(without_places(rows))
        if kept is not None:
            kept.append(one)
            if size > _KEPT:
                kept = None
        if documents > _ROWS_KEPT:
            found = None
    known = learner.known()
    del learner
    hashes, at = None if found is None else joined_rows(found), 0
    for one in in_blocks(again()) if kept is None else kept:
        if isinstance(one, DocumentBlock):
            end = at + len(one.offsets) - 1
            known_rows = None if hashes is None or end > len(hashes.counts) else part_of(hashes, slice(at, end))
            at = end
            yield one, _without_lines(one, known_rows, known, left_out)
        else:
            yield one, one


def _without_lines(
    block: DocumentBlock, rows: FragmentRows | None, known: NDArray[np.uint64], left_out: LeftOut
) -> DocumentBlock:
    texts = Utf8Texts(block.offsets, block.data)
    rows = fragments_of(texts) if rows is None else rows
    marks = known_marks(rows, block.sources, known)
    chosen, apart = np.any(marks & LEFT_OUT, axis=1), list(parts_apart(texts, block.bodies))
    if not chosen.any() and not apart:
        return block
    if not len(rows.begins):
        placed = fragments_of(texts, chosen=chosen)
        if not np.array_equal(placed.hashes[marks & LEFT_OUT > 0], rows.hashes[marks & LEFT_OUT > 0]):
            # The source has changed since it was read.
            return _without_lines(block, None, known, left_out)
        rows = placed
    spans = [one[:3] for one in apart]
    cut = list(shortened(texts, block.titles, block.bodies, (rows, marks), left_out, spans))
    return replace(_with_texts(block, cut), not_compared=not_compared(rows, marks, apart, texts))


def _with_texts(block: DocumentBlock, cut: list[Shortened]) -> DocumentBlock:
    texts, bodies = without_lines(Utf8Texts(block.offsets, block.data), block.bodies, cut)
    titles, characters = block.titles - block.offsets[:-1], block.characters.copy()
    for one in cut:
        titles[one.number] = len(one.title)
        characters[one.number] = len(one.title.decode()), len(one.text.decode())
    changed, bare = {one.number: one for one in cut}, block.without_text

    def without_text(number: int) -> Document:
        found = bare(number)
        return found if number not in changed else with_texts(found, changed[number].title.decode(), "")

    return replace(
        block,
        data=texts.data,
        offsets=texts.offsets,
        titles=texts.offsets[:-1] + titles,
        bodies=bodies,
        characters=characters,
        without_text=without_text,
    )
