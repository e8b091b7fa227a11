"""Inspects dictionaries: what they know about a word, whether they are sound, and what they cover; builds, imports."""

from __future__ import annotations

from infostream_dedup.lab.lexicography.word_lookup import Entry, show

__all__ = ["Entry", "show"]
