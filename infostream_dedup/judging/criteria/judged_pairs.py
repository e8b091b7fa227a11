"""Pairs that people judged, and how they are divided into folds by story, time or site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import scipy.sparse as sp

from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.arrays import AlignedColumns, Bools, Floats, Ints, numbered_ends

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

    @property
    def b(self) -> str:
        """Id of the other document."""

    @property
    def label(self) -> str:
        """One of ``evaluation.labels.LABELS``."""

    @property
    def source(self) -> str:
        """File the label was read from."""

    @property
    def line(self) -> int | None:
        """Its line in the file, counted from 1."""

    @property
    def extra(self) -> Mapping[str, Any]:
        """Every other field."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedPairs(AlignedColumns):
    """Judged pairs of a collection, each once, by ascending ids."""

    # int64 (pairs,), ordinal of the document with the smaller id; after `later_first` of the later one
    i: Ints
    j: Ints  # int64 (pairs,), ordinal of the other document
    i_repeats: Bools  # bool (pairs,), i adds nothing to j
    j_repeats: Bools  # bool (pairs,), j adds nothing to i
    joined: Bools  # bool (pairs,), both belong to one story (any label except `different`)

    def later_first(self, i_is_later: Bools) -> JudgedPairs:
        """Swap the documents of pairs so that i is the later one."""
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
    def repeats(self) -> Bools:
        """Whether at least one document repeats the other, bool (pairs,)."""
        return self.i_repeats | self.j_repeats


def judged_pairs(labels: Iterable[JudgedPair], ids: Sequence[str], *, positive: Sequence[str]) -> JudgedPairs:
    """Convert labels to judged pairs by ordinal.

    A label in ``positive`` means that each document repeats the other; any other label means that both are original. A
    field ``repeats`` overrides the label: ``a`` (a adds nothing to b), ``b``, ``both`` or ``none``. Pairs labelled
    ``translation`` are dropped, because the criteria compare words.
    """
    ordinals = {name: number for number, name in enumerate(ids)}
    found: dict[tuple[str, str], tuple[bool, bool, bool]] = {}
    for label in labels:
        if label.label == _LEFT_OUT and "repeats" not in label.extra:
            continue
        for field, name in (("a", label.a), ("b", label.b)):
            if name not in ordinals:
                raise _fault(label, f"is {name!r}, which none of the documents has", "E_UNKNOWN_ID", field)
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


_LONGEST_LINE: Final = 1 << 20


