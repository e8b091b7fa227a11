"""One line of JSON on standard error for each request and each batch; never a text, a title, a token or a query.

A request that failed has the ``code`` of its problem; one that the service could not answer has a ``reason``, too.
"""

from __future__ import annotations

import sqlite3
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import InfostreamError
from infostream_dedup.service.problems import ProblemError

_PLACES: Final = 8


def log_request(*, level: str = "info", **members: Any) -> None:
    """Write the line of a request."""
    _write("request", level, members)


def log_batch(**members: Any) -> None:
    """Write the line of a batch."""
    _write("batch", "info", members)


def log_event(what: str, **members: Any) -> None:
    """Write the line of something that no request caused."""
    _write(what, "warning", members)


def failure_of(error: BaseException) -> dict[str, Any]:
    """Describe what failed and where, the innermost place last."""
    frames = traceback.extract_tb(error.__traceback__)[-_PLACES:]
    message = str(error) if isinstance(error, sqlite3.Error | OSError) else None
    return {
        "failure": type(error).__name__,
        "message": message,
        "places": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames],
    }


def free_frames(error: BaseException | None) -> None:
    """Let go of what the frames of an answered failure hold, such as whole bodies.

    Frames, futures and exceptions hold each other. The collector finds such a circle only much later, because it counts
    objects, not bytes.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def reason_of(error: BaseException) -> str:
    """Say what an operator has to know about a failure that no request caused."""
    return str(error) if isinstance(error, InfostreamError | ProblemError) else type(error).__name__


def _write(what: str, level: str, members: dict[str, Any]) -> None:
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "what": what, **members}
    sys.stderr.write(orjson.dumps(line).decode() + "\n")
    sys.stderr.flush()
