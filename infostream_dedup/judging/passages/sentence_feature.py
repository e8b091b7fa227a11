"""What a sentence feature does, and all of them by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.machine.registry import Registry
from infostream_dedup.model.limits import check_limits
from infostream_dedup.model.notation import make_from_notation


@dataclass(frozen=True)
class SentenceFeature(ABC):
    """Turns a sentence into a bag; two sentences are copies if their bags resemble each other by tau or more.

    A feature is a frozen data class. Its fields are its parameters, annotated with their limits.

    Raises:
        ConfigurationError: a parameter is out of range.
    """

    def __post_init__(self) -> None:
        check_limits(self)

    @property
    @abstractmethod
    def tau(self) -> float:
        """Default minimum multiset Jaccard of a copy, above 0 to 1."""

    @abstractmethod
    def bags(self, table: SentenceTable) -> Ragged:
        """Return the features of each sentence, with repetitions: uint64, one row per sentence.

        A sentence with an empty bag is never a copy.
        """


FEATURES: Final[Registry[type[SentenceFeature]]] = Registry("infostream_dedup.judging.passages.features", "feature")
"""All sentence features by name."""

_Class = TypeVar("_Class", bound=type[SentenceFeature])


def register(name: str, *, order: float = float("inf")) -> Callable[[_Class], _Class]:
    """Return a class decorator that gives a feature its name."""

    def add_class(found: _Class) -> _Class:
        FEATURES.add(name, found, order=order)
        return found

    return add_class


def sentence_feature(notation: str) -> SentenceFeature:
    """Make the feature that a notation describes.

    Example:
        >>> sentence_feature("low-idf-sig:n=10:skip=the,an").skip
        ('the', 'an')
    """
    # The threshold is a separate option: `tau`.
    return make_from_notation(notation, FEATURES.get_known, reserved=("tau",))
