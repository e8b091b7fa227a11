"""``python -m infostream_dedup`` is the command line."""

from infostream_dedup.cli import main

main()
