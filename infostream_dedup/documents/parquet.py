"""Read records of Parquet files in batches of rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.documents.columns import BATCH_ROWS, ReadBatch, schema_error
from infostream_dedup.documents.records import Item, Place
from infostream_dedup.errors import NoInputError
from infostream_dedup.machine.arrow import require_arrow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infostream_dedup.documents.column_names import ColumnNames
    from infostream_dedup.documents.documents import IdType

__all__ = ["parquet_records"]

# With a buffer, pages are read as needed instead of a whole column of a row group at once.
_BUFFER_BYTES: Final = 2**20


def parquet_records(
    source: str, id_type: IdType, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True
) -> Iterator[Any]:
    """Yield the records of one file, or a single error if it is not Parquet or has wrong columns."""
    require_arrow("reading .parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    try:
        with Path(source).open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER_BYTES) as file:
            wrong = schema_error(file.schema_arrow, id_type, source, names, ids=ids)
            if wrong is not None:
                yield wrong
                return
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                yield from read_batch(batch, source, rows)
                rows += batch.num_rows
    except (pa.ArrowException, ValueError, OverflowError) as error:
        # Names that are not UTF-8 and impossible sizes raise Python's errors, not Arrow's.
        yield _damage_error(source, rows, error)
    except OSError as error:
        # pyarrow reports damaged pages as OSError without a number; system errors have one.
        if error.errno is None:
            yield _damage_error(source, rows, error)
        else:
            raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error


def _damage_error(source: str, rows: int, error: Exception) -> Item:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    if not rows:
        return Place(source).error("E_PARQUET", f"not a Parquet file that can be read ({reason})")
    return Place(source, rows + 1).error("E_PARQUET", f"the file is damaged after {rows} rows ({reason})")
