"""Read records of Parquet files in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from infostream_dedup.documents.column_names import ColumnNames
from infostream_dedup.documents.columns import BATCH_ROWS, ReadBatch, schema_error
from infostream_dedup.documents.lines import StreamError, check_ratio
from infostream_dedup.documents.records import Item, Place
from infostream_dedup.errors import NoInputError
from infostream_dedup.machine.arrow import require_arrow

__all__ = ["parquet_records"]

# With a buffer, pages are read as needed instead of a whole column of a row group at once.
_BUFFER_BYTES: Final = 2**20
_BATCH_BYTES: Final = 256 * 2**20
_SMALL_FILE: Final = 16 * 2**20


def parquet_records(source: str, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True) -> Iterator[Any]:
    """Yield the records of one file, or a single error if it is not Parquet or has wrong columns."""
    require_arrow("reading .parquet")
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    try:
        with Path(source).open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER_BYTES) as file:
            wrong = schema_error(file.schema_arrow, source, names, ids=ids)
            if wrong is not None:
                yield wrong
                return
            size = Path(source).stat().st_size
            groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
            check_ratio(sum(max(group.total_byte_size, _values_of(group)) for group in groups), size)
            unpacked = 0
            for batch in file.iter_batches(batch_size=_rows_at_once(groups, size)):
                # A dictionary holds a value once that each row then has.
                unpacked += batch.nbytes
                check_ratio(unpacked, size)
                yield from read_batch(batch, source, rows)
                rows += batch.num_rows
    except StreamError as error:
        yield Place(source, rows + 1 if rows else None).error(error.code, error.message)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        # Names that are not UTF-8 and impossible sizes raise Python's errors, not Arrow's.
        yield _damage_error(source, rows, error)
    except OSError as error:
        # pyarrow reports damaged pages as OSError without a number; system errors have one.
        if error.errno is None:
            yield _damage_error(source, rows, error)
        else:
            raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error


def _values_of(group: Any) -> int:
    """Number of values, those in lists too, each of which takes a byte at least once it is read."""
    return sum(group.column(number).num_values for number in range(group.num_columns))


def _rows_at_once(groups: list[Any], size: int) -> int:
    """Rows of a batch: in a small file, few enough that even a dictionary's longest value in each row has room."""
    if size > _SMALL_FILE:
        return BATCH_ROWS
    longest = max(
        (group.column(number).total_uncompressed_size for group in groups for number in range(group.num_columns)),
        default=0,
    )
    return min(BATCH_ROWS, max(1, _BATCH_BYTES // max(1, longest)))


def _damage_error(source: str, rows: int, error: Exception) -> Item:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    if not rows:
        return Place(source).error("E_PARQUET", f"not a Parquet file that can be read ({reason})")
    return Place(source, rows + 1).error("E_PARQUET", f"the file is damaged after {rows} rows ({reason})")
