"""Rungs for words spelt alike in both languages, and for words in our own and in imported tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from infostream_dedup.language.lexicon.tables import is_latin
from infostream_dedup.language.lexicon.word_lists import names
from infostream_dedup.language.translation.romanisation import respelt
from infostream_dedup.language.translation.rungs import Rung, Translation, register
from infostream_dedup.language.translation.word_pairs import Equivalent, word_pairs
from infostream_dedup.model import Language

_COMPOUND: Final = 0.85  # confidence of a compound relative to that of its last part


@register(order=20)
class DictionaryRung(Rung):
    """Nouns, places, organisations, surnames and first names of the tables.

    The last part of a hyphenated word decides: IT-компанія is a kind of компания. To and from English, which separates
    most such words, only the last part is translated.
    """

    name = "dictionary"
    looked_up = True
    silence = "in no table"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the equivalents of each term, those in the first position of a row first."""
        pairs = word_pairs(source, target)
        return [
            tuple(
                Translation(one.term, self.name, one.confidence)
                for one in pairs.get(term) or _compounds(term, pairs, source, target)
            )
            for term in terms
        ]


def _compounds(
    term: str, pairs: Mapping[str, tuple[Equivalent, ...]], source: Language, target: Language
) -> list[Equivalent]:
    head, hyphen, last = term.rpartition("-")
    if not hyphen:
        return []
    if "en" in (source, target):
        beginning = ""
    else:
        beginning = "".join(f"{_beginning(part, pairs, source)}-" for part in head.split("-"))
    return [Equivalent(beginning + one.term, round(_COMPOUND * one.confidence, 2)) for one in pairs.get(last, ())]


def _beginning(part: str, pairs: Mapping[str, tuple[Equivalent, ...]], source: Language) -> str:
    """Return an earlier part in the other of Russian and Ukrainian: екс- for экс-."""
    if part in pairs:
        return pairs[part][0].term
    return part if is_latin(part) else next(iter(respelt(part, source)), part)


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
