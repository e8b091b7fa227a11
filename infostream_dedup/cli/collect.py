"""``collect``: turn feeds, web pages, web archives and exports into documents."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.face import command, expert, output
from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows, save_rows
from infostream_dedup.cli.run_log import RUN
from infostream_dedup.errors import InfostreamError, NoInputError

_PASSED_OVER = {"again": "repeated", "empty": "without a text"}


@command(
    examples=[
        "collect saved-feed.xml page.html crawl.warc.gz --out news.jsonl",
        "collect https://example.org/rss | infostream-dedup ingest - --store news.db",
    ]
)
@click.argument("sources", metavar="FEED|PAGE|WARC...", nargs=-1, required=True)
@output("--out", type=click.Path(dir_okay=False), help="File to write, completely or not at all (JSONL).")
@expert(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=20_000_000,
    show_default=True,
    help="Maximum size of a feed, page or archive record.",
)
@expert(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=30.0,
    show_default=True,
    help="Seconds for each address, redirects included.",
)
@expert(
    "--max-redirects",
    type=click.IntRange(0, 20),
    default=5,
    show_default=True,
    help="Maximum number of redirects; never from outside to an address inside the network.",
)
@expert(
    "--total-timeout",
    type=click.FloatRange(min=0.1),
    default=3600.0,
    show_default=True,
    help="Seconds for all addresses; later ones are not opened.",
)
@general_options("jsonl", "jsonl", "json", "csv")
def collect(sources: tuple[str, ...], out: str | None, output_format: str | None, quiet: bool, **given: Any) -> None:
    """Turn feeds, HTML pages, WARC archives and exports of Telegram into documents (extra feeds).

    Sources are files, - for standard input, or addresses. Only the addresses given here are opened, within the limits;
    no other command opens a connection. Items are taken as they appear in the feed, pages without navigation and
    comments; posts of Telegram come from result.json, from an export in HTML or from a saved preview page. Rows: id,
    title, text, published, source (the publisher or host), url, item (the id: edited items are versions, see 'ingest
    --on-conflict'), collected_at; an item that occurs twice is written once, items and pages without a text are passed
    over.
    """
    from infostream_dedup import api

    failures: list[InfostreamError] = []

    def tell(failure: InfostreamError) -> None:
        failures.append(failure)
        RUN.say(str(failure), "error")

    found = api.collect(sources, on_failure=tell, **given)
    RUN.was_read(found.report)
    if out is None:
        print_rows(found.once(), chosen_format(output_format, "jsonl", "jsonl"), columns=found.columns)
    else:
        save_rows(
            found.once(), out, output_format, columns=found.columns, inputs=[one for one in sources if "://" not in one]
        )
    used, passed_over = found.report.used, found.report.quarantined_by_code
    said = [f"collected {used} document{'' if used == 1 else 's'}"]
    said += [f"{passed_over[code]} {word}" for code, word in _PASSED_OVER.items() if code in passed_over]
    note("; ".join(said), quiet=quiet)
    if failures:
        raise NoInputError(f"{len(failures)} could not be read, as said above; the others were written")
