"""Cached terms of forms: common ones are shipped, and a second run over similar text analyses only new forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from infostream_dedup.language.morphology.analyzer import Morphology
from infostream_dedup.language.morphology.cache_file import UNKNOWN_ROW, CacheFile, FormRow, cache_file
from infostream_dedup.language.morphology.cached_table import CachedTable
from infostream_dedup.language.morphology.known_table import FormTable
from infostream_dedup.language.morphology.known_terms import known_terms
from infostream_dedup.language.morphology.parallel_analysis import analysed_over_cores
from infostream_dedup.language.text.tokens import Form, Shape
from infostream_dedup.model import Language

_MOST_IN_MEMORY = 1_000_000
"""Maximum number of forms in memory (about 200 MB); beyond it, the memory is cleared and the file is read again."""

_MANY = 1_000
"""Minimum number of forms for which the shipped table is asked before the file; unpacking it takes 0.2 s."""

_SHAPES = {shape: str(int(shape)) for shape in Shape}
"""The digit for the shape, which precedes the form in a key."""


_WORTH_UNPACKING: Final = 50_000
"""Number of words that are looked up in the packed table of terms before it is unpacked."""


class FormCache:
    """Terms of the forms of one language: from memory, the file, the package, or otherwise from :class:`Morphology`.

    Args:
        language: language of the forms.
        file: file that keeps answers after the process ends; ``None`` for memory only.
    """

    def __init__(self, language: Language, file: CacheFile | None) -> None:
        self._language = language
        self._file = file
        self._memory: dict[str, FormRow] = {}
        self._asked = 0
        self._cached = None if file is None else CachedTable(language, file)

    def table(self, words: int) -> FormTable | None:
        """Return the answers of the file as a table, if that is worth it for this number of words about to be asked.

        Its owner asks for words that will not be looked up again; words that the table does not know may have been
        cached since.
        """
        return None if self._cached is None else self._cached.when_asked_for(words)

    def terms_of(self, forms: Sequence[Form], *, strict: bool) -> list[str | None]:
        """The ``morph`` term of each form, ``None`` if the form is not a term.

        Args:
            forms: forms with their shapes; repeated ones are looked up once.
        """
        keys = [_SHAPES[shape] + form for form, shape in forms]
        distinct = sorted(set(keys))
        held = dict(zip(distinct, self._remembered(distinct, common=True), strict=True))
        return [term if taken or not strict else None for term, taken in map(held.__getitem__, keys)]

    def terms_of_new(self, keys: Sequence[str], *, strict: bool) -> list[str | None]:
        """Like ``terms_of``, for forms that will not be looked up again: the answers are not kept in memory.

        Args:
            keys: the digit of a shape, then the form; distinct, preferably in code point order.
        """
        return [term if taken or not strict else None for term, taken in self._rows(keys, table=self.table(len(keys)))]

    def terms_of_uncommon(self, keys: Sequence[str], *, strict: bool, kept: bool) -> list[str | None]:
        """Like ``terms_of``, for forms that the shipped table does not know.

        Args:
            keys: the digit of a shape, then the form; distinct.
        """
        rows = (self._remembered if kept else self._rows)(keys, common=False)
        return [term if taken or not strict else None for term, taken in rows]

    def _remembered(self, keys: Sequence[str], *, common: bool) -> list[FormRow]:
        """Like ``_rows``, but rows are kept in memory, unless they are too many."""
        if len(keys) > _MOST_IN_MEMORY:
            return self._rows(keys, common=common)
        memory = self._memory
        missing = [key for key in keys if key not in memory]
        if len(memory) + len(missing) > _MOST_IN_MEMORY:
            memory = self._memory = {}
            missing = list(keys)
        memory.update(zip(missing, self._rows(missing, common=common), strict=True))
        return [memory[key] for key in keys]

    def _rows(self, keys: Sequence[str], *, common: bool = True, table: FormTable | None = None) -> list[FormRow]:
        """Look up distinct keys, and analyse those that are not found."""
        if self._language == "en":
            terms = _morphology("en").english_terms([key[1:] for key in keys])
            return [(term, int(term is not None)) for term in terms]
        rows, file = [UNKNOWN_ROW] * len(keys), self._file
        first, unknown = common and (len(keys) >= _MANY or table is not None), list(range(len(keys)))
        if table is not None:
            unknown = _fill_in(rows, keys, unknown, table.rows)
        if first:
            unknown = _fill_in(rows, keys, unknown, self._shipped)
        if file is not None:
            unknown = _fill_in(rows, keys, unknown, lambda asked: file.rows(self._language, asked))
        unkept = unknown
        if common and not first:
            # The file answers first, so that a process that looks up a few words need not unpack the shipped table.
            unknown = _fill_in(rows, keys, unknown, self._shipped)
        _fill_in(rows, keys, unknown, self._analysed)
        if file is not None and unkept:
            file.remember(self._language, {keys[place]: rows[place] for place in unkept}, at_once=False)
        return rows

    def _shipped(self, keys: Sequence[str]) -> list[FormRow]:
        self._asked += len(keys)
        if self._asked < _WORTH_UNPACKING:
            return known_terms(self._language).rows(keys)
        from infostream_dedup.language.morphology.known_table import known_table

        return known_table(self._language).rows(keys)

    def _analysed(self, keys: Sequence[str]) -> list[FormRow]:
        return analysed_over_cores(self._language, keys, self._analysis)

    def _analysis(self, key: str) -> FormRow:
        analysis = _morphology(self._language).analyse(key[1:], Shape(int(key[0])))
        return analysis.term, int(analysis.term is not None and analysis.in_dictionary)


def _fill_in(
    rows: list[FormRow],
    keys: Sequence[str],
    unknown: Sequence[int],
    look_up: Callable[[Sequence[str]], list[FormRow]],
) -> list[int]:
    """Look up the keys whose rows are unknown; return the places of those that still are."""
    still = []
    for place, row in zip(unknown, look_up([keys[place] for place in unknown]) if unknown else (), strict=True):
        if row[1] is None:
            still.append(place)
        else:
            rows[place] = row
    return still


def terms_of(forms: Sequence[Form], language: Language, *, strict: bool) -> list[str | None]:
    """Return the ``morph`` term of each form, ``None`` if it is not a term; answers are cached between runs.

    Args:
        language: language of their text. English terms are stems (see :class:`Morphology`).
    """
    return _form_cache(language).terms_of(forms, strict=strict)


def terms_of_new(keys: Sequence[str], language: Language, *, strict: bool) -> list[str | None]:
    """Like ``terms_of``, for forms that the caller keeps: also keeping a stream's words here would double memory.

    Args:
        keys: the digit of a ``Shape``, then the form; distinct, preferably in code point order.
    """
    return _form_cache(language).terms_of_new(keys, strict=strict)


def terms_of_uncommon(keys: Sequence[str], language: Language, *, strict: bool, kept: bool) -> list[str | None]:
    """Like ``terms_of``, for forms that the shipped table does not know.

    Args:
        keys: the digit of a ``Shape``, then the form; distinct, preferably in code point order.
    """
    return _form_cache(language).terms_of_uncommon(keys, strict=strict, kept=kept)


def cached_table(language: Language, words: int) -> FormTable | None:
    """Return the cache as a table if looking up this many words justifies loading it."""
    return _form_cache(language).table(words)


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)


@cache
def _form_cache(language: Language) -> FormCache:
    # English terms are stems, which are computed faster than they are looked up.
    return FormCache(language, None if language == "en" else cache_file())
