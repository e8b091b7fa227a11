"""Looking into the dictionaries."""

from __future__ import annotations

from infostream_dedup.lexicography.show import Entry, show

__all__ = ["Entry", "show"]
