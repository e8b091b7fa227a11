r"""First paragraph: documents whose texts start with the same paragraph or sentence.

D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1: older
rules of InfoStream for messages with uninformative headlines, without parameters. A paragraph ends at a line break;
case, punctuation and the title are ignored.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мост открыт.\nНачалось движение.", "МОСТ ОТКРЫТ\nПробок нет.", "Мост закрыт.")
    >>> method("first-paragraph").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.judging.features.hashing import hash_text
from infostream_dedup.judging.features.rows import Rows, rows_from
from infostream_dedup.judging.features.words import read_words
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.language.text.sentences import sentences
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["FirstParagraph"]


@register("first-paragraph")
@dataclass(frozen=True)
class FirstParagraph(Method):
    """Links documents with equal beginnings.

    Attributes:
        unit: ``paragraph`` or ``sentence``.
        least_words: minimum number of words, 1 to 100; a document with a shorter beginning has no signature.
    """

    unit: Annotated[str, OneOf("paragraph", "sentence")] = "paragraph"
    least_words: Annotated[int, Range(1, 100)] = 1

    def sign(self, texts: Texts) -> Rows:
        """Return one hash of the words of the beginning for each document."""
        beginnings = read_words([self._read_beginning(document.text) for document in texts.documents])
        rows = [
            [hash_text(beginnings.text(document), 64)] if size >= self.least_words else []
            for document, size in enumerate(beginnings.rows.sizes.tolist())
        ]
        return rows_from(rows, np.uint64)

    def _read_beginning(self, text: str) -> str:
        if self.unit == "paragraph":
            return text.lstrip().partition("\n")[0]
        start, end = next(iter(sentences(text)), (0, 0))
        return text[start:end]
