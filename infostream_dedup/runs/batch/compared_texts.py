"""What is compared of a collection: its texts without listed sentences and without lines that many of them repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.judging.repeated.lines import (
    LeftOut,
    LineLearner,
    Shortened,
    fragments_of,
    known_marks,
    shortened,
)
from infostream_dedup.language.text.surface_pool import Utf8Texts, texts_of_bytes
from infostream_dedup.model import Document, DocumentBlock
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
    size = 0
    for one in in_blocks(first):
        if isinstance(one, DocumentBlock):
            learner.learn(_fragments(one), one.sources, one.times)
            size += int(one.offsets[-1] - one.offsets[0])
        if kept is not None:
            kept.append(one)
            if size > _KEPT:
                kept = None
    known = learner.known()
    del learner
    for one in in_blocks(again()) if kept is None else kept:
        if isinstance(one, DocumentBlock) and len(known):
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
    titles, bodies = block.titles - block.offsets[:-1], block.bodies - block.offsets[:-1]
    sizes, characters, bounds = np.diff(block.offsets), block.characters.copy(), block.offsets.tolist()
    whole, pieces, done = block.data, [], 0
    for one in cut:
        title, text, number = one.title, one.text, one.number
        apart = title + b"\n" if title and not text.startswith(title) else b""
        # The documents between two that change are one run of bytes.
        pieces += [whole[bounds[done] : bounds[number]].tobytes(), apart, text]
        sizes[number], titles[number], bodies[number] = len(apart) + len(text), len(title), len(apart)
        characters[number] = len(title.decode()), len(text.decode())
        done = number + 1
    pieces.append(whole[bounds[done] : bounds[-1]].tobytes())
    offsets, changed, bare = offsets_of(sizes), {one.number: one for one in cut}, block.without_text

    def without_text(number: int) -> Document:
        found = bare(number)
        return found if number not in changed else replace(found, title=changed[number].title.decode())

    return replace(
        block,
        data=texts_of_bytes(pieces).data,
        offsets=offsets,
        titles=offsets[:-1] + titles,
        bodies=offsets[:-1] + bodies,
        characters=characters,
        without_text=without_text,
    )
