"""Reads tables for a check: a bad line becomes a finding instead of an error."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infostream_dedup.errors import NoInputError
from infostream_dedup.lab.lexicography.findings import Finding
from infostream_dedup.language.lexicon.tables import TableRow

__all__ = ["read_lines", "read_rows"]

_INVISIBLE: Final = frozenset("\u00a0\u00ad\u200b\u200c\u200d\u200e\u200f\ufeff")


def read_lines(path: Path) -> tuple[list[tuple[int, str]], list[Finding]]:
    """Read the non-blank lines that are not comments, with their numbers, and find faults of the text itself.

    Raises:
        NoInputError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise NoInputError(f"{path}: cannot read the dictionary: {error.strerror}") from None
    lines: list[tuple[int, str]] = []
    findings: list[Finding] = []
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"byte {error.start} of the line is not UTF-8"
            findings.append(Finding("defect", path.name, number, "", message, "save the file as UTF-8"))
            continue
        for message, advice in _find_faults(line):
            findings.append(Finding("defect", path.name, number, "", message, advice))
        if line.strip() and not line.startswith("#"):
            lines.append((number, line.strip("\r\n")))
    return lines, findings


def read_rows(path: Path, columns: Sequence[str]) -> tuple[list[TableRow], list[Finding]]:
    """Read the good rows of a table and find the faults of the others.

    Args:
        path: UTF-8 table with a header, columns separated by one tab.
        columns: column names that the header must have, in this order.

    Raises:
        NoInputError: the file cannot be read.
    """
    lines, findings = read_lines(path)
    expected = ", ".join(columns)
    number, header = lines[0] if lines else (1, "")
    if header.split("\t") != list(columns):
        message = f"the header is {header!r}; expected the columns {expected}"
        return [], [
            *findings,
            Finding("defect", path.name, number, "", message, "correct the header; separate columns by one tab"),
        ]
    rows = []
    for number, line in lines[1:]:
        cells = line.split("\t")
        if len(cells) != len(columns):
            message = f"{len(cells)} cells; expected {len(columns)}: {expected}"
            findings.append(Finding("defect", path.name, number, "", message, "put one tab between cells"))
            continue
        rows.append(TableRow(path.name, number, dict(zip(columns, cells, strict=True))))
        findings.extend(
            Finding("defect", path.name, number, column, f"{cell!r} has extra blanks", "keep one blank between words")
            for column, cell in rows[-1].cells.items()
            if any(part != " ".join(part.split()) for part in cell.split("|"))
        )
    return rows, findings


def _find_faults(line: str) -> list[tuple[str, str]]:
    faults = []
    if "\r" in line:
        faults.append(("a carriage return", "end lines with only a line feed"))
    if not unicodedata.is_normalized("NFC", line):
        faults.append(("decomposed letters (not NFC)", "write each letter as one character"))
    if invisible := sorted(_INVISIBLE & set(line)):
        faults.append((f"the invisible character U+{ord(invisible[0]):04X}", "delete it"))
    return faults
