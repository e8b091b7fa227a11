"""Write results as files: HTML, SVG, PNG, CSV, JSON; and check, before the work, that they can be written."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.errors import CannotCreateError, MissingExtraError


def has_report_extra() -> bool:
    """Whether the package that writes pages is installed."""
    return _has("jinja2")


def has_plots() -> bool:
    """Whether pictures are also written as PNG."""
    return _has("matplotlib")


def _has(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ImportError:
        return False


def require_pages() -> None:
    """Require the package that writes pages."""
    if not has_report_extra():
        raise MissingExtraError("jinja2", "report", "a report")


def check_report_folder(folder: str | Path, *, xlsx: bool = False) -> None:
    """Refuse a report before hours of work, not after; nothing is created."""
    require_pages()
    if xlsx:
        require_workbooks()
    whole = Path(folder).absolute()
    present = next(path for path in (whole, *whole.parents) if path.exists())
    if not present.is_dir():
        raise CannotCreateError(f"cannot create the folder {folder}: {present} is a file")
    if not os.access(present, os.W_OK | os.X_OK):
        raise CannotCreateError(f"cannot write to the folder {folder}: {present}: Permission denied")
