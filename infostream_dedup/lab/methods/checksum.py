"""Checksum: documents with the same text, regardless of their titles.

D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 1: one
of the older rules of InfoStream, without parameters. White space is ignored.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> method("checksum").run(Texts.of("Мост открыт.", "Мост  открыт.", "Мост открыт!")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.language.text.fingerprint import text_hash

__all__ = ["Checksum"]


@register("checksum")
@dataclass(frozen=True)
class Checksum(Method):
    """Links documents with equal bodies."""

    def sign(self, texts: Texts) -> Rows:
        """Return the checksum of each body: two 64-bit values."""
        hashes = [text_hash(document.text) for document in texts.documents]
        sizes = [len(found) // 8 for found in hashes]
        indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        return Rows(indptr, np.frombuffer(b"".join(hashes), dtype="<u8"))