def read_pairs(path: str | Path, ids: Sequence[str]) -> tuple[Ints, Ints]:
    """Read pairs by id."""
    ordinals = {name: number for number, name in enumerate(ids)}
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for item in jsonl_records(str(path), _LONGEST_LINE):
        if isinstance(item, BadDataError):
            raise item
        a, b = (item.values.get(field) for field in ("a", "b"))
        for field, name in (("a", a), ("b", b)):
            if not isinstance(name, str):
                raise item.place.error("E_TYPE", f"is {name!r:.80}; expected an id", field)
            if name not in ordinals:
                raise item.place.error("E_UNKNOWN_ID", f"is {name!r:.80}, which none of the documents has", field)
        if a == b:
            raise item.place.error("E_SELF_PAIR", f"is {b!r:.80}, the same as a; expected two different documents", "b")
        one, other = ordinals[str(a)], ordinals[str(b)]
        found.setdefault((min(one, other), max(one, other)), (one, other))
    table = np.array(list(found.values()), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


_LARGEST_SHARE: Final = 3
_LEAST_SPLIT: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Fold:
    """One split of judged pairs."""

    training: Ints  # int64, training pairs, ascending
    test: Ints  # int64, test pairs, ascending; none of their documents belongs to a story in `training`


def stories(pairs: JudgedPairs) -> tuple[Ints, Ints]:
    """Find the story of i and of j for each pair: connected components of the judged pairs."""
    # Random examples of "different" would connect everything. Therefore, if one component would hold more than a third
    # of the pairs, pairs labelled ``different`` do not connect, and may link two stories.
    one, other = _components(pairs, np.ones(len(pairs), dtype=np.bool_))
    if len(pairs) and np.bincount(one).max() * _LARGEST_SHARE > len(pairs):
        return _components(pairs, pairs.joined)
    return one, other


def _components(pairs: JudgedPairs, joining: Bools) -> tuple[Ints, Ints]:
    from scipy.sparse.csgraph import connected_components

    documents, (i, j) = numbered_ends(pairs.i, pairs.j)
    entries = (np.ones(int(joining.sum())), (i[joining], j[joining]))
    graph = sp.coo_array(entries, shape=(len(documents), len(documents)))
    _, story = connected_components(graph.tocsr(), directed=False)
    return story[i].astype(np.int64), story[j].astype(np.int64)


def folds(pairs: JudgedPairs, number: int) -> list[Fold]:
    """Split by story: every pair is tested once, by a training without the stories of its documents."""
    # Stories are dealt into ``number`` parts. Pairs inside a part are tested with all pairs outside it, pairs between
    # two parts with all pairs outside both; so there are more splits than parts.
    part = part_of(pairs, number)
    one, other = (part[story] for story in stories(pairs))
    low, high = np.minimum(one, other), np.maximum(one, other)
    found = []
    for first in range(number):
        for second in range(first, number):
            touched = np.isin(low, (first, second)) | np.isin(high, (first, second))
            tested = np.flatnonzero((low == first) & (high == second))
            if len(tested):
                found.append(Fold(np.flatnonzero(~touched), tested))
    return found


def splits(pairs: JudgedPairs, number: int) -> list[Fold]:
    """Split like ``folds``, but test all pairs of a part at once; pairs between parts belong to the first part."""
    # Pairs that share a story with a test pair are not used for training, so training sets are smaller.
    one, other = stories(pairs)
    part = part_of(pairs, number)
    found = []
    for chosen in range(number):
        tested = part[one] == chosen
        taken = np.zeros(len(part), dtype=np.bool_)
        taken[one[tested]] = True
        taken[other[tested]] = True
        found.append(Fold(np.flatnonzero(~taken[one] & ~taken[other]), np.flatnonzero(tested)))
    return found


def part_of(pairs: JudgedPairs, number: int) -> Ints:
    """Deal stories into parts: int64 (stories,), from 0 to ``number`` - 1."""
    # The largest stories are dealt first, each to the part that keeps repeats and originals spread most evenly. Equal
    # pairs give equal parts.
    one, other = stories(pairs)
    count = int(max(one.max(initial=-1), other.max(initial=-1))) + 1
    positives = np.bincount(one, pairs.repeats, minlength=count)
    negatives = np.bincount(one, ~pairs.repeats, minlength=count)
    kinds = np.stack((positives / max(positives.sum(), 1), negatives / max(negatives.sum(), 1)), axis=1)
    shares = kinds.tolist()
    parts = np.zeros(count, dtype=np.int64)
    loads = [[0.0, 0.0] for _ in range(number)]
    for story in np.lexsort((np.arange(count), -kinds.sum(axis=1))).tolist():
        one_share, other_share = shares[story]
        # The sum of squares is least where both kinds are spread evenly.
        growth = [one_share * (2 * load[0] + one_share) + other_share * (2 * load[1] + other_share) for load in loads]
        parts[story] = chosen = growth.index(min(growth))
        loads[chosen][0] += one_share
        loads[chosen][1] += other_share
    return parts


def by_time(pairs: JudgedPairs, times: Floats, share: float = 0.5) -> Fold | None:
    """Split at a moment: train on pairs complete before it, test on pairs that begin after it."""
    # The moment is when ``share`` of the repeating pairs with known times were complete. Pairs that straddle it, or
    # whose times are not known, are left out.
    first, last = np.minimum(times[pairs.i], times[pairs.j]), np.maximum(times[pairs.i], times[pairs.j])
    known = ~np.isnan(last)
    moments = np.sort(last[known & pairs.repeats])
    if len(moments) < _LEAST_SPLIT:
        return None
    moment = moments[int(share * len(moments))]
    return Fold(np.flatnonzero(known & (last < moment)), np.flatnonzero(known & (first >= moment)))
