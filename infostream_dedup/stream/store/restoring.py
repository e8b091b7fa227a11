"""The state an engine needs to continue a stored stream."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from infostream_dedup.judging.repeated.lines import REMEMBERED
from infostream_dedup.machine.arrays import INT32, Ints, numbers_of
from infostream_dedup.model import NO_TIME
from infostream_dedup.model.document import Language
from infostream_dedup.model.stream_records import (
    CountedEvidence,
    EpochFrequencies,
    GroupEvent,
    Remembered,
    StoryEvent,
    Verdict,
)
from infostream_dedup.stream.store.document_columns import RememberedTable, table_of
from infostream_dedup.stream.store.opening import state_of

# The current groups of two or more documents and their stories, maintained by the writer of batches.
#
# The views `v_members` and `v_groups` give the same result, but follow all merges in every query.

_ENTER: Final = (
    "INSERT INTO membership (ordinal, group_id, source, language)"
    " SELECT ordinal, ?, source, language FROM document WHERE"
)

_ALONE: Final = (
    " id = ? AND group_id = ? AND ordinal < ? AND NOT EXISTS"
    " (SELECT 1 FROM membership WHERE membership.ordinal = document.ordinal)"
)
"""A document before an ordinal that forms a group alone: no other document can be in the group named after it."""

_COUNT: Final = (
    "REPLACE INTO grouping (group_id, earliest, documents, sources, languages, first, last, alarm)"
    " SELECT membership.group_id, min(ordinal), count(*), count(DISTINCT membership.source),"
    " count(DISTINCT membership.language), min(coalesce(published, nullif(clock, 0))),"
    " max(coalesce(published, nullif(clock, 0))), max(?)"
    " FROM membership JOIN document USING (ordinal) WHERE membership.group_id = ? GROUP BY membership.group_id"
    " HAVING count(*) > 1"
)

_ADD: Final = (
    "UPDATE grouping SET documents = documents + 1,"
    " sources = sources + (:source IS NOT NULL AND NOT EXISTS (SELECT 1 FROM membership"
    " WHERE membership.group_id = :group AND membership.source = :source)),"
    " languages = languages + NOT EXISTS (SELECT 1 FROM membership"
    " WHERE membership.group_id = :group AND membership.language = :language),"
    " first = coalesce(min(first, :time), first, :time), last = coalesce(max(last, :time), last, :time)"
    " WHERE group_id = :group"
)


def group_documents(
    connection: Connection, remembered: Sequence[Remembered], verdicts: Sequence[Verdict], events: Sequence[GroupEvent]
) -> None:
    """Update the tables ``grouping`` and ``membership`` after a batch."""
    # Joining a group costs the same however large the group is; a merge costs time in proportion to its documents.
    merges: dict[int, list[GroupEvent]] = defaultdict(list)
    for event in events:
        if event.kind == "merge":
            merges[event.ordinal].append(event)
    for one, verdict in zip(remembered, verdicts, strict=True):
        for event in merges.get(one.ordinal, ()):
            _merge(connection, event)
        if verdict.group != one.id or one.version:
            _join(connection, one, verdict.group)
    for event in events:
        if event.kind == "alarm":
            connection.execute("UPDATE grouping SET alarm = 1 WHERE group_id = ?", (event.group,))


def _join(connection: Connection, one: Remembered, group: str) -> None:
    run, time = connection.execute, one.clock or None if one.published is None else one.published
    values = {"group": group, "source": one.source, "language": one.language, "time": time}
    added = run(_ADD, values).rowcount
    if not added and not run(_ENTER + _ALONE, (group, group, group, one.ordinal)).rowcount:
        return
    run(f"{_ENTER} ordinal = ?", (group, one.ordinal))
    if not added:
        run(_COUNT, (_alarm(connection, group), group))


def _merge(connection: Connection, event: GroupEvent) -> None:
    run, stays, other, alarm = connection.execute, event.group, event.other, _alarm(connection, event.group)
    # The document that caused it is in the group that remains, and joins it below.
    run(_ENTER + _ALONE, (stays, other, other, event.ordinal + 1))
    run(_ENTER + _ALONE, (stays, stays, stays, event.ordinal))
    run("UPDATE membership SET group_id = ? WHERE group_id = ?", (stays, other))
    run("DELETE FROM grouping WHERE group_id = ?", (other,))
    run(_COUNT, (alarm, stays))


def _alarm(connection: Connection, group: str) -> int:
    query = "SELECT EXISTS (SELECT 1 FROM event WHERE kind = 'alarm' AND group_id = ?)"
    return int(connection.execute(query, (group,)).fetchone()[0])


def tell_stories(connection: Connection, events: Sequence[GroupEvent], stories: Sequence[StoryEvent]) -> None:
    """Update the tables ``story`` and ``telling`` after a batch."""
    stories = [one for one in stories if one.kind == "merge"]
    if not stories and (not events or connection.execute("SELECT 1 FROM story LIMIT 1").fetchone() is None):
        return
    happened: list[GroupEvent | StoryEvent] = [*events, *stories]
    for event in sorted(happened, key=lambda one: one.ordinal):
        if isinstance(event, StoryEvent):
            _unite(connection, event)
        elif event.kind == "expiry":
            connection.execute("UPDATE telling SET alive = 0 WHERE group_id = ?", (event.group,))
        elif event.kind == "merge":
            connection.execute("DELETE FROM telling WHERE group_id = ?", (event.other,))


def told_again(connection: Connection) -> set[tuple[str, str, int]]:
    """Compute the correct content of table ``telling`` from all events: group, story, whether the group is alive."""
    groups, stories = (
        connection.execute(f"SELECT {columns} FROM {table} ORDER BY number").fetchall()  # noqa: S608
        for table, columns in (
            ("event", "ordinal, kind, group_id, other, value"),
            ("story_event", "ordinal, story_id, other, begun, kind"),
        )
    )
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.execute("CREATE TABLE story (story_id TEXT PRIMARY KEY, begun INTEGER)")
        fresh.execute("CREATE TABLE telling (group_id TEXT PRIMARY KEY, story_id TEXT, alive INTEGER DEFAULT 1)")
        tell_stories(fresh, [GroupEvent(*row) for row in groups], [StoryEvent(*row) for row in stories])
        return set(fresh.execute("SELECT group_id, story_id, alive FROM telling"))


def _unite(connection: Connection, event: StoryEvent) -> None:
    run = connection.execute
    if run("SELECT 1 FROM story WHERE story_id = ?", (event.story,)).fetchone() is None:
        # Until now it formed a group alone.
        run("INSERT INTO story (story_id, begun) VALUES (?, ?)", (event.story, event.begun))
        run("REPLACE INTO telling (group_id, story_id) VALUES (?, ?)", (event.story, event.story))
    if run("DELETE FROM story WHERE story_id = ?", (event.other,)).rowcount:
        run("UPDATE telling SET story_id = ? WHERE story_id = ?", (event.story, event.other))
    else:
        run("REPLACE INTO telling (group_id, story_id) VALUES (?, ?)", (event.other, event.story))


RESTORED: Final = "restored"  # name of the small value that changes whenever a store goes back to a backup


class Position(NamedTuple):
    """Position of a store; it changes whenever another process writes."""

    batches: int  # number of batches
    documents: int  # number of documents, which is also the next ordinal
    terms: int  # number of terms, which is also the next term's number
    forgotten: int  # number of documents forgotten on request
    retunes: int = 0  # number of changes of thresholds and of standing searches
    # when the store last went back to a backup, UTC microseconds since 1970; 0 if never. All else may then be as it was
    # and yet describe other documents
    restored: int = 0

    @property
    def tag(self) -> str:
        """The position as text, for caches of answers."""
        return f"{self.batches}-{self.documents}-{self.forgotten}-{self.retunes}-{self.restored}"


@dataclass(frozen=True, slots=True)
class LanguageFrequencies:
    """Document frequencies of one language summed over epochs."""

    documents: int  # number of documents in the language
    length: int  # their total length in terms
    df: Ints  # int64 (terms of the store,), number of documents with each term


@dataclass(frozen=True, slots=True)
class StoredLines:
    """Fragments of the documents from which repeated lines are learned."""

    ordinals: Ints  # int64 (documents,), ascending; forgotten documents are missing
    blobs: list[bytes]  # as `Remembered.lines`
    sources: list[str | None]  # source of each
    times: Ints  # int64 (documents,), publication, or `NO_TIME` of the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The state of a stream."""

    position: Position  # position of the store in this state
    clock: int | None  # the stream's clock, UTC microseconds since 1970; `None` before the first document
    epoch: int  # the open epoch
    oldest: int  # smallest ordinal in the window after the last batch
    terms: list[str]  # all terms, or those that are new since the given position, by number
    # sums over all closed epochs, by language; languages without a document are missing
    frequencies: Mapping[Language, LanguageFrequencies]
    # the same sums over documents that repeat earlier ones, in a store that counts them separately
    repeats: Mapping[Language, LanguageFrequencies]
    # what forgotten documents had added to the open epoch (terms and df only; documents and length are 0)
    withheld: tuple[EpochFrequencies, ...]
    withheld_repeats: tuple[EpochFrequencies, ...]  # the part of it added by documents that repeat earlier ones
    # sums over all closed epochs of the pivot language, under its name; empty if languages are kept separate
    pivot: Mapping[Language, LanguageFrequencies]
    withheld_pivot: tuple[EpochFrequencies, ...]  # what forgotten documents had added to the open epoch there
    # each group of the window that has a story: its name, the story, the story's earliest ordinal
    stories: tuple[tuple[str, str, int], ...]
    # counts of evidence, those of the closed epochs first; empty if key terms decide
    evidence: tuple[CountedEvidence, ...]
    lines: StoredLines  # fragments of the last documents, or of those that are new since the given position
    # documents of the window and of the open epoch, or those that are new since the given position
    documents: RememberedTable
    # merges, alarms and limits in order, all or those that are new since the given position; the groups of `documents`
    # already reflect the merges
    events: tuple[GroupEvent, ...]
    state: dict[str, Any]  # the small values given to `append`


