"""Rows of different lengths in two flat arrays."""

from infostream_dedup.arrays.ragged import Ragged, offsets_of, places_of

__all__ = ["Ragged", "offsets_of", "places_of"]
