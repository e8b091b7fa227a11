"""Guard text cells that a spreadsheet would run as a formula (OWASP, CSV injection)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["guarded", "unguarded"]

# Spreadsheets skip blanks, and some also accept the full-width and small forms of the signs.
_SIGNS: Final = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
_BLANKS: Final = r"[\s\x00\u200b\u2060\ufeff]*"
_FORMULA: Final = f"(?:{_BLANKS}[{_SIGNS}]|[\\t\\r])"

# Cells that already have our apostrophe get another, so that the reader can remove exactly one.
_RUNNABLE: Final = re.compile(f"'*{_FORMULA}")
_GUARDED: Final = re.compile(f"'+{_FORMULA}")


def guarded(text: str) -> str:
    """Put an apostrophe before a text cell that a spreadsheet would run.

    Example:
        >>> guarded("=1+1"), guarded(" \uff1d1"), guarded("1+1")
        ("'=1+1", "' \uff1d1", '1+1')
    """
    return "'" + text if _RUNNABLE.match(text) else text


def unguarded(cell: str) -> str:
    """Undo ``guarded``."""
    return cell[1:] if cell.startswith("'") and _GUARDED.match(cell) else cell
