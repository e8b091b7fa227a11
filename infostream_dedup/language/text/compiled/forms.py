"""Forms of many surfaces at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.language.text import tokens
from infostream_dedup.language.text.kernels.form_entries import FormEntries, join_entries
from infostream_dedup.language.text.kernels.plain_forms import NOT_PLAIN, form_buffers, plain_forms
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool
from infostream_dedup.language.text.utf8 import texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SurfaceForms:
    """The forms that surfaces contain: one entry for every form of every surface.

    Attributes:
        forms: distinct forms.
        surfaces: int32 (entries,), the surface, ascending; the words of one surface in order.
        numbers: int32 (entries,), the form, index into ``forms``.
        shapes: uint8 (entries,), the ``Shape`` of the word.
    """

    forms: SurfaceList
    surfaces: NDArray[np.int32]
    numbers: NDArray[np.int32]
    shapes: NDArray[np.uint8]


def forms(surfaces: SurfaceList) -> SurfaceForms:
    """Return the forms of all surfaces: ordinary words by compiled code, the others by ``tokens.forms``."""
    pool = SurfacePool()
    pool.make_room(len(surfaces), int(surfaces.starts[-1]))
    numbers, shapes = np.empty(len(surfaces), dtype=np.int32), np.empty(len(surfaces), dtype=np.uint8)
    plain_forms(surfaces.pool, surfaces.starts, form_buffers(), pool.table, numbers, shapes)
    odd = np.flatnonzero(numbers == NOT_PLAIN)
    entries = [
        (surface, form, int(shape))
        for surface, word in zip(odd.tolist(), surfaces.some(odd), strict=True)
        for form, shape in tokens.forms(word)
    ]
    others = texts_of([form for _, form, _ in entries])
    other_numbers = pool.add(SurfaceList(others.offsets, others.data))
    holders = np.array([surface for surface, _, _ in entries], dtype=np.int32)
    other_shapes = np.array([shape for _, _, shape in entries], dtype=np.uint8)
    joined = _room(int(np.count_nonzero(numbers >= 0)) + len(entries))
    join_entries(numbers, shapes, FormEntries(holders, other_numbers, other_shapes), joined)
    return SurfaceForms(pool.listed(), *joined)


def _room(entries: int) -> FormEntries:
    return FormEntries(np.empty(entries, np.int32), np.empty(entries, np.int32), np.empty(entries, np.uint8))
