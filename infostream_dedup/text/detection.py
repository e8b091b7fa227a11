"""Languages of many texts at once: what ``language.detect`` says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES
from infostream_dedup.text.kernels.language_letters import count_letters
from infostream_dedup.text.language import (
    _FEW,
    _LATIN_NAMES,
    _RUSSIAN_WEIGHT,
    _SAMPLE,
    _UKRAINIAN_WEIGHT,
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
    count_letters(texts.data, texts.offsets, _SAMPLE, counts)
    latin, cyrillic, russian, ukrainian = counts.T
    found = _CYRILLIC[(_UKRAINIAN_WEIGHT * ukrainian > _RUSSIAN_WEIGHT * russian).astype(np.intp)]
    english = latin > _LATIN_NAMES * cyrillic
    found[english] = LANGUAGES.index("en")
    for number in np.flatnonzero((~english & (russian + ukrainian < _FEW)) | (latin < 0)).tolist():
        found[number] = LANGUAGES.index(detect(texts[number]))
    return found
