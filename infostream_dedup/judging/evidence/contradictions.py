"""What shows that two documents of different languages are not translations: different numbers or lengths.

Pages of one manual, and advisories written from one template, share nearly all key terms, and the real translation may
not have arrived in the stream yet. A translation keeps the numbers of its source, especially those of its title, and
most of its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.constants import TITLE_FIGURE_BITS
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys
from infostream_dedup.judging.evidence.kernels.packing import BLOCKS_AT, LEAD_BITS
from infostream_dedup.judging.evidence.pair_evidence import compared
from infostream_dedup.judging.evidence.pair_model import DECIMALS
from infostream_dedup.judging.evidence.records import EvidenceRecords

if TYPE_CHECKING:
    from numpy.typing import NDArray


_FEWEST_NUMBERS: Final = 3
"""Minimum numbers in both documents; fewer may be written as words in one of the languages."""

_MANY_NUMBERS: Final = 9
_SURE: Final = 1.2
"""A translator may convert the units of many numbers; key-term shares that add up to this outweigh them."""

_SHARED_NUMBERS: Final = 0.5
"""Minimum share, by weight, of one document's numbers found in the other; the larger of the two directions."""

_LENGTH: Final = 0.6
"""Maximum difference between the logarithms of the two lengths."""


def contradict(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    shares: NDArray[np.float64],
    keys: ComparedKeys,
    records: EvidenceRecords,
) -> NDArray[np.bool_]:
    """Whether numbers or lengths show that the documents are not translations of each other: bool (pairs,).

    They do if both titles have figures of three digits or more (years and days apart) but none in common; if both
    documents have at least three numbers and share less than half of them, unless both have nine and nearly all key
    terms match; or if one document is more than 1.8 times as long as the other.

    Args:
        a: int64 (pairs,), row of one document.
        b: int64 (pairs,), row of the other; fastest if the pairs of one b are adjacent.
        shares: float64 (pairs, 2), share of the pivot-language key terms that match, in both directions, rounded.
    """
    evidence = np.zeros((len(a), len(COLUMNS)), dtype=np.float64)
    compared(a, b, evidence, keys=keys, records=records, triples=None)

    def column(name: str) -> NDArray[np.float64]:
        return np.round(evidence[:, COLUMNS.index(name)], DECIMALS)

    shared = np.maximum(column("numbers_forward"), column("numbers_backward"))
    least = column("numbers_least")
    sure = (least >= _MANY_NUMBERS) & (np.round(shares.sum(axis=1), DECIMALS) >= _SURE)
    other_numbers = (least >= _FEWEST_NUMBERS) & (shared < _SHARED_NUMBERS) & ~sure
    other_titles = _other_titles(records, a, b)
    return np.asarray(other_numbers | other_titles | (column("length") > _LENGTH), dtype=np.bool_)


def _other_titles(records: EvidenceRecords, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether both titles have figures, but none in common; records of older stores mark none."""
    marks = records.words[records.begins[:-1] + BLOCKS_AT] >> LEAD_BITS & (1 << TITLE_FIGURE_BITS) - 1
    return np.asarray((marks[a] > 0) & (marks[b] > 0) & (marks[a] & marks[b] == 0), dtype=np.bool_)