def position_of(connection: Connection) -> Position:
    """Read the position of a store; takes microseconds."""
    return Position(
        *connection.execute(
            "SELECT (SELECT coalesce(max(sequence) + 1, 0) FROM batch),"
            " (SELECT coalesce(max(ordinal) + 1, 0) FROM document),"
            " (SELECT coalesce(max(number) + 1, 0) FROM term),"
            " (SELECT count(*) FROM document WHERE forgotten = 1),"
            " (SELECT coalesce(sum(json_array_length(value)), 0) FROM state WHERE name IN ('retunes', 'watches')),"
            " (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM state WHERE name = ?)",
            (RESTORED,),
        ).fetchone()
    )


def load(connection: Connection, *, since: Position | None) -> Loaded:
    """Read the whole state, or what is new since a position, inside one snapshot."""
    position = position_of(connection)
    if since is not None and since.restored != position.restored:
        since = None
    batches, documents, terms = (since or Position(0, 0, 0, 0))[:3]
    epoch = open_epoch(connection)
    clock = connection.execute("SELECT clock FROM document ORDER BY ordinal DESC LIMIT 1").fetchone()
    stories = connection.execute(
        "SELECT group_id, story_id, begun FROM telling JOIN story USING (story_id) WHERE alive = 1 ORDER BY group_id"
    ).fetchall()
    return Loaded(
        position=position,
        clock=clock[0] if clock else None,
        epoch=epoch,
        oldest=window_start(connection),
        terms=terms_of(connection, first=terms),
        frequencies=summed_frequencies(connection, before=epoch, terms=position.terms),
        repeats=summed_frequencies(connection, before=epoch, terms=position.terms, table="repeat_frequency"),
        withheld=_read_withheld(connection, epoch, "withheld_frequency"),
        withheld_repeats=_read_withheld(connection, epoch, "withheld_repeats"),
        pivot=summed_frequencies(connection, before=epoch, terms=position.terms, table="pivot_frequency"),
        withheld_pivot=_read_withheld(connection, epoch, "withheld_pivot"),
        stories=tuple(stories),
        evidence=counted_evidence(connection),
        lines=_stored_lines(connection, max(documents, position.documents - REMEMBERED)),
        documents=table_of(connection, max(documents, first_ordinal_needed(connection)), position.documents),
        events=_events(connection, batches),
        state=state_of(connection),
    )


