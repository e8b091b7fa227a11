"""Text cells that a spreadsheet would run as a formula (OWASP, CSV injection)."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["guarded", "unguarded"]

# Spreadsheets pass over blanks, and some take the full-width and small forms of the signs too.
_SIGNS: Final = "=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
_BLANKS: Final = r"[\s\x00\u200b\u2060\ufeff]*"
_FORMULA: Final = f"(?:{_BLANKS}[{_SIGNS}]|[\\t\\r])"

# Cells that already carry our apostrophe get one more, so that the reader can take exactly one off.
_RUNNABLE: Final = re.compile(f"'*{_FORMULA}")
_GUARDED: Final = re.compile(f"'+{_FORMULA}")


def guarded(text: str) -> str:
    """A text cell with an apostrophe before it where a spreadsheet would run it.

    Example:
        >>> guarded("=1+1"), guarded(" \uff1d1"), guarded("1+1")
        ("'=1+1", "' \uff1d1", '1+1')
    """
    return "'" + text if _RUNNABLE.match(text) else text


def unguarded(cell: str) -> str:
    """A cell as it was before ``guarded``."""
    return cell[1:] if cell.startswith("'") and _GUARDED.match(cell) else cell
