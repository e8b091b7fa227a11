"""TF-IDF cosine: documents whose vectors of weighted words point in the same direction.

G. Salton, M. McGill: Introduction to modern information retrieval, 1983; as the criterion of the text body in A.
Andreev, D. Berezkin, I. Kozlov, K. Simakov: Detection of duplicates in a stream of text documents (in Russian), 2014,
section 5.1: the weights are BM25 (k1 = 2, b = 0.75), set to 0 if the IDF is negative. Words are the significant ones,
not stems. All pairs that reach the threshold are found without multiplying all vectors (``features.cosine_join``).

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр открыл новый мост", "Новый мост открыл мэр", "Дождь", "Снег", "Футбол")
    >>> method("tf-idf-cosine").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.features.cosine_join import similar_vectors, unit_vectors
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import tf_idf_weights
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, symmetric_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["TfIdfCosine"]


@register("tf-idf-cosine")
@dataclass(frozen=True)
class TfIdfCosine(Method):
    """Compares all words of documents with their weights.

    Attributes:
        tau: minimum cosine, 0.05 to 1.
    """

    tau: Annotated[float, Range(0.05, 1.0)] = 0.6

    def sign(self, texts: Texts) -> Rows:
        """Return each document's word numbers with weights of norm 1."""
        vectors = unit_vectors(texts.counts.rows(np.maximum(tf_idf_weights(texts.counts), 0)))
        values = np.empty(vectors.nnz, dtype=_ENTRY)
        values["word"] = vectors.indices
        values["weight"] = vectors.data
        return Rows(vectors.indptr.astype(np.int64), values)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the threshold; the score is the cosine."""
        entries = signatures.values
        shape = (len(signatures), len(texts.significant.vocabulary))
        vectors = sp.csr_array((entries["weight"].copy(), entries["word"].copy(), signatures.indptr), shape=shape)
        return symmetric_pairs(similar_vectors(vectors, self.tau))


_ENTRY = np.dtype([("word", "<i4"), ("weight", "<f8")])
