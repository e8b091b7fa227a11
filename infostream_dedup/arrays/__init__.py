"""Rows of different lengths in two flat arrays, and the multiplier of hashes."""

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.arrays.ragged import Ragged, offsets_of, places_of

__all__ = ["GOLDEN", "Ragged", "offsets_of", "places_of"]
