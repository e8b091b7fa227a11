"""Terms of one pivot language, into which those of the other languages are translated (Lande, section 3).

What is translated are the terms of ``morph``, and for English lemmas of nouns instead of stems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from infostream_dedup.model import Language, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.key_terms import KeyTerms, Select, StatisticsOfTerms
from infostream_dedup.terms.representation import Representation, representation, term_frequencies
from infostream_dedup.text.tokens import Form

__all__ = ["REPRESENTATION"]


class _Pivot(Representation):
    name = "pivot"
    colour = "#2e8b57"
    marker = "D"
    cached = True

    def terms(self, forms: Sequence[Form], language: Language, settings: Settings) -> list[str | None]:
        if language != "en":
            return representation("morph").terms(forms, language, settings)
        from infostream_dedup.morphology.english_lemmas import noun_term

        return [noun_term(form, shape) for form, shape in forms]

    def frequencies(self, language: Language) -> Mapping[str, float]:
        """Return the background of the terms before translation."""
        return super().frequencies(language) if language == "en" else term_frequencies(language, "morph")

    def key_terms(
        self, counts: TermCounts, settings: Settings, select: Select, statistics: StatisticsOfTerms | None = None
    ) -> KeyTerms:
        """Select key terms after translation, by the statistics of the pivot space."""
        from infostream_dedup.terms.pivot import pivot_key_terms

        del statistics
        return pivot_key_terms(counts, settings, select=select)


REPRESENTATION: Final = _Pivot()
