"""``term_spans``: find where key terms occur in a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infostream_dedup.model import Language, Settings

__all__ = ["term_spans"]


def term_spans(
    text: str, language: Language, terms: Iterable[str], settings: Settings | None = None
) -> list[tuple[int, int, str]]:
    """Find the words of a text that represent given terms, so that they can be marked.

    A word with one reading at the start of a sentence and another elsewhere is found if either is given. A word glued
    together from several is marked as a whole, with the first of its terms.

    Args:
        text: raw text.
        language: its language.
        terms: terms, such as the ``terms`` of ``pairs``, ``ingest`` and ``search``, or ``word`` and ``their_word`` of
            ``met``.
        settings: ``representation`` and ``morph`` say what a term is; by default the package's defaults. ``pivot`` is
            for the words of ``met``, which are terms before translation: those of ``morph``, but lemmas in English.

    Returns:
        ``(start, end, term)`` in the order of the text, in code points, ends excluded.

    Raises:
        ConfigurationError: the language is unknown.

    Example:
        >>> from infostream_dedup import term_spans
        >>> term_spans("Президент в Киеве; президента ждут.", "ru", ["президент", "киев"])
        [(0, 9, 'президент'), (12, 17, 'киев'), (19, 29, 'президент')]
    """
    from infostream_dedup.terms.term_spans import spans_of_terms

    return spans_of_terms(text, language, terms, settings)
