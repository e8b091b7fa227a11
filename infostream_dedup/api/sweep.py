"""``sweep``, ``sweep_store``, ``demo``: symmetry and transitivity for every k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import RepresentedKeywords, SweepKeywords, chosen, parted
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import REPRESENTATIONS

if TYPE_CHECKING:
    from infostream_dedup.batch.sweeping import SweepResult
    from infostream_dedup.corpus import Reading
    from infostream_dedup.machine.progress import Progress

__all__ = ["demo", "moment", "sweep", "sweep_store"]


def sweep(
    source: Any,
    *,
    representations: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    estimate: bool = True,
    boilerplate: str | Path | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Unpack[SweepKeywords],
) -> SweepResult:
    """Measure the symmetry S and transitivity T of the links at every k, and recommend a k.

    Args:
        source: the documents (see ``read_documents``).
        representations: ``stem``, ``morph``, ``pivot``; every available one by default.
        ks: show only these k, 1 to n.
        examples: also pick example pairs at each k.
        estimate: also say without labels how good the links are: copies counted, other duplicates estimated.
        boilerplate: file of sentences to leave out (from ``boilerplate``).
        settings: all settings at once. Its ``representation``, ``k``, ``threshold``, ``min_terms`` and ``rule`` have
            no meaning here.
        reading: all reading options at once.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        ``rows``, ``recommended_k``, ``reason``, and the reading report as ``report``.

    Raises:
        ConfigurationError: an option is out of its range or given twice, or an input is of no known kind.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.

    Example:
        >>> from infostream_dedup import sweep
        >>> result = sweep([{"id": "1", "text": "Снег идёт в Киеве"}], representations=["stem"])
        >>> result.rows[0].measures.links, result.report.used
        (0, 1)
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.batch.sweeping import sweep_collection

    agreed, read = chosen(sweep, SweepKeywords, options, settings=settings, reading=reading)
    if not representations and agreed.representation != Settings().representation:
        raise UsageError(
            f"the settings have representation {agreed.representation!r}, but a sweep takes several: give "
            f"representations=[{agreed.representation!r}]"
        )
    _check_ks(ks, agreed)
    evidence = None
    if estimate:
        from infostream_dedup.batch.evidence_reader import EvidenceReader

        evidence = EvidenceReader()
    collection, report = read_collection(
        source, read, boilerplate=boilerplate, evidence=evidence, engine=engine, progress=progress
    )
    estimator = None
    if evidence is not None:
        from infostream_dedup.estimation.sweep_estimator import SweepEstimator

        estimator = SweepEstimator(collection, evidence.finish(collection.languages))
    result = sweep_collection(
        collection,
        agreed,
        representations or REPRESENTATIONS,
        ks=ks,
        examples=examples,
        estimator=estimator,
        engine=engine,
        progress=progress,
    )
    return replace(result, report=report)


def sweep_store(
    path: str | Path,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    engine: str = "auto",
    progress: Progress | None = None,
    **settings: Unpack[RepresentedKeywords],
) -> SweepResult:
    """Sweep over what a stream has taken in, without its texts.

    Documents keep the key terms that they were given when they came in, by the document frequencies of their epoch.
    So the numbers differ from a sweep over the same documents, which has statistics of its own.

    Args:
        path: the store.
        since: first moment by the stream's clock, with a time zone; from the beginning by default.
        until: the first moment left out; to the end by default.
        ks: show only these k, 1 to n.
        examples: also pick example pairs at each k.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        settings: single settings by name; those of the store by default. ``n`` and ``target`` may be smaller.

    Returns:
        As ``sweep``; ``notes`` begins with the part of the stream that was swept.

    Raises:
        ConfigurationError: the store cannot give what is asked for.
        NoInputError: there is no store.
        BadDataError: the file is not a store.
        TypeError: a setting is unknown.
    """
    from infostream_dedup.batch.stored_collection import stored_collection
    from infostream_dedup.batch.sweeping import sweep_collection

    given, _ = parted(sweep_store, RepresentedKeywords, settings)
    collection = stored_collection(path, since=since, until=until)
    agreed = collection.settings(given)
    if ks is not None and (agreed.score == "share" or max(ks) > agreed.n):
        raise ConfigurationError(f"there is no k = {max(ks)} of {agreed.n} key terms by score {agreed.score}")
    result = sweep_collection(
        collection, agreed, [agreed.representation], ks=ks, examples=examples, engine=engine, progress=progress
    )
    result.notes[:0] = collection.notes
    return result


def demo(out: str | Path | None = None, *, progress: Progress | None = None) -> SweepResult:
    """Sweep over the bundled sample: news items in Russian, Ukrainian and English.

    Args:
        out: folder to write the report to; none is written by default.
        progress: called with each step.

    Returns:
        As ``sweep``.

    Raises:
        CannotCreateError, CannotWriteError: the report cannot be written.
    """
    from infostream_dedup.sample import documents_path

    result = sweep(str(documents_path()), progress=progress)
    if out is not None:
        from infostream_dedup.report import write_report

        write_report(result, out)
    return result


def moment(date: str | None, tz: str | None = None) -> datetime | None:
    """A date as users write it, as ``sweep_store`` takes it.

    Args:
        date: ISO 8601, such as ``2026-11-21`` or ``2026-11-21T10:05Z``.
        tz: IANA name of the time zone of a date without one; UTC by default.

    Returns:
        The moment in UTC; None for None.

    Raises:
        ConfigurationError: there is no such time zone.
        ValueError: this is not a date.
    """
    from infostream_dedup.corpus import time_zone, utc_time

    return utc_time(date, time_zone(tz))


def _check_ks(ks: Sequence[int] | None, settings: Settings) -> None:
    if ks is not None and settings.score == "share":
        raise UsageError("the share score has thresholds, no k; leave out ks (--k)")
    if ks is not None and max(ks, default=0) > settings.n:
        raise UsageError(f"{max(ks)} is more than the {settings.n} key terms; ks (--k) goes from 1 to n")
