"""A progress bar on standard error, shown on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from infostream_dedup.machine.progress import Progress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress | None]:
    """Give a function to call with (step, done, total), or ``None`` if nobody would see a bar."""
    if quiet or not sys.stderr.isatty():
        yield None
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
            bar.update(tasks[step], completed=done, total=total)

        yield show
