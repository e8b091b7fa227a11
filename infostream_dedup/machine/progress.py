"""How long-running work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called with the name of a step, the amount done, and the total (``None`` if unknown)."""
