"""``warm``: fill the tables of words in advance, for container images and machines that start often."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from infostream_dedup.machine.progress import Progress


@dataclass(frozen=True, slots=True)
class Warmth:
    """What ``warm`` did.

    Attributes:
        cpu_seconds: CPU time of the whole run.
    """

    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return one row: cpu_seconds."""
        return {"cpu_seconds": round(self.cpu_seconds, 1)}


def warm(*, progress: Progress | None = None) -> Warmth:
    """Run the commands on the bundled sample, so that the tables of word forms and translations are filled.

    Args:
        progress: called with each step.

    Returns:
        The CPU seconds it took.

    Example:
        >>> warm().as_dict()                                                            # doctest: +SKIP
        {'cpu_seconds': 14.2}
    """
    began = time.process_time()
    _run_all(progress)
    return Warmth(time.process_time() - began)


def _run_all(progress: Progress | None) -> None:
    from infostream_dedup.api.dedup import dedup
    from infostream_dedup.api.ingest import ingest
    from infostream_dedup.api.pairs import pairs
    from infostream_dedup.api.passages import compare, find
    from infostream_dedup.api.search import search
    from infostream_dedup.api.sweep import sweep
    from infostream_dedup.sample import documents_path

    source = str(documents_path())
    text = "Мэр открыл новый мост через реку утром. Движение начнётся в понедельник, сообщили в мэрии."
    with TemporaryDirectory() as folder:
        store, out = Path(folder) / "warm.db", Path(folder) / "kept.jsonl"
        steps: list[Callable[[], object]] = [
            lambda: sweep(source),
            lambda: sweep(source, representations=("stem",)),
            lambda: sweep(source, confirmed=True),
            lambda: sweep(source, workdir=Path(folder) / "sweep", estimate=True),
            lambda: dedup(source, out),
            lambda: dedup(source, out, preset="faithful"),
            lambda: dedup(source, out, preset="judged", workdir=Path(folder) / "dedup"),
            lambda: dedup(source, out, preset="judged"),
            lambda: list(pairs(source, preset="judged")),
            lambda: list(ingest(source, store)),
            lambda: list(ingest(source, Path(folder) / "faithful.db", preset="faithful")),
            lambda: search(store, text),
            lambda: compare(text, text),
            lambda: find(source),
        ]
        for number, step in enumerate(steps):
            if progress is not None:
                progress("warming", number, len(steps))
            step()
        if progress is not None:
            progress("warming", len(steps), len(steps))
