"""The bundled sample at work: ``warm`` fills the tables of words with it; ``judged_sample`` shows what repeats what."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from infostream_dedup.api.dedup import DedupSummary
from infostream_dedup.api.pairs import PairListing
from infostream_dedup.documents import read_documents
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import Document, full_text

if TYPE_CHECKING:
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
            lambda: dedup(source, out),
            lambda: dedup(source, out, preset="faithful"),
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


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The bundled sample and what preset ``judged`` finds in it."""

    documents: list[Document]  # the news items
    languages: Counter[str]  # items in each language
    found: DedupSummary  # their statuses and groups
    pairs: PairListing  # pairs of every kind


def judged_sample(*, progress: Progress | None = None) -> JudgedSample:
    """Find what repeats what in the bundled sample, as ``dedup`` and ``pairs`` do.

    Args:
        progress: called with each step.

    Returns:
        The documents with the results.
    """
    from infostream_dedup.api.dedup import dedup
    from infostream_dedup.api.pairs import pairs
    from infostream_dedup.sample import documents_path

    path = str(documents_path())
    documents = list(read_documents(path))
    languages = Counter(one.lang or detect(full_text(one)) for one in documents)
    found = dedup(path, progress=progress)
    return JudgedSample(documents, languages, found, pairs(path, kinds="all", progress=progress))
