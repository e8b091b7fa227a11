"""Faults that a check of the dictionaries finds, with advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "Level"]

Level = Literal["defect", "doubt"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one row.

    Attributes:
        level: ``defect``, which must be corrected, or ``doubt``, a name that no source confirms but may be right.
        file: name of the table without its folder.
        line: line number, from 1.
        field: faulty column; empty for the whole line.
        message: what was found and what was expected.
        advice: what to do about it.
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
