"""Languages of many texts at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.text import language
from infostream_dedup.language.text.kernels.language_letters import count_letters
from infostream_dedup.language.text.utf8 import Utf8Texts
from infostream_dedup.model import LANGUAGES

if TYPE_CHECKING:
    from numpy.typing import NDArray


_CYRILLIC: Final = np.array([LANGUAGES.index("ru"), LANGUAGES.index("uk")], dtype=np.uint8)


def detect(texts: Utf8Texts) -> NDArray[np.uint8]:
    """Language of each text, by counts of letters.

    Texts with few distinctive letters, and Latin ones with Cyrillic letters or tags, go to ``language.detect``.

    Returns:
        uint8 (texts,), index into ``LANGUAGES``.
    """
    counts = np.zeros((len(texts), 4), dtype=np.int32)
    count_letters(texts.data, texts.offsets, language.SAMPLE, counts)
    latin, cyrillic, russian, ukrainian = counts.T
    found = _CYRILLIC[(language.UKRAINIAN_WEIGHT * ukrainian > language.RUSSIAN_WEIGHT * russian).astype(np.intp)]
    english = latin > language.LATIN_NAMES * cyrillic
    found[english] = LANGUAGES.index("en")
    unsure = np.where(english, cyrillic > 0, russian + ukrainian < language.FEW)
    bounds = texts.offsets.tolist()
    for number in np.flatnonzero(english & ~unsure).tolist():
        # Bytes are searched faster than an array.
        own = texts.data[bounds[number] : bounds[number + 1]].tobytes()
        unsure[number] = b"<" in own or b"&" in own
    for number in np.flatnonzero(unsure | (latin < 0)).tolist():
        found[number] = LANGUAGES.index(language.detect(texts[number]))
    return found
