"""``store``: maintain the durable state of a stream."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from infostream_dedup.cli.options import examples, general_options, mode_option, store_argument
from infostream_dedup.cli.output import chosen_format, note, note_remnants, print_rows

__all__ = ["store"]

_FORMATS = ("table", "jsonl", "json", "csv")
_DAMAGED = 65
# Lists may be empty, and a CSV file has a header even then.
_COUNTS = ("what", "value")
_TEMPLATES = ("source", "template", "title", "times", "first", "last", "filling", "filling_title")
_REPUBLICATIONS = ("group", "title", "total", "source", "day", "documents")
_EVENTS = ("ordinal", "kind", "group", "other", "value")
_BEST = ("group", "total", "best", "source", "title")
_GROUPS = ("group", "title", "documents", "sources", "languages", "first", "last", "alarm", "ordinal", "source", "url")
_COPIES = ("day", "source", "documents", "links", "copies", "linked_copies", "copy_precision", "copy_recall")
_DRIFTS = ("first", "last", "source", "measure", "recent", "usual", "recent_of", "usual_of", "chance")
_SHOWN = (
    *("ordinal", "id", "title", "source", "language", "published", "url", "status", "of", "kind", "probability"),
    *("group", "joined", "translation_of", "story", "terms"),
)

format_options = general_options(*_FORMATS)


@click.group()
def store() -> None:
    """Maintain the store of a stream: the SQLite file that 'ingest' keeps.

    A store may be read while 'ingest' writes. Any SQLite browser opens it; the views v_duplicates, v_groups, v_members
    and v_terms are made for people. To read it elsewhere, copy it with 'store backup': a plain copy made during a write
    is damaged or stale.
    """


def _print(rows: list[dict[str, Any]], output_format: str | None, columns: tuple[str, ...] | None = None) -> None:
    print_rows(rows, chosen_format(output_format, "table", "jsonl"), columns=columns)


@store.command(epilog=examples("store stats news.db", "store stats news.db --republications --top 5"))
@store_argument
@click.option("--templates", is_flag=True, help="List the recurring templates of each source instead.")
@click.option("--republications", is_flag=True, help="List the sources that repeated each group, day by day, instead.")
@click.option(
    "--events", is_flag=True, help="List merges, expiries and alarms of groups and limits of sources instead."
)
@click.option(
    "--best",
    type=click.Choice(["earliest", "complete", "source-rank"]),
    help="List groups of the window with the document that represents each by this rule instead.",
)
@click.option("--source-rank", "source_ranks", multiple=True, help="A source for --best source-rank, best first.")
@click.option(
    "--least",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="With --templates: minimum number of recurrences.",
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Maximum number of groups; 0: all.",
)
@format_options
def stats(file: Path, output_format: str | None, quiet: bool, **chosen: Any) -> None:
    """Count the contents of a store.

    Columns: what, value. With --templates: as 'store templates'. With --republications: group, title, total (documents
    of the group), source, day, documents. With --events: ordinal, kind, group, other, value. With --best: group, total,
    best (id), source, title.
    """
    del quiet
    if sum(bool(chosen[name]) for name in ("templates", "republications", "events", "best")) > 1:
        raise click.UsageError("--templates, --republications, --events and --best exclude each other")
    rows, columns = _stats(file, **chosen)
    _print(rows, output_format, columns)


def _stats(
    file: Path,
    *,
    templates: bool,
    republications: bool,
    events: bool,
    best: str | None,
    source_ranks: tuple[str, ...],
    least: int,
    top: int,
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    from infostream_dedup.api import store as kept

    if best is not None:
        return kept.representatives_of(file, best, source_ranks=source_ranks, top=top), _BEST
    if templates:
        return kept.templates_of(file, least=least), _TEMPLATES
    if republications:
        return kept.republications_of(file, top=top), _REPUBLICATIONS
    return (kept.events_of(file), _EVENTS) if events else (kept.stats(file), _COUNTS)


@store.command(epilog=examples("store groups news.db"))
@store_argument
@click.option(
    "--by",
    type=click.Choice(["size", "last"]),
    default="size",
    show_default=True,
    help="Order of the groups: the largest or the latest first.",
)
@click.option("--lang", "language", help="Only groups with a document in this language.")
@click.option("--source", help="Only groups with a document of this source.")
@click.option(
    "--top", type=click.IntRange(min=0), default=20, show_default=True, help="Maximum number of groups; 0: all."
)
@format_options
def groups(file: Path, output_format: str | None, quiet: bool, **chosen: Any) -> None:
    """List the current groups of two or more documents.

    Columns: group, title (of its earliest document), documents, sources, languages, first, last (dates; a dash without
    any), alarm (whether it stopped growing because it is a chain), ordinal, source, url (of its earliest document).
    """
    del quiet
    from infostream_dedup.api import store as kept

    _print(kept.groups(file, **chosen), output_format, _GROUPS)


@store.command(epilog=examples("store show news.db doc-17"))
@store_argument
@click.argument("id", metavar="ID")
@format_options
def show(file: Path, id: str, output_format: str | None, quiet: bool) -> None:  # noqa: A002 - its own word
    """Show what a store knows about a document, and the other documents of its group.

    Rows: the document first, then the members of its current group in the order of publication. Columns: ordinal, id,
    title, source, language, published, url, status, of, kind, probability, group, joined (verdict or merge: a group
    that was joined later), translation_of, story, terms. Members have only some of them.
    """
    del quiet
    from infostream_dedup.api import store as kept

    found = kept.show(file, id)
    shown = found["document"]
    others = [member for member in found["members"] if member["ordinal"] != shown["ordinal"]]
    rows = [{name: row.get(name) for name in _SHOWN} for row in (shown, *others)]
    _print([row | {"group": shown["group"]} for row in rows], output_format)


@store.command(epilog=examples("store templates news.db"))
@store_argument
@click.option(
    "--least", type=click.IntRange(min=1), default=1, show_default=True, help="Minimum number of later fillings."
)
@format_options
def templates(file: Path, least: int, output_format: str | None, quiet: bool) -> None:
    """List the recurring templates of each source, such as rates and weather, with their first and latest filling.

    Columns: source, template (id of the earliest document of the template), title, times (later fillings), first, last,
    filling (id of the latest document), filling_title.
    """
    del quiet
    from infostream_dedup.api import store as kept

    _print(kept.templates_of(file, least=least), output_format, _TEMPLATES)


@store.command(epilog=examples("store copies news.db", "store copies news.db --drifts"))
@store_argument
@click.option("--days", type=click.IntRange(min=1), help="Only the last days of the stream's clock.  [default: all]")
@click.option("--drifts", is_flag=True, help="List the days on which copies, precision or recall drifted instead.")
@format_options
def copies(file: Path, days: int | None, drifts: bool, output_format: str | None, quiet: bool) -> None:
    """Count the copies of a stream by day and source; needs a store of preset judged.

    Columns: day, source, documents, links (verdicts exact and duplicate), copies (documents that share three tenths of
    their word triples with a document of the seven days before, whatever their verdict; series left out),
    linked_copies, copy_precision, copy_recall. With --drifts: first, last (days), source (a dash for the whole stream),
    measure (copies, precision, recall), recent, usual (its share in seven days, and in the 28 days before), recent_of,
    usual_of (denominators of these shares), chance (less than .0001: Fisher's exact test).
    """
    from infostream_dedup.api import store as kept

    if drifts:
        rows = kept.drifts_of(file, days=days)
        _print(rows, output_format, _DRIFTS)
    else:
        rows = kept.copies_of(file, days=days)
        _print(rows, output_format, _COPIES)
    if not rows:
        undated = "no document of this store has a date, and copies are counted by day"
        note("no drifts" if drifts and kept.copies_of(file, days=1) else undated, quiet=quiet)


@store.command(epilog=examples("store verify news.db"))
@store_argument
@format_options
def verify(file: Path, output_format: str | None, quiet: bool) -> int:
    """Check that a store still contains exactly what was written to it; if not, the exit code is 65.

    Columns: check (pages: SQLite's own structure; references: foreign keys; numbering: no gaps in batches,
    ordinals and terms, no term twice; settings, batches, signatures, evidence: checksums; answers, names: references to
    documents; epochs: frequencies against a recount; groups, stories: the tables against verdicts and events; index:
    the indexes against signatures and terms), checked, faults, first (the first fault).
    """
    from infostream_dedup.api import store as kept
    from infostream_dedup.machine.restoring import restoring_advice

    rows = [asdict(check) for check in kept.verify(file)]
    _print(rows, output_format)
    faulty = {row["check"]: row["faults"] for row in rows if row["faults"]}
    if faulty:
        faults = sum(faulty.values())
        found = f"{file}: {faults:,} fault{'' if faults == 1 else 's'}"
        advice = restoring_advice(file)
        if faulty.keys() == {"index"}:
            advice = "nothing is lost; 'store index' rebuilds the indexes"
        note(f"{found}; {advice}", quiet=quiet)
    return _DAMAGED if faulty else 0


@store.command(epilog=examples("store backup news.db copy.db"))
@store_argument
@click.argument("copy", metavar="COPY", type=click.Path(path_type=Path))
@mode_option
@format_options
def backup(file: Path, copy: Path, mode: int | None, output_format: str | None, quiet: bool) -> None:
    """Copy a store while others write to it.

    COPY is written completely or not at all; an older copy is replaced. Leftovers of killed backups in its folder are
    removed. Columns: store, copy, bytes.
    """
    del quiet
    from infostream_dedup.api import store as kept

    _print([{"store": str(file), "copy": str(copy), "bytes": kept.backup(file, copy, mode=mode)}], output_format)


@store.command(epilog=examples("store expire news.db"))
@store_argument
@format_options
def expire(file: Path, output_format: str | None, quiet: bool) -> None:
    """Delete signatures and texts of documents that have left the window, by the stream's clock.

    No verdict changes: everything that the window or the open epoch needs stays, and so do ids, titles, verdicts,
    groups, events and frequencies. Sweeping over or searching the past needs the signatures. Columns: store,
    documents (signatures deleted), below (no ordinal below it has a signature), freed (bytes returned to the disk).
    """
    del quiet
    from infostream_dedup.api import store as kept

    _print([{"store": str(file), **asdict(kept.expire(file))}], output_format)


@store.command(epilog=examples("store index news.db"))
@store_argument
@format_options
def index(file: Path, output_format: str | None, quiet: bool) -> None:
    """Update the index with which 'search' looks through closed epochs.

    Batches add to it as epochs close; this command rebuilds damaged parts of it and of the index of terms. Columns:
    store, added (documents), rebuilt (documents).
    """
    del quiet
    from infostream_dedup.api import store as kept

    added, rebuilt = kept.index(file)
    _print([{"store": str(file), "added": added, "rebuilt": rebuilt}], output_format)


@store.command(epilog=examples("store forget news.db doc-17", "store forget news.db --source example.org"))
@store_argument
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--source", "sources", multiple=True, help="Forget all documents of this source; can be repeated.")
@format_options
def forget(file: Path, ids: tuple[str, ...], sources: tuple[str, ...], output_format: str | None, quiet: bool) -> None:
    """Remove the content of documents: title, text, signature, checksums of the text, terms of the verdict.

    All versions of each document are forgotten, or nothing if the store lacks one of the documents or sources.

    What stays: its id, source, language, times and length; the checksum of the whole document, by which it is
    recognised if it is sent again; its status and group; its contribution to document frequencies, which names no
    document; the terms that later documents shared with it, in their verdicts; copies made earlier: those next to the
    store are listed, and leftovers of killed backups are removed. The store and its desk are then
    rewritten so that no remnants are left: seconds for a gigabyte. Columns: id, versions (that lost their content).
    """
    from infostream_dedup.api import store as kept

    if not ids and not sources:
        raise click.UsageError("name the documents to forget: ID... or --source")
    done = kept.forget(file, ids, sources=sources)
    _print([asdict(one) for one in done.documents], output_format)
    if done.removed:
        note(f"{done.removed} unfinished copies left by killed processes were removed", quiet=quiet)
    for copy in done.copies:
        note(f"{copy}: an earlier copy that still contains what was forgotten; delete it", quiet=quiet)
    if not done.clean:
        note_remnants(quiet=quiet)
