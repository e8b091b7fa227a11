"""``warm``: compile everything in advance, for container images and machines on which nobody should have to wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from infostream_dedup.errors import CannotCreateError

if TYPE_CHECKING:
    from infostream_dedup.machine.progress import Progress


@dataclass(frozen=True, slots=True)
class Warmth:
    """What ``warm`` did.

    Attributes:
        compiled: number of loops compiled now.
        loaded: number of loops that were already on disk.
        cpu_seconds: CPU time of the whole run.
        folders: folders with the machine code.
    """

    compiled: int
    loaded: int
    cpu_seconds: float
    folders: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return one row: compiled, loaded, cpu_seconds."""
        return {"compiled": self.compiled, "loaded": self.loaded, "cpu_seconds": round(self.cpu_seconds, 1)}


def warm(*, progress: Progress | None = None) -> Warmth:
    """Compile the loops of all commands and keep the machine code on disk, so that no later process waits for it.

    It runs the commands on the bundled sample, and fills the tables of word forms and translations on the way.

    Args:
        progress: called with each step.

    Returns:
        How many loops were compiled, and where they are.

    Raises:
        CannotCreateError: no folder is suitable for keeping machine code.

    Example:
        >>> warm().compiled                                                             # doctest: +SKIP
        0
    """
    from infostream_dedup.machine.code_folders import has_lasting_folder
    from infostream_dedup.machine.compiled_cache import hits_and_misses, used_folders
    from infostream_dedup.machine.plain_work import use_loops

    if not has_lasting_folder(__file__):
        raise CannotCreateError(
            "there is no folder for compiled code; set INFOSTREAM_DEDUP_CACHE to a folder that you own with mode "
            "0700, for this command and for all that use the code"
        )
    began, before = time.process_time(), use_loops("compiled")
    try:
        _run_all_loops(progress)
    finally:
        use_loops(before)
    loaded, compiled = hits_and_misses()
    return Warmth(compiled, loaded, time.process_time() - began, used_folders())


def _run_all_loops(progress: Progress | None) -> None:
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
            lambda: sweep(source, engine="compiled"),
            lambda: sweep(source, representations=("stem",), engine="compiled"),
            lambda: sweep(source, confirmed=True, engine="compiled"),
            lambda: sweep(source, workdir=Path(folder) / "sweep", estimate=True),
            lambda: _count_sampled_links(source),
            lambda: dedup(source, out, engine="compiled"),
            lambda: dedup(source, out, preset="faithful", engine="compiled"),
            lambda: dedup(source, out, preset="judged", workdir=Path(folder) / "dedup"),
            lambda: dedup(source, out, preset="judged", engine="compiled"),
            lambda: list(pairs(source, preset="judged", engine="compiled")),
            lambda: list(ingest(source, store)),
            lambda: list(ingest(source, Path(folder) / "faithful.db", preset="faithful")),
            lambda: search(store, text),
            lambda: compare(text, text),
            lambda: find(source),
        ]
        for number, step in enumerate(steps):
            if progress is not None:
                progress("compiling", number, len(steps))
            step()
        if progress is not None:
            progress("compiling", len(steps), len(steps))


def _count_sampled_links(source: str) -> None:
    """Count links as for a month: the sample is too small for that."""
    import numpy as np

    from infostream_dedup.documents import read_documents
    from infostream_dedup.links.compiled.low_k import sweep_unstored
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.collection import collect

    settings = Settings(representation="stem")
    terms = collect(read_documents(source), hashes=False, engine="compiled").key_terms(settings)
    sweep_unstored(terms.keys, terms.targets, n=settings.n, most=1, sample=np.arange(len(terms.sizes), dtype=np.int64))
