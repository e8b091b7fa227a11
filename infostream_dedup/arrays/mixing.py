"""The multiplier of every mixing hash, in kernels too."""

from __future__ import annotations

from typing import Final

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, and odd: neighbouring numbers are spread over all 64 bits."""
