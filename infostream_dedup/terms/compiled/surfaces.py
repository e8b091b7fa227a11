"""Read documents as tokens with compiled code on all cores.

Texts are gathered into chunks of a megabyte or two, which threads scan while the next ones are read. The threads share
one pool of surfaces and take turns to number what they found, in the order of the documents.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology.stemming import stemmed_text, with_stems
from infostream_dedup.language.text.scanner import Scanned, Scanner, detect
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, texts_of
from infostream_dedup.machine.threads import Turns, thread_count
from infostream_dedup.model import OUR_LANGUAGES, language_number

_CHUNK: Final = 1 << 20
"""Characters of text scanned at a time. After each compiled step a thread waits up to five milliseconds for Python's
lock while another one reads documents, so chunks are as large as the processor's cache allows."""
_AHEAD: Final = 6  # chunks that may wait beside those that threads read
_STRETCH: Final = 1 << 23
"""Tokens that share one piece of memory: numpy asks for large pages for it, which the system clears faster than small
ones, and it returns to the system as soon as no chunk uses it."""


@dataclass(frozen=True, slots=True)
class SurfaceTokens:
    """The surfaces of each document, token by token."""

    chunks: list[Scanned]  # tokens of consecutive documents, numbers of `surfaces`
    languages: NDArray[np.uint8]  # uint8 (documents,), index into `LANGUAGES`
    _surfaces: list[SurfaceList]

    def __len__(self) -> int:
        return len(self.languages)

    def forget(self) -> None:
        """Free everything but the languages; the terms can no longer be counted."""
        self.chunks.clear()
        self._surfaces.clear()

    @property
    def surfaces(self) -> SurfaceList:
        """Distinct surfaces in the order of their first occurrence."""
        if not self._surfaces:
            raise RuntimeError("the words of these documents were forgotten; read the documents again")
        return self._surfaces[0]

    def firsts(self) -> list[int]:
        """Number of the first document of each chunk."""
        return [0, *accumulate(map(len, self.chunks))][:-1]


class SurfaceCounter:
    """Counts surfaces, many documents at a time; the result does not depend on the number of threads."""

    def __init__(self, workers: int = 0) -> None:
        self._threads = thread_count(workers)
        self._pool = ThreadPoolExecutor(self._threads)
        self._surfaces = SurfacePool()
        self._own = threading.local()
        self._turns = Turns()
        self._texts: list[str] = []
        self._languages: list[str | None] = []
        self._characters = 0
        self._documents = 0
        self._running: deque[Future[_Chunk]] = deque()
        self._chunks: list[_Chunk] = []
        self._stretch = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return self._documents

    def add(self, text: str, language: str | None) -> None:
        """Count one document."""
        self._texts.append(text if language is None or language in OUR_LANGUAGES else stemmed_text(text, language))
        self._languages.append(language)
        self._characters += len(text)
        self._documents += 1
        if self._characters >= _CHUNK:
            self._submit()

    def add_texts(self, texts: Utf8Texts, languages: Sequence[str | None]) -> None:
        """Count documents that are already in memory as UTF-8, such as a column of an Arrow table."""
        self._submit()
        if any(one is not None and one not in OUR_LANGUAGES for one in languages):
            texts = with_stems(texts, languages)
        self._run(lambda: texts, languages)
        self._documents += len(texts)

    def finish(self) -> SurfaceTokens:
        """Return the tokens of all documents added so far; the counter must not be used again."""
        self._submit()
        for running in self._running:
            self._keep(running.result())
        self._pool.shutdown()
        languages = [chunk.languages for chunk in self._chunks]
        every = np.concatenate(languages) if languages else np.zeros(0, dtype=np.uint8)
        tokens = SurfaceTokens([chunk.scanned for chunk in self._chunks], every, [self._surfaces.listed()])
        # A reference to the counter must not keep its memory alive.
        self._surfaces, self._chunks, self._stretch = SurfacePool(), [], self._stretch[:0].copy()
        return tokens

    def _submit(self) -> None:
        if not self._texts:
            return
        strings = self._texts
        self._run(lambda: texts_of(strings), self._languages)
        self._texts, self._languages, self._characters = [], [], 0

    def _run(self, read: Callable[[], Utf8Texts], languages: Sequence[str | None]) -> None:
        self._running.append(self._pool.submit(self._scan, read, languages, len(self._chunks) + len(self._running)))
        # A fast reader must not pile up texts, nor threads wait while the reader keeps what others have found.
        while len(self._running) > self._threads + _AHEAD:
            self._keep(self._running.popleft().result())

    def _keep(self, chunk: _Chunk) -> None:
        scanned, size = chunk.scanned, len(chunk.scanned.tokens)
        if size > len(self._stretch):
            self._stretch = np.empty(max(size, _STRETCH), dtype=np.int32)
        kept, self._stretch = self._stretch[:size], self._stretch[size:]
        kept[:] = scanned.tokens
        self._chunks.append(_Chunk(Scanned(kept, scanned.begins, scanned.lengths), chunk.languages))

    def _scan(self, read: Callable[[], Utf8Texts], languages: Sequence[str | None], number: int) -> _Chunk:
        if not hasattr(self._own, "scanner"):
            self._own.scanner = Scanner(self._surfaces)
        scanner: Scanner = self._own.scanner
        with self._turns.of(number) as wait:
            texts = read()
            found = scanner.find(texts)
            given = np.array([_NOT_GIVEN if one is None else language_number(one) for one in languages], dtype=np.uint8)
            if None in languages:
                given = np.where(given == _NOT_GIVEN, detect(texts), given)
            wait()
            return _Chunk(scanner.number(found), given)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Tokens and languages of consecutive documents."""

    scanned: Scanned
    languages: NDArray[np.uint8]


_NOT_GIVEN: Final = 255  # marks a language to be detected
