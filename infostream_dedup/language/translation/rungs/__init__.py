"""The rungs of the translation ladder, one per file: put a file into this folder, and the registry finds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, NamedTuple, TypeVar

from infostream_dedup.model import Language
from infostream_dedup.model.registry import Registry


class Translation(NamedTuple):
    """One equivalent of a term."""

    term: str  # key form in the target language
    rung: str  # name of the rung that knew it
    confidence: float  # confidence in it, 0 to 1


class Rung(ABC):
    """One source of equivalents. The answer for a term depends only on the term and the two languages."""

    name: str = ""  # unique among rungs
    # whether answers go to the cache of answers. A rung faster than the cache comes before it, and its answers are not
    # remembered
    remembered: ClassVar[bool] = True
    # whether answers come from tables of word pairs, where a false friend is intended
    looked_up: ClassVar[bool] = False
    silence: ClassVar[str] = "knows no equivalent"  # why the rung usually has no answer, for `dictionaries show`

    @abstractmethod
    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return the equivalents of each term, best first; an empty tuple for a term that this rung does not know."""

    def explain_silence(self, term: str, source: Language, target: Language) -> str:  # noqa: ARG002 - for overriding
        """Say why the rung has no answer for a term."""
        return self.silence


RUNGS: Final[Registry[type[Rung]]] = Registry("infostream_dedup.language.translation.rungs", "rung")
"""All rungs by name, from the surest to the least sure."""

_Class = TypeVar("_Class", bound=type[Rung])


def register(order: int) -> Callable[[_Class], _Class]:
    """Return a class decorator that puts a rung into the ladder under its ``name``."""

    def add_class(found: _Class) -> _Class:
        RUNGS.add(found.name, found, order=order)
        return found

    return add_class
