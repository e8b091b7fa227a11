"""The rung of the ladder that looks words up in our own and in imported tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.language.lexicon.tables import is_latin
from infostream_dedup.language.translation.romanisation import respelt
from infostream_dedup.language.translation.rung import Rung, Translation, register
from infostream_dedup.language.translation.word_pairs import Equivalent, word_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