def _stored_lines(connection: Connection, first: int) -> StoredLines:
    rows = connection.execute(
        "SELECT ordinal, lines, source, published FROM fragments JOIN document USING (ordinal) WHERE ordinal >= ?"
        " ORDER BY ordinal",
        (first,),
    ).fetchall()
    ordinals, blobs, sources, published = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
    times = np.array([NO_TIME if time is None else time for time in published], dtype=np.int64)
    return StoredLines(np.array(ordinals, dtype=np.int64), blobs, sources, times)


def open_epoch(connection: Connection) -> int:
    """Return the number of the open epoch."""
    return int(connection.execute("SELECT coalesce(max(epoch) + 1, 0) FROM epoch_frequency").fetchone()[0])


FEWEST_EPOCHS: Final = 3  # number of closed epochs with which a further one can be compared


def may_alarm(connection: Connection, epoch: int) -> bool:
    """Whether a closed epoch from ``epoch`` on may raise an alarm; of the first, only links between languages can."""
    closed = open_epoch(connection)
    if epoch < closed <= FEWEST_EPOCHS:
        languages = "(SELECT count(DISTINCT language) FROM epoch_frequency WHERE epoch >= ?)"
        query = f"SELECT json_extract(settings, '$.across') <> 'none' AND {languages} > 1 FROM store"  # noqa: S608
        return bool(connection.execute(query, (epoch,)).fetchone()[0])
    return closed > epoch


