"""Rows of columns: a value is made when a row is asked for it, for all rows of a block at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, ClassVar, Self, TypeAlias, TypeVar

from infostream_dedup.machine.platform import collector_paused

ColumnMakers: TypeAlias = Mapping[str, Callable[[], Sequence[Any]]]
_Row = TypeVar("_Row", bound="ColumnRow")


class RowColumns(dict[str, Sequence[Any]]):
    """The columns of a block of rows, by name; ``makers`` make those that are still to be made."""

    def __init__(self, makers: ColumnMakers) -> None:
        super().__init__()
        self._makers = dict(makers)

    def __missing__(self, name: str) -> Sequence[Any]:
        self[name] = self._makers[name]()
        del self._makers[name]  # and what the column was made of
        return self[name]


class ColumnRow:
    """A row of a block; a subclass annotates its fields, which can be read, compared and pickled."""

    __slots__ = ("_columns", "_place")
    FIELDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, columns: RowColumns, place: int) -> None:
        self._columns, self._place = columns, place

    def __init_subclass__(cls) -> None:
        cls.FIELDS += tuple(cls.__annotations__)
        for name in cls.__annotations__:
            setattr(cls, name, _field(name))

    @classmethod
    def of(cls, *values: Any) -> Self:
        """A row of its own, of a value for each field."""
        columns = RowColumns({})
        columns.update({name: [value] for name, value in zip(cls.FIELDS, values, strict=True)})
        return cls(columns, 0)

    @classmethod
    def rows(cls, columns: RowColumns, count: int) -> list[Self]:
        """All rows of a block."""
        with collector_paused():
            return list(map(cls, repeat(columns), range(count)))

    def values(self) -> tuple[Any, ...]:
        """The values of all fields, in their order."""
        columns, place = self._columns, self._place
        return tuple([columns[name][place] for name in self.FIELDS])

    def __eq__(self, other: object) -> bool:
        return self.values() == other.values() if type(other) is type(self) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # lists of terms have none

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, self.values()

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in zip(self.FIELDS, self.values(), strict=True))
        return f"{type(self).__name__}({told})"


def completed(rows: list[_Row]) -> list[_Row]:
    """The rows of a block after all columns are made, so that nothing is kept that they are made of."""
    if rows:
        rows[0].values()
    return rows


def _field(name: str) -> property:
    return property(lambda row: row._columns[name][row._place])
