"""Check before the work that a report can be written after it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.errors import CannotCreateError, MissingExtraError

_PACKAGES = ("jinja2", "matplotlib")


def has_report_extra() -> bool:
    """Whether the packages that draw a report are installed."""
    return all(find_spec(package) is not None for package in _PACKAGES)


def require_packages(*packages: str) -> None:
    """Require packages of the extra ``report``, by default all of them."""
    for package in packages or _PACKAGES:
        if find_spec(package) is None:
            raise MissingExtraError(package, "report", "a report")


def check_report_folder(folder: str | Path, *, xlsx: bool = False) -> None:
    """Refuse a report before hours of work, not after; nothing is created."""
    require_packages()
    if xlsx:
        require_workbooks()
    whole = Path(folder).absolute()
    present = next(path for path in (whole, *whole.parents) if path.exists())
    if not present.is_dir():
        raise CannotCreateError(f"cannot create the folder {folder}: {present} is a file")
    if not os.access(present, os.W_OK | os.X_OK):
        raise CannotCreateError(f"cannot write to the folder {folder}: {present}: Permission denied")
