"""The rung of the ladder for terms written alike in all languages: digits, and Latin words outside English."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from infostream_dedup.language.lexicon.name_tables import names
from infostream_dedup.language.lexicon.tables import is_latin
from infostream_dedup.language.translation.rung import Rung, Translation, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infostream_dedup.model import Language

_DIGITS: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_FIRST_BEHIND_LATIN: Final = "\u0250"


@register(order=10)
class IdentityRung(Rung):
    """Terms that need no translation; listed Latin names and English words are left to other rungs."""

    name = "identity"
    remembered = False
    silence = "neither digits nor Latin letters"

    def translate(
        self,
        terms: Sequence[str],
        source: Language,
        target: Language,  # noqa: ARG002 - of the protocol
    ) -> list[tuple[Translation, ...]]:
        """Return the term itself if it consists of digits or Latin letters."""
        # Few texts contain such terms, and the tables of names take a while to load.
        return [
            (Translation(term, self.name, 1.0),) if self._is_alike(term, source) and term not in names(source) else ()
            for term in terms
        ]

    def _is_alike(self, term: str, source: Language) -> bool:
        first = term[:1]
        if first.isalpha() and (source == "en" or first >= _FIRST_BEHIND_LATIN):
            return False
        return bool(_DIGITS.fullmatch(term)) or (source != "en" and is_latin(term))

    def explain_silence(self, term: str, source: Language, target: Language) -> str:
        """Say which rungs answer instead for a Latin name in our tables."""
        if is_latin(term):
            return "left to the dictionary and to the rungs for names"
        return super().explain_silence(term, source, target)
