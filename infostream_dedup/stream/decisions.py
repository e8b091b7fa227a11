"""What documents are to the earlier ones of the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.pair_rules import need
from infostream_dedup.stream.kernels.judging import (
    ANY_SOURCE,
    LINKED,
    NOTHING,
    OTHER_SOURCE,
    REPEATED,
    SAME_SOURCE,
    TEMPLATE,
    UPDATED,
    Chosen,
    Finds,
    Met,
    Rules,
    choose,
    meet,
    weigh,
    weigh_and_choose,
)
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.model.stream_records import Remembered
    from infostream_dedup.stream.second_stage import Judged, SecondStage
    from infostream_dedup.window.window_index import CandidateRows

__all__ = ["Found", "Judge", "KeysThatMet", "least_hits"]

_RELATIONS: Final = {0: None, 1: "contained", 2: "contains", 3: "equal", TEMPLATE: "template", UPDATED: "updated"}
_SOURCES: Final = {"ignore": ANY_SOURCE, "ban": OTHER_SOURCE, "require": SAME_SOURCE}


@dataclass(slots=True)
class Found:
    """The earlier document that one repeats or resembles most.

    Attributes:
        of: its ordinal.
        duplicate: whether the document repeats it, else it resembles it.
        relation: to it.
        repeated: ordinals of all documents that the document repeats, ascending.
        probability: that it repeats ``of``, by the model; ``None`` without one.
        criteria: names of the model's criteria and the differences from ``of``.
    """

    of: int
    duplicate: bool
    relation: str | None
    repeated: list[int]
    probability: float | None = None
    criteria: tuple[tuple[str, float | None], ...] | None = None


@dataclass(slots=True)
class KeysThatMet:
    """Key terms of two documents that stand in the other one.

    Attributes:
        forward: key terms of the later document in the earlier one.
        backward: key terms of the earlier one in the later one.
        terms: numbers of all these terms.
        weights: of each, summed where it is a key term of both.
    """

    forward: int
    backward: int
    terms: list[int]
    weights: list[int]


class Judge:
    """Decides by counts of key terms, by all terms, numbers and sources; or by a model, of what key terms have linked.

    Args:
        settings: of the stream.
        window: with the documents that candidates name.
        second: the model's judgement, if there is one.

    Attributes:
        needs: int64, hits in either direction that link two documents, by key terms of the shorter one.
    """

    def __init__(self, settings: StreamSettings, window: Window, second: SecondStage | None = None) -> None:
        self._second = second
        self._window = window
        terms = settings.terms
        sizes = np.arange(terms.n + 1)
        duplicate, similar = (
            np.asarray(need(k, sizes, sizes, n=terms.n, short=terms.short), dtype=np.int64)
            for k in (settings.k_duplicate, settings.k_similar)
        )
        self.needs = similar
        both = settings.duplicate_rule == "equal"
        self._rules = Rules(
            duplicate,
            similar,
            both,
            settings.templates,
            # A document that lies inside another one shares little of what that one says.
            float(settings.least_shared) if both else 0.0,
            _SOURCES[settings.same_source],
            terms.target == "text",
        )

    def found(self, candidates: CandidateRows, documents: Sequence[Remembered]) -> list[Found | None]:
        """The document that each repeats or resembles most: by min and max of both counts, then the earliest.

        With a model it is the one that it most probably repeats.

        Args:
            candidates: of all of the documents; those with enough hits in either direction.
            documents: consecutive ones; their columns are in the window.
        """
        window = self._window
        columns, row = window.columns, documents[0].ordinal - window.first
        finds = _finds(candidates, window.first)
        chosen = _room_to_choose(finds)
        judged: dict[int, tuple[NDArray[np.int64], Judged]] = {}
        if self._second is None:
            weigh_and_choose(row, finds, columns, self._rules, chosen)
        else:
            weigh(row, finds, columns, self._rules)
            judged = self._judged(self._second, finds, documents)
            choose(row, finds, columns, self._rules, chosen)
        found = self._as_found(finds, chosen)
        for number, (places, says) in judged.items():
            one = found[number]
            if one is not None:
                best = int(np.searchsorted(places, chosen.places[number]))
                one.probability, one.criteria = says.probability(best), says.differences(best)
        return found

    def _as_found(self, finds: Finds, chosen: Chosen) -> list[Found | None]:
        first = self._window.first
        found: list[Found | None] = []
        places, ends = chosen.places.tolist(), chosen.repeated_ends.tolist()
        repeated = (chosen.repeated[: ends[-1]] + first).tolist()
        for number, (place, repeats, relation) in enumerate(
            zip(places, chosen.repeats.tolist(), chosen.relations.tolist(), strict=True)
        ):
            if place == NOTHING:
                found.append(None)
            else:
                of, own = first + int(finds.rows[place]), repeated[ends[number] : ends[number + 1]]
                found.append(Found(of, repeats, _RELATIONS[relation], own))
        return found

    def _judged(
        self, second: SecondStage, finds: Finds, documents: Sequence[Remembered]
    ) -> dict[int, tuple[NDArray[np.int64], Judged]]:
        """Let the model say what is repeated, and rank.

        Returns:
            By number of the document the places of the finds that were judged, and what was said of them.
        """
        first = documents[0].ordinal
        linked = np.flatnonzero(finds.kinds & LINKED)
        ordinals = finds.rows[linked] + self._window.first
        second.read(documents, ordinals[ordinals < first].tolist())
        judged = {}
        bounds = np.searchsorted(linked, finds.ends)
        for number, document in enumerate(documents):
            places = linked[bounds[number] : bounds[number + 1]]
            if len(places) == 0:
                continue
            says = second.judged(document.ordinal, ordinals[bounds[number] : bounds[number + 1]])
            finds.ranks[places] = says.values
            finds.kinds[places] = finds.kinds[places] & ~np.uint8(REPEATED) | np.where(says.repeats, REPEATED, 0)
            judged[number] = places, says
        return judged

    def met(self, pairs: Sequence[tuple[int, int]]) -> Iterator[KeysThatMet]:
        """Key terms of pairs of documents that stand in each other.

        Args:
            pairs: ordinals of a later and an earlier document.
        """
        columns, rules = self._window.columns, self._rules
        rows = np.array(pairs, dtype=np.int64).reshape(-1, 2) - self._window.first
        later, earlier = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
        met = _room_for_terms(len(rows), int(columns.sizes[rows].sum()))
        meet(later, earlier, columns, rules, met)
        forward, backward, ends, terms, weights = (column.tolist() for column in met)
        for pair in range(len(rows)):
            own = slice(ends[pair], ends[pair + 1])
            yield KeysThatMet(forward[pair], backward[pair], terms[own], weights[own])


def _finds(candidates: CandidateRows, first: int) -> Finds:
    many = len(candidates.ordinals)
    return Finds(
        candidates.ends,
        candidates.ordinals - first,
        candidates.forward,
        candidates.backward,
        np.zeros(many, dtype=np.uint8),
        np.zeros(many, dtype=np.float64),
    )


def _room_to_choose(finds: Finds) -> Chosen:
    documents = len(finds.ends) - 1
    return Chosen(
        np.empty(documents, dtype=np.int64),
        np.empty(documents, dtype=np.bool_),
        np.empty(documents, dtype=np.uint8),
        np.zeros(documents + 1, dtype=np.int64),
        np.empty(len(finds.rows), dtype=np.int64),
    )


def _room_for_terms(pairs: int, terms: int) -> Met:
    forward, backward = np.empty((2, pairs), dtype=np.int64)
    met, weights = np.empty((2, terms), dtype=np.int64)
    return Met(forward, backward, np.zeros(pairs + 1, dtype=np.int64), met, weights)


def least_hits(settings: StreamSettings) -> int:
    """The fewest hits that can link any two documents."""
    k = settings.k_similar
    return k if settings.terms.short == "strict" else min(3, k)
