"""A process that reads a table with a library that may abort, or take any amount of memory, because of a small file.

``python -P -m infostream_dedup.machine.table_process xlsx FILE`` writes the number of the first row of the first sheet,
then each row as a line of JSON; ``arrow FILE`` writes how many bytes its columns take; ``parquet FILE`` looks at the
metadata of each column. A file that cannot be read gives a line with ``error``. Memory is limited to a multiple of the
file's size: a process without a last line was stopped.
"""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.machine.platform import limit_own_memory

ALLOWED_BYTES: Final = 512 * 2**20
ALLOWED_RATIO: Final = 50  # memory that a table may take: this many bytes, and this many times the size of its file


def main() -> None:
    """Read the file named on the command line."""
    kind, source = sys.argv[1:]
    for line in {"xlsx": _workbook, "arrow": _arrow, "parquet": _parquet}[kind](source):
        sys.stdout.buffer.write(line + b"\n")


def _limit(source: str) -> None:
    limit_own_memory(ALLOWED_BYTES + ALLOWED_RATIO * Path(source).stat().st_size)


def _workbook(source: str) -> list[bytes]:
    from python_calamine import CalamineError, CalamineWorkbook

    _limit(source)
    try:
        sheet = CalamineWorkbook.from_path(source).get_sheet_by_index(0)
        rows, first = sheet.to_python(), (sheet.start or (0, 0))[0] + 1
    except (CalamineError, ValueError, IndexError) as error:
        return [orjson.dumps({"error": str(error)[:200]})]
    options = orjson.OPT_PASSTHROUGH_DATETIME
    return [orjson.dumps(first), *(orjson.dumps(row, _tagged, options) for row in rows), b"null"]


def _tagged(value: Any) -> dict[str, str]:
    if isinstance(value, datetime.timedelta):
        return {"timedelta": str(value.total_seconds())}
    return {type(value).__name__: value.isoformat()}


def cell_of(value: Any) -> Any:
    """A cell as it was before it was written as JSON."""
    if not isinstance(value, dict):
        return value
    ((kind, text),) = value.items()
    if kind == "timedelta":
        return datetime.timedelta(seconds=float(text))
    return getattr(datetime, kind).fromisoformat(text)


def _arrow(source: str) -> list[bytes]:
    import pyarrow as pa

    pa.set_memory_pool(pa.system_memory_pool())
    _limit(source)
    with Path(source).open("rb") as stream:
        try:
            try:
                reader = pa.ipc.open_file(stream)
                batches = (reader.get_batch(number) for number in range(reader.num_record_batches))
            except pa.ArrowInvalid:
                stream.seek(0)
                batches = iter(pa.ipc.open_stream(stream))
            size = sum(unpacked_bytes(batch) for batch in batches)
        except MemoryError:
            return []
        except pa.ArrowException as error:
            return [orjson.dumps({"error": str(error)[:200]})]
    return [orjson.dumps(size), b"null"]


def _parquet(source: str) -> list[bytes]:
    import pyarrow.parquet as pq

    with Path(source).open("rb") as stream, pq.ParquetFile(stream) as file:
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            for column in range(group.num_columns):
                group.column(column)
    return [b"null"]


def unpacked_bytes(batch: Any) -> int:
    """Bytes of a batch of rows once each row has its own copy of what a dictionary holds once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = int(batch.nbytes)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and len(column.dictionary):
            width = column.dictionary.nbytes // len(column.dictionary)
            if pa.types.is_string(column.dictionary.type) or pa.types.is_large_string(column.dictionary.type):
                size += pc.sum(pc.binary_length(column.dictionary).take(column.indices)).as_py() or 0
            else:
                size += width * len(column)
    return size


if __name__ == "__main__":
    main()
