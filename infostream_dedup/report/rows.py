"""Write rows of results as JSON Lines, JSON or CSV, and files completely or not at all."""

from infostream_dedup.corpus.outputs import check_output, open_output, same_file
from infostream_dedup.corpus.rows import RowFormat, write_rows
from infostream_dedup.corpus.text_files import files_of

__all__ = ["RowFormat", "check_output", "files_of", "open_output", "same_file", "write_rows"]
