"""Lemmas of nouns, surnames and names of organisations by frequency dictionary: the new way (Lande, section 2).

English and other languages have no such dictionary here; their terms are stems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infostream_dedup.model import OUR_LANGUAGES, Language, Settings
from infostream_dedup.morphology import form_cache
from infostream_dedup.terms.representation import Representation, representation
from infostream_dedup.text.tokens import Form

__all__ = ["REPRESENTATION"]


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
        return form_cache.terms_of_new(keys, language, strict=settings.morph == "strict")


REPRESENTATION: Final = _Morph()
