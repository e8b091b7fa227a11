"""Records from memory: tables of any library that supports Arrow, and lists of dicts or documents.

pandas (2.2 and later), polars, pyarrow, DuckDB and others offer their tables as Arrow streams
(``__arrow_c_stream__``), so there is no need to import those libraries here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.column_names import BATCH_ROWS, ColumnNames, ReadBatch, schema_error
from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.endings import KNOWN_ENDINGS, STANDARD_STREAM
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.model import Document
from infostream_dedup.model.tabular import require_arrow

_EMPTY: Final = ("NaTType", "NAType")


def python_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record without the types of numpy, and with None for the empty cells of pandas."""
    if any(_is_foreign(value) for value in values.values()):
        return {name: _python_value(value) if _is_foreign(value) else value for name, value in values.items()}
    return values


def _is_foreign(value: Any) -> bool:
    return type(value).__module__ == "numpy" or type(value).__name__ in _EMPTY


def _python_value(value: Any) -> Any:
    if type(value).__name__ in _EMPTY:
        return None
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        # Python's times have microseconds; numpy returns finer ones as plain numbers.
        value = value.astype("datetime64[us]")
    return value.tolist() if hasattr(value, "tolist") else value


FRAME: Final = "<frame>"
LIST: Final = "<list>"
_LONGEST_NAME: Final = 255
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")
_ARROW: Final = ("__arrow_c_stream__", "__arrow_c_array__", "to_arrow", "to_arrow_table", "fetch_arrow_table")


def is_series(source: object) -> bool:
    """Whether `source` is one column: a Series of pandas or polars, an index of pandas, or an array of Arrow."""
    if hasattr(source, "to_pylist"):
        return hasattr(source, "type")
    return type(source).__name__ in ("Series", "Index") and hasattr(source, "to_list")


def loaded(source: Any) -> Any:
    """Prepare a source: collect a lazy frame; make records with ids 1, 2, 3 ... from a column or list of texts."""
    if type(source).__name__ == "LazyFrame" and hasattr(source, "collect"):
        return source.collect()
    if is_series(source):
        return _texts(source.to_pylist() if hasattr(source, "to_pylist") else source.to_list())
    if type(source).__module__ == "numpy" and hasattr(source, "tolist"):
        source = source.tolist()
    if isinstance(source, list | tuple) and all(_is_gap(one) or _is_text(one) for one in source):
        return source if all(map(_is_gap, source)) else _texts(source)
    return source


def _is_gap(value: object) -> bool:
    """Whether a value in a list of texts stands for a missing text."""
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _is_text(value: object) -> bool:
    """Whether a string is a text and not a file name: no such file exists, and it has no known ending or pattern."""
    if not isinstance(value, str) or value == STANDARD_STREAM:
        return False
    if "\n" in value or len(value[: _LONGEST_NAME + 1].encode("utf-8", "replace")) > _LONGEST_NAME:
        return True
    return " " in value.strip() and not value.lower().endswith(KNOWN_ENDINGS) and not Path(value).exists()


def _texts(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"id": str(number), "text": value} for number, value in enumerate(values, 1)]


def is_frame(source: object) -> bool:
    """Return whether `source` is a table, that is, offers Arrow data or has ``to_arrow``."""
    return not is_series(source) and any(hasattr(source, name) for name in _ARROW)


def frame_records(
    frame: Any, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True, source: str = FRAME
) -> Iterator[Any]:
    """Yield the records of a table in memory, rows numbered from 1; a single error if its columns are wrong."""
    require_arrow("reading a data frame")
    import pyarrow as pa

    rows = 0
    try:
        try:
            reader = _open_reader(frame)
        except pa.ArrowException:
            raise
        except (TypeError, ValueError) as error:
            # What the library of the table refuses, such as two columns of one name.
            yield Place(source).error(
                "E_SCHEMA", f"the table cannot be converted to an Arrow table: {str(error)[:200]}"
            )
            return
        wrong = schema_error(reader.schema, source, names, ids=ids)
        kept = [name for name in reader.schema.names if not _PANDAS_INDEX.fullmatch(name)]
        for whole in reader:
            # A frame without rows has no documents, whatever the types of its empty columns.
            if wrong is not None and whole.num_rows:
                yield wrong
                return
            for start in range(0, whole.num_rows, BATCH_ROWS):
                batch = whole.select(kept).slice(start, BATCH_ROWS)
                yield from read_batch(batch, source, rows)
                rows += batch.num_rows
    except (pa.ArrowException, OverflowError) as error:
        reason = "; ".join(str(part) for part in error.args)[:200]
        yield Place(source, rows + 1 if rows else None).error(
            "E_SCHEMA", f"a column cannot be converted to an Arrow column: {reason}; give it values of one type"
        )


def _open_reader(frame: Any) -> Any:
    import pyarrow as pa

    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    made = next((getattr(frame, name) for name in _ARROW[2:] if hasattr(frame, name)), None)
    return pa.RecordBatchReader.from_stream(pa.table(frame) if made is None else made())


def list_records(values: Iterable[Any], first: int = 1, source: str = LIST) -> Iterator[Item]:
    """Yield the records of dicts and documents, numbered from ``first``, and an error for everything else."""
    for number, value in enumerate(values, first):
        place = Place(source, number)
        if isinstance(value, Document):
            yield Record(row_of(value), place, value.time)
        elif isinstance(value, Mapping):
            yield Record(python_values(value), place)
        else:
            raw = repr(value).encode(errors="backslashreplace")
            yield place._replace(raw=raw).error("E_TYPE", f"got {type(value).__name__}, expected a dict or a Document")
