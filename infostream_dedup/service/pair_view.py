"""What a judge sees of a pair: two documents and what they share, but not the stream's verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import document_versions, key_terms_of

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.text_comparison import TextComparison, TextStretch

__all__ = ["NUMBER", "comparison_of", "pair_shown", "pair_verdict", "pieces_shown", "versions_of_pair"]

NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
"""A number as people read it: 3,5 and 10:30 are one number each."""

_KEPT: Final = ("id", "version", "title", "source", "language", "published", "group", "ordinal", "url")
_OF_PAIR: Final = ("status", "kind", "probability", "relation", "forward", "backward")


def pair_shown(store: Store, a: str, b: str) -> dict[str, Any]:
    """Read two documents, the one that came first as ``a``; of one document twice, its last two versions.

    Returns:
        ``a`` and ``b`` with ``pieces`` (of the text, with the numbers of the passage and of the translated word they
        share, 0 for none; None if the store keeps no texts), ``key_terms``, ``numbers`` that only this text has,
        ``coverage`` (share of its words that the other text has too) and ``translated`` (share of its nouns and names,
        0 if both texts have one language); ``passages``, ``shared_terms``; ``words``, what each translated
        word is in both languages, by its number as text.

    Raises:
        ProblemError: ``not-found`` or ``forgotten``.
    """
    sides = sorted((_side(store, found) for found in versions_of_pair(store, a, b)), key=lambda side: side["ordinal"])
    texts = [store.text(side["ordinal"]) for side in sides]
    passages, coverage, translated = 0, [0.0, 0.0], [0.0, 0.0]
    pieces: list[list[dict[str, Any]] | None] = [None, None]
    words: dict[str, str] = {}
    if texts[0] is not None and texts[1] is not None:
        found = comparison_of(sides, texts[0], texts[1])
        passages = len(found.passages)
        pieces = [pieces_shown(side) for side in (found.pieces_a, found.pieces_b)]
        words = {str(number): name for number, name in found.translated.names().items()}
        coverage = [found.coverage_a, found.coverage_b]
        translated = [found.translated.share_a, found.translated.share_b]
    numbers = [set(NUMBER.findall(text or "")) for text in texts]
    for place, side in enumerate(sides):
        side["pieces"], side["numbers"] = pieces[place], sorted(numbers[place] - numbers[1 - place])
        side["coverage"], side["translated"] = coverage[place], translated[place]
    first, second = ({term["term"] for term in side["key_terms"]} for side in sides)
    return {"a": sides[0], "b": sides[1], "passages": passages, "shared_terms": sorted(first & second), "words": words}


def pieces_shown(stretches: Sequence[TextStretch]) -> list[dict[str, Any]]:
    """The stretches of a text as plain values."""
    return [{"text": one.text, "passage": one.passage, "word": one.word} for one in stretches]


def comparison_of(sides: Sequence[Mapping[str, Any]], text_a: str, text_b: str) -> TextComparison:
    """Compare the texts of two documents, whose languages are known; words are translated as in the stream."""
    from infostream_dedup.api.passages import compare as compare_texts

    spoken = (side["language"] for side in sides)
    one, other = (cast("Language", name if name in LANGUAGES else "other") for name in spoken)
    return compare_texts(text_a, text_b, languages=(one, other), dictionaries_only=True)


def pair_verdict(store: Store, a: str, b: str) -> dict[str, Any] | None:
    """The stream's verdict on the later document of a pair, if it names the earlier one.

    Returns:
        ``status, kind, probability, relation, forward, backward`` and ``one_group``; fields that the stream did not
        state are None.

    Raises:
        ProblemError: ``not-found``.
    """
    earlier, later = sorted(versions_of_pair(store, a, b), key=lambda one: one["ordinal"])
    stated: dict[str, Any] = dict.fromkeys(_OF_PAIR)
    row = store.connection.execute(
        "SELECT status, kind, probability, relation, forward, backward, of_id, translation_of FROM document"
        " WHERE ordinal = ?",
        (later["ordinal"],),
    ).fetchone()
    if row[6] == earlier["id"]:
        stated = dict(zip(_OF_PAIR, row[:6], strict=True))
    elif row[7] == earlier["id"]:
        stated["kind"] = "translation"
    return {**stated, "one_group": earlier["group"] == later["group"]}


def versions_of_pair(store: Store, a: str, b: str) -> list[dict[str, Any]]:
    """Return the latest versions of two documents, or, of one document twice, its last version but one and its latest.

    Raises:
        ProblemError: ``not-found``.
    """
    known = [document_versions(store.connection, name) for name in (a, b)]
    if not all(known):
        raise ProblemError(404, "not-found", "no document with this id")
    return known[0][-2:] if a == b and len(known[0]) > 1 else [versions[-1] for versions in known]


def _side(store: Store, found: dict[str, Any]) -> dict[str, Any]:
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    return {field: found[field] for field in _KEPT} | {"key_terms": key_terms_of(store.connection, found["ordinal"])}
