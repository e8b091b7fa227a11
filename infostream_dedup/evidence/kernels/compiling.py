"""How the kernels of this package are compiled."""

from __future__ import annotations

from infostream_dedup.matrix.kernels.compiled import compiled
from infostream_dedup.text.kernels.compiling import compiled as compiled_bare
from infostream_dedup.text.kernels.compiling import inlined, signed

__all__ = ["compiled", "compiled_bare", "inlined", "signed"]
