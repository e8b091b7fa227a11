"""Read and write documents as JSON Lines, CSV, Parquet and data frames; refuse bad records or set them aside."""

from infostream_dedup.documents.documents import Annotation, row_of
from infostream_dedup.documents.json_files import json_bytes
from infostream_dedup.documents.lines import file_format
from infostream_dedup.documents.outputs import (
    check_output,
    csv_line,
    open_output,
    same_file,
    write_documents,
    write_rows,
)
from infostream_dedup.documents.reading import (
    MAX_LINE_BYTES,
    Reading,
    ReadingOptions,
    Source,
    check_quarantine,
    paths_of,
    read_documents,
)
from infostream_dedup.documents.records import BadRecords, Place, ReadingReport

__all__ = [
    "MAX_LINE_BYTES", "Annotation", "BadRecords", "Place", "Reading", "ReadingOptions", "ReadingReport", "Source",
    "check_output", "check_quarantine", "csv_line", "file_format", "json_bytes", "open_output", "paths_of",
    "read_documents", "row_of", "same_file", "write_documents", "write_rows",
]  # fmt: skip
