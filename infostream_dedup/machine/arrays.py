"""Types of the arrays that kernels take. The number of dimensions is part of the type: kernels are compiled for it."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Cell = TypeVar("Cell", bound=np.generic)
Vector: TypeAlias = NDArray[Cell]
Table: TypeAlias = NDArray[Cell]
Cube: TypeAlias = NDArray[Cell]
Whole = TypeVar("Whole", np.int32, np.int64, np.uint32, np.uint64)
OtherWhole = TypeVar("OtherWhole", np.int32, np.int64, np.uint32, np.uint64)
Place = TypeVar("Place", np.int32, np.int64)
Entry = TypeVar("Entry", np.int32, np.uint32)
Word = TypeVar("Word", np.uint32, np.uint64)  # a kernel with one of these types is compiled once for each type of cell
