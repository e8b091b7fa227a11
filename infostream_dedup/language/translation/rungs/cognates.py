"""Rungs for words of common origin (cognates, international words) and, last, for words that only look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.language.translation.international_words import international_words
from infostream_dedup.language.translation.rung import Rung, Translation, register
from infostream_dedup.language.translation.slavic_cognates import cognates, look_alikes
from infostream_dedup.language.translation.western_names import sound_alikes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.model import Language


_REGULAR: Final = 0.92
_IRREGULAR: Final = 0.85
_INTERNATIONAL: Final = 0.85
_FREE: Final = 0.3  # maximum cost of a regular correspondence


@register(order=40)
class CognatesRung(Rung):
    """Words of common origin that are nouns in use in the target language."""

    name = "cognates"
    silence = "the other language has no such noun in use"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the cognates of each term, the most regular first."""
        if "en" in (source, target):
            return [
                tuple(Translation(word, self.name, _INTERNATIONAL) for word in found)
                for found in international_words(terms, source, target)
            ]
        return [
            tuple(Translation(one.term, self.name, _REGULAR if one.cost <= _FREE else _IRREGULAR) for one in found)
            for found in cognates(terms, source, target)
        ]


_CONFIDENCE: Final = 0.3


@register(order=60)
class SkeletonRung(Rung):
    """At most one word with the same skeleton."""

    name = "skeleton"
    silence = "no word looks alike"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the most frequent word with the coarse key or, to and from English, the consonants of each term."""
        find = sound_alikes if "en" in (source, target) else look_alikes
        return [tuple(Translation(word, self.name, _CONFIDENCE) for word in one) for one in find(terms, source, target)]
