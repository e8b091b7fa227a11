"""Log Shingles: two documents are duplicates if samples of logarithmic size of their shingles are equal (A8).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007, who keep "the shingles divisible by powers of a small number". Taken literally that is half of all shingles, which
would behave like MD5, whereas the paper reports nearly twice its recall and speaks of a logarithmic sample. So for
i = 1 to log2 n we keep the smallest fingerprint divisible by 2^i, where n is the number of words. With
``sample="mod"`` we keep those divisible by 2^m, with m such that about ``target`` remain.

The last words are joined to the first, so that n words have n shingles. A document with an empty sample keeps its
smallest fingerprint.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> method("log-shingles").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.judging.features.hashing import hash_sequences
from infostream_dedup.judging.features.rows import Rows, distinct, smallest
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogShingles", "logarithmic_sample", "modular_sample"]


@register("log-shingles")
@dataclass(frozen=True)
class LogShingles(Method):
    """Links documents with equal small samples of shingles.

    Attributes:
        w: number of words in a shingle, 1 to 20.
        sample: ``log`` or ``mod``.
        target: with ``mod``, approximate number of fingerprints kept for a long document, 1 to 1000.
    """

    w: Annotated[int, Range(1, 20)] = 5
    sample: Annotated[str, OneOf("log", "mod")] = "log"
    target: Annotated[int, Range(1, 1000)] = 8

    def sign(self, texts: Texts) -> Rows:
        """Return one hash of the sampled fingerprints for each document."""
        shingles = texts.shingles(self.w, wrap=True)
        sample = logarithmic_sample(shingles) if self.sample == "log" else modular_sample(shingles, self.target)
        sample = _fill_empty_samples(distinct(sample), shingles)
        rows = [sample.row(document) for document in range(len(sample))]
        hashes = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
        indptr = np.concatenate(([0], np.cumsum(sample.sizes > 0))).astype(np.int64)
        return Rows(indptr, np.concatenate([np.zeros(0, dtype=np.uint64), *hashes]))


def logarithmic_sample(shingles: Rows) -> Rows:
    """Sample, for i = 1 to log2 n, the smallest fingerprint divisible by 2^i, if any.

    Args:
        shingles: uint64 fingerprints of each document, n in a row.
    """
    most = int(shingles.sizes.max(initial=1)).bit_length() - 1
    documents: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    values: list[NDArray[np.uint64]] = [np.zeros(0, dtype=np.uint64)]
    for i in range(1, most + 1):
        long_enough = np.repeat(shingles.sizes >= 1 << i, shingles.sizes)
        divided = shingles.chosen(long_enough & (shingles.values % np.uint64(1 << i) == 0))
        documents.append(np.flatnonzero(divided.sizes > 0))
        values.append(smallest(divided.values, divided.indptr))
    document = np.concatenate(documents)
    order = np.argsort(document, kind="stable")
    sizes = np.bincount(document, minlength=len(shingles))
    return Rows(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), np.concatenate(values)[order])


def modular_sample(shingles: Rows, target: int) -> Rows:
    """Sample the fingerprints divisible by 2^m, where m = floor(log2(n / target)), at least 0.

    Args:
        shingles: uint64 fingerprints of each document, n in a row.
        target: approximate number of fingerprints to keep in each row.
    """
    m = np.array([max(size // target, 1).bit_length() - 1 for size in shingles.sizes.tolist()], dtype=np.uint64)
    divisor = np.repeat(np.uint64(1) << m, shingles.sizes)
    return shingles.chosen(shingles.values % divisor == 0)


def _fill_empty_samples(sample: Rows, shingles: Rows) -> Rows:
    """Return the sample with the smallest fingerprint added for documents whose sample is empty."""
    empty = (sample.sizes == 0) & (shingles.sizes > 0)
    sizes = sample.sizes + empty
    indptr = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    values = np.empty(int(indptr[-1]), dtype=np.uint64)
    added = np.zeros(len(values), dtype=np.bool_)
    added[indptr[:-1][empty]] = True
    values[~added] = sample.values
    unsampled = shingles.chosen(np.repeat(empty, shingles.sizes))
    values[added] = smallest(unsampled.values, unsampled.indptr)
    return Rows(indptr, values)
