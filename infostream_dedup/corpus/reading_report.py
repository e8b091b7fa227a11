"""How many records were read, and what happened to them."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ReadingReport"]


@dataclass(slots=True)
class ReadingReport:
    """Counts of one or more readings; ``read == used + quarantined`` after each document and at the end.

    A record that stops reading with an error is not counted. A file that breaks off or cannot be read at all counts as
    one record for that fault.

    Attributes:
        read: number of records read from the input, blank lines excluded.
        used: number of documents passed on.
        quarantined_by_code: number of records set aside by code of their fault, in order of first occurrence.
        used_by_source: number of documents passed on by file, in the order in which the files were read.
    """

    read: int = 0
    used: int = 0
    quarantined_by_code: dict[str, int] = field(default_factory=dict)
    used_by_source: dict[str, int] = field(default_factory=dict)

    @property
    def quarantined(self) -> int:
        """Number of records set aside."""
        return sum(self.quarantined_by_code.values())

    def count_used(self, source: str) -> None:
        """Count a document of the file `source` as passed on."""
        self.used += 1
        self.used_by_source[source] = self.used_by_source.get(source, 0) + 1

    def take_back(self, source: str) -> None:
        """Uncount a document of the file `source` that turned out to be a bad record."""
        self.read -= 1
        self.used -= 1
        self.used_by_source[source] -= 1

    def count_quarantined(self, code: str) -> None:
        """Count a record set aside for the fault `code`."""
        self.quarantined_by_code[code] = self.quarantined_by_code.get(code, 0) + 1

    def summary(self) -> str:
        """Format the counts as one line.

        Example:
            >>> ReadingReport(1000, 998, {"E_JSON": 1, "E_ID_CONFLICT": 1}).summary()
            'read 1000 = used 998 + quarantined 2 (E_JSON 1, E_ID_CONFLICT 1)'
        """
        line = f"read {self.read} = used {self.used} + quarantined {self.quarantined}"
        if not self.quarantined_by_code:
            return line
        counts = ", ".join(f"{code} {count}" for code, count in self.quarantined_by_code.items())
        return f"{line} ({counts})"
