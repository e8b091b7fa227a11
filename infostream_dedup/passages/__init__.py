"""Passages that documents share: copied sentences found by features, chained, located in the raw texts."""

from infostream_dedup.passages.finding import compare, copied_sentences, find_passages, passages_of
from infostream_dedup.passages.settings import PassageSettings

__all__ = ["PassageSettings", "compare", "copied_sentences", "find_passages", "passages_of"]
