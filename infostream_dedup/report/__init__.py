"""Write results as files: HTML, SVG, PNG, CSV, JSON.

The names below load on first use: rows can be printed without loading the plotting library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

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
