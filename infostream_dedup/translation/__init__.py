"""Terms of one language to their equivalents in another: a ladder of rungs, the surest first."""

from __future__ import annotations

from infostream_dedup.translation.ladder import Translator
from infostream_dedup.translation.rung import Rung, Translation

__all__ = ["Rung", "Translation", "Translator"]
