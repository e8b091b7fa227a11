"""A rung of the ladder: a word read backwards. A toy."""

from __future__ import annotations

from collections.abc import Sequence

from infostream_dedup.model import Language
from infostream_dedup.translation.rung import Rung, Translation, register


@register(order=70)
class BackwardsRung(Rung):
    """Every word, read from its end."""

    name = "backwards"
    silence = "the word is empty"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return one equivalent of each term."""
        return [(Translation(term[::-1], self.name, 0.1),) for term in terms]
