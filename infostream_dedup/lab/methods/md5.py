"""MD5: two documents are duplicates if their texts are the same word for word (A0).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. The baseline of the comparison, with precision 1.00 and recall .23. The paper does not say which text is hashed;
we hash what its preprocessing leaves, so that punctuation, case and function words are ignored.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Снег выпал в Киеве", "Снег выпал и в Киеве!", "Снег выпал во Львове")
    >>> method("md5").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5

import numpy as np

from infostream_dedup.judging.features.rows import Rows, rows_from
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts

__all__ = ["Md5"]


@register("md5")
@dataclass(frozen=True)
class Md5(Method):
    """Links documents with equal texts."""

    def sign(self, texts: Texts) -> Rows:
        """Return the MD5 of each document's significant words joined by blanks: two 64-bit values."""
        words = texts.significant
        rows = [_hash_text(words.text(document)) for document in range(len(texts))]
        return rows_from(rows, np.dtype("<u8"))


def _hash_text(text: str) -> list[int]:
    if not text:
        return []
    digest = md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()
    return [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")]
