"""``store``: look after the durable state of a stream."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infostream_dedup.cli.options import general_options, mode_option
from infostream_dedup.cli.output import chosen_format, note, print_rows

__all__ = ["store"]

_FORMATS = ("table", "jsonl", "json", "csv")
_DAMAGED = 65

file_argument = click.argument("file", metavar="STORE", type=click.Path(path_type=Path))
format_options = general_options(*_FORMATS)


@click.group()
def store() -> None:
    """Look after the store of a stream: the SQLite file that 'ingest' keeps.

    Stores may be looked at while 'ingest' writes. Any SQLite browser opens them; the views v_duplicates, v_groups,
    v_members and v_terms are made for people. To look from elsewhere copy a store with 'store backup': a plain copy of
    the file, made while others write, is damaged or stale.
    """


def _print(rows: list[dict[str, Any]], output_format: str | None) -> None:
    print_rows(rows, chosen_format(output_format, "table", "jsonl"))


@store.command()
@file_argument
@click.option("--templates", is_flag=True, help="Instead: recurring templates of each source.")
@click.option("--republications", is_flag=True, help="Instead: groups, who repeated them on which day.")
@click.option("--events", is_flag=True, help="Instead: merges, expiries and alarms of groups, limits of sources.")
@click.option(
    "--best",
    type=click.Choice(["earliest", "complete", "source-rank"]),
    help="Instead: groups of the window, with the document that stands for each by this rule.",
)
@click.option("--source-rank", "source_ranks", multiple=True, help="A source for --best source-rank, best first.")
@click.option(
    "--least", type=click.IntRange(min=1), default=3, show_default=True, help="Of --templates: least recurrences."
)
@click.option(
    "--top",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Most groups listed; 0 for all.",
)
@format_options
def stats(file: Path, output_format: str | None, quiet: bool, **chosen: Any) -> None:
    """Count what is in a store.

    Columns: what, value. With --templates: source, template (id of the earliest document of the kind), title, times,
    first, last. With --republications: group, title, total (documents of the group), source, day, documents. With
    --events: ordinal, kind, group, other, value. With --best: group, total, best (id), source, title.
    """
    del quiet
    if sum(bool(chosen[name]) for name in ("templates", "republications", "events", "best")) > 1:
        raise click.UsageError("--templates, --republications, --events and --best exclude each other")
    from infostream_dedup.store import Store

    with Store.open(file, read_only=True) as opened, opened.reading() as connection:
        _print(_stats(opened, connection, **chosen), output_format)


def _stats(
    opened: Any,
    connection: Any,
    *,
    templates: bool,
    republications: bool,
    events: bool,
    best: str | None,
    source_ranks: tuple[str, ...],
    least: int,
    top: int,
) -> list[dict[str, Any]]:
    from dataclasses import asdict

    if best is not None:
        from infostream_dedup.stream.representatives import representatives

        return representatives(opened, connection, best=best, source_ranks=source_ranks, top=top)

    if templates:
        from infostream_dedup.store.templates import templates as rows_of_templates

        return rows_of_templates(connection, least=least)
    if republications:
        from infostream_dedup.store.republications import republications as rows_of_republications

        return rows_of_republications(connection, top=top)
    if events:
        return [asdict(event) for event in opened.events()]
    from infostream_dedup.store.summary import summary

    return summary(connection, opened.path)


@store.command()
@file_argument
@format_options
def verify(file: Path, output_format: str | None, quiet: bool) -> int:
    """Check that a store says what was written to it; 65 when it does not.

    Columns: check (pages: SQLite's own structure; references: foreign keys; numbering: batches, ordinals and terms
    without gaps; batches, signatures: checksums; answers, names: documents that others refer to; epochs: frequencies
    against a recount), checked, faults, first (the first fault).
    """
    from dataclasses import asdict

    from infostream_dedup.store import Store
    from infostream_dedup.store.checking import checks

    with Store.open(file, read_only=True) as opened, opened.reading() as connection:
        rows = [asdict(check) for check in checks(connection)]
    _print(rows, output_format)
    faults = sum(row["faults"] for row in rows)
    if faults:
        note(f"{file}: {faults} faults; go back to the latest 'store backup' that verifies", quiet=quiet)
    return _DAMAGED if faults else 0


@store.command()
@file_argument
@click.argument("copy", metavar="COPY", type=click.Path(path_type=Path))
@mode_option
@format_options
def backup(file: Path, copy: Path, mode: int | None, output_format: str | None, quiet: bool) -> None:
    """Copy a store while others write to it.

    The file COPY appears whole or not at all; an older copy there is replaced. What backups that were killed have left
    beside it is removed. Columns: store, copy, bytes.
    """
    del quiet
    from infostream_dedup.store import Store

    with Store.open(file, read_only=True) as opened:
        opened.backup(copy, mode=mode)
    _print([{"store": str(file), "copy": str(copy), "bytes": copy.stat().st_size}], output_format)


@store.command()
@file_argument
@format_options
def migrate(file: Path, output_format: str | None, quiet: bool) -> None:
    """Bring a store of an older version to today's schema, after a copy of it ('ingest' does so too).

    Columns: store, schema, copy (of the old store; a dash when there was nothing to do).
    """
    del quiet
    from infostream_dedup.store.opening import migrate_store

    version, copy = migrate_store(file)
    _print([{"store": str(file), "schema": version, "copy": str(copy) if copy else None}], output_format)


@store.command()
@file_argument
@format_options
def expire(file: Path, output_format: str | None, quiet: bool) -> None:
    """Delete signatures and texts of documents that left the window, by the stream's clock.

    No verdict changes: what the window or the open epoch needs stays, and so do ids, titles, verdicts, groups, events
    and frequencies. A sweep over the past needs the signatures. Columns: store, documents (signatures deleted), below
    (all ordinals below it have none), freed (bytes given back to the disk).
    """
    del quiet
    from dataclasses import asdict

    from infostream_dedup.store import Store

    with Store.open(file, create=False) as opened:
        _print([{"store": str(file), **asdict(opened.expire())}], output_format)


@store.command()
@file_argument
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@format_options
def forget(file: Path, ids: tuple[str, ...], output_format: str | None, quiet: bool) -> None:
    """Remove what a document said: title, text, signature, checksums of its text, terms of its verdict.

    What stays: its id, source, language, times, length and the checksum of the whole document, by which it is known
    when it comes again; its status and group; its share in document frequencies, which names no document; the terms
    that later documents shared with it, in their verdicts; copies made before: those beside the store are named, and
    what killed backups and migrations left there is removed. Afterwards the file is written anew, so that no remnants
    stay in it: seconds for a gigabyte. Columns: id, versions (that lost their content now).
    """
    from dataclasses import asdict

    from infostream_dedup.machine.part_files import remove_stale_parts
    from infostream_dedup.store import Store
    from infostream_dedup.store.files_beside import copies_beside

    with Store.open(file, create=False) as opened:
        rows = [asdict(opened.forget(one)) for one in ids]
        clean = opened.wipe()
        removed, copies = remove_stale_parts(opened.path.parent), copies_beside(file)
    _print(rows, output_format)
    if removed:
        note(f"{removed} unfinished copies that killed processes had left were removed", quiet=quiet)
    for copy in copies:
        note(f"{copy}: a copy made before, which still holds what was forgotten; delete it", quiet=quiet)
    if not clean:
        note("another process was reading: remnants stay in the log until it ends; then run this again", quiet=quiet)
