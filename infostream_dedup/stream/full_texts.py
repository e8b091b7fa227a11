"""Titles and texts of a batch in UTF-8, encoded once for all readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infostream_dedup.language.text.utf8 import Utf8Texts, encoded, texts_of_bytes
from infostream_dedup.model import Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class FullTexts:
    """``full_text`` of each document in UTF-8.

    Attributes:
        texts: title and text; the text alone if it begins with the title.
        bodies: int64 (documents,), offset in ``texts.data`` of each text without its title.
    """

    texts: Utf8Texts
    bodies: NDArray[np.int64]


def full_texts(documents: Sequence[Document]) -> FullTexts:
    """Encode the documents of a batch."""
    parts = []
    for document in documents:
        title, text = document.title, document.text
        parts.append(encoded(title) + b"\n" if title and not text.startswith(title) else b"")
        parts.append(encoded(text))
    # Joined at once: texts are copied as little as possible.
    joined = texts_of_bytes(parts)
    begins, bodies = joined.offsets[::2].copy(), joined.offsets[1::2].copy()
    return FullTexts(Utf8Texts(begins, joined.data), bodies)
