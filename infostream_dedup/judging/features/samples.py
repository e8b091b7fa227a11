"""Samples of shingles: MOD_m, MIN_s, one minimum per function, and groups of them hashed together.

MOD_m and MIN_s: A. Broder: On the resemblance and containment of documents, SEQUENCES 1997. Super- and megashingles: D.
Fetterly, M. Manasse, M. Najork: On the evolution of clusters of near-duplicate web pages, LA-WEB 2003.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.hashing import hash_sequences, scrambled
from infostream_dedup.judging.features.rows import distinct, smallest

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sample_mod(shingles: Ragged, m: int) -> Ragged:
    """Return the distinct fingerprints that are divisible by m, ascending in a row: one in m."""
    return distinct(shingles.chosen(shingles.values % np.uint64(m) == 0))


def sample_min(shingles: Ragged, s: int) -> Ragged:
    """Return the s smallest distinct fingerprints of each row, ascending; all if there are fewer."""
    sets = distinct(shingles)
    rank = np.arange(len(sets.values)) - sets.indptr[sets.numbers]
    return sets.chosen(rank < s)


def grouped(sample: Ragged, size: int) -> Ragged:
    """Hash every ``size`` consecutive values of a row.

    An incomplete group at the end is dropped, unless it is the only one.

    Args:
        sample: uint64, ascending in a row.
        size: values in a group, at least 1.

    Returns:
        uint64, in the order of the groups.
    """
    found: list[NDArray[np.uint64]] = []
    for document in range(len(sample)):
        row = sample.row(document)
        groups = len(row) // size
        if groups:
            found.append(hash_sequences(list(row[: groups * size].reshape(groups, size).T)))
        elif len(row):
            found.append(hash_sequences([row[place : place + 1] for place in range(len(row))]))
        else:
            found.append(row)
    counts = np.array([len(values) for values in found], dtype=np.int64)
    indptr = offsets_of(counts)
    return Ragged(indptr, np.concatenate(found) if found else np.zeros(0, dtype=np.uint64))


def minwise(shingles: Ragged, functions: int) -> NDArray[np.uint64]:
    """Return the first fingerprint of each document in each of several random orders of all fingerprints.

    The probability that two documents agree in one order is the resemblance of their sets of shingles.

    Args:
        shingles: uint64.
        functions: number of orders, at least 1.

    Returns:
        uint64 (documents with shingles, functions). Values are positions in the order, which map one-to-one to
        fingerprints.
    """
    columns = [smallest(scrambled(shingles.values, seed + 1), shingles.indptr) for seed in range(functions)]
    return np.stack(columns, axis=1)


def supershingles(samples: NDArray[np.uint64], groups: int) -> NDArray[np.uint64]:
    """Hash each group of samples, in order.

    Args:
        samples: uint64 (documents, functions); functions is a multiple of ``groups``.
        groups: at least 1.

    Returns:
        uint64 (documents, groups).
    """
    parts = np.split(samples, groups, axis=1)
    return np.stack([hash_sequences(list(part.T)) for part in parts], axis=1)


def megashingles(supershingles: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash every two supershingles together with their positions.

    Args:
        supershingles: uint64 (documents, groups), at least 2 groups.

    Returns:
        uint64 (documents, groups (groups - 1) / 2). Two documents share one exactly if they share two supershingles
        at the same positions.
    """
    columns = [
        hash_sequences([np.full(len(supershingles), pair, dtype=np.uint64), supershingles[:, i], supershingles[:, j]])
        for pair, (i, j) in enumerate(combinations(range(supershingles.shape[1]), 2))
    ]
    return np.stack(columns, axis=1)
