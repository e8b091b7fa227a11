"""Pairs to be judged, from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["read_pairs"]

_LONGEST_LINE: Final = 1 << 20


def read_pairs(path: str | Path, ids: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read pairs by id.

    Args:
        path: JSON Lines, optionally gzipped, ``-`` for standard input; each line is an object with two different ids
            ``a`` and ``b``. Other fields are ignored, so label files and the output of ``pairs`` also work.
        ids: ids of the documents, in input order.

    Returns:
        Two of int64 (pairs,): ordinals of a and b, in the order of the file; repeated pairs are dropped.

    Raises:
        NoInputError: the file cannot be opened.
        BadDataError: a line is malformed or names an unknown document.
    """
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
                raise item.place.error("E_NO_DOCUMENT", f"is {name!r:.80}, which none of the documents has", field)
        if a == b:
            raise item.place.error("E_SELF_PAIR", f"is {b!r:.80}, the same as a; expected two different documents", "b")
        one, other = ordinals[str(a)], ordinals[str(b)]
        found.setdefault((min(one, other), max(one, other)), (one, other))
    table = np.array(list(found.values()), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
