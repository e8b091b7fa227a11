"""Translation both ways: what the words of a language are equivalents of, and what a language can express at all.

A ladder answers each way by itself: it leads from Уэйд to Wade, but not from Wade to Уэйд. Two words are equivalents if
either way says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from infostream_dedup.model import Language

if TYPE_CHECKING:
    from infostream_dedup.translation.rung import Translation

__all__ = ["SURE", "Translate", "back_translations", "both_ways", "is_sure", "sayable"]

Translate = Callable[[Sequence[str], Language, Language], Sequence[tuple["Translation", ...]]]
"""Returns the equivalents in another language of each term of a language, best first; empty if none is known. In its
own language a term is its own equivalent."""

SURE: Final = 0.75
"""Equivalents of lower confidence are guesses (skeletons .3, spellings of unknown names .7): good enough to be met, not
to become key terms. Of key terms made of guesses one in four was met in a WMT translation, of the others three."""

_Answers = Sequence[tuple["Translation", ...]]


def is_sure(translation: Translation) -> bool:
    """Whether it may become a key term."""
    return translation.confidence >= SURE


def back_translations(pivot_terms: Sequence[str], answers: _Answers) -> dict[str, list[Translation]]:
    """Map words of a language to the pivot terms that surely translate to them, the surest first.

    A compound of the pivot language is left out unless the word is a compound: it is translated by its last part, and a
    vice-premier is a premier, but not every premier a vice-premier.

    Args:
        pivot_terms: distinct.
        answers: equivalents of each in the language.
    """
    from infostream_dedup.translation.rung import Translation

    found: dict[str, list[Translation]] = {}
    for term, equivalents in zip(pivot_terms, answers, strict=True):
        for one in equivalents:
            if one.confidence >= SURE and ("-" in one.term or "-" not in term):
                found.setdefault(one.term, []).append(Translation(term, one.rung, one.confidence))
    for terms in found.values():
        if len(terms) > 1:
            terms.sort(key=lambda one: (-one.confidence, one.term))
    return found


def both_ways(
    words: Sequence[str], answers: _Answers, back: Mapping[str, Sequence[Translation]]
) -> list[tuple[Translation, ...]]:
    """Return the equivalents of each word, then those that only the way back knows; each term once."""
    return [_joined(own, back.get(word, ())) for word, own in zip(words, answers, strict=True)]


def _joined(own: tuple[Translation, ...], more: Sequence[Translation]) -> tuple[Translation, ...]:
    if not more and len(own) <= 1:
        return own
    by_term: dict[str, Translation] = {}
    for translation in (*own, *more):
        known = by_term.get(translation.term)
        if known is None or (is_sure(translation) and not is_sure(known)):
            by_term[translation.term] = translation
    return tuple(by_term.values())


def sayable(pivot_terms: Sequence[str], answers: _Answers, forward: _Answers) -> set[str]:
    """Return the pivot terms that a language surely has a word for.

    Args:
        pivot_terms: terms of the pivot language.
        answers: equivalents of each in the language.
        forward: equivalents of the words of the language.
    """
    said = {
        term
        for term, found in zip(pivot_terms, answers, strict=True)
        if found and any(one.confidence >= SURE for one in found)
    }
    return said | {one.term for found in forward for one in found if one.confidence >= SURE}
