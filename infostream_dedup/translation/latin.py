"""Key forms in Latin letters."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_latin"]

_LATIN: Final = re.compile("[a-z\u00df-\u024f\\d]+(?:[-\u02bc.&][a-z\u00df-\u024f\\d]+)*")


def is_latin(term: str) -> bool:
    """Whether a key form is written in Latin letters (and digits).

    >>> is_latin("youtube"), is_latin("it-компания")
    (True, False)
    """
    return bool(_LATIN.fullmatch(term))
