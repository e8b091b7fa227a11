"""Join the forms that compiled code made with those of the other words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["FormEntries", "join_entries"]


class FormEntries(NamedTuple):
    """Forms of surfaces, one entry for each form of each.

    Attributes:
        surfaces: int32 (entries,), ascending.
        numbers: int32 (entries,), the form.
        shapes: uint8 (entries,), its shape.
    """

    surfaces: Vector[np.int32]
    numbers: Vector[np.int32]
    shapes: Vector[np.uint8]


@compiled
def join_entries(numbers: Vector[np.int32], shapes: Vector[np.uint8], others: FormEntries, joined: FormEntries) -> None:
    """Write the entries of all surfaces in order.

    Args:
        numbers: int32 (surfaces,), the only form of each surface; negative without one.
        shapes: uint8 (surfaces,), shape of this form.
        others: entries of some of the surfaces without.
        joined: receives all entries.
    """
    end, other = 0, 0
    for surface in range(numbers.size):
        if numbers[surface] >= 0:
            joined.surfaces[end], joined.numbers[end], joined.shapes[end] = surface, numbers[surface], shapes[surface]
            end += 1
        while other < others.surfaces.size and others.surfaces[other] == surface:
            joined.surfaces[end], joined.numbers[end] = surface, others.numbers[other]
            joined.shapes[end] = others.shapes[other]
            end, other = end + 1, other + 1
