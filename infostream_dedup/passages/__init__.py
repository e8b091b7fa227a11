"""Find passages that documents share: copied sentences are found by features, chained, and located in the raw texts.

The command ``passages`` has the same name, so this package also re-exports its public functions (``api.passages``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infostream_dedup.passages.finding import copied_sentences, find_passages, passages_of
from infostream_dedup.passages.settings import PassageSettings

if TYPE_CHECKING:
    from infostream_dedup.api.passages import compare, find, find_digests, find_novel

__all__ = [
    "PassageSettings",
    "compare",
    "copied_sentences",
    "find",
    "find_digests",
    "find_novel",
    "find_passages",
    "passages_of",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("infostream_dedup.api.passages"), name)
