"""Titles and texts of a batch in UTF-8, encoded once for all readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.model import Document
from infostream_dedup.text.utf8 import Utf8Texts, encoded, texts_of_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FullTexts", "full_texts"]


@dataclass(frozen=True, slots=True)
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
    whole, headings = [], []
    for document in documents:
        title, text = document.title, document.text
        heading = b"" if not title or text.startswith(title) else encoded(title) + b"\n"
        whole.append(heading + encoded(text))
        headings.append(len(heading))
    texts = texts_of_bytes(whole)
    return FullTexts(texts, texts.offsets[:-1] + np.array(headings, dtype=np.int64))
