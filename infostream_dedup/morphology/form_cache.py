"""Cached terms of forms: common ones are shipped, and a second run over similar text analyses only new forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from infostream_dedup.model import Language
from infostream_dedup.morphology.analyzer import Morphology
from infostream_dedup.morphology.cache_file import CacheFile, cache_file
from infostream_dedup.morphology.known_terms import known_terms
from infostream_dedup.morphology.parallel_analysis import analysed_over_cores
from infostream_dedup.text.tokens import Form, Shape

__all__ = ["FormCache", "terms_of", "terms_of_new"]

_MOST_IN_MEMORY = 1_000_000
"""Maximum number of forms in memory (about 200 MB); beyond it, the memory is cleared and the file is read again."""

_SHAPES = {shape: str(int(shape)) for shape in Shape}
"""The digit for the shape, which precedes the form in a key."""

_Answer = tuple[str, bool] | None
"""The term, and whether the strict rule also accepts it; ``None`` for a form that is not a term."""


class FormCache:
    """Terms of the forms of one language: from memory, the file, the package, or otherwise from :class:`Morphology`.

    Args:
        language: language of the forms.
        file: file that keeps answers after the process ends; ``None`` for memory only.
    """

    def __init__(self, language: Language, file: CacheFile | None) -> None:
        self._language = language
        self._file = file
        self._memory: dict[str, _Answer] = {}

    def terms_of(self, forms: Sequence[Form], *, strict: bool) -> list[str | None]:
        """The ``morph`` term of each form, ``None`` if the form is not a term.

        Args:
            forms: forms with their shapes; repeated ones are looked up once.
            strict: dictionary words only.
        """
        keys = [_SHAPES[shape] + form for form, shape in forms]
        answers = map(self._answers(keys).__getitem__, keys)
        return [answer[0] if answer and (answer[1] or not strict) else None for answer in answers]

    def terms_of_new(self, keys: Sequence[str], *, strict: bool) -> list[str | None]:
        """Like ``terms_of``, for forms that will not be looked up again: the answers are not kept in memory.

        Args:
            keys: the digit of a shape, then the form; distinct, preferably in code point order.
            strict: dictionary words only.
        """
        rows = [(None, None)] * len(keys) if self._file is None else self._file.rows(self._language, keys)
        terms = [term if taken or not strict else None for term, taken in rows]
        unknown = [place for place, (_, taken) in enumerate(rows) if taken is None]
        if unknown:
            answers = self._analysed_and_kept([keys[place] for place in unknown])
            for place in unknown:
                answer = answers[keys[place]]
                terms[place] = answer[0] if answer and (answer[1] or not strict) else None
        return terms

    def _answers(self, keys: Iterable[str]) -> Mapping[str, _Answer]:
        memory = self._memory
        missing = [key for key in dict.fromkeys(keys) if key not in memory]
        if not missing:
            return memory
        if len(memory) + len(missing) > _MOST_IN_MEMORY:
            memory = self._memory = {}
            missing = list(dict.fromkeys(keys))
        if self._file is not None:
            memory.update(self._file.answers(self._language, missing))
        unknown = [key for key in missing if key not in memory]
        if not unknown:
            return memory
        memory.update(self._analysed_and_kept(unknown))
        return memory

    def _analysed_and_kept(self, keys: Sequence[str]) -> Mapping[str, _Answer]:
        if self._language == "en":
            terms = _morphology("en").english_terms([key[1:] for key in keys])
            return {key: None if term is None else (term, True) for key, term in zip(keys, terms, strict=True)}
        known = known_terms(self._language).answers(keys)
        new = {
            **known,
            **analysed_over_cores(self._language, [key for key in keys if key not in known], self._analysed),
        }
        if self._file is not None:
            self._file.remember(self._language, new)
        return new

    def _analysed(self, key: str) -> _Answer:
        analysis = _morphology(self._language).analyse(key[1:], Shape(int(key[0])))
        return None if analysis.term is None else (analysis.term, analysis.in_dictionary)


def terms_of(forms: Sequence[Form], language: Language, *, strict: bool) -> list[str | None]:
    """Return the ``morph`` term of each form, ``None`` if it is not a term; answers are cached between runs.

    Args:
        forms: forms with their shapes.
        language: language of their text. English terms are stems (see :class:`Morphology`).
        strict: dictionary words only, no predicted proper nouns.
    """
    return _form_cache(language).terms_of(forms, strict=strict)


def terms_of_new(keys: Sequence[str], language: Language, *, strict: bool) -> list[str | None]:
    """Like ``terms_of``, for forms that the caller keeps: also keeping a stream's words here would double memory.

    Args:
        keys: the digit of a ``Shape``, then the form; distinct, preferably in code point order.
        language: see ``terms_of``.
        strict: see ``terms_of``.
    """
    return _form_cache(language).terms_of_new(keys, strict=strict)


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)


@cache
def _form_cache(language: Language) -> FormCache:
    # English terms are stems, which are computed faster than they are looked up.
    return FormCache(language, None if language == "en" else cache_file())
