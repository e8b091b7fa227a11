"""Weigh the lead of one document that is in the text of another, with all that can be known before they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.constants import LEAD_WORDS
from infostream_dedup.judging.evidence.kernels.comparing import RecordParts, parts_of, weight_at
from infostream_dedup.judging.evidence.kernels.hashing import mixed
from infostream_dedup.judging.evidence.kernels.packing import filter_bits
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["LEAD_ROW", "spread_leads", "weigh_opening"]

LEAD_ROW: Final = 4 * LEAD_WORDS
"""Numbers kept for each document: what chooses the block of each lead word, then the bits of each in both words of the
block, then the weight of each."""
_FIRST: Final = LEAD_WORDS
_SECOND: Final = 2 * LEAD_WORDS
_WEIGHT: Final = 3 * LEAD_WORDS

_32 = np.uint64(32)


@compiled
def spread_leads(words: Vector[np.uint32], begins: Vector[np.int64], leads: Vector[np.uint32]) -> None:
    """Work out where in a filter each lead word has to be looked up.

    Args:
        words: uint32, records.
        begins: int64 (documents + 1,), bounds of the records.
        leads: uint32 (documents * LEAD_ROW,), zeros. A word that is missing has no bits and no weight.
    """
    for document in range(begins.size - 1):
        parts, row = parts_of(words, begins[document]), leads[document * LEAD_ROW : (document + 1) * LEAD_ROW]
        for number in range(parts.lead):
            spread = mixed(np.uint64(words[parts.lead_at + number]))
            row[number] = spread >> _32
            row[_FIRST + number], row[_SECOND + number] = filter_bits(spread)
            row[_WEIGHT + number] = weight_at(words, parts.weights, parts.numbers + parts.names + number)


@inlined
def weigh_opening(leads: Vector[np.uint32], document: int, words: Vector[np.uint32], other: RecordParts) -> int:
    """Weight of the lead words of one document that are in the filter of another.

    Args:
        leads: uint32 (documents * LEAD_ROW,), as ``spread_leads`` writes them.
        document: the first document.
        words: uint32, records.
        other: the second document.
    """
    met, blocks = 0, np.uint64(other.blocks)
    lead = leads[document * LEAD_ROW : (document + 1) * LEAD_ROW]
    if other.blocks == 0:
        return met
    bits = words[other.filter_at : other.filter_at + 2 * other.blocks]
    for number in range(LEAD_WORDS):
        place = 2 * signed(np.uint64(lead[number]) * blocks >> _32)
        missing = lead[_FIRST + number] & ~bits[place] | lead[_SECOND + number] & ~bits[place + 1]
        met += signed(lead[_WEIGHT + number]) * signed(missing == 0)
    return met
