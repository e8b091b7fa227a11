"""The command line: a file for each family of commands."""

from __future__ import annotations

import gc
import sys

import click

from infostream_dedup.cli.batch import dedup, demo, pairs, sweep, terms_of
from infostream_dedup.cli.config import config, help_command, warm
from infostream_dedup.cli.dictionaries import dictionaries
from infostream_dedup.cli.face import Commands
from infostream_dedup.cli.passages import passages
from infostream_dedup.cli.quality import audit, classify, compare, evaluate, train
from infostream_dedup.cli.run_log import exit_code_of
from infostream_dedup.cli.store import coverage, desk, store
from infostream_dedup.cli.stream import collect, ingest, mcp, search, serve, watch


@click.group(
    cls=Commands,
    examples=["demo", "dedup march.csv --out kept.csv"],
    parts={
        "Start": "demo dedup pairs sweep",
        "Streams": "ingest search coverage watch serve mcp store desk",
        "Look closer": "terms passages collect",
        "Measure and learn": "evaluate audit compare train classify",
        "Maintain": "dictionaries warm config help",
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="infostream-dedup")
def cli() -> None:
    """Find which news items repeat others in Russian, Ukrainian and English: copies, retellings, translations.

    dedup leaves the copies out of your table, pairs lists who repeats whom and why, ingest judges what arrives all day.
    sweep is for those who set the threshold k of key terms themselves: document i is linked to j when at least k of
    i's 12 heaviest key terms occur in j.

    DOCS are files (.jsonl, .json, .csv, .tsv, .txt, also with .gz, .bz2, .xz, .zst; .parquet, .feather, .arrow, .xlsx),
    folders of such files, patterns such as '2026-*.csv', or - for JSON Lines on standard input; several are read as one
    collection. --columns id=ID,text=Text says what your columns are called. Data goes to standard output, progress
    and summaries to standard error.

    Exit codes: 0 done, 2 usage, 65 bad data, 66 no input, 70 internal error, 73 and 74 cannot write, 75 store busy,
    78 configuration, 130 interrupted, 143 terminated.
    """


for command in (
    demo, collect, sweep, pairs, terms_of, dedup, evaluate, audit, compare, ingest, search, watch, serve, mcp, store,
    coverage, desk, passages, dictionaries, train, classify, warm, config, help_command,
):  # fmt: skip
    cli.add_command(command)


def main() -> None:
    """Run the command line and exit with its code; no error shows a traceback."""
    # What a command loads stays: modules and tables would be searched for garbage a hundred times.
    gc.set_threshold(20_000, 20, 50)
    code = exit_code_of(lambda: cli.main(prog_name="infostream-dedup", standalone_mode=False))
    gc.freeze()  # or Python, as it ends, would search it all once more
    sys.exit(code)
