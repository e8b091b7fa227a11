"""Write rows of results as JSON Lines, JSON or CSV, and files completely or not at all."""

from infostream_dedup.corpus.outputs import check_output, open_output
from infostream_dedup.corpus.rows import RowFormat, write_rows

__all__ = ["RowFormat", "check_output", "open_output", "write_rows"]
