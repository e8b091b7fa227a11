"""``demo``: sweep over the bundled sample, or show it in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from infostream_dedup.cli.options import examples
from infostream_dedup.cli.output import note, note_reading
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.sweep import print_sweep

__all__ = ["demo"]


@click.command(epilog=examples("demo", "demo --serve"))
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="infostream-dedup-demo",
    show_default=True,
    help="Folder for the report.",
)
@click.option("--serve", is_flag=True, help="Show the sample in the browser instead (extra service).")
@click.option("--port", type=click.IntRange(1, 65535), default=8600, show_default=True, help="With --serve.")
@click.option("--quiet", is_flag=True, help="Print no progress and no summary.")
def demo(*, out: str, serve: bool, port: int, quiet: bool) -> None:
    """Run a sweep over the bundled sample: news items in Russian, Ukrainian and English."""
    if serve:
        from infostream_dedup.service.sample import serve_sample

        note("reading the sample ...", quiet=quiet)
        serve_sample(port, tell=lambda address: note(f"open {address} (Ctrl+C ends it)", quiet=quiet))
        return
    from infostream_dedup import api
    from infostream_dedup.report.needed import has_report_extra

    drawn = has_report_extra()
    with progress_bar(quiet=quiet) as progress:
        result = api.demo(out if drawn else None, progress=progress)
    print_sweep(result, "table")
    note_reading(result.report, quiet=quiet)
    without = "no report was written: that needs pip install 'infostream-dedup[report]'"
    note(f"report: {Path(out, 'report.html')}" if drawn else without, quiet=quiet)
