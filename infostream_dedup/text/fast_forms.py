"""Forms of many surfaces at once: what ``tokens.forms`` says of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.text.kernels.plain_forms import FORM_ROOM, NOT_PLAIN, plain_forms
from infostream_dedup.text.kernels.surface_table import AT_ONCE
from infostream_dedup.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.text.tokens import forms
from infostream_dedup.text.utf8 import texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SurfaceForms", "forms_of_all"]


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """Which forms the surfaces hold: one entry for every form of every surface.

    Attributes:
        forms: distinct forms, without shapes or behind the digit of the shape.
        surfaces: int64 (entries,), the surface, ascending; its words in their order.
        numbers: int64 (entries,), the form, index into ``forms``.
        shapes: uint8 (entries,), the ``Shape`` of the word.
    """

    forms: SurfaceList
    surfaces: NDArray[np.int64]
    numbers: NDArray[np.int64]
    shapes: NDArray[np.uint8]


def forms_of_all(surfaces: SurfaceList, *, shaped: bool = False) -> SurfaceForms:
    """Forms of all surfaces: of ordinary words by compiled code, of the others by ``tokens.forms``.

    Args:
        surfaces: the surfaces.
        shaped: put the digit of its shape before each form, so that forms of several shapes are several.
    """
    pool = SurfacePool()
    pool.make_room(len(surfaces), int(surfaces.starts[-1]) + shaped * len(surfaces))
    numbers, shapes = np.empty(len(surfaces), dtype=np.int32), np.empty(len(surfaces), dtype=np.uint8)
    room, hashes = np.zeros(AT_ONCE * FORM_ROOM, dtype=np.uint8), np.empty(AT_ONCE, dtype=np.uint64)
    plain_forms(surfaces.pool, surfaces.starts, room, hashes, pool.table, numbers, shapes, shaped)
    entries = [
        (surface, form, int(shape))
        for surface in np.flatnonzero(numbers == NOT_PLAIN).tolist()
        for form, shape in forms(surfaces[surface])
    ]
    others = texts_of([f"{shape}{form}" if shaped else form for _, form, shape in entries])
    other_numbers = pool.add(SurfaceList(others.offsets, others.data))
    other_holders = np.array([surface for surface, _, _ in entries], dtype=np.int64)
    other_shapes = np.array([shape for _, _, shape in entries], dtype=np.uint8)
    plain = np.flatnonzero(numbers >= 0)
    holders = np.concatenate([plain, other_holders])
    order = np.argsort(holders, kind="stable")
    return SurfaceForms(
        pool.listed(),
        holders[order],
        np.concatenate([numbers[plain], other_numbers])[order].astype(np.int64),
        np.concatenate([shapes[plain], other_shapes])[order],
    )
