"""What is compared of a collection: its texts without listed sentences and without lines that many of them repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.judging.repeated.lines import (
    LeftOut,
    LineLearner,
    Shortened,
    fragments_of,
    known_marks,
    shortened,
    without_lines,
)
from infostream_dedup.language.text.surface_pool import Utf8Texts
from infostream_dedup.model import Document, DocumentBlock, with_texts
from infostream_dedup.runs.batch.collection import in_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.repeated.kernels.fragments import FragmentRows

Documents = Iterable[Document | DocumentBlock]

_KEPT: Final = 1 << 26
"""Bytes of text up to which a collection is kept instead of being read twice."""


def without_repeated_lines(
    first: Documents, again: Callable[[], Documents], left_out: LeftOut
) -> Iterator[Document | DocumentBlock]:
    """Yield documents without the lines that many of them repeat, which are learned from all of them first."""
    learner = LineLearner(collects=True)
    kept: list[Document | DocumentBlock] | None = []
    size, found = 0, False
    for one in in_blocks(first):
        if isinstance(one, DocumentBlock):
            found |= bool(np.any(learner.learn(_fragments(one), one.sources, one.times) & LEFT_OUT))
            size += int(one.offsets[-1] - one.offsets[0])
        if kept is not None:
            kept.append(one)
            if size > _KEPT:
                kept = None
    known = learner.known()
    del learner
    for one in in_blocks(again()) if kept is None else kept:
        if isinstance(one, DocumentBlock) and (found or len(known)):
            yield _without_lines(one, known, left_out)
        else:
            yield one


def _texts(block: DocumentBlock) -> Utf8Texts:
    return Utf8Texts(block.offsets, block.data)


def _fragments(block: DocumentBlock) -> FragmentRows:
    return fragments_of(_texts(block))


def _without_lines(block: DocumentBlock, known: NDArray[np.uint64], left_out: LeftOut) -> DocumentBlock:
    rows = _fragments(block)
    found = rows, known_marks(rows, block.sources, known)
    cut = list(shortened(_texts(block), block.titles, block.bodies, found, left_out))
    return _with_texts(block, cut) if cut else block


def _with_texts(block: DocumentBlock, cut: list[Shortened]) -> DocumentBlock:
    """Return a block with other titles and texts."""
    texts, bodies = without_lines(_texts(block), block.bodies, cut)
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
