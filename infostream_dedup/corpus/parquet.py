"""Records of Parquet files, read by batches of rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infostream_dedup.corpus.columns import BATCH_ROWS, batch_records, schema_error
from infostream_dedup.corpus.documents import IdType
from infostream_dedup.corpus.records import Item, Place
from infostream_dedup.errors import NoInputError

__all__ = ["parquet_records"]

# Pages are then read as they are needed, not a whole column of a row group at once.
_BUFFER_BYTES: Final = 2**20


def parquet_records(source: str, id_type: IdType) -> Iterator[Item]:
    """The records of one file; one error for the file where it is not Parquet or has wrong columns.

    Args:
        source: path.
        id_type: ``int`` allows a column of whole numbers as ids.

    Raises:
        NoInputError: the file cannot be opened.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = 0
    try:
        with Path(source).open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER_BYTES) as file:
            wrong = schema_error(file.schema_arrow, id_type, source)
            if wrong is not None:
                yield wrong
                return
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                yield from batch_records(batch, source, rows)
                rows += batch.num_rows
    except (pa.ArrowException, ValueError, OverflowError) as error:
        # Names that are not UTF-8 and impossible sizes reach us as errors of Python, not of Arrow.
        yield _damaged(source, rows, error)
    except OSError as error:
        # pyarrow reports damaged pages as OSError without a number; those of the system have one.
        if error.errno is None:
            yield _damaged(source, rows, error)
        else:
            raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error


def _damaged(source: str, rows: int, error: Exception) -> Item:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    if not rows:
        return Place(source).error("E_PARQUET", f"not a Parquet file that can be read ({reason})")
    return Place(source, rows + 1).error("E_PARQUET", f"the file is damaged behind {rows} rows ({reason})")
