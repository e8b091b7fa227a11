"""Writes infostream_dedup/judging/evidence/background.npz: what pseudo-documents add to the counters of evidence.

    python tools/make_background.py

The words are those of wordfreq's small lists. A word beginning that stands for a share p of the running words is in
the lead of an item with probability 1 - (1 - p)^32. No list holds the frequencies of numbers, so those are estimates.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.characters import word_hash
from infostream_dedup.judging.evidence.constants import DATE_BIT, FIGURE_SEED
from infostream_dedup.judging.evidence.kernels.packing import LEAD_KIND, NUMBER_KIND, bucket_of
from infostream_dedup.judging.evidence.kernels.reading import prefix_hashes
from infostream_dedup.judging.evidence.reading import scratch_for, tables
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE: Final = Path(__file__).resolve().parents[1] / "infostream_dedup" / "judging" / "evidence" / "background.npz"

_LEAD_RUNNING_WORDS: Final = 32  # running words that hold the 20 long words of a lead

_NUMBER_SHARES: Final = ((1, 11, 0.12), (11, 32, 0.06), (32, 101, 0.015), (1990, 2040, 0.03))
"""Whole numbers from, up to (exclusive), and the share of news items that hold each."""


def background(language: Language) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Counters that a pseudo-document raises, each once, ascending, and by how much: uint32, float64 of 0 to 1."""
    number = LANGUAGES.index(language)
    held, starts = _lead_shares(language)
    entries = [
        (bucket_of(int(start), LEAD_KIND, number), one) for start, one in zip(starts, held, strict=True) if start
    ]
    for first, last, one in _NUMBER_SHARES:
        for value in range(first, last):
            # A year is hashed as a number, and marked as a date.
            written, mark = (chr(value), DATE_BIT) if value > 1000 else (str(value), 0)
            entry = word_hash(written, FIGURE_SEED) >> 34 << 2 | mark
            entries.append((bucket_of(entry >> 1, NUMBER_KIND, number), one))
    buckets, where = np.unique(np.array([bucket for bucket, _ in entries], dtype=np.uint32), return_inverse=True)
    shares = np.array([one for _, one in entries], dtype=np.float64)
    return buckets, np.bincount(where, weights=shares).astype(np.float64)


def _lead_shares(language: Language) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Share of pseudo-documents that open with each beginning of a word, and its hash; nothing for other languages."""
    if language not in OUR_LANGUAGES:
        return np.zeros(0, dtype=np.float64), np.zeros(0, dtype=np.uint32)
    forms, frequencies = zip(*common_forms(language), strict=True)
    texts = texts_of(forms)
    hashes = np.zeros(len(texts), dtype=np.uint32)
    prefix_hashes(texts.data, texts.offsets, tables(), scratch_for(texts.longest), hashes)
    starts, which = np.unique(hashes, return_inverse=True)
    share = np.bincount(which, weights=np.array(frequencies))
    return -np.expm1(_LEAD_RUNNING_WORDS * np.log1p(-np.minimum(share, 0.999))), starts


def main() -> None:
    """Write the file."""
    arrays: dict[str, Any] = {}
    for language in LANGUAGES:
        arrays[f"{language}_buckets"], arrays[f"{language}_shares"] = background(language)
    np.savez_compressed(FILE, **arrays)


if __name__ == "__main__":
    main()
