"""How many records came, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ReadingReport"]


@dataclass(slots=True)
class ReadingReport:
    """Counts of one or more readings; ``read == used + quarantined`` whenever a document is handed on, and at the end.

    A record that ends the reading with an error is not counted. A file that breaks off or cannot be read at all counts
    as one record for that fault.

    Attributes:
        read: records taken from the input; lines of white space are none.
        used: documents handed on.
        quarantined_by_code: records set aside, by the code of their fault, in order of the first of each.
        used_by_source: documents handed on, by file, in the order the files were read.
    """

    read: int = 0
    used: int = 0
    quarantined_by_code: dict[str, int] = field(default_factory=dict)
    used_by_source: dict[str, int] = field(default_factory=dict)

    @property
    def quarantined(self) -> int:
        """Records set aside."""
        return sum(self.quarantined_by_code.values())

    def count_used(self, source: str) -> None:
        """One document of the file `source` was handed on."""
        self.used += 1
        self.used_by_source[source] = self.used_by_source.get(source, 0) + 1

    def take_back(self, source: str) -> None:
        """One document of the file `source` that was handed on is a bad record after all."""
        self.read -= 1
        self.used -= 1
        self.used_by_source[source] -= 1

    def count_quarantined(self, code: str) -> None:
        """One record was set aside for the fault `code`."""
        self.quarantined_by_code[code] = self.quarantined_by_code.get(code, 0) + 1

    def summary(self) -> str:
        """The counts in one line.

        Example:
            >>> ReadingReport(1000, 998, {"E_JSON": 1, "E_ID_CONFLICT": 1}).summary()
            'read 1000 = used 998 + quarantined 2 (E_JSON 1, E_ID_CONFLICT 1)'
        """
        line = f"read {self.read} = used {self.used} + quarantined {self.quarantined}"
        if not self.quarantined_by_code:
            return line
        counts = ", ".join(f"{code} {count}" for code, count in self.quarantined_by_code.items())
        return f"{line} ({counts})"
