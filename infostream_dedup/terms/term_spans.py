"""Find where the terms of a document occur in its text, so that they can be marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.text.normalise import APOSTROPHES, FAR_INVISIBLE, INVISIBLE, MARKS, clean, in_place
from infostream_dedup.language.text.tokens import SENTENCE_MARK, forms, surfaces
from infostream_dedup.language.translation.written_names import plain_term
from infostream_dedup.model import LANGUAGES, Language, Settings, one_or_several
from infostream_dedup.terms.representation import representation

# No group is possessive: before 3.11.5, Python matched such groups wrongly (python/cpython issue 106052).
_UNSEEN: Final = f"[{INVISIBLE}{FAR_INVISIBLE}]*+"
_LETTER: Final = f"[^\\W\\d_{APOSTROPHES}](?:{_UNSEEN}[{MARKS}])*"
_JOINT: Final = f"{_UNSEEN}(?:[{APOSTROPHES}\u2010\u2011-]{_UNSEEN})?"
_WORD: Final = re.compile(f"{_LETTER}(?:{_JOINT}{_LETTER})*")
"""A word as written, with marks, invisible characters, any apostrophes and any hyphens inside."""


def spans_of_terms(
    text: str, language: Language, terms: Iterable[str] | str, settings: Settings | None = None
) -> list[tuple[int, int, str]]:
    """Find the words of a text that represent given terms: see ``api.term_spans``."""
    chosen = settings or Settings()
    if language not in LANGUAGES:
        raise ConfigurationError(f"language is {language!r}; expected one of {', '.join(LANGUAGES)}")
    wanted = set(one_or_several(terms))
    places = places_of_terms(text, language, chosen)
    named = ((start, end, next((term for term in read if term in wanted), None)) for start, end, read in places)
    return [(start, end, term) for start, end, term in named if term is not None]


def places_of_terms(text: str, language: Language, settings: Settings) -> Iterator[tuple[int, int, list[str]]]:
    """Find the words of a text that have terms."""
    made = representation(settings.representation)
    known: dict[str, list[str]] = {}
    for place in _WORD.finditer(in_place(text)):
        word = place.group()
        if word not in known:
            plain = [surface.removeprefix(SENTENCE_MARK) for surface in surfaces(clean(word))]
            every = [form for one in plain for mark in ("", SENTENCE_MARK) for form in forms(mark + one)]
            read = made.terms(every, language, settings)
            known[word] = list(dict.fromkeys(plain_term(term) for term in read if term is not None))
        if known[word]:
            yield place.start(), place.end(), known[word]
