"""Terms of forms, remembered: a second run over similar text analyses only what is new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from infostream_dedup.model import Language
from infostream_dedup.text.cache_file import CacheFile, cache_file
from infostream_dedup.text.morphology import Morphology
from infostream_dedup.text.parallel_analysis import analysed_over_cores
from infostream_dedup.text.tokens import Form, Shape

__all__ = ["FormCache", "terms_of"]

_MOST_IN_MEMORY = 1_000_000
"""Forms a process remembers by itself (about 200 MB); past it, it begins anew and asks the file again."""

_SHAPES = {shape: str(int(shape)) for shape in Shape}
"""The digit that stands for a shape before the form in a key."""

_Answer = tuple[str, bool] | None
"""The term and whether the strict rule takes it too; ``None`` for a form that is no term."""


class FormCache:
    """Terms of the forms of one language: from memory, else from the file, else from :class:`Morphology`.

    Args:
        language: language of the forms.
        file: where answers outlive the process; ``None`` for memory only.
    """

    def __init__(self, language: Language, file: CacheFile | None) -> None:
        self._language = language
        self._file = file
        self._memory: dict[str, _Answer] = {}

    def terms_of(self, forms: Sequence[Form], *, strict: bool) -> list[str | None]:
        """The ``morph`` term of each form, ``None`` where it is none.

        Args:
            forms: forms with their shapes; repeated ones are looked up once.
            strict: dictionary words only.
        """
        keys = [_SHAPES[shape] + form for form, shape in forms]
        answers = map(self._answers(keys).__getitem__, keys)
        return [answer[0] if answer and (answer[1] or not strict) else None for answer in answers]

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
        new = analysed_over_cores(self._language, unknown, self._analysed)
        memory.update(new)
        if self._file is not None:
            self._file.remember(self._language, new)
        return memory

    def _analysed(self, key: str) -> _Answer:
        analysis = _morphology(self._language).analyse(key[1:], Shape(int(key[0])))
        return None if analysis.term is None else (analysis.term, analysis.in_dictionary)


def terms_of(forms: Sequence[Form], language: Language, *, strict: bool) -> list[str | None]:
    """The ``morph`` term of each form, ``None`` where it is none; answers are remembered between runs.

    Args:
        forms: forms with their shapes.
        language: language of the text they stand in. English terms are stems (see :class:`Morphology`).
        strict: dictionary words only, no predicted proper nouns.
    """
    return _form_cache(language).terms_of(forms, strict=strict)


@cache
def _morphology(language: Language) -> Morphology:
    return Morphology(language)


@cache
def _form_cache(language: Language) -> FormCache:
    # English terms are stems, computed faster than looked up.
    return FormCache(language, None if language == "en" else cache_file())
