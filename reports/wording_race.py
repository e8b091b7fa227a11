"""Word triples against winnowing and a sketch of triples: size, error, and what they change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.judging.evidence.facts import PairFacts
from infostream_dedup.judging.evidence.kinds import kinds_of_pairs
from infostream_dedup.judging.evidence.pair_evidence import COLUMNS, TripleRows, fill_in_wording
from infostream_dedup.judging.features.hashing import scrambled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RaceRow", "race"]

_WORD = re.compile(r"[^\W\d_]+|\d+")
_WINNOWED_WORDS = 5
_WINDOW = 4
_SKETCH = 8


@dataclass(frozen=True, slots=True)
class RaceRow:
    """One way to measure wording.

    Attributes:
        name: of the way.
        bytes: of a document, on average.
        error: mean difference of the larger direction from that of exact triples, over the pairs.
        kinds: share of the pairs whose kind changes.
        related: the same among pairs with exact wording of .2 and more in one direction.
    """

    name: str
    bytes: float
    error: float
    kinds: float
    related: float


def race(
    texts: Sequence[str], a: NDArray[np.int64], b: NDArray[np.int64], facts: PairFacts, exact: TripleRows
) -> list[RaceRow]:
    """Measure pairs in each way.

    Args:
        texts: of all documents.
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
        facts: of the pairs, with exact wording.
        exact: triples of all documents.
    """
    ways: Mapping[str, tuple[TripleRows, int]] = {
        "word triples, 64 bits": (exact, 8),
        f"triples whose hash is 0 modulo {_SKETCH}": (_sketch(exact), 8),
        f"winnowing, {_WINNOWED_WORDS} words, window {_WINDOW}": (_winnowed(texts), 8),
    }
    kinds, close = kinds_of_pairs(facts), facts.wording_most >= 0.2
    rows = []
    for name, (found, size) in ways.items():
        wording = np.zeros((len(a), len(COLUMNS)))
        fill_in_wording(a, b, found, wording)
        other = replace(facts, wording_forward=wording[:, -2].round(9), wording_backward=wording[:, -1].round(9))
        changed = kinds_of_pairs(other) != kinds
        error = float(np.abs(other.wording_most - facts.wording_most).mean())
        mean = size * len(found.triples) / len(texts)
        rows.append(RaceRow(name, mean, error, float(changed.mean()), float(changed[close].mean())))
    return rows


def _rows(parts: Sequence[NDArray[np.uint64]]) -> TripleRows:
    begins = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum([len(part) for part in parts], out=begins[1:])
    return TripleRows(np.concatenate(parts), begins)


def _sketch(exact: TripleRows) -> TripleRows:
    parts = [exact.triples[begin:end] for begin, end in pairwise(exact.begins.tolist())]
    return _rows([part[part % np.uint64(_SKETCH) == 0] for part in parts])


def _winnowed(texts: Sequence[str]) -> TripleRows:
    """Fingerprints (Schleimer, Wilkerson, Aiken 2003): the least hash of every window, ascending."""
    numbers: dict[str, int] = {}
    parts = []
    for text in texts:
        words = [numbers.setdefault(word, len(numbers)) for word in _WORD.findall(text.lower().replace("ё", "е"))]
        hashes = scrambled(np.array(words, dtype=np.uint64))
        runs = np.zeros(max(len(words) - _WINNOWED_WORDS + 1, 0), dtype=np.uint64)
        for place in range(_WINNOWED_WORDS):
            runs = runs * np.uint64(0x9E3779B97F4A7C15) + hashes[place : place + len(runs)]
        runs = scrambled(runs, 1)
        least = [runs[at : len(runs) - _WINDOW + 1 + at] for at in range(_WINDOW)] if len(runs) >= _WINDOW else [runs]
        parts.append(np.unique(np.minimum.reduce(least)))
    return _rows(parts)
