"""What a stream compares: the texts of documents without the lines that earlier documents have shown to recur."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.judging.repeated.apart import not_compared, parts_apart
from infostream_dedup.judging.repeated.kernels.witnesses import LEFT_OUT
from infostream_dedup.judging.repeated.lines import (
    FRAGMENT,
    LeftOut,
    LineLearner,
    blobs_of,
    fragments_of,
    openings_of,
    shortened,
    without_lines,
)
from infostream_dedup.language.text.surface_pool import Utf8Texts, encoded, texts_of_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.model import Document, DocumentBlock
    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.store.reader import StoreReader
    from infostream_dedup.stream.store.restoring import Loaded


class Compared(NamedTuple):
    """Documents of a batch as they are compared."""

    documents: DocumentBlock  # the documents, without repeated lines
    lines: list[bytes] | None  # what a store keeps of the fragments of each; `None` if repeated lines are kept
    openings: NDArray[np.int64]  # int64 (documents,), `openings_of` them; none if not needed
    left_out: LeftOut  # the repeated lines


class ComparedTexts:
    """Leaves repeated lines out of the documents of a stream.

    ``left_out`` is what has been left out of the documents judged so far.
    """

    def __init__(self, settings: StreamSettings) -> None:
        keeps = settings.keep_repeated_lines or settings.preset != "judged"
        self._learner = None if keeps else LineLearner()
        self._compares_openings = settings.compares_openings
        self.left_out = LeftOut()

    def read(self, documents: DocumentBlock, first: int) -> Compared:
        """Read documents in order; ``first`` is the ordinal of the first."""
        if self._learner is None and not self._compares_openings:
            return Compared(documents, None, np.zeros(0, dtype=np.int64), LeftOut())
        texts = Utf8Texts(documents.offsets, documents.data)
        rows, sources, times = fragments_of(texts), documents.sources, documents.times
        nothing = np.zeros(rows.hashes.shape, dtype=np.uint8)
        if self._learner is None:
            return Compared(documents, None, openings_of(rows, nothing, sources, times), LeftOut())
        self._learner.skip_to(first)
        lines = LeftOut()
        marks = self._learner.learn(rows, sources, times)
        apart = list(parts_apart(texts, documents.bodies))
        spans = [one[:3] for one in apart]
        cut = list(shortened(texts, documents.titles, documents.bodies, (rows, marks), lines, spans))
        openings = openings_of(rows, marks, sources, times)
        if cut:
            left_out = not_compared(rows, marks, apart, texts)
            documents = replace(without_lines(documents, cut), not_compared=left_out)
        if apart:
            chosen = np.zeros(len(documents), dtype=np.bool_)
            chosen[[part.number for part in apart]] = True
            again = fragments_of(Utf8Texts(documents.offsets, documents.data), only_first=True, chosen=chosen)
            openings = np.where(chosen, openings_of(again, nothing, sources, times), openings)
        return Compared(documents, blobs_of(rows, marks), openings, lines)

    def resume(self, loaded: Loaded) -> None:
        """Continue a stored stream, or continue after batches that other processes have stored."""
        if self._learner is not None:
            rows = loaded.lines
            self._learner.resume(rows.ordinals, rows.blobs, rows.sources, rows.times)


def repeated_spans(title: str, text: str, lines: bytes) -> list[tuple[int, int]]:
    """Where the lines stand that were left out of a text: code points, ascending.

    ``lines``: what a store keeps of its fragments.
    """
    prefix = encoded(title) + b"\n" if title and not text.startswith(title) else b""
    full = texts_of_bytes([prefix + encoded(text)])
    rows, kept = fragments_of(full), np.frombuffer(lines, dtype=FRAGMENT)
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
