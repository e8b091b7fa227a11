"""Lemmas of nouns, surnames and names of organisations by frequency dictionary: the new way (Lande, section 2).

English and other languages have no such dictionary here; their terms are stems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.language.morphology import form_cache
from infostream_dedup.language.morphology.form_cache import listed_terms
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Form
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.terms.representation import Representation, representation

_MANY: Final = 1_000  # minimum number of words for which the table is worth loading, which takes 0.1 s in compiled code


class _Morph(Representation):
    name = "morph"
    colour = "#d2691e"
    marker = "s"
    cached = True

    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        if language not in OUR_LANGUAGES:
            return representation("stem").terms(forms, language, settings)
        return form_cache.terms_of(forms, language, strict=settings.morph == "strict")

    def terms_of_new(self, keys: Sequence[str], language: Language, settings: Settings) -> list[str | None]:
        if language not in OUR_LANGUAGES:
            return super().terms_of_new(keys, language, settings)
        return form_cache.form_cache_of(language).terms_of_new(keys, strict=settings.morph == "strict")

    def listed_terms(
        self, forms: SurfaceList, words: Ints, language: Language, settings: Settings, *, kept: bool = True
    ) -> tuple[Bools, SurfaceList]:
        """Take most terms from the shipped table, without Python strings."""
        if language not in OUR_LANGUAGES or language == "en" or len(words) < _MANY:
            return super().listed_terms(forms, words, language, settings, kept=kept)
        return listed_terms(forms, words, language, strict=settings.morph == "strict", kept=kept)


REPRESENTATION: Final = _Morph()
