"""Answers that no rung may give: slurs, and false friends unless they were looked up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from infostream_dedup.language.lexicon.translation_tables import blocked, false_friends
from infostream_dedup.language.morphology.english_lemmas import lemma
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.model import Language


def allowed(
    term: str, answers: Sequence[Translation], source: Language, target: Language, *, looked_up: bool
) -> tuple[Translation, ...]:
    """Remove slurs and false friends from answers; a slur has no answers at all."""
    if not answers or is_blocked(term, source):
        return ()
    friends = frozenset() if looked_up else false_friends_of(term, source, target)
    return tuple(one for one in answers if one.term not in friends and not is_blocked(one.term, target))


def is_blocked(word: str, language: Language) -> bool:
    """Whether the word, or a part of it between hyphens, is on the block-list."""
    listed = blocked(language)
    return any(part in listed or (language == "en" and lemma(part) in listed) for part in word.split("-"))


def false_friends_of(term: str, source: Language, target: Language) -> frozenset[str]:
    """Return words of the other language (Russian or Ukrainian) that look like the term but mean something else."""
    return _false_friends(source).get(term, frozenset()) if "en" not in (source, target) else frozenset()


@cache
def _false_friends(source: Language) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for friend in false_friends():
        if friend.is_wrong:
            one, other = (friend.ru, friend.uk) if source == "ru" else (friend.uk, friend.ru)
            found.setdefault(one, set()).add(other)
    return {word: frozenset(others) for word, others in found.items()}
