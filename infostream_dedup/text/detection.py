"""Languages of many texts at once: what ``language.detect`` says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES
from infostream_dedup.text.kernels.language_letters import count_letters
from infostream_dedup.text.language import (
    FEW,
    LATIN_NAMES,
    RUSSIAN_WEIGHT,
    SAMPLE,
    UKRAINIAN_WEIGHT,
    detect,
)
from infostream_dedup.text.utf8 import Texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["detect_all"]

_CYRILLIC: Final = np.array([LANGUAGES.index("ru"), LANGUAGES.index("uk")], dtype=np.uint8)


def detect_all(texts: Texts) -> NDArray[np.uint8]:
    """Language of each text, by counts of letters; texts with few telling letters are given to ``detect``.

    Returns:
        uint8 (texts,), index into ``LANGUAGES``.
    """
    counts = np.zeros((len(texts), 4), dtype=np.int32)
    count_letters(texts.data, texts.offsets, SAMPLE, counts)
    latin, cyrillic, russian, ukrainian = counts.T
    found = _CYRILLIC[(UKRAINIAN_WEIGHT * ukrainian > RUSSIAN_WEIGHT * russian).astype(np.intp)]
    english = latin > LATIN_NAMES * cyrillic
    found[english] = LANGUAGES.index("en")
    for number in np.flatnonzero((~english & (russian + ukrainian < FEW)) | (latin < 0)).tolist():
        found[number] = LANGUAGES.index(detect(texts[number]))
    return found
