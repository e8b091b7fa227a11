"""MinHash and LSH by the datasketch package: an external baseline.

A. Broder: On the resemblance and containment of documents, SEQUENCES 1997; P. Indyk, R. Motwani: Approximate nearest
neighbors, STOC 1998; E. Zhu: datasketch, https://github.com/ekzhu/datasketch. We hash shingles to 32 bits;
permutations, bands and buckets are the package's. A candidate becomes a pair if the resemblance estimated from the
signatures reaches the threshold. Requires the extra ``bench``.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр открыл новый мост через реку", "Мэр открыл новый мост через реку!", "Мост закрыт")
    >>> method("minhash").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.features.rows import Rows, distinct, rows_from
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs, unordered_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

__all__ = ["MinHashLsh"]


@register("minhash")
@dataclass(frozen=True)
class MinHashLsh(Method):
    """Compares minima of random permutations in bands.

    Attributes:
        permutations: number of minima of a document, 16 to 1024.
        tau: minimum estimated resemblance, 0.05 to 1.
        w: number of words in a shingle, 1 to 20.
        seed: random seed of the permutations, 0 to 2^31 - 1.
    """

    permutations: Annotated[int, Range(16, 1024)] = 128
    tau: Annotated[float, Range(0.05, 1.0)] = 0.6
    w: Annotated[int, Range(1, 20)] = 3
    seed: Annotated[int, Range(0, 2**31 - 1)] = 1

    def sign(self, texts: Texts) -> Rows:
        """Return the minima of each document.

        Raises:
            MissingExtraError: datasketch is not installed.
        """
        package = _import_datasketch()
        sets = distinct(texts.shingles(self.w, all_words=True))
        hashes = Rows(sets.indptr, sets.values >> np.uint64(32))
        empty = package.MinHash(num_perm=self.permutations, seed=self.seed, hashfunc=int)
        rows = []
        for document in range(len(hashes)):
            values = hashes.row(document).tolist()
            minima = empty.copy()
            minima.update_batch(values)
            rows.append(minima.hashvalues if values else [])
        return rows_from(rows, empty.hashvalues.dtype)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return candidates whose estimate reaches the threshold; the score is the estimate."""
        del texts
        package = _import_datasketch()
        index = package.MinHashLSH(threshold=self.tau, num_perm=self.permutations)
        empty = package.MinHash(num_perm=self.permutations, seed=self.seed, hashfunc=int)
        a: list[int] = []
        b: list[int] = []
        for document in np.flatnonzero(signatures.sizes > 0).tolist():
            minima = empty.copy()
            minima.hashvalues = signatures.row(document)
            earlier = sorted(index.query(minima))
            a.extend(earlier)
            b.extend([document] * len(earlier))
            index.insert(document, minima, check_duplication=False)
        first, second = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
        table = signatures.values.reshape(-1, self.permutations)
        row = np.cumsum(signatures.sizes > 0) - 1
        scores = (table[row[first]] == table[row[second]]).mean(axis=1)
        similar = scores >= self.tau
        return unordered_pairs(first[similar], second[similar], scores[similar])


def _import_datasketch() -> Any:
    try:
        import datasketch
    except ImportError as error:
        raise MissingExtraError("datasketch", "compare", "the method minhash") from error
    return datasketch
