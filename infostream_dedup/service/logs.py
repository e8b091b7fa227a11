"""One line of JSON on standard error for each request and each batch; never a text, a title, a token or a query."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import Any

import orjson

__all__ = ["log_batch", "log_request"]


def log_request(*, level: str = "info", **members: Any) -> None:
    """Write the line of a request."""
    _write("request", level, members)


def log_batch(*, level: str = "info", **members: Any) -> None:
    """Write the line of a batch."""
    _write("batch", level, members)


def _write(what: str, level: str, members: dict[str, Any]) -> None:
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "what": what, **members}
    sys.stderr.write(orjson.dumps(line).decode() + "\n")
    sys.stderr.flush()
