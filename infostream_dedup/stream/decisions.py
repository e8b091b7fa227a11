"""What a document is to the earlier ones of the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.matching.relations import need
from infostream_dedup.matching.window_index import Candidates
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.templates import contained, is_template, jaccard
from infostream_dedup.stream.window import NO_SOURCE, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Found", "Judge", "least_hits"]

_RELATIONS: Final = (None, "contained", "contains", "equal")


@dataclass(frozen=True, slots=True)
class Found:
    """What key terms say of a document.

    Attributes:
        of: ordinal of the earlier document it is linked to; ``None`` where there is none.
        duplicate: whether it repeats that one, else it resembles it.
        relation: to that one.
        forward: key terms of the document in that one.
        backward: key terms of that one in the document.
        repeated: ordinals of all documents that it repeats, ascending.
    """

    of: int | None
    duplicate: bool
    relation: str | None
    forward: int
    backward: int
    repeated: list[int]


_NOTHING: Final = Found(None, False, None, 0, 0, [])


class Judge:
    """Decides by counts of key terms, by all terms, numbers and sources.

    Args:
        settings: of the stream.
        window: with the documents that candidates name.
    """

    def __init__(self, settings: StreamSettings, window: Window) -> None:
        self._settings = settings
        self._window = window
        terms, sizes = settings.terms, np.arange(settings.terms.n + 1)
        self._need_duplicate = need(settings.k_duplicate, sizes, sizes, n=terms.n, short=terms.short)
        self._need_similar = need(settings.k_similar, sizes, sizes, n=terms.n, short=terms.short)
        # A document that lies inside another one shares little of what that one says.
        self._least_shared = settings.least_shared if settings.duplicate_rule == "equal" else 0.0

    def found(self, candidates: Candidates, ordinal: int) -> Found:
        """The document that another one repeats or resembles most: by min and max of both counts, then the earliest.

        Args:
            candidates: all documents of the window with enough hits in either direction.
            ordinal: the document that asks; its columns are in the window.
        """
        ordinals = candidates.ordinals
        if len(ordinals) == 0:
            return _NOTHING
        window = self._window
        rows, row = ordinals - window.first, ordinal - window.first
        shorter = np.minimum(window.sizes[rows], window.sizes[row])
        forward, backward = candidates.forward.astype(np.int64), candidates.backward.astype(np.int64)
        linked = np.maximum(forward, backward) >= self._need_similar[shorter]
        if self._settings.same_source != "ignore":
            linked &= self._may_link(window.sources[rows], int(window.sources[row]))
        if not linked.any():
            return _NOTHING
        rows, shorter, forward, backward = rows[linked], shorter[linked], forward[linked], backward[linked]
        least = self._need_duplicate[shorter]
        alike = forward >= least
        if self._settings.duplicate_rule == "equal":
            alike &= backward >= least
        told = self._with_equal_numbers(rows, row, alike) if self._settings.templates and alike.any() else alike
        same = self._sharing_enough(rows, row, told) if self._least_shared and told.any() else told
        rank = np.minimum(forward, backward) * 256 + np.maximum(forward, backward)
        repeats = bool(same.any())
        best = int(np.argmax(np.where(same, rank, -1) if repeats else rank))
        need_of = least[best] if alike[best] else self._need_similar[shorter[best]]
        relation = _RELATIONS[int(forward[best] >= need_of) + 2 * int(backward[best] >= need_of)]
        if alike[best] and not told[best]:
            relation = self._changed(row, int(rows[best]))
        repeated = (rows[same] + window.first).tolist()
        of = int(rows[best]) + window.first
        return Found(of, repeats, relation, int(forward[best]), int(backward[best]), repeated)

    def _may_link(self, sources: NDArray[np.int32], source: int) -> NDArray[np.bool_]:
        if self._settings.same_source == "require":
            return np.asarray((sources == source) & (source != NO_SOURCE))
        return np.asarray((sources != source) | (sources == NO_SOURCE))

    def _with_equal_numbers(self, rows: NDArray[np.int64], row: int, alike: NDArray[np.bool_]) -> NDArray[np.bool_]:
        same = alike.copy()
        numbers = self._window.numbers
        same[alike] = contained(numbers.row(row), numbers.gathered(rows[alike]))
        return same

    def _sharing_enough(self, rows: NDArray[np.int64], row: int, alike: NDArray[np.bool_]) -> NDArray[np.bool_]:
        same = alike.copy()
        targets = self._window.targets
        same[alike] = jaccard(targets.row(row), targets.gathered(rows[alike])) >= self._least_shared
        return same

    def _changed(self, row: int, other: int) -> str:
        """Relation of two documents that are alike but for their numbers."""
        window = self._window
        source = int(window.sources[row])
        template = is_template(
            window.targets.row(row),
            window.targets.row(other),
            microseconds_apart=abs(int(window.times[row]) - int(window.times[other])),
            same_source=source != NO_SOURCE and source == window.sources[other],
        )
        return "template" if template else "updated"

    def met(self, ordinal: int, of: int) -> tuple[int, int, list[int], list[int]]:
        """Key terms of two documents that stand in each other.

        Args:
            ordinal: the later document.
            of: the earlier one.

        Returns:
            How many of the later document's stand in the earlier one, how many of the earlier one's in the later one,
            the numbers of all these terms, and the weight of each, summed where it is a key term of both.
        """
        window = self._window
        here, there = ordinal - window.first, of - window.first
        forward = _holds(self._looked_up(there), window.keys.row(here))
        backward = _holds(self._looked_up(here), window.keys.row(there))
        terms = np.concatenate([window.keys.row(here)[forward], window.keys.row(there)[backward]])
        weights = np.concatenate([window.weights.row(here)[forward], window.weights.row(there)[backward]])
        distinct, place = np.unique(terms, return_inverse=True)
        summed = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(summed, place, weights)
        return int(forward.sum()), int(backward.sum()), distinct.tolist(), summed.tolist()

    def _looked_up(self, row: int) -> NDArray[np.int32]:
        if self._settings.terms.target == "text":
            return self._window.targets.row(row)
        return np.sort(self._window.keys.row(row))


def _holds(targets: NDArray[np.int32], keys: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether each key stands among ascending targets."""
    if len(targets) == 0:
        return np.zeros(len(keys), dtype=np.bool_)
    place = np.minimum(np.searchsorted(targets, keys), len(targets) - 1)
    return np.asarray(targets[place] == keys)


def least_hits(settings: StreamSettings) -> int:
    """The fewest hits that can link any two documents."""
    k = settings.k_similar
    return k if settings.terms.short == "strict" else min(3, k)
