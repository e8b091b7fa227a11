"""The cached terms of a language as a table for compiled code, once a stream asks for so many that reading all pays."""

from __future__ import annotations

import threading
from typing import Final

import numpy as np

from infostream_dedup.language.morphology.cache_file import CacheFile, FormRows
from infostream_dedup.language.morphology.known_table import NO_TERM, UNKNOWN, FormTable
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Shape

_FEWEST_ASKED: Final = 1_000
_ROWS_PER_ASKED: Final = 32
"""All rows are read when the words asked for so far are this fraction of them: a stream asks on for as long as it runs,
and reading a row with all others takes half of the time of looking it up."""

_MOST_ROWS: Final = 500_000
"""Larger caches, of months, stay on disk; the table of so many takes 40 MB, and reading it 200 MB for a moment."""


class CachedTable:
    """The table of a cache file, read once in a process.

    Args:
        language: language of the forms.
        file: the cache file.
    """

    def __init__(self, language: str, file: CacheFile) -> None:
        self._language = language
        self._file = file
        self._asked = 0
        self._worth_counting = _FEWEST_ASKED
        self._table: FormTable | None = None
        self._lock = threading.Lock()

    def when_asked_for(self, words: int) -> FormTable | None:
        """Return the table, if it is worth reading for these words and those asked for before."""
        if self._table is not None:
            return self._table
        with self._lock:
            self._asked += words
            if self._table is None and self._asked >= self._worth_counting:
                self._read_if_worth()
            return self._table

    def _read_if_worth(self) -> None:
        rows = self._file.count(self._language)
        self._worth_counting = max(rows // _ROWS_PER_ASKED, 2 * self._worth_counting)
        if 0 < rows <= min(_ROWS_PER_ASKED * self._asked, _MOST_ROWS):
            self._table = table_of(self._file.every_row(self._language))


def table_of(rows: FormRows) -> FormTable:
    """Make a table of rows."""
    pool = SurfacePool()
    forms = pool.add(SurfaceList.of([key[1:] for key in rows.keys]))
    shapes = np.array([int(key[0]) for key in rows.keys], dtype=np.int64)
    numbers = np.full((len(pool), len(Shape)), UNKNOWN, dtype=np.int32)
    guessed = np.zeros((len(pool), len(Shape)), dtype=np.int32)
    has_term = np.array([term is not None for term in rows.terms], dtype=np.bool_)
    numbers[forms, shapes] = np.where(has_term, np.cumsum(has_term) - 1, NO_TERM)
    guessed[forms, shapes] = 1 - np.array(rows.strict, dtype=np.int32)
    return FormTable(pool, numbers, guessed, SurfaceList.of([term for term in rows.terms if term is not None]))
