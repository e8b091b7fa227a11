"""Records which rules and dictionaries made a stream's key terms, so that a change does not go unnoticed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from infostream_dedup.language.morphology.cache_file import fingerprint
from infostream_dedup.language.translation.answer_cache import RULES
from infostream_dedup.stream.settings import StreamSettings

_STATE: Final = "term_rules"
_UNRECORDED: Final = ""
"""Represents the rules of documents stored before stores recorded rules."""

_MOST: Final = 50


class TermRules:
    """The rules by which a stream read its documents, and the first document read by each.

    Nothing is recorded for ``stem``, which depends only on the stemmer, or for the imported tables and translation
    models of ``across``.

    Args:
        settings: settings of the stream.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self._now: str | None = None
        if settings.terms.representation != "stem":
            self._now = f"{fingerprint()} {RULES}" if settings.across == "pivot" else fingerprint()
        self._history: list[tuple[str, int]] = []

    def resume(self, state: Mapping[str, Any], documents: int) -> bool:
        """Continue a stored stream."""
        if self._now is None or not documents:
            return False
        self._history = [(rules, first) for rules, first in state.get(_STATE, [[_UNRECORDED, 0]])]
        return self._history[-1][0] != self._now

    def read_from(self, ordinal: int) -> None:
        """Note that the documents from an ordinal on are read by the rules of this process."""
        if self._now is not None and (not self._history or self._history[-1][0] != self._now):
            self._history = [*self._history, (self._now, ordinal)][-_MOST:]

    def state(self) -> dict[str, list[tuple[str, int]]]:
        """What the store keeps: each set of rules with the first document read by it, oldest first."""
        return {_STATE: self._history} if self._history else {}
