"""Restoring the parts of an engine from a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.stream.across import Across
from infostream_dedup.stream.clock import NO_TIME
from infostream_dedup.stream.evidence_window import EvidenceRows, address_numbers, published_times
from infostream_dedup.stream.frequencies import Frequencies, LanguageCounts, count_rows
from infostream_dedup.stream.memory import Memory
from infostream_dedup.stream.pivot_reading import union
from infostream_dedup.stream.pivot_window import PivotRows
from infostream_dedup.stream.pivot_words import PIVOT
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import Window
from infostream_dedup.terms.statistics import Totals

if TYPE_CHECKING:
    from infostream_dedup.stream.store.blobs import StoredRows
    from infostream_dedup.stream.store.remembered_table import RememberedTable
    from infostream_dedup.stream.store.restoring import LanguageFrequencies, Loaded


def resume_frequencies(frequencies: Frequencies, loaded: Loaded, settings: StreamSettings) -> None:
    """Restore the sums of the closed epochs, and count the documents of the open one."""
    goes_on = loaded.epoch == frequencies.epoch and any(counts.totals.documents for counts in frequencies.open)
    if not goes_on:
        frequencies.resume(loaded.epoch, _counts(loaded.frequencies), _counts(loaded.repeats))
    table = loaded.documents
    first = int(np.searchsorted(table.epochs, loaded.epoch))
    languages = np.array([LANGUAGES.index(language) for language in table.languages[first:]], dtype=np.uint8)
    lengths, targets = table.lengths[first:], _rows(table.targets, first)
    count_rows(frequencies.open, languages, lengths, targets)
    if settings.df_counts == "distinct":
        count_rows(frequencies.open_repeats, languages, lengths, targets, counted=table.repeats[first:] == 1)
    if not goes_on:
        frequencies.withhold(loaded.withheld, loaded.withheld_repeats)


def _counts(summed: Mapping[Language, LanguageFrequencies]) -> dict[int, LanguageCounts]:
    return {
        LANGUAGES.index(language): LanguageCounts(Totals(one.documents, one.length), one.df.astype(np.uint32))
        for language, one in summed.items()
    }


def resumed_memory(settings: StreamSettings, loaded: Loaded) -> Memory:
    """Restore the documents of the window, their groups and the clock."""
    memory = Memory(settings, loaded.oldest)
    _take_in(memory, loaded, int(np.searchsorted(loaded.documents.ordinals, loaded.oldest)))
    return memory


def catch_up(memory: Memory, loaded: Loaded) -> None:
    """Add what other processes have stored."""
    _take_in(memory, loaded, 0)


def resume_across(across: Across | None, window: Window, loaded: Loaded, *, first: int | None = None) -> None:
    """Restore the cross-language state of a stream.

    Args:
        across: a new object, or one as it was before other processes stored something; with ``None`` nothing is done.
        first: ordinal of the first new document; ``None`` if all are new.
    """
    if across is None:
        return
    table, frequencies = loaded.documents, across.frequencies
    begin = 0 if first is not None else int(np.searchsorted(table.ordinals, loaded.oldest))
    across.links.resume(window.first if first is None else first, _rows(table.pivot.links, begin))
    across.stories.resume(loaded.stories)
    closed = _counts(loaded.pivot).get(LANGUAGES.index(PIVOT), LanguageCounts())
    # Otherwise the open epoch goes on, and what has been counted in it stays.
    if first is None or closed.totals.documents != frequencies.closed.totals.documents:
        frequencies.resume(closed)
        frequencies.withhold(loaded.withheld_pivot)
    fresh = int(np.searchsorted(table.epochs, loaded.epoch))
    frequencies.count(table.lengths[fresh:], _rows(table.pivot.canonical, fresh))


def _take_in(memory: Memory, loaded: Loaded, first: int) -> None:
    table, begin = loaded.documents, memory.window.end
    clocks = table.clocks[first:]
    published = np.array([NO_TIME if time is None else time for time in table.published[first:]], dtype=np.int64)
    memory.extend(
        list(table.ids[first:]),
        list(zip(table.text_hashes[first:], table.opening_hashes[first:], strict=True)),
        table.sources[first:],
        clocks,
        np.where(published <= NO_TIME, clocks, published),
        (
            _rows(table.keys, first),
            _rows(table.weights, first),
            _rows(table.targets, first),
            _rows(table.numbers, first),
        ),
        evidence=_evidence_rows(table, first) if memory.window.evidence is not None else None,
    )
    if memory.window.pivot is not None:
        memory.window.pivot.extend(_pivot_rows(table, first))
    memory.resume(
        begin,
        oldest=loaded.oldest,
        clock=NO_TIME if loaded.clock is None else loaded.clock,
        groups=table.groups[first:],
        joined=table.ordinals[first:][table.leaves[first:] == 1].tolist() if memory.window.evidence is not None else (),
        state=loaded.state.get("groups", {}),
        events=loaded.events,
    )


def _evidence_rows(table: RememberedTable, first: int) -> EvidenceRows:
    evidence, languages = table.evidence, table.languages[first:]
    return EvidenceRows(
        languages=np.array([LANGUAGES.index(language) for language in languages], dtype=np.uint8),
        published=published_times(table.published[first:]),
        addresses=address_numbers(evidence.urls[first:]),
        keys=_rows(evidence.keys, first),
        weights=_rows(evidence.weights, first),
        records=_rows(evidence.records, first),
    )


def _pivot_rows(table: RememberedTable, first: int) -> PivotRows:
    kept = table.pivot
    matched_by = union(_rows(kept.canonical, first), _rows(kept.further, first))
    return PivotRows(_rows(kept.keys, first), _rows(kept.weights, first), _rows(kept.members, first), matched_by)


def _rows(table: StoredRows, first: int) -> Ragged:
    return Ragged(table.indptr[first:] - table.indptr[first], table.values[table.indptr[first] :])
