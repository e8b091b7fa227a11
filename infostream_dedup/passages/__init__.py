"""Find passages that documents share: copied sentences are found by features, chained, and located in the raw texts.

The command ``passages`` has the same name, so this package also re-exports its public functions (``api.passages``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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

_PUBLIC: Final = ("compare", "find", "find_digests", "find_novel")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("infostream_dedup.api.passages"), name)
