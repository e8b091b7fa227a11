"""Find the part of a batch that a killed run had already written, if standard output is appended to a file."""

from __future__ import annotations

import stat
import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

__all__ = ["go_on_printing"]


def go_on_printing(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Complete the row at the end of standard output if it is the beginning of one of these rows.

    Args:
        rows: the rows of a batch, as JSON Lines.

    Returns:
        The rows left to print: all of them if standard output is a pipe or a terminal, or cannot be read.
    """
    from infostream_dedup.documents.outputs import write_rows

    stream = BytesIO()
    write_rows(rows, stream, "jsonl")
    text = stream.getvalue()
    done = _common(_end_of_output(len(text) + 1), text)
    whole = text.count(b"\n", 0, done)
    if done and text[done - 1 : done] != b"\n":
        sys.stdout.buffer.write(text[done : text.index(b"\n", done) + 1])
        whole += 1
    return rows[whole:]


def _end_of_output(size: int) -> bytes:
    """Return the last lines of the file that standard output writes to; empty if it is a pipe or a terminal."""
    try:
        path = Path(f"/proc/self/fd/{sys.stdout.fileno()}")
        if not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            end = file.seek(0, 2)
            begin = file.seek(max(end - size, 0))
            last = file.read()
    except OSError:
        return b""
    return last if begin == 0 else last[last.find(b"\n") + 1 :] if b"\n" in last else b""


def _common(written: bytes, text: bytes) -> int:
    r"""Length of the longest tail of ``written``, starting at a line, with which ``text`` begins.

    Example:
        >>> _common(b"1\n2\n3", b"2\n34\n")
        3
    """
    begin = 0
    while begin < len(written):
        if text.startswith(written[begin:]):
            return len(written) - begin
        end = written.find(b"\n", begin)
        begin = len(written) if end < 0 else end + 1
    return 0
