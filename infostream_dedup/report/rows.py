"""Write rows of results as JSON Lines, JSON or CSV, and files completely or not at all."""

from infostream_dedup.corpus.outputs import check_output, open_output, same_file
from infostream_dedup.corpus.own_files import check_quarantine, paths_of
from infostream_dedup.corpus.rows import RowFormat, row_format, write_rows

__all__ = [
    "RowFormat",
    "check_output",
    "check_quarantine",
    "open_output",
    "paths_of",
    "row_format",
    "same_file",
    "write_rows",
]
