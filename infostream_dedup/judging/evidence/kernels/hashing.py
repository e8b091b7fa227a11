"""Hashes of letters, tokens and token runs: FNV-1a steps (Fowler, Noll, Vo), finalized as in SplitMix64.

``tests/oracles/plain_reading.py`` computes the same with Python's integers.
"""

from __future__ import annotations

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.compiling import inlined

__all__ = ["joined", "mixed", "step"]

_PRIME = np.uint64(0x100000001B3)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LEFT = np.uint64(GOLDEN)
_MIDDLE = np.uint64(0xD1342543DE82EF95)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def step(state: np.uint64, character: int) -> np.uint64:
    """State of a hash after one more character."""
    return (state ^ np.uint64(character)) * _PRIME


@inlined
def mixed(state: np.uint64) -> np.uint64:
    """Spread a state over all 64 bits."""
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@inlined
def joined(first: np.uint64, second: np.uint64, third: np.uint64) -> np.uint64:
    """Hash of three tokens in a row, uint64."""
    return mixed(first * _LEFT + second * _MIDDLE + third)
