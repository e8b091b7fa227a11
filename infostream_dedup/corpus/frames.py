"""Records of values in memory: tables of any library that supports Arrow, and lists of dicts or documents.

pandas (2.2 and later), polars, pyarrow, DuckDB and others offer their tables as Arrow streams
(``__arrow_c_stream__``), so there is no need to import those libraries here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from infostream_dedup.corpus.columns import BATCH_ROWS, batch_records, schema_error
from infostream_dedup.corpus.documents import IdType, row_of
from infostream_dedup.corpus.records import Item, Place, Record
from infostream_dedup.model import Document

__all__ = ["frame_records", "is_frame", "list_records"]

FRAME: Final = "<frame>"
LIST: Final = "<list>"
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")


def is_frame(source: object) -> bool:
    """Return whether `source` is a table, that is, offers Arrow data or has ``to_arrow``."""
    return any(hasattr(source, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "to_arrow"))


def frame_records(frame: Any, id_type: IdType) -> Iterator[Item]:
    """Yield the records of a table in memory, rows numbered from 1; a single error if its columns are wrong.

    The unnamed index that pandas adds is left out.

    Args:
        frame: an object for which `is_frame` returns true.
        id_type: ``int`` allows an integer column as ids.
    """
    import pyarrow as pa

    rows = 0
    try:
        reader = _open_reader(frame)
        wrong = schema_error(reader.schema, id_type, FRAME)
        kept = [name for name in reader.schema.names if not _PANDAS_INDEX.fullmatch(name)]
        for whole in reader:
            # A frame without rows has no documents, whatever types its library gave the empty columns.
            if wrong is not None and whole.num_rows:
                yield wrong
                return
            for start in range(0, whole.num_rows, BATCH_ROWS):
                batch = whole.select(kept).slice(start, BATCH_ROWS)
                yield from batch_records(batch, FRAME, rows)
                rows += batch.num_rows
    except (pa.ArrowException, OverflowError) as error:
        reason = "; ".join(str(part) for part in error.args)[:200]
        yield Place(FRAME, rows + 1 if rows else None).error(
            "E_SCHEMA", f"a column cannot be converted to an Arrow column: {reason}; give it values of one type"
        )


def _open_reader(frame: Any) -> Any:
    import pyarrow as pa

    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    table = pa.table(frame) if hasattr(frame, "__arrow_c_array__") else frame.to_arrow()
    return pa.RecordBatchReader.from_stream(table)


def list_records(values: Iterable[Any]) -> Iterator[Item]:
    """Yield the records of dicts and documents, numbered from 1, and an error for everything else."""
    for number, value in enumerate(values, 1):
        place = Place(LIST, number)
        if isinstance(value, Document):
            yield Record(row_of(value), place, value.time)
        elif isinstance(value, Mapping):
            yield Record(value, place)
        else:
            raw = repr(value).encode(errors="backslashreplace")
            yield place._replace(raw=raw).error("E_TYPE", f"got {type(value).__name__}, expected a dict or a Document")
