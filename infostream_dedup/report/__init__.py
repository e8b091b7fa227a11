"""Write results as files: HTML, SVG, PNG, CSV, JSON; and check before the work that a report can be written after it.

The names of ``_HOME`` load on first use: rows can be printed without loading the plotting library.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.errors import CannotCreateError, MissingExtraError

if TYPE_CHECKING:
    from infostream_dedup.report.comparison import write_comparison
    from infostream_dedup.report.files import write_report

__all__ = ["write_comparison", "write_report"]
_HOME: Final = {"write_comparison": "comparison", "write_report": "files"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


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
