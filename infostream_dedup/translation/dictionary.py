"""The rung of the ladder that looks words up: our own tables, and those a user imported."""

from __future__ import annotations

from collections.abc import Sequence

from infostream_dedup.model import Language
from infostream_dedup.translation.rung import Translation
from infostream_dedup.translation.word_pairs import word_pairs

__all__ = ["DictionaryRung"]


class DictionaryRung:
    """Nouns, places, organisations, surnames and first names of the tables."""

    name = "dictionary"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Equivalents of each term, those of the first place in a row first."""
        pairs = word_pairs(source, target)
        return [
            tuple(Translation(one.term, self.name, one.confidence) for one in pairs.get(term, ())) for term in terms
        ]
