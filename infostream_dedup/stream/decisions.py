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

    from infostream_dedup.stream.second_stage import SecondStage

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
        probability: that it repeats ``of``, by the model; ``None`` without one.
        criteria: names of the model's criteria and the differences from ``of``.
    """

    of: int | None
    duplicate: bool
    relation: str | None
    forward: int
    backward: int
    repeated: list[int]
    probability: float | None = None
    criteria: tuple[tuple[str, float | None], ...] | None = None


_NOTHING: Final = Found(None, False, None, 0, 0, [])


class Judge:
    """Decides by counts of key terms, by all terms, numbers and sources; or by a model, of what key terms have linked.

    Args:
        settings: of the stream.
        window: with the documents that candidates name.
        second: the model's judgement, if there is one.
    """

    def __init__(self, settings: StreamSettings, window: Window, second: SecondStage | None = None) -> None:
        self._second = second
        self._settings = settings
        self._window = window
        terms, sizes = settings.terms, np.arange(settings.terms.n + 1)
        self._need_duplicate = need(settings.k_duplicate, sizes, sizes, n=terms.n, short=terms.short)
        self._need_similar = need(settings.k_similar, sizes, sizes, n=terms.n, short=terms.short)
        # A document that lies inside another one shares little of what that one says.
        self._least_shared = settings.least_shared if settings.duplicate_rule == "equal" else 0.0

    def found(self, candidates: Candidates, ordinal: int) -> Found:
        """The document that another one repeats or resembles most: by min and max of both counts, then the earliest.

        With a model it is the one that it most probably repeats.

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
        linked = self._linked(rows, row, shorter, np.maximum(forward, backward))
        if not linked.any():
            return _NOTHING
        rows, shorter, forward, backward = rows[linked], shorter[linked], forward[linked], backward[linked]
        least = self._need_duplicate[shorter]
        alike = forward >= least
        if self._settings.duplicate_rule == "equal":
            alike &= backward >= least
        told = self._with_equal_numbers(rows, row, alike) if self._settings.templates and alike.any() else alike
        same = self._sharing_enough(rows, row, told) if self._least_shared and told.any() else told
        rank = (np.minimum(forward, backward) * 256 + np.maximum(forward, backward)).astype(np.float64)
        judged = None if self._second is None else self._second.judged(ordinal, rows + window.first)
        if judged is not None:
            same, rank = judged.repeats, judged.values
        repeats = bool(same.any())
        best = int(np.argmax(np.where(same, rank, -1) if repeats else rank))
        need_of = least[best] if alike[best] else self._need_similar[shorter[best]]
        relation = _RELATIONS[int(forward[best] >= need_of) + 2 * int(backward[best] >= need_of)]
        if alike[best] and not told[best] and not same[best]:
            relation = self._changed(row, int(rows[best]))
        repeated = (rows[same] + window.first).tolist()
        of = int(rows[best]) + window.first
        hits = int(forward[best]), int(backward[best])
        if judged is None:
            return Found(of, repeats, relation, *hits, repeated)
        return Found(of, repeats, relation, *hits, repeated, judged.probability(best), judged.differences(best))

    def linked(self, candidates: Candidates, ordinal: int) -> list[int]:
        """Ordinals of the documents that another one at least resembles; arguments as ``found``."""
        window, ordinals = self._window, candidates.ordinals
        rows, row = ordinals - window.first, ordinal - window.first
        shorter = np.minimum(window.sizes[rows], window.sizes[row])
        most = np.maximum(candidates.forward, candidates.backward).astype(np.int64)
        found: list[int] = ordinals[self._linked(rows, row, shorter, most)].tolist()
        return found

    def _linked(
        self, rows: NDArray[np.int64], row: int, shorter: NDArray[np.int64], most: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        linked = np.asarray(most >= self._need_similar[shorter])
        if self._settings.same_source != "ignore":
            linked &= self._may_link(self._window.sources[rows], int(self._window.sources[row]))
        return linked

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
