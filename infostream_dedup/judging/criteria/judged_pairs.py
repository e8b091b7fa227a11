"""Pairs judged by an expert, for training: by ordinal, in an order that does not depend on the order of the labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["JudgedPair", "JudgedPairs", "judged_pairs"]

_REPEATS: Final[Mapping[str, tuple[bool, bool]]] = {
    "none": (False, False),
    "a": (True, False),
    "b": (False, True),
    "both": (True, True),
}
_LEFT_OUT: Final = "translation"


class JudgedPair(Protocol):
    """One line of a label file, as ``evaluation.labels`` reads it."""

    @property
    def a(self) -> str:
        """Id of one document."""
        ...

    @property
    def b(self) -> str:
        """Id of the other document."""
        ...

    @property
    def label(self) -> str:
        """One of ``evaluation.labels.LABELS``."""
        ...

    @property
    def source(self) -> str:
        """File the label was read from."""
        ...

    @property
    def line(self) -> int | None:
        """Its line in the file, counted from 1."""
        ...

    @property
    def extra(self) -> Mapping[str, Any]:
        """Every other field."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Judged pairs of a collection, each once, by ascending ids.

    Attributes:
        i: int64 (pairs,), ordinal of the document with the smaller id; after ``later_first`` of the later one.
        j: int64 (pairs,), ordinal of the other document.
        i_repeats: bool (pairs,), i adds nothing to j.
        j_repeats: bool (pairs,), j adds nothing to i.
        joined: bool (pairs,), both belong to one story (any label except ``different``).
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    i_repeats: NDArray[np.bool_]
    j_repeats: NDArray[np.bool_]
    joined: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.i)

    def at(self, chosen: NDArray[Any]) -> JudgedPairs:
        """Select pairs by mask or index."""
        return JudgedPairs(
            self.i[chosen], self.j[chosen], self.i_repeats[chosen], self.j_repeats[chosen], self.joined[chosen]
        )

    def later_first(self, i_is_later: NDArray[np.bool_]) -> JudgedPairs:
        """Swap the documents of pairs so that i is the later one.

        Args:
            i_is_later: bool (pairs,), from ``classifier.comes_later``.
        """
        return JudgedPairs(
            np.where(i_is_later, self.i, self.j),
            np.where(i_is_later, self.j, self.i),
            np.where(i_is_later, self.i_repeats, self.j_repeats),
            np.where(i_is_later, self.j_repeats, self.i_repeats),
            self.joined,
        )

    @property
    def directed(self) -> bool:
        """Whether any label is one-directional."""
        return bool((self.i_repeats != self.j_repeats).any())

    @property
    def repeats(self) -> NDArray[np.bool_]:
        """Whether at least one document repeats the other, bool (pairs,)."""
        return self.i_repeats | self.j_repeats


def judged_pairs(labels: Iterable[JudgedPair], ids: Sequence[str], *, positive: Sequence[str]) -> JudgedPairs:
    """Convert labels to judged pairs by ordinal.

    A label in ``positive`` means that each document repeats the other; any other label means that both are original. A
    field ``repeats`` overrides the label: ``a`` (a adds nothing to b), ``b``, ``both`` or ``none``. Pairs labelled
    ``translation`` are dropped, because the criteria compare words.

    Args:
        labels: the labels; a pair may occur twice with the same judgement.
        ids: ids of the documents, in input order.
        positive: labels that mean "repeats".

    Raises:
        BadDataError: a label names an unknown document, ``repeats`` has another value, or two judgements of a pair
            contradict each other.
    """
    ordinals = {name: number for number, name in enumerate(ids)}
    found: dict[tuple[str, str], tuple[bool, bool, bool]] = {}
    for label in labels:
        if label.label == _LEFT_OUT and "repeats" not in label.extra:
            continue
        for field, name in (("a", label.a), ("b", label.b)):
            if name not in ordinals:
                raise _fault(label, f"is {name!r}, which none of the documents has", "E_NO_DOCUMENT", field)
        a_repeats, b_repeats = _judgement(label, positive)
        joined = label.label != "different"
        turned = label.b < label.a
        pair = (label.b, label.a) if turned else (label.a, label.b)
        judgement = (b_repeats, a_repeats, joined) if turned else (a_repeats, b_repeats, joined)
        if found.setdefault(pair, judgement) != judgement:
            message = f"the pair {label.a!r}, {label.b!r} was judged differently before; leave one of the lines out"
            raise _fault(label, message, "E_CONTRADICTION", None)
    pairs = sorted(found)
    table = np.array([found[pair] for pair in pairs], dtype=np.bool_).reshape(-1, 3)
    return JudgedPairs(
        np.array([ordinals[one] for one, _ in pairs], dtype=np.int64),
        np.array([ordinals[other] for _, other in pairs], dtype=np.int64),
        table[:, 0],
        table[:, 1],
        table[:, 2],
    )


def _judgement(label: JudgedPair, positive: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a repeats b, and whether b repeats a."""
    if "repeats" not in label.extra:
        both = label.label in positive
        return both, both
    given = label.extra["repeats"]
    if not isinstance(given, str) or given not in _REPEATS:
        raise _fault(label, f"is {given!r}; expected one of {', '.join(_REPEATS)}", "E_REPEATS", "repeats")
    return _REPEATS[given]


def _fault(label: JudgedPair, message: str, code: str, field: str | None) -> BadDataError:
    return BadDataError(message, code=code, source=label.source, line=label.line, field=field)
