"""Pairs judged by an expert, prepared for training: by ordinal, in an order independent of that of the labels."""

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
        """File of the label."""
        ...

    @property
    def line(self) -> int | None:
        """Line number in the file, from 1; ``None`` if unknown."""
        ...

    @property
    def extra(self) -> Mapping[str, Any]:
        """All other fields."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs:
    """Distinct judged pairs of a collection, by ascending ids.

    Attributes:
        i: int64 (pairs,), ordinal of the document with the smaller id.
        j: int64 (pairs,), ordinal of the other document.
        i_repeats: bool (pairs,), whether i adds nothing to j.
        j_repeats: bool (pairs,), whether j adds nothing to i.
        joined: bool (pairs,), whether the documents have something in common (any label except ``different``), so that
            they belong to one story.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    i_repeats: NDArray[np.bool_]
    j_repeats: NDArray[np.bool_]
    joined: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.i)

    def at(self, chosen: NDArray[Any]) -> JudgedPairs:
        """Select some pairs by mask or index."""
        return JudgedPairs(
            self.i[chosen], self.j[chosen], self.i_repeats[chosen], self.j_repeats[chosen], self.joined[chosen]
        )

    @property
    def repeats(self) -> NDArray[np.bool_]:
        """Bool (pairs,), whether either document repeats the other."""
        return self.i_repeats | self.j_repeats


def judged_pairs(labels: Iterable[JudgedPair], ids: Sequence[str], *, positive: Sequence[str]) -> JudgedPairs:
    """Convert labels to judged pairs by ordinal.

    A label in ``positive`` means that each document repeats the other, any other label that both are original. A field
    ``repeats`` may be more specific: ``a`` (a adds nothing to b), ``b``, ``both`` or ``none``; it takes precedence over
    the label. Pairs labelled ``translation`` are left out, because the criteria compare words.

    Args:
        labels: labelled pairs; a pair may be repeated with the same judgement.
        ids: ids of the documents, in input order.
        positive: labels that mean "repeats".

    Raises:
        BadDataError: a label names a document that is not in the collection, ``repeats`` has another value, or two
            judgements of a pair contradict each other.
    """
    ordinals = {name: number for number, name in enumerate(ids)}
    found: dict[tuple[str, str], tuple[bool, bool, bool]] = {}
    for label in labels:
        if label.label == _LEFT_OUT and "repeats" not in label.extra:
            continue
        for field, name in (("a", label.a), ("b", label.b)):
            if name not in ordinals:
                raise _make_error(label, f"is {name!r}, which is not the id of any document", "E_NO_DOCUMENT", field)
        a_repeats, b_repeats = _parse_judgement(label, positive)
        joined = label.label != "different"
        swapped = label.b < label.a
        pair = (label.b, label.a) if swapped else (label.a, label.b)
        judgement = (b_repeats, a_repeats, joined) if swapped else (a_repeats, b_repeats, joined)
        if found.setdefault(pair, judgement) != judgement:
            message = f"the pair {label.a!r}, {label.b!r} was judged differently before; leave one of the lines out"
            raise _make_error(label, message, "E_CONTRADICTION", None)
    pairs = sorted(found)
    table = np.array([found[pair] for pair in pairs], dtype=np.bool_).reshape(-1, 3)
    return JudgedPairs(
        np.array([ordinals[one] for one, _ in pairs], dtype=np.int64),
        np.array([ordinals[other] for _, other in pairs], dtype=np.int64),
        table[:, 0],
        table[:, 1],
        table[:, 2],
    )


def _parse_judgement(label: JudgedPair, positive: Sequence[str]) -> tuple[bool, bool]:
    """Return whether a repeats b, and whether b repeats a."""
    if "repeats" not in label.extra:
        both = label.label in positive
        return both, both
    given = label.extra["repeats"]
    if not isinstance(given, str) or given not in _REPEATS:
        raise _make_error(label, f"is {given!r}; expected one of {', '.join(_REPEATS)}", "E_REPEATS", "repeats")
    return _REPEATS[given]


def _make_error(label: JudgedPair, message: str, code: str, field: str | None) -> BadDataError:
    return BadDataError(message, code=code, source=label.source, line=label.line, field=field)
