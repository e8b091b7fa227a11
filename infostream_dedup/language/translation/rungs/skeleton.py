"""The last rung of the ladder: the most similar-looking word of the other language, right or wrong.

Good enough to match two documents, but never counted as a translation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.language.translation.rung import Rung, Translation, register
from infostream_dedup.language.translation.slavic_cognates import look_alikes
from infostream_dedup.language.translation.western_names import sound_alikes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.model import Language

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
