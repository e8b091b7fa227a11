"""Stems of all words except stop words: the standard way (Lande, section 2).

The three languages share one term space: equal stems match.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.word_lists import stop_words
from infostream_dedup.language.morphology.stemming import listed_stems, stems
from infostream_dedup.language.text.kernels.surface_table import MISSING
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.tokens import Form
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.representation import Representation


class _Stem(Representation):
    name = "stem"
    colour = "#1f6fb4"
    shaped = False
    parallel = True
    cached = True

    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        del settings
        stop, words = stop_words(language), [form.form for form in forms]
        return [None if word in stop else stem for word, stem in zip(words, stems(words, language), strict=True)]

    def listed_terms(
        self, forms: SurfaceList, words: Ints, language: Language, settings: Settings, *, kept: bool = True
    ) -> tuple[Bools, SurfaceList]:
        """Stem without Python strings."""
        del settings, kept
        taken = _stop_pool(language).find(forms, words) == MISSING
        return taken, listed_stems(forms, words[taken], language)


@cache
def _stop_pool(language: Language) -> SurfacePool:
    pool = SurfacePool()
    pool.add(SurfaceList.of(sorted(stop_words(language))))
    return pool


REPRESENTATION: Final = _Stem()
