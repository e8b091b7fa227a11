"""Find where the terms of a document occur in its text, so that they can be marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import LANGUAGES, Language, Settings, one_or_several
from infostream_dedup.terms.representation import representation
from infostream_dedup.text.normalise import clean
from infostream_dedup.text.tokens import SENTENCE_MARK, forms, surfaces

__all__ = ["spans_of_terms"]

_LETTERS: Final = "[^\\W\\d_][\u0300-\u036f\u00ad]*"
_WORD: Final = re.compile(f"(?:{_LETTERS})+(?:['’ʼ`´-](?:{_LETTERS})+)*")
"""A word as written, with marks, soft hyphens and any apostrophes inside."""


def spans_of_terms(
    text: str, language: Language, terms: Iterable[str] | str, settings: Settings | None = None
) -> list[tuple[int, int, str]]:
    """Find the words of a text that represent given terms: see ``api.term_spans``."""
    chosen = settings or Settings()
    if language not in LANGUAGES:
        raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(LANGUAGES)}")
    if chosen.representation == "pivot":
        raise ConfigurationError(
            "terms of a pivot language occur in no text; give their_word from met, and representation morph"
        )
    wanted, made = set(one_or_several(terms)), representation(chosen.representation)
    known: dict[str, str | None] = {}
    found = []
    for place in _WORD.finditer(text):
        word = place.group()
        if word not in known:
            plain = [surface.removeprefix(SENTENCE_MARK) for surface in surfaces(clean(word))]
            every = [form for one in plain for mark in ("", SENTENCE_MARK) for form in forms(mark + one)]
            known[word] = next((term for term in made.terms(every, language, chosen) if term in wanted), None)
        term = known[word]
        if term is not None:
            found.append((place.start(), place.end(), term))
    return found
