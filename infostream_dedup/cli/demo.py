"""``demo``: the main job on the bundled sample."""

from __future__ import annotations

import click

from infostream_dedup.cli.output import note
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.sweep import print_sweep

__all__ = ["demo"]


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    default="infostream-dedup-demo",
    show_default=True,
    help="Folder of the report.",
)
@click.option("--quiet", is_flag=True, help="No progress and no summary on standard error.")
def demo(out: str, quiet: bool) -> None:
    """The main job on the bundled sample: news items in Russian, Ukrainian and English."""
    from infostream_dedup import api
    from infostream_dedup.sample import documents_path

    with progress_bar(quiet=quiet) as progress:
        result, report = api.sweep_with_report([str(documents_path())], progress=progress)
        api.write_report(result, out)
    print_sweep(result, "table")
    note(report.summary(), quiet=quiet)
    note(f"report: {out}/report.html", quiet=quiet)
