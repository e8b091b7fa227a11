"""``pairs``: who resembles whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from infostream_dedup.api.keywords import PairKeywords, chosen, parted
from infostream_dedup.api.listing import Listing
from infostream_dedup.corpus.reading import chosen_reading
from infostream_dedup.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.batch.epoch_statistics import EpochStatistics
    from infostream_dedup.batch.pairing import PairRow
    from infostream_dedup.corpus import Reading, ReadingReport
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Settings

__all__ = ["PairListing", "pairs"]

_COLUMNS = ("a", "b", "forward", "backward", "n_a", "n_b", "share_forward", "share_backward", "relation")


class PairListing(Listing["PairRow"]):
    """Pairs in the order of (a, b), made as they are asked for.

    Args:
        rows: the pairs.
        columns: names of the columns of ``PairRow.as_dict``.
        report: what was read.
        settings: what decided key terms and relations.

    Attributes:
        settings: the same.
    """

    def __init__(
        self, rows: Iterator[PairRow], columns: tuple[str, ...], report: ReadingReport, settings: Settings
    ) -> None:
        super().__init__(rows, columns, report)
        self.settings = settings


def pairs(
    source: Any,
    *,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    between_files: bool = False,
    statistics: str | None = None,
    boilerplate: str | Path | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    engine: str = "auto",
    progress: Progress | None = None,
    **options: Unpack[PairKeywords],
) -> PairListing:
    """Find the pairs of documents that are linked in at least one direction.

    Args:
        source: the documents (see ``read_documents``).
        k_min: give all pairs with max(forward, backward) >= k_min, 1 to n, instead of those with a relation at ``k``.
        terms: include the terms that met.
        cross_language: only pairs of two languages.
        between_files: only pairs of two files.
        statistics: ``STORE:EPOCH``: weigh by the document frequencies that a stream had before this epoch, with the
            stream's settings as defaults.
        boilerplate: file of sentences to leave out (from ``boilerplate``).
        settings: all settings at once.
        reading: all reading options at once.
        engine: ``auto``, ``scipy`` (plain) or ``numba`` (compiled); results are the same.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.

    Returns:
        An iterator of ``PairRow`` in the order of (a, b), with ``report``, ``settings`` and ``columns``. All documents
        have been read when it is returned; the rows are made as they are asked for.

    Raises:
        ConfigurationError: an option is out of its range or given twice, or does not fit the stream's statistics.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.

    Example:
        >>> from infostream_dedup import pairs
        >>> text = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
        >>> found = pairs([{"id": "1", "text": text}, {"id": "2", "text": text}], representation="stem")
        >>> [(row.a, row.b, row.relation) for row in found]
        [('1', '2', 'equal')]
    """
    from infostream_dedup.api.sources import read_collection
    from infostream_dedup.batch.epoch_statistics import WeighedCollection
    from infostream_dedup.batch.pairing import pair_rows

    agreed, read, counted = _agreed(statistics, options, settings, reading)
    if k_min is not None and k_min > agreed.n:
        raise UsageError(f"no pair can have {k_min} of {agreed.n} terms; k_min goes from 1 to n")
    collection, report = read_collection(source, read, boilerplate=boilerplate, engine=engine, progress=progress)
    rows = pair_rows(
        collection if counted is None else WeighedCollection(collection, counted),
        agreed,
        k_min=k_min,
        terms=terms,
        cross_language=cross_language,
        parts=_files(report) if between_files else None,
        engine=engine,
        progress=progress,
    )
    met = ("met",) if agreed.representation == "pivot" else ()
    return PairListing(rows, (*_COLUMNS, "terms", *met) if terms else _COLUMNS, report, agreed)


def _files(report: ReadingReport) -> NDArray[np.int64]:
    """Number of the file of each document: int64 (documents,)."""
    import numpy as np

    return np.repeat(np.arange(len(report.used_by_source)), list(report.used_by_source.values()))


def _agreed(
    statistics: str | None, options: Any, settings: Settings | None, reading: Reading | None
) -> tuple[Settings, Reading, EpochStatistics | None]:
    """Settings, reading options and, where they are asked for, the statistics of a stream."""
    if statistics is None:
        return *chosen(pairs, PairKeywords, options, settings=settings, reading=reading), None
    from infostream_dedup.batch.epoch_statistics import epoch_statistics

    single, reads = parted(pairs, PairKeywords, options)
    if settings is not None or single.pop("preset", None) is not None:
        raise UsageError("statistics takes the settings of the stream; leave out preset (--preset) and settings")
    counted = epoch_statistics(statistics)
    return counted.settings(single), chosen_reading(reading, reads), counted
