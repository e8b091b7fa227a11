"""A progress bar on standard error, shown on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from infostream_dedup.cli.run_log import RUN
from infostream_dedup.machine.progress import Progress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(*, quiet: bool, stages: bool = False) -> Iterator[Progress | None]:
    """Return a function to call with (step, done, total), or ``None`` if nobody would see a bar.

    Args:
        quiet: show nothing.
        stages: without a terminal, print a line when a step begins, for work that takes hours.
    """
    if quiet or RUN.has_lines or not sys.stderr.isatty():
        yield _lines(silent=quiet or not stages)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    tasks: dict[str, TaskID] = {}
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:

        def show(step: str, done: int, total: int | None) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            RUN.stage(step, ended=done == total)
            bar.update(tasks[step], completed=done, total=total)

        yield show


def _lines(*, silent: bool) -> Progress | None:
    begun: set[str] = set()

    def show(step: str, done: int, total: int | None) -> None:
        RUN.stage(step, ended=done == total)
        if step not in begun and not silent:
            begun.add(step)
            RUN.say(step)

    return show if RUN.is_summed_up or not silent else None
