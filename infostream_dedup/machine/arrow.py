"""Require pyarrow where Arrow's data are read or written; CSV and JSON Lines do without."""

from __future__ import annotations

from infostream_dedup.errors import MissingExtraError


def require_arrow(purpose: str, extra: str = "tables") -> None:
    """Refuse what needs pyarrow where it is not installed."""
    try:
        import pyarrow  # noqa: F401 - whether it can be imported
    except ImportError:
        raise MissingExtraError("pyarrow", extra, purpose) from None
