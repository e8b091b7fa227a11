"""What a check of the dictionaries finds in a row, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "Level"]

Level = Literal["defect", "doubt"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one row.

    Attributes:
        level: ``defect``, which must be mended, or ``doubt``: a name that no source confirms, which may be right.
        file: name of the table without its folder.
        line: 1-based line.
        field: column at fault; empty where the whole line is.
        message: what came and what was expected.
        advice: what to do.
    """

    level: Level
    file: str
    line: int
    field: str
    message: str
    advice: str

    def __str__(self) -> str:
        place = ":".join(filter(None, (self.file, str(self.line), self.field)))
        return f"{place}: {self.message}; {self.advice}"
