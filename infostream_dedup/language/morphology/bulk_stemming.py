"""Stem many words at once, without Python strings.

Russian and English words are stemmed by the C functions of libstemmer inside PyStemmer's extension module. If the
installed PyStemmer hides them (Windows, other builds), the same stemmer is called with Python strings, which gives the
same stems in three times the time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology import stemming
from infostream_dedup.language.morphology.kernels import (
    OUT_OF_MEMORY,
    Snowball,
    WordsToStem,
    ending_tree,
    stem_ukrainian_words,
    stem_words,
)
from infostream_dedup.language.morphology.stemming import ENDINGS
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import Language


def stems(words: SurfaceList, numbers: NDArray[np.int64], language: Language) -> SurfaceList:
    """Return the stems of the words with these numbers, in order. Thread-safe."""
    lengths = words.starts[numbers + 1] - words.starts[numbers]
    starts = np.zeros(len(numbers) + 1, dtype=np.int64)
    pool = np.empty(int(lengths.sum()) + BLOCK, dtype=np.uint8)
    if language == "uk":
        stem_ukrainian_words(words.pool, words.starts, numbers, _ukrainian_endings(), starts, pool)
        return SurfaceList(starts, pool)
    library = _library()
    if library is None or language not in stemming.ALGORITHMS:
        return SurfaceList.of(stemming.stems(words.some(numbers), language))
    typed = np.empty(int(lengths.max(initial=0)) + 1, dtype=np.uint8)
    wanted = WordsToStem(words.pool, words.starts, numbers)
    with library.stemmer(language) as snowball:
        done = stem_words(snowball, wanted, 0, typed, starts, pool[:-BLOCK])
        while OUT_OF_MEMORY < done < len(numbers):
            pool = np.concatenate([pool, np.empty(len(pool), dtype=np.uint8)])
            done = stem_words(snowball, wanted, done, typed, starts, pool[:-BLOCK])
    if done == OUT_OF_MEMORY:
        raise MemoryError("libstemmer could not allocate memory for a word; process fewer documents at a time")
    return SurfaceList(starts, pool)


@cache
def _ukrainian_endings() -> NDArray[np.int16]:
    return ending_tree(ENDINGS)


@dataclass(frozen=True, slots=True)
class _Library:
    """The C functions of libstemmer."""

    new: Any
    delete: Any
    stem: int
    length: int

    @contextmanager
    def stemmer(self, language: Language) -> Iterator[Snowball]:
        """Create a stemmer; it is cheap and must not be shared between threads."""
        address = self.new(stemming.ALGORITHMS[language].encode(), None)
        if not address:
            raise MemoryError(f"libstemmer could not create a stemmer for {language}")
        try:
            yield Snowball(self.stem, self.length, address)
        finally:
            self.delete(address)


@cache
def _library() -> _Library | None:
    """Return the functions that the extension module of PyStemmer exports; ``None`` if there are none."""
    try:
        import Stemmer

        exported = ctypes.CDLL(Stemmer.__file__)
        new, delete = exported.sb_stemmer_new, exported.sb_stemmer_delete
        stem, length = exported.sb_stemmer_stem, exported.sb_stemmer_length
    except (AttributeError, ImportError, OSError):
        return None
    new.restype, new.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
    delete.restype, delete.argtypes = None, [ctypes.c_void_p]
    addresses = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in (stem, length)]
    return _Library(new, delete, *addresses)
