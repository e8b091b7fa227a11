"""Same length: two documents are duplicates if they have equally many words.

A toy, no paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from infostream_dedup.features.chains import equal_pairs
from infostream_dedup.features.rows import Rows, rows_from
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.pairs import Pairs, equal
from infostream_dedup.methods.registry import register
from infostream_dedup.methods.texts import Texts


@register("same-length")
@dataclass(frozen=True)
class SameLength(Method):
    """Equality of the number of words."""

    def sign(self, texts: Texts) -> Rows:
        """Return the number of words of each document."""
        return rows_from([[size] for size in texts.words.rows.sizes.tolist()], "<u8")

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return the pairs of equal numbers."""
        return equal(equal_pairs(signatures))
