"""Authority of sources, the trust in their originality: from the file of an expert (Andreev et al., 5.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.documents.json_files import jsonl_records
from infostream_dedup.documents.lines import byte_lines
from infostream_dedup.documents.records import Place
from infostream_dedup.errors import BadDataError, NoInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def authority_of(sources: Sequence[str | None], authority: Mapping[str, float]) -> NDArray[np.float64]:
    """Look up the authority of each document's source, for ``differences``.

    Args:
        authority: authority by source, 0 to 1.

    Returns:
        float64 (documents,), NaN if the source is missing or unknown.

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
