"""``store``: maintain the durable state of a stream, the SQLite file that ``ingest`` writes.

Every function takes the path of a store, and raises ``NoInputError`` if there is none, ``BadDataError`` if the file is
not a store. Reading functions may be called while ``ingest`` writes; the others raise ``StoreBusyError`` then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from infostream_dedup.api.desk import forget_and_wipe
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError, UsageError
from infostream_dedup.machine.files import remove_stale_parts
from infostream_dedup.model import microseconds_of, one_or_several
from infostream_dedup.model.limits import OneOf, Range, check_moment
from infostream_dedup.model.settings import STREAM_PRESETS, Thresholds

if TYPE_CHECKING:
    from sqlite3 import Connection

    from infostream_dedup.stream.retuning import Retuned
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.checking import Check
    from infostream_dedup.stream.store.going_back import Forked, WentBack
    from infostream_dedup.stream.store.removal import Expired, Forgotten


__all__ = [
    "Forgetting", "backup", "best", "copies", "coverage", "drifts", "events", "expire", "forget", "fork", "groups",
    "health", "index", "message", "republications", "restore", "retune", "show", "stats", "stories", "templates",
    "verify",
]  # fmt: skip

T = TypeVar("T")

_SAME_TEXT = ("copy", "retold", "contained", "contains", "updated", "translation")
"""Kinds of hits that stand for a text that is looked for."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What ``forget`` did.

    Attributes:
        documents: id of each document, and how many of its versions lost their content now.
        clean: whether store and desk contain no remnants; False while another process reads them: call ``forget``
            again.
        removed: number of deleted unfinished copies that killed processes had left.
        copies: copies next to the store, which still contain what was forgotten.
    """

    documents: list[Forgotten]
    clean: bool
    removed: int
    copies: list[Path]


def _ask(path: str | Path, query: Callable[[Store, Connection], T]) -> T:
    """The answer of a query to one state of a store."""
    from infostream_dedup.stream.store import Store

    with Store.open(path, read_only=True) as store, store.reading() as connection:
        return query(store, connection)


def with_titles(path: str | Path, rows: Sequence[dict[str, Any]], name: str = "id") -> list[dict[str, Any]]:
    """Rows of documents, named by this column, with the beginnings of kept texts in place of missing titles."""
    return _ask(path, lambda store, _: store.headed(rows, name))


_EPOCH = ("documents", "links", "symmetry", "transitivity", "duplicates", "links_across", "symmetry_across", "alarms")


def stats(path: str | Path) -> list[dict[str, Any]]:
    """Count the contents of a store.

    Returns:
        Rows ``what, value``: documents, statuses, languages, sources, groups, events, sizes; links, S, T, duplicates
        and alarms of the last closed epoch (see ``health``).
    """
    from infostream_dedup.stream.health import alarms_of, stream_health
    from infostream_dedup.stream.store.browsing import summary

    rows = _ask(path, lambda store, connection: summary(connection, store.path))
    if latest := stream_health(path, last=1):
        measured = {**latest[0].as_dict(), "alarms": ", ".join(alarms_of(latest)) or "none"}
        rows += [
            {"what": f"epoch {latest[0].epoch} {name.replace('_', ' ')}", "value": measured[name]} for name in _EPOCH
        ]
    return rows


def groups(
    path: str | Path, *, by: str = "size", language: str | None = None, source: str | None = None, top: int = 20
) -> list[dict[str, Any]]:
    """List the current groups of two or more documents.

    Args:
        by: order: ``size`` for the largest first, ``last`` for the latest first.
        language: list only groups with a document in this language.
        source: list only groups with a document of this source.
        top: maximum number of groups; 0 for all.

    Returns:
        Rows ``group, title, documents, sources, languages, first, last, alarm, ordinal``; ``first`` and ``last`` are
        dates, None if the group has none; ``alarm`` says that the group stopped growing because it is a chain.

    Raises:
        ConfigurationError: ``by`` is neither ``size`` nor ``last``.
    """
    from infostream_dedup.stream.store.browsing import GroupFilter, group_page

    top = Range(0).check("top", top)
    if by not in ("size", "last"):
        raise ConfigurationError(f"by is {by!r}; expected size or last")
    chosen = GroupFilter(language=language, source=source)
    return _ask(path, lambda _, rows: group_page(rows, chosen, by_date=by == "last", after=None, limit=top or -1))


def stories(
    path: str | Path, *, by: str = "size", since: datetime | None = None, top: int = 20
) -> list[dict[str, Any]]:
    """List the stories of two or more documents, in one language or several.

    Args:
        by: order: ``size`` (documents), ``outlets``, ``origins`` (texts written independently), ``spread`` (outlets of
            the first 24 hours); the greatest first.
        since: list only stories with a document of this moment or later; it needs a time zone.
        top: maximum number of stories; 0 for all.

    Returns:
        Rows ``story`` (id of its earliest document), ``documents, outlets, origins, echo_share`` (1 - origins /
        documents), ``spread, languages, first, last`` (dates), ``title, begun`` (ordinal).

    Raises:
        ConfigurationError: there is no such order.
    """
    from infostream_dedup.stream.store.stories import ORDERS, story_rows

    top = Range(0).check("top", top)
    OneOf(*ORDERS).check("by", by)
    check_moment("since", since)
    moment = None if since is None else microseconds_of(since)
    return _ask(path, lambda _, connection: story_rows(connection, by=by, since=moment, top=top or None))


def coverage(
    path: str | Path,
    *,
    story: str | None = None,
    text: str | None = None,
    id: str | Sequence[str] | None = None,  # noqa: A002 - the name of the field
) -> dict[str, Any]:
    """Count who covers a story, and how many independent origins stand behind them.

    Documents that are copies, parts, later versions or translations of one another go back to one origin.

    Args:
        story: id of a story.
        text: a text, which stands for the stories of the documents that have or retell it.
        id: id of a document, or of several, which stand for their stories.

    Returns:
        ``story, outlets, origins, first`` (id of the earliest document), ``echo_share`` (1 - origins / documents, 0 to
        1), ``wires_read`` (whether the store keeps texts, without which agencies are known by their own sites alone)
        and ``documents`` in the order of publication: ``origin`` (numbered by their first documents, from 1), ``role``
        (first, copy, part, extension, retelling, next step, translation, report), ``id, outlet, language,
        published, lag_hours`` (after the first document of the origin), ``title, of, url,
        wire`` (the news agency that the text names first).

    Raises:
        UsageError: not exactly one of story, text and id is given.
        NoInputError: the store has no such story, text or document; or there is no store.
    """
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.stories import coverage_of, documents_of

    if sum(one is not None for one in (story, text, id)) != 1:
        raise UsageError("give either a story (--story), a text (--text) or an id (--id)")
    if text is not None:
        from infostream_dedup.api.search import search

        names = [hit.id for hit in search(path, text) if hit.kind in _SAME_TEXT]
        if not names:
            raise NoInputError(f"{path}: no document has or retells this text; 'search' lists what is like it")
    else:
        names = [id] if isinstance(id, str) else [story] if story is not None else [*(id or ())]
    with Store.open(path, read_only=True) as opened, opened.reading() as connection:
        found = documents_of(connection, names)
        if not found:
            raise NoInputError(f"{path}: there is no story or document {', '.join(map(repr, names))}")
        return coverage_of(opened, found)


def message(path: str | Path, story: str) -> list[dict[str, Any]]:
    """Compile one message from a story: its earliest text, then what each later document of it is the first to say.

    Andreev et al. (section 8) name this as further work, after Nikkonen. Lines that many documents repeat are left out.

    Args:
        path: the store; it must keep texts.
        story: id of a story, or of one of its documents.

    Returns:
        Rows ``story, position, id, source, kind`` (first: a sentence of the earliest text; added: no earlier document
        has it; number: known but for its numbers), ``span`` (code points of the text as given), ``text, numbers``.

    Raises:
        NoInputError: there is no such story, or no store.
        ConfigurationError: the store keeps no texts.
    """
    from infostream_dedup.judging.passages.original_message import original_message
    from infostream_dedup.stream.preparation import with_repeated
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.stories import documents_of

    with Store.open(path, read_only=True) as opened, opened.reading() as connection:
        found = documents_of(connection, [story])
        if not found:
            raise NoInputError(f"{path}: there is no story or document {story!r}")
        if not opened.keeps_texts():
            raise ConfigurationError(f"{path} keeps no texts; begin a store with 'ingest --keep-text'")
        documents, repeated = with_repeated(opened, [one["ordinal"] for one in found])
    said = original_message(documents, repeated=repeated)
    rows = [one.as_dict(story, place) for place, one in enumerate(said, 1)]
    return [{"story": found[0]["story"]} | {name: row[name] for name in row if name != "group"} for row in rows]


def show(path: str | Path, id: str) -> dict[str, Any]:  # noqa: A002 - the name of the field
    """Show what a store knows about a document: its fields, verdict, group with all members, story and key terms.

    Args:
        id: id of the document; the latest of several versions is shown.

    Returns:
        ``document`` (fields and verdict), ``members`` of its current group in the order of publication (``joined`` says
        whether by ``verdict`` or by ``merge``) and ``events`` of the group.

    Raises:
        BadDataError: the store does not have the document.
        NoInputError: there is no store.
    """
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.browsing import document_shown, group_with_members

    with Store.open(path, read_only=True) as opened, opened.reading() as connection:
        shown = document_shown(connection, id)
        if shown is None:
            raise BadDataError(f"the store has no document {id!r}", code="E_ID_UNKNOWN", source=str(opened.path))
        group = group_with_members(connection, shown["group"])
    members, events = (group["members"], group["events"]) if group else ([], [])
    return {"document": shown, "members": members, "events": events}


def templates(path: str | Path, *, least: int = 1) -> list[dict[str, Any]]:
    """List the recurring templates of each source.

    Args:
        least: leave out templates that recur less often.

    Returns:
        Rows ``source, template, title, times, first, last, filling, filling_title, words``, most frequent first;
        ``template`` is the id of the earliest document of the template, ``filling`` the id of the latest; ``words``
        are those of its titles that stay.
    """
    from infostream_dedup.stream.store.overview import templates as query

    return _ask(path, lambda _, connection: query(connection, least=least))


def republications(path: str | Path, *, top: int = 20) -> list[dict[str, Any]]:
    """List the largest groups, and which source repeated them on which day.

    Args:
        top: maximum number of groups; 0 for all.

    Returns:
        Rows ``group, title, total, source, day, documents``.
    """
    from infostream_dedup.stream.store.overview import republications as query

    top = Range(0).check("top", top)
    return _ask(path, lambda _, connection: query(connection, top=top))


def events(path: str | Path) -> list[dict[str, Any]]:
    """List merges, expiries and alarms of groups, and limits of sources, in stream order.

    Returns:
        Rows ``ordinal, kind, group, other, value``.
    """
    return _ask(path, lambda store, _: [asdict(event) for event in store.events()])


def copies(path: str | Path, *, days: int | None = None) -> list[dict[str, Any]]:
    """Count the copies of a stream by day and source; originals are at most seven days older, and series are left out.

    Args:
        path: the store, of preset ``judged``.
        days: count only the last days of the stream's clock; all by default.

    Returns:
        Rows ``day, source, documents, links, copies, linked_copies, copy_precision, copy_recall``. A link is a verdict
        ``exact`` or ``duplicate``; a copy is a document that shares three tenths of its word triples with an earlier
        one, whatever its verdict.

    Raises:
        ConfigurationError: the store keeps no wording.
    """
    from infostream_dedup.lab.copy_scores import copies_by_day
    from infostream_dedup.stream.store import Store

    with Store.open(path, read_only=True) as opened:
        return [row.as_dict() for row in copies_by_day(opened, days=days)]


def drifts(path: str | Path, *, days: int | None = None) -> list[dict[str, Any]]:
    """Find the days on which the copies of a stream, or precision and recall of its links as copies, drifted.

    The last seven days are compared with the 28 before, on every day, for the whole stream and for each source; a drift
    is a difference that would occur by chance less than once in 10,000 times (Fisher's exact test).

    Args:
        path: the store, of preset ``judged``.
        days: use only this many last days of the stream's clock; the first 35 of them only serve as a baseline. By
            default, all days.

    Returns:
        Rows ``first, last, source, measure, recent, usual, recent_of, usual_of, chance``, the latest first: ``source``
        is None for the whole stream, ``measure`` is ``copies``, ``precision`` or ``recall``, ``recent`` and ``usual``
        are shares, and ``recent_of`` and ``usual_of`` their denominators.

    Raises:
        ConfigurationError, NoInputError, BadDataError: see ``copies``.
    """
    from infostream_dedup.lab.copy_scores import copies_by_day, drifts
    from infostream_dedup.stream.store import Store

    with Store.open(path, read_only=True) as opened:
        return [row.as_dict() for row in drifts(copies_by_day(opened, days=days))]


def best(
    path: str | Path, *, by: str = "first", source_ranks: Sequence[str] | str = (), top: int = 20
) -> list[dict[str, Any]]:
    """List the largest groups of the window, each with the document that represents it.

    Args:
        by: ``first``, ``latest``, ``longest`` or ``complete`` (both by distinct terms), or ``rank``.
        source_ranks: sources for ``rank``, best first.
        top: maximum number of groups; 0 for all.

    Returns:
        Rows ``group, total, best, source, title``.

    Raises:
        ConfigurationError: there is no such rule, or ``rank`` is given without sources.
    """
    from infostream_dedup.stream.deduplicator import representatives

    top, ranks = Range(0).check("top", top), one_or_several(source_ranks)
    return _ask(path, lambda *opened: representatives(*opened, best=by, source_ranks=ranks, top=top))


def verify(path: str | Path) -> list[Check]:
    """Check that a store still contains what was written to it.

    Returns:
        For each check, the number of items examined, the number of faults, and the first fault.
    """
    from infostream_dedup.stream.store.checking import checks

    return _ask(path, lambda _, connection: list(checks(connection)))


def backup(path: str | Path, copy: str | Path, *, mode: int | None = None) -> int:
    """Copy a store while others write to it; the copy is written completely or not at all.

    Args:
        copy: path of the copy; an older copy is replaced.
        mode: permissions of the copy; by default those of the older copy, otherwise 0600.

    Returns:
        Size of the copy in bytes.

    Raises:
        CannotCreateError, CannotWriteError: the copy cannot be written.
    """
    from infostream_dedup.stream.store import Store

    with Store.open(path, read_only=True) as opened:
        opened.backup(copy, mode=mode)
    return Path(copy).stat().st_size


def health(path: str | Path, *, last: int | None = None) -> list[dict[str, Any]]:
    """Say how S, T and the share of duplicates of each closed epoch compare with those of the epochs before.

    No labels are needed: links among the documents of an epoch, at the k of the stream (6 with preset ``judged``). An
    alarm means that a measure left the mean of the last five epochs by more than four standard errors, by its interval,
    theirs, and their spread; ``topics``, that fewer than half of the links between languages are returned, so that they
    join texts on one topic, not translations (told once in five epochs).

    Args:
        last: only so many epochs; all by default.

    Returns:
        Rows ``epoch, source, documents, links, symmetry, transitivity, duplicates, links_across, symmetry_across,
        alarms`` with the intervals of S and T (``..._low``, ``..._high``): one without a source for each epoch, then
        one for each of its ten largest sources. Of epochs that 'store expire' reached, the last twenty are shown.
    """
    from infostream_dedup.stream.health import stream_health

    return [one.as_dict() for one in stream_health(path, last=last)]


def retune(path: str | Path, thresholds: str | Path | Thresholds, *, first: int | None = None) -> Retuned:
    """Judge documents by new thresholds from a stated one on; no verdict before it changes.

    The change is recorded in the store, so the same documents in other batches, or after a restart, get the same
    verdicts. Preset ``faithful`` takes ``k_duplicate`` (and lowers ``k_similar`` to it), preset ``judged`` ``join``.

    Args:
        thresholds: the file that ``sweep --write-config`` wrote, or ``SweepResult.thresholds()``.
        first: ordinal of the first document that is judged by them, at least the number of documents stored; by default
            the next document.

    Returns:
        ``first``, ``changes`` (empty if these thresholds hold already) and ``left``, what the stream does not read.

    Raises:
        ConfigurationError: the file is damaged, cut short, not one of thresholds, or was measured with another
            representation, n, score or target; nothing has changed.
        UsageError: ``first`` has been judged already.
        NoInputError, BadDataError, StoreBusyError: as for every store.
    """
    from infostream_dedup.stream.retuning import retune as retuned
    from infostream_dedup.stream.store import Store

    read = thresholds if isinstance(thresholds, Thresholds) else Thresholds.read(thresholds)
    with Store.open(path, create=False) as store:
        return retuned(store, read, first=first)


def same_thresholds(path: str | Path, thresholds: Thresholds) -> tuple[list[str], tuple[str, ...]]:
    """The settings of a store that a file says too, and what it says beyond them; refuses other values.

    Thresholds of a store change only by a recorded event.

    Raises:
        ConfigurationError: the store judges by other thresholds.
    """
    from infostream_dedup.stream.retuning import thresholds_for
    from infostream_dedup.stream.settings import StreamSettings

    settings = _ask(path, lambda store, _: StreamSettings.of(store.settings))
    decided, left = thresholds_for(settings, thresholds)
    stored = settings.as_dict()
    for name, value in decided.items():
        if stored[name] != value:
            raise ConfigurationError(
                f"{thresholds.path}: {name} is {value}, but {path} judges by {stored[name]}; to change that from the"
                f" next document on: infostream-dedup store retune {path} --config {thresholds.path}"
            )
    return list(decided), left


def fork(
    path: str | Path, new: str | Path, *, preset: str = "faithful", thresholds: str | Path | Thresholds | None = None
) -> Forked:
    """Judge all documents of a store anew, into a new store: with other thresholds, or with the other preset.

    Preset ``faithful`` judges by the stored key terms; preset ``judged`` needs the texts (``keep_text``). Batches keep
    their names, so that repeating one gives the verdicts of the new store.

    Args:
        path: the store, which does not change.
        new: the new store; it must not exist, and appears when it is complete.
        preset: ``faithful`` or ``judged``.
        thresholds: the file that ``sweep --write-config`` wrote, or ``SweepResult.thresholds()``.

    Returns:
        ``documents``, ``preset``, ``changed`` (documents with another status) and the ``settings`` that differ.

    Raises:
        ConfigurationError: the new store exists, key terms or texts are missing, or the thresholds do not fit.
        NoInputError, BadDataError: as for every store.
    """
    from infostream_dedup.stream.store.going_back import fork as forked

    OneOf(*STREAM_PRESETS).check("preset", preset)
    read = thresholds if thresholds is None or isinstance(thresholds, Thresholds) else Thresholds.read(thresholds)
    return forked(Path(path), Path(new), preset=preset, thresholds=read)


def restore(path: str | Path, backup: str | Path, *, discard_newer: bool = False) -> WentBack:
    """Go back to a backup, also while others have the store open: they see all of it at once, or nothing.

    Documents that the store has forgotten since are forgotten in what was restored, too.

    Args:
        path: the store; created from the backup if there is none.
        backup: a copy made by ``backup``. It is only read.
        discard_newer: go back even if the backup lacks batches of the store; the store as it was is kept next to it,
            under a name with the date.

    Returns:
        What the store contains now, what was discarded, and where the former store is kept.

    Raises:
        StoreBusyError: the backup lacks batches, which the message names; or another process is writing.
        NoInputError, BadDataError: the backup does not exist, is damaged or is not one.
        ConfigurationError: the backup was made with other settings.
    """
    from infostream_dedup.stream.store.going_back import go_back

    return go_back(Path(path), Path(backup), discard_newer=discard_newer)


def expire(path: str | Path) -> Expired:
    """Delete signatures and texts of documents that have left the window, by the stream's clock.

    No verdict changes: everything that the window or the open epoch needs is kept.

    Returns:
        The number of deleted signatures, and the bytes returned to the disk.
    """
    from infostream_dedup.stream import health
    from infostream_dedup.stream.store import Store

    with Store.open(path, create=False) as opened:
        return health.expire(opened)


def index(path: str | Path) -> tuple[int, int]:
    """Update the indexes that searches use: of the documents of closed epochs, and of terms.

    Batches do that; only a damaged index needs this call.

    Returns:
        Number of documents added to the index, and of documents whose damaged index was rebuilt.
    """
    from infostream_dedup.stream.store import Store

    with Store.open(path, create=False) as opened:
        return opened.index()


def forget(
    path: str | Path, ids: str | Iterable[str] = (), *, sources: str | Iterable[str] = (), caches: bool = False
) -> Forgetting:
    """Remove the content of documents: title, text, signature, checksums of the text, terms of the verdict.

    Ids, sources, times, verdicts and judgements are kept; whatever the store's desk quotes is removed. Both files
    are rewritten afterwards, so that no remnants are left in them. The list of terms keeps single key terms, without
    the documents that had them.

    Args:
        ids: one id or several.
        sources: also every document of this source or these; an id that other sources used too loses all its versions.
        caches: also delete this user's caches of word forms and translations, which contain single words of every text
            that was read; they are made again as needed.

    Returns:
        What each document lost, whether the file is free of remnants, and copies that remain.

    Raises:
        NoInputError, BadDataError: see ``stats``; no document has this id or source; nothing was removed.
    """
    from infostream_dedup.judgements import desk_path
    from infostream_dedup.machine.sqlite_cache import cache_folder
    from infostream_dedup.stream.store import Store
    from infostream_dedup.stream.store.opening import copies_beside

    with Store.open(path, create=False) as opened:
        named = [ids] if isinstance(ids, str) else list(ids)
        for source in [sources] if isinstance(sources, str) else sources:
            named += opened.ids_of_source(source)
        documents = opened.forget(*dict.fromkeys(named))
        clean = opened.wipe()
        removed = remove_stale_parts(opened.path.parent)
        if desk_path(opened.path).exists():
            clean &= forget_and_wipe(opened.path, [one.id for one in documents])[1]
        if caches:
            for cache in cache_folder().glob("*.sqlite*"):
                cache.unlink(missing_ok=True)
        return Forgetting(documents, clean, removed, copies_beside(Path(path)))