def counts_apart(connection: Connection) -> bool:
    """Whether the store also counts documents that repeat earlier ones separately."""
    rule = connection.execute("SELECT json_extract(settings, '$.df_counts') FROM store").fetchone()[0]
    return rule not in (None, "all")


def first_ordinal_needed(connection: Connection) -> int:
    """Return the smallest ordinal in the window or in the open epoch."""
    return min(window_start(connection), first_ordinal(connection, "epoch", open_epoch(connection)))


def first_ordinal(connection: Connection, column: Literal["epoch", "clock"], least: int) -> int:
    """Return the smallest ordinal with a value of at least `least`, or the next ordinal if no document has one."""
    # Epochs and the stream's clock never decrease from one ordinal to the next, so bisection finds it without an index.
    query = f"SELECT {column} FROM document WHERE ordinal = ?"  # noqa: S608
    low, high = 0, position_of(connection).documents
    while low < high:
        middle = (low + high) // 2
        value = connection.execute(query, (middle,)).fetchone()[0]
        low, high = (low, middle) if value >= least else (middle + 1, high)
    return low


def terms_of(connection: Connection, *, first: int = 0) -> list[str]:
    """Return the terms by number, starting at `first`."""
    rows = connection.execute("SELECT term FROM term WHERE number >= ? ORDER BY number", (first,))
    return [row[0] for row in rows]


def summed_frequencies(
    connection: Connection,
    *,
    before: int,
    terms: int,
    table: Literal["epoch_frequency", "repeat_frequency", "pivot_frequency"] = "epoch_frequency",
) -> dict[Language, LanguageFrequencies]:
    """Sum document frequencies over all epochs before one."""
    df: dict[Language, Ints] = {}
    totals: dict[Language, tuple[int, int]] = {}
    rows = connection.execute(
        f"SELECT language, documents, length, terms, df FROM {table} WHERE epoch < ? ORDER BY epoch, language",  # noqa: S608
        (before,),
    )
    for language, documents, length, numbers, counts in rows:
        total = df.setdefault(language, np.zeros(terms, dtype=np.int64))
        total[numbers_of(numbers, INT32)] += np.frombuffer(counts, dtype=INT32)
        known = totals.get(language, (0, 0))
        totals[language] = known[0] + documents, known[1] + length
    return {language: LanguageFrequencies(*totals[language], df[language]) for language in sorted(df)}


def _read_withheld(connection: Connection, epoch: int, table: str) -> tuple[EpochFrequencies, ...]:
    rows = connection.execute(
        f"SELECT epoch, language, terms, df FROM {table} WHERE epoch >= ? ORDER BY epoch, language",  # noqa: S608
        (epoch,),
    )
    return tuple(
        EpochFrequencies(number, language, 0, 0, numbers_of(terms, INT32), numbers_of(df, INT32))
        for number, language, terms, df in rows
    )


def counted_evidence(connection: Connection, *, only_closed: bool = False) -> tuple[CountedEvidence, ...]:
    """Return the counts of evidence: those of the closed epochs, summed, if any has closed, then the others."""
    query = f"SELECT epoch, part, counts FROM evidence_frequency{' WHERE part = 0' * only_closed} ORDER BY epoch, part"  # noqa: S608
    return tuple(
        CountedEvidence(epoch, closed=part == 0, counts=counts) for epoch, part, counts in connection.execute(query)
    )


def clock_of(connection: Connection, ordinal: int) -> int:
    """Return the stream's clock at a document, UTC microseconds since 1970."""
    return int(connection.execute("SELECT clock FROM document WHERE ordinal = ?", (ordinal,)).fetchone()[0])


def window_start(connection: Connection) -> int:
    """Return the smallest ordinal in the window."""
    last = connection.execute("SELECT oldest FROM batch ORDER BY sequence DESC LIMIT 1").fetchone()
    return int(last[0]) if last else 0


def _events(connection: Connection, first_batch: int) -> tuple[GroupEvent, ...]:
    rows = connection.execute(
        "SELECT ordinal, kind, group_id, other, value FROM event WHERE batch >= ? AND kind <> 'expiry' ORDER BY number",
        (first_batch,),
    )
    return tuple(GroupEvent(*row) for row in rows)
