"""Words with which news say that they go back to earlier news, as the reader folds them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.evidence.constants import PREFIX
from infostream_dedup.evidence.plain_reading import word_hash

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LOOK_BACK_WORDS", "look_back_beginnings"]

LOOK_BACK_WORDS: Final = (
    *("ранее", "напомним", "накануне", "вчера", "назад", "писал"),
    *("раніше", "нагадаємо", "напередодні", "вчора", "писав"),
    *("earlier", "previously", "yesterday"),
)
"""Records keep only beginnings of five letters, so other words that begin alike count, too; hence nothing as common as
"сообщает"."""


@cache
def look_back_beginnings() -> NDArray[np.uint32]:
    """uint32: the hashes of the beginnings of these words in ``body``."""
    return np.array([word_hash(word[:PREFIX]) >> 32 for word in LOOK_BACK_WORDS], dtype=np.uint32)
