r"""First paragraph: documents whose texts begin with the same paragraph, or the same sentence.

D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1: older
rules of InfoStream for messages of which the headline says nothing, without parameters. A paragraph ends at a line
break; case and punctuation make no difference. The title does not count.

Example:
    >>> from infostream_dedup.methods import Texts, method
    >>> texts = Texts.of("Мост открыт.\nНачалось движение.", "МОСТ ОТКРЫТ\nПробок нет.", "Мост закрыт.")
    >>> method("first-paragraph").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.features.chains import equal_pairs
from infostream_dedup.features.hashing import hash_text
from infostream_dedup.features.rows import Rows, rows_from
from infostream_dedup.features.words import read_words
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.pairs import Pairs, equal
from infostream_dedup.methods.registry import register
from infostream_dedup.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.text.sentences import sentences

__all__ = ["FirstParagraph"]


@register("first-paragraph")
@dataclass(frozen=True)
class FirstParagraph(Method):
    """Equality of beginnings.

    Attributes:
        unit: ``paragraph`` or ``sentence``.
        least_words: a shorter beginning is the same as nothing, 1 to 100.
    """

    unit: Annotated[str, OneOf("paragraph", "sentence")] = "paragraph"
    least_words: Annotated[int, Range(1, 100)] = 1

    def sign(self, texts: Texts) -> Rows:
        """Hash of the words of the beginning: one value."""
        beginnings = read_words([self._beginning(document.text) for document in texts.documents])
        rows = [
            [hash_text(beginnings.text(document), 64)] if size >= self.least_words else []
            for document, size in enumerate(beginnings.rows.sizes.tolist())
        ]
        return rows_from(rows, np.uint64)

    def _beginning(self, text: str) -> str:
        if self.unit == "paragraph":
            return text.lstrip().partition("\n")[0]
        start, end = next(iter(sentences(text)), (0, 0))
        return text[start:end]

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Pairs of equal hashes."""
        del texts
        return equal(equal_pairs(signatures))
