"""Find passages that documents share: copied sentences are found by features, chained, and located in the raw texts."""

from infostream_dedup.judging.passages.finding import copied_sentences, find_passages, passages_of
from infostream_dedup.judging.passages.settings import PassageSettings

__all__ = ["PassageSettings", "copied_sentences", "find_passages", "passages_of"]
