"""The status of a later document, and the earlier document that gives it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.judging import JudgedCandidates


JOINED_IN_STREAMS: Final = ("copy",)
JOINED_WITHOUT_DATES: Final = ("copy", "retold")
RELATED_WORDING: Final = 0.3
"""A ``related`` pair with at least this share of wording in one direction is ``similar``."""

KEPT: Final = 0
CHAIN_END: Final = 1
LEAVES: Final = 2
STANDS_FOR_KEPT: Final = 3
NEARLY_ALL: Final = 0.8
"""Smaller direction of wording of two documents that say nearly nothing else."""


class DocumentStatus(IntEnum):
    """Status of a pair's later document, from weakest to strongest."""

    NEW = 0
    SIMILAR = 1
    DUPLICATE = 2
    EXACT = 3


STATUS_NAMES: Final = tuple(status.name.lower() for status in DocumentStatus)


def joined_kinds(names: Iterable[str]) -> NDArray[np.bool_]:
    """Which kinds join groups: bool (kinds,)."""
    joined = np.zeros(len(Kind), dtype=np.bool_)
    allowed = [name for name in KIND_NAMES if name not in ("related", "translation")]
    for name in names:
        if name not in allowed:
            raise ConfigurationError(f"join is {name!r}; expected one or more of {', '.join(allowed)}")
        joined[seen_from_later(Kind(KIND_NAMES.index(name)))] = True
    return joined


def statuses(
    kinds: NDArray[np.int8],
    same_text: NDArray[np.bool_],
    wording_most: NDArray[np.float64],
    joined: NDArray[np.bool_],
) -> NDArray[np.int8]:
    """``DocumentStatus`` that each pair gives its later document: int8 (pairs,).

    Args:
        kinds: int8 (pairs,), ``Kind``.
        same_text: bool (pairs,).
        wording_most: float64 (pairs,), larger direction of wording, rounded.
    """
    related = (kinds == Kind.RELATED) & (wording_most < RELATED_WORDING)
    found = np.where(related | (kinds == Kind.TRANSLATION), DocumentStatus.NEW, DocumentStatus.SIMILAR)
    found = np.where(joined[kinds], DocumentStatus.DUPLICATE, found)
    return np.where(same_text, DocumentStatus.EXACT, found).astype(np.int8)


def break_chains(judged: JudgedCandidates, status: NDArray[np.int8], kept: NDArray[np.int8]) -> None:
    """Let a document leave only if it repeats one that is kept, or equals another.

    Otherwise the editions of a digest would leave one after the other, until nothing of the last one is kept. One that
    is kept although it repeats others, because these leave, is the end of a chain; what repeats it must say nearly
    nothing else, or every second edition would leave. One that says nearly nothing else than a kept one stands for it.

    Args:
        judged: pairs in the order of their later documents; all pairs of a later document are there.
        status: int8 (pairs,), ``DocumentStatus``; a duplicate of a document that leaves becomes similar.
        kept: int8 (documents,), one of the constants above; those before the later documents are decided, and theirs
            are written.
    """
    repeats = np.flatnonzero(status >= DocumentStatus.DUPLICATE)
    a, b = judged.a[repeats], judged.b[repeats]
    close = judged.facts.wording_least[repeats] >= NEARLY_ALL
    exact = status[repeats] == DocumentStatus.EXACT
    begins = np.flatnonzero(np.diff(b, prepend=-1))
    for begin, end in pairwise([*begins.tolist(), len(repeats)]):
        own = slice(begin, end)
        earlier, near = kept[a[own]], close[own] | exact[own]
        leaves = np.isin(earlier, (KEPT, STANDS_FOR_KEPT)) | ((earlier == CHAIN_END) & near) | exact[own]
        stands = np.any((earlier != LEAVES) & (earlier != STANDS_FOR_KEPT) & near)
        kept[b[begin]] = STANDS_FOR_KEPT if stands else LEAVES if leaves.any() else CHAIN_END
        status[repeats[own][~leaves]] = DocumentStatus.SIMILAR


def best_pairs(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    status: NDArray[np.int8],
    probability: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Find the pair that gives each later document its status and its ``of``.

    Pairs rank by status (strongest first), then by probability, by the smaller of the two shares, by the larger one
    (highest first), and by the earlier document (earliest first).

    Args:
        a: int64 (pairs,), ordinal of the earlier document.
        b: int64 (pairs,), ordinal of the later one.
        status: int8 (pairs,), ``DocumentStatus``.
        probability: float64 (pairs,), rounded.
        shares: float64 (pairs, 2), shares of the key terms in both directions, rounded.

    Returns:
        int64, indexes of the pairs, one for each distinct b, ordered by b.
    """
    forward, backward = shares[:, 0], shares[:, 1]
    smaller, larger = np.minimum(forward, backward), np.maximum(forward, backward)
    order = np.lexsort((a, -larger, -smaller, -probability, -status, b))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = b[order][1:] != b[order][:-1]
    return order[first]
