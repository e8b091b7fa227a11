"""Translation of terms by a ladder of rungs, the surest first."""

from __future__ import annotations

from infostream_dedup.language.translation.ladder import Translator
from infostream_dedup.language.translation.rungs import Rung, Translation

__all__ = ["Rung", "Translation", "Translator"]
