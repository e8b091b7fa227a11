"""Criteria of pairs, and the registry of them (Andreev et al., section 5, equation 11).

Every criterion measures how far i differs from j and j from i, for all pairs at once. 0 means "i adds nothing in this
respect" unless its docstring says otherwise. NaN means that the difference is unknown; it then counts neither for nor
against.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.documents.lines import byte_lines
from infostream_dedup.documents.records import Place
from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.machine.arrays import Floats, Ints
from infostream_dedup.model.registry import Registry

_SAME: Final = 0.1
_OTHER: Final = 0.6
_DAY: Final = 24.0

Both: TypeAlias = "tuple[Floats, Floats]"
"""float64 (pairs,) twice: i against j, and j against i."""


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Pairs of documents of a collection."""

    models: DocumentModels  # models of the collection's documents
    i: Ints  # int64 (pairs,), ordinals
    j: Ints  # int64 (pairs,), ordinals
    authority: Both  # two of float64 (pairs,), 0 to 1, authority of the sources of i and j; NaN if unknown

    @cached_property
    def evidence(self) -> Floats:
        """Evidence of the pairs: float64 (pairs, ``pair_evidence.COLUMNS``); forward is the share of i's that j has."""
        return self.models.evidence.of_pairs(self.i, self.j)


@dataclass(frozen=True, slots=True)
class Typical:
    """Rough typical values of a criterion in news, relative to which a classifier measures it."""

    mean: float = 0.5  # a medium value
    scale: float = 0.35  # ordinary distance from the mean, above 0


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion."""

    measure: Callable[[ComparedPairs], Both]  # differences of pairs in both directions
    say: Callable[[float], str]  # puts a value into words
    typical: Typical  # its typical values
    combined: bool = False  # whether it combines other criteria instead of being separate evidence


CRITERIA: Final[Registry[Criterion]] = Registry("infostream_dedup.judging.criteria.pair_criteria", "criterion")
"""All criteria by name."""


def criterion(
    *, say: Callable[[float], str], order: float = float("inf"), typical: Typical | None = None, combined: bool = False
) -> Callable[[Callable[[ComparedPairs], Both]], Callable[[ComparedPairs], Both]]:
    """Return a decorator that makes a function a criterion of the same name."""

    def add_function(measure: Callable[[ComparedPairs], Both]) -> Callable[[ComparedPairs], Both]:
        CRITERIA.add(measure.__name__, Criterion(measure, say, typical or Typical(), combined), order=order)
        return measure

    return add_function


def symmetric(values: Floats) -> Both:
    """Return the same values for both directions."""
    return values, values


def antisymmetric(values: Floats) -> Both:
    """Return the values, and their negatives for the other direction."""
    return values, -values


def say_share(what: str, verb: str) -> Callable[[float], str]:
    """Return words for a share: the same, different in part, different."""

    def say(value: float) -> str:
        if value <= _SAME:
            return f"same {what}"
        return f"{what} {verb}" if value >= _OTHER else f"{what} {verb} in part"

    return say


def say_more(what: str) -> Callable[[float], str]:
    """Return words for a difference of counts."""
    return say_sign(f"fewer {what}", f"as many {what}", f"more {what}")


def say_sign(less: str, equal: str, more: str) -> Callable[[float], str]:
    """Return words for the sign of a difference."""
    return lambda value: equal if value == 0 else more if value > 0 else less


def say_hours_apart(value: float) -> str:
    """Put ln(1 + hours) into words."""
    hours = float(np.expm1(value))
    return f"{hours / _DAY:.0f} days apart" if hours >= 2 * _DAY else f"{hours:.0f} hours apart"


# Authority of sources, the trust in their originality: from the file of an expert (Andreev et al., 5.7)

_LONGEST_LINE: Final = 1 << 20
_TABLE_ENDING: Final = ".tsv"
_HEADER: Final = ["source", "authority"]


def read_authority(path: str | Path) -> dict[str, float]:
    """Read an expert's assessment of sources."""
    name = str(path)
    found: dict[str, float] = {}
    for place, source, value in _table(name) if name.lower().endswith(_TABLE_ENDING) else _objects(name):
        if not isinstance(source, str) or not source.strip():
            raise place.error("E_SOURCE", f"is {source!r}; expected the name of a source", "source")
        authority = _authority(value, place)
        if found.setdefault(source, authority) != authority:
            message = f"{source!r} has {authority:g} here and {found[source]:g} earlier; leave one of the lines out"
            raise place.error("E_CONTRADICTION", message, "authority")
    return found


def authority_of(sources: Sequence[str | None], authority: Mapping[str, float]) -> Floats:
    """Look up the authority of each document's source, for ``differences``.

    Example:
        >>> authority_of(["a.example", None, "b.example"], {"a.example": 0.9}).tolist()
        [0.9, nan, nan]
    """
    return np.array([math.nan if source is None else authority.get(source, math.nan) for source in sources])


def _authority(value: Any, place: Place) -> float:
    given = value
    if isinstance(value, str):
        try:
            given = float(value)
        except ValueError:
            given = None
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
        raise place.error("E_AUTHORITY", f"is {value!r}; expected a number from 0 to 1", "authority")
    return float(given)


def _objects(path: str) -> Iterator[tuple[Place, Any, Any]]:
    for item in jsonl_records(path, _LONGEST_LINE):
        if isinstance(item, BadDataError):
            raise item
        for name in _HEADER:
            if name not in item.values:
                raise item.place.error("E_REQUIRED", "is missing; expected source and authority", name)
        # JSON has numbers, so a number in quotes is a mistake.
        value = item.values["authority"]
        if isinstance(value, str):
            raise item.place.error("E_AUTHORITY", f"is the text {value!r}; expected a number from 0 to 1", "authority")
        yield item.place, item.values["source"], value


def _table(path: str) -> Iterator[tuple[Place, str, str]]:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}; expected a table of sources and their authority") from error
    for line in byte_lines(BytesIO(data), _LONGEST_LINE):
        place = Place(path, line.number, line.offset, line.data)
        if line.too_long:
            raise place.error("E_TOO_LARGE", f"the line is longer than {_LONGEST_LINE} bytes")
        cells = _cells(line.data, place)
        if cells and not (line.number == 1 and cells == _HEADER):
            yield place, cells[0], cells[1]


def _cells(data: bytes, place: Place) -> list[str]:
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as wrong:
        raise place.error("E_ENCODING", f"byte {wrong.start + 1} of the line is not UTF-8") from wrong
    if not text.strip():
        return []
    cells = [cell.strip() for cell in text.rstrip("\r\n").split("\t")]
    if len(cells) != len(_HEADER):
        raise place.error("E_CELLS", f"{len(cells)} cells; expected 2: source, tab, authority")
    return cells
