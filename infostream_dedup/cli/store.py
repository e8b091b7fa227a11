"""``store`` and ``desk``: maintain the durable state of a stream, and the judgements beside it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

import infostream_dedup as api
from infostream_dedup.cli.drawn import print_covered, print_groups, print_message, print_shown
from infostream_dedup.cli.face import Commands, Excludes, alike, command, output, reads, store_argument
from infostream_dedup.cli.options import general_options, mode_option, moment_of, wide_option
from infostream_dedup.cli.output import chosen_format, form_of, is_drawn, note, note_remnants, print_rows

_FORMATS = ("table", "jsonl", "json", "csv")
_DAMAGED = 65
# Lists may be empty, and a CSV file has a header even then.
_COUNTS = ("what", "value")
_TEMPLATES = ("source", "template", "title", "times", "first", "last", "filling", "filling_title", "words")
_REPUBLICATIONS = ("group", "title", "total", "source", "day", "documents")
_EVENTS = ("ordinal", "kind", "group", "other", "value")
_HEALTH = (
    *("epoch", "source", "documents", "links", "symmetry", "symmetry_low", "symmetry_high"),
    *("transitivity", "transitivity_low", "transitivity_high", "duplicates", "links_across", "symmetry_across"),
    *("symmetry_across_low", "symmetry_across_high", "alarms"),
)
_BEST = ("group", "total", "best", "source", "title")
_GROUPS = ("group", "title", "documents", "sources", "languages", "first", "last", "alarm", "ordinal", "source", "url")
_STORIES = (
    *("story", "documents", "outlets", "origins", "echo_share", "spread", "languages", "first", "last", "title"),
    "begun",
)
_MESSAGE = ("story", "position", "id", "source", "kind", "span", "text", "numbers")
_COPIES = ("day", "source", "documents", "links", "copies", "linked_copies", "copy_precision", "copy_recall")
_DRIFTS = ("first", "last", "source", "measure", "recent", "usual", "recent_of", "usual_of", "chance")
_SHOWN = (
    *("ordinal", "id", "title", "source", "language", "published", "url", "status", "of", "kind", "probability"),
    *("group", "joined", "translation_of", "story", "terms"),
)

format_options = general_options(*_FORMATS)


@click.group(cls=Commands, examples=["store stats news.db", "store backup news.db copy.db"])
def store() -> None:
    """Maintain the store of a stream: the SQLite file that 'ingest' keeps.

    A store may be read while 'ingest' writes. Any SQLite browser opens it; the views v_duplicates, v_groups, v_members
    and v_terms are made for people. To read it elsewhere, copy it with 'store backup': a plain copy made during a write
    is damaged or stale.
    """


def _print(rows: list[dict[str, Any]], output_format: str | None, columns: tuple[str, ...] | None = None) -> None:
    print_rows(rows, chosen_format(output_format, "table", "jsonl"), columns=columns)


top_option = output("--top", type=click.IntRange(min=0), default=20, help="Maximum number of groups; 0: all.")


@store.command(examples=["store stats news.db", "store stats news.db --format json"])
@store_argument
@format_options
def stats(file: Path, output_format: str | None) -> None:
    """Count the contents of a store.

    Columns: what, value; as json one object, with counts by status, relation, language and event. The last rows are S,
    T, links, duplicates and alarms of the last closed epoch; 'store health' shows those of all epochs and sources.
    """
    rows = api.store.stats(file)
    if chosen_format(output_format, "table", "jsonl") != "json":
        _print(rows, output_format, _COUNTS)
        return
    from infostream_dedup.documents.json_files import json_bytes

    found: dict[str, Any] = {}
    for row in rows:
        group, _, name = row["what"].partition(" ")
        if group in ("status", "relation", "language", "event"):
            found.setdefault(group, {})[name] = row["value"]
        elif group == "epoch":
            number, _, measure = name.partition(" ")
            found.setdefault(group, {"number": int(number)})[measure.replace(" ", "_")] = row["value"]
        else:
            found[row["what"].replace(" ", "_")] = row["value"]
    click.echo(json_bytes(found))


@store.command(examples=["store health news.db", "store health news.db --last 10 --format csv"])
@store_argument
@output("--last", type=click.IntRange(min=1), help="Only so many closed epochs.  [default: all]")
@format_options
def health(file: Path, last: int | None, output_format: str | None) -> None:
    """Show S, T and the share of duplicates of each closed epoch and its largest sources, with alarms.

    symmetry_across is S of the links between languages. alarms names the measures that left those of the last five
    epochs by more than four standard errors; topics says that links between languages join topics, not translations.
    """
    rows = api.store.health(file, last=last)
    if not rows:
        note("no epoch has closed yet, or the key terms of all have expired")
    if any(row["alarms"] for row in rows):
        note("alarm: a measure differs from earlier epochs, or links join topics; see the column alarms")
    if chosen_format(output_format, "table", "jsonl") == "table":
        rows = [{name: row[name] for name in _HEALTH if not name.endswith(("_low", "_high"))} for row in rows]
        _print([{**row, "alarms": ", ".join(row["alarms"]) or None} for row in rows], output_format)
    else:
        _print(rows, output_format, _HEALTH)


@store.command(examples=["store retune news.db --config t.toml", "store retune news.db --config t.toml --first 120000"])
@store_argument
@output("--first", type=click.IntRange(min=0), help="First document (ordinal) to judge by them.  [default: the next]")
@format_options
def retune(file: Path, first: int | None, output_format: str | None) -> None:
    """Judge documents by the thresholds of --config from the next one on; no verdict before it changes.

    The file is one of 'sweep --write-config'. Preset faithful takes the k of its representation, preset judged the
    kinds in join. The change is recorded: replays and restarts give the same verdicts. A running service takes it up
    with its next batch.
    """
    given = click.get_current_context().meta
    if "config" not in given:
        raise click.UsageError("--config is missing: name a file of thresholds, made by 'sweep --write-config'")
    found = api.store.retune(file, given.get("thresholds", given["config"]), first=first)
    if not found.changes:
        note(f"{file} judges by these thresholds already")
    _print([found.as_dict()], output_format)


@store.command(examples=["store fork news.db new.db --config t.toml", "store fork news.db new.db --preset judged"])
@store_argument
@click.argument("new", metavar="NEW", type=click.Path(path_type=Path))
@output("--preset", type=["faithful", "judged"], default="faithful", help="judged needs a store that keeps texts.")
@format_options
def fork(file: Path, new: Path, preset: str, output_format: str | None) -> None:
    """Judge all documents of a store anew, into a new store, by their key terms and the thresholds of --config.

    Columns: documents, preset, changed (documents with another status), settings (that differ from the old ones).
    """
    given = click.get_current_context().meta
    found = api.store.fork(file, new, preset=preset, thresholds=given.get("thresholds", given.get("config")))
    _print([found.as_dict()], output_format)


@store.command(examples=["store republications news.db", "store republications news.db --top 5"])
@store_argument
@top_option
@format_options
def republications(file: Path, top: int, output_format: str | None) -> None:
    """List the sources that repeated each of the largest groups, day by day.

    Columns: group, title, total (documents of the group), source, day, documents.
    """
    _print(api.store.republications(file, top=top), output_format, _REPUBLICATIONS)


@store.command(examples=["store events news.db", "store events news.db --format csv"])
@store_argument
@format_options
def events(file: Path, output_format: str | None) -> None:
    """List merges, expiries and alarms of groups, and limits of sources, in the order of the stream.

    Columns: ordinal, kind, group, other, value.
    """
    _print(api.store.events(file), output_format, _EVENTS)


@store.command(examples=["store best news.db", "store best news.db --by rank --source-rank example.org"])
@store_argument
@alike(
    "--by",
    type=["first", "latest", "longest", "complete", "rank"],
    default="first",
    help="Rule: the earliest document, the most complete one, or that of the best source.",
)
@alike("--source-rank", "source_ranks", multiple=True, help="A source for --by rank, best first.")
@top_option
@format_options
def best(file: Path, output_format: str | None, **chosen: Any) -> None:
    """List the largest groups of the window, each with the document that represents it.

    Columns: group, total, best (id), source, title.
    """
    _print(api.store.best(file, **chosen), output_format, _BEST)


@store.command(examples=["store groups news.db", "store groups news.db --by last --top 5"])
@store_argument
@output("--by", type=["size", "last"], default="size", help="Order of the groups: the largest or the latest first.")
@wide_option
@reads("--lang", "language", help="Only groups with a document in this language.")
@reads("--source", help="Only groups with a document of this source.")
@top_option
@format_options
def groups(file: Path, wide: bool, output_format: str | None, **chosen: Any) -> None:
    """List the current groups of two or more documents.

    Columns: group, title (of its earliest document), documents, sources, languages, first, last (dates; a dash without
    any), alarm (whether it stopped growing because it is a chain), ordinal, source, url (of its earliest document).
    """
    rows = api.store.groups(file, **chosen)
    if is_drawn(output_format, wide=wide):
        print_groups(api.store.with_titles(file, rows, "group"))
    else:
        _print(rows, output_format, _GROUPS)


@store.command(examples=["store stories news.db", "store stories news.db --by origins --since 2026-11-01"])
@store_argument
@output(
    "--by",
    type=["size", "outlets", "origins", "spread"],
    default="size",
    help="Order: documents, outlets, independent origins, or outlets of the first 24 hours.",
)
@reads("--since", metavar="DATE", help="Only stories with a document of this date or later.")
@top_option
@wide_option
@format_options
def stories(file: Path, wide: bool, output_format: str | None, **chosen: Any) -> None:
    """List the stories of two or more documents: copies, retellings, next steps, and translations.

    Columns: story (id of its earliest document), documents, outlets, origins (texts written independently; copies,
    parts and translations of one text have one origin), echo_share (1 - origins / documents), spread (outlets of the
    first 24 hours), languages, first, last (dates), title, begun (ordinal). 'coverage' shows one of them.
    """
    rows = api.store.stories(file, **chosen | {"since": moment_of(chosen["since"], None, "since")})
    if is_drawn(output_format, wide=wide):
        print_groups(api.store.with_titles(file, rows, "story"))
    else:
        _print(rows, output_format, _STORIES)


@store.command(examples=["store story news.db doc-17", "store story news.db doc-17 --message"])
@store_argument
@click.argument("id", metavar="ID")
@output("--message", "whole", is_flag=True, help="Print one message compiled from all its documents instead.")
@wide_option
@format_options
def story(file: Path, id: str, whole: bool, wide: bool, output_format: str | None) -> None:  # noqa: A002
    """Show a story, given by its id or that of one of its documents: as 'coverage' does, or as one message.

    The message is the earliest text and, from each later document, only what no earlier one says. Its columns: story,
    position, id, source, kind (first, added, number), span, text, numbers.
    """
    if not whole:
        print_coverage(file, api.store.coverage(file, id=id), output_format, wide=wide)
        return
    rows = api.store.message(file, id)
    if is_drawn(output_format, wide=wide):
        print_message(rows)
    else:
        _print(rows, output_format, _MESSAGE)


@command(
    examples=["coverage news.db --story doc-17", 'coverage news.db --text "Рада прийняла закон про пенсії"'],
    rules=[Excludes(("story", "text", "id"), needed=True)],
)
@store_argument
@reads("--story", help="A story, by its id.")
@reads("--text", help="The stories of the documents that have or retell this text.")
@reads("--id", multiple=True, help="The story of this document; may be given several times.")
@wide_option
@format_options
def coverage(file: Path, wide: bool, output_format: str | None, **asked: Any) -> None:
    """Count who covers a story, and how many independent origins stand behind them.

    Documents that are copies, parts, later versions or translations of one another go back to one origin. As JSON:
    story, outlets, origins, first (id of the earliest document), echo_share (1 - origins / documents), wires_read,
    documents. Columns of a table: origin, role (first, copy, part, extension, retelling, next step, translation,
    report), id, outlet, language, published, lag_hours (after the first document of its origin), title, of, url, wire
    (the news agency that the text names first; a store without texts knows only the agencies' own sites).
    """
    found = api.store.coverage(file, **asked | {"id": asked["id"] or None})
    print_coverage(file, found, output_format, wide=wide)


def print_coverage(file: Path, found: dict[str, Any], output_format: str | None, *, wide: bool) -> None:
    """Print the coverage of a story: drawn, as one object, or as rows of its documents."""
    if is_drawn(output_format, wide=wide):
        print_covered(found | {"documents": api.store.with_titles(file, found["documents"])})
    elif (form := chosen_format(output_format, "table", "jsonl")) in ("json", "jsonl"):
        from infostream_dedup.documents.json_files import json_bytes

        click.echo(json_bytes(found))
    else:
        print_rows(found["documents"], form)
    if not found["wires_read"]:
        note("the store keeps no texts, so agencies that texts name are not known")


@store.command(examples=["store show news.db doc-17", "store show news.db doc-17 --format json"])
@store_argument
@click.argument("id", metavar="ID")
@wide_option
@format_options
def show(file: Path, id: str, wide: bool, output_format: str | None) -> None:  # noqa: A002 - its own word
    """Show what a store knows about a document, and the other documents of its group.

    Rows: the document first, then the members of its current group in the order of publication. Columns: ordinal, id,
    title, source, language, published, url, status, of, kind, probability, group, joined (verdict or merge: a group
    that was joined later), translation_of, story, terms. Members have only some of them.
    """
    found = api.store.show(file, id)
    shown = found["document"]
    others = [member for member in found["members"] if member["ordinal"] != shown["ordinal"]]
    if is_drawn(output_format, wide=wide):
        shown, *others = api.store.with_titles(file, [shown, *others])
        print_shown(shown, others)
        return
    rows = [{name: row.get(name) for name in _SHOWN} for row in (shown, *others)]
    _print([row | {"group": shown["group"]} for row in rows], output_format)


@store.command(examples=["store templates news.db", "store templates news.db --least 3"])
@store_argument
@output("--least", type=click.IntRange(min=1), default=1, help="Minimum number of later fillings.")
@format_options
def templates(file: Path, least: int, output_format: str | None) -> None:
    """List the recurring templates of each source, such as rates and weather, with their first and latest filling.

    Columns: source, template (id of the earliest document of the template), title, times (later fillings), first, last,
    filling (id of the latest document), filling_title.
    """
    _print(api.store.templates(file, least=least), output_format, _TEMPLATES)


@store.command(examples=["store copies news.db", "store copies news.db --drifts"])
@store_argument
@reads("--days", type=click.IntRange(min=1), help="Only the last days of the stream's clock.  [default: all]")
@output("--drifts", is_flag=True, help="List the days on which copies, precision or recall drifted instead.")
@format_options
def copies(file: Path, days: int | None, drifts: bool, output_format: str | None) -> None:
    """Count the copies of a stream by day and source; needs a store of preset judged.

    Columns: day, source, documents, links (verdicts exact and duplicate), copies (documents that share three tenths of
    their word triples with a document of the seven days before, whatever their verdict; series left out),
    linked_copies, copy_precision, copy_recall. With --drifts: first, last (days), source (a dash for the whole stream),
    measure (copies, precision, recall), recent, usual (its share in seven days, and in the 28 days before), recent_of,
    usual_of (denominators of these shares), chance (less than .0001: Fisher's exact test).
    """
    if drifts:
        rows = api.store.drifts(file, days=days)
        _print(rows, output_format, _DRIFTS)
    else:
        rows = api.store.copies(file, days=days)
        _print(rows, output_format, _COPIES)
    if not rows:
        undated = "no document of this store has a date, and copies are counted by day"
        note("no drifts" if drifts and api.store.copies(file, days=1) else undated)


@store.command(examples=["store verify news.db", "store verify news.db --quiet --format json"])
@store_argument
@format_options
def verify(file: Path, output_format: str | None) -> int:
    """Check that a store still contains exactly what was written to it; if not, the exit code is 65.

    Columns: check (pages: SQLite's own structure; references: foreign keys; numbering: no gaps in batches,
    ordinals and terms, no term twice; settings, batches, signatures, evidence: checksums; answers, names: references to
    documents; epochs: frequencies against a recount; groups, stories: the tables against verdicts and events; index:
    the indexes against signatures and terms), checked, faults, first (the first fault).
    """
    from infostream_dedup.machine.progress import restoring_advice

    rows = [asdict(check) for check in api.store.verify(file)]
    _print(rows, output_format)
    faulty = {row["check"]: row["faults"] for row in rows if row["faults"]}
    if faulty:
        faults = sum(faulty.values())
        found = f"{file}: {faults:,} fault{'' if faults == 1 else 's'}"
        advice = restoring_advice(file)
        if faulty.keys() == {"index"}:
            advice = "nothing is lost; 'store index' rebuilds the indexes"
        note(f"{found}; {advice}")
    return _DAMAGED if faulty else 0


@store.command(examples=["store backup news.db copy.db", "store backup news.db copy.db --mode 640"])
@store_argument
@click.argument("copy", metavar="COPY", type=click.Path(path_type=Path))
@mode_option
@format_options
def backup(file: Path, copy: Path, mode: int | None, output_format: str | None) -> None:
    """Copy a store while others write to it.

    COPY is written completely or not at all; an older copy is replaced. Leftovers of killed backups in its folder are
    removed. Columns: store, copy, bytes.
    """
    _print([{"store": str(file), "copy": str(copy), "bytes": api.store.backup(file, copy, mode=mode)}], output_format)


@store.command(
    examples=["store restore news.db copy.db", "store restore news.db copy.db --discard-newer --format json"]
)
@store_argument
@click.argument("copy", metavar="BACKUP", type=click.Path(path_type=Path))
@output("--discard-newer", is_flag=True, help="Go back even if the backup lacks batches; the present store is kept.")
@format_options
def restore(file: Path, copy: Path, output_format: str | None, *, discard_newer: bool) -> None:
    """Go back to a backup, also beside a running service.

    STORE gets the content of BACKUP in one transaction; services read it again. Batches that the backup lacks are
    named, and nothing is changed (exit code 75) without --discard-newer, which first keeps the store as it is under a
    name with the date. What was forgotten since is forgotten again. Columns: store, batches, documents, discarded
    (batches), forgotten (documents), kept (the former store).
    """
    found = api.store.restore(file, copy, discard_newer=discard_newer)
    _print([{"store": str(file), **asdict(found)}], output_format)


@store.command(examples=["store expire news.db", "store expire news.db --format json"])
@store_argument
@format_options
def expire(file: Path, output_format: str | None) -> None:
    """Delete signatures and texts of documents that have left the window, by the stream's clock.

    No verdict changes: everything that the window or the open epoch needs stays, and so do ids, titles, verdicts,
    groups, events and frequencies. Sweeping over or searching the past needs the signatures. Columns: store,
    documents (signatures deleted), below (no ordinal below it has a signature), freed (bytes returned to the disk).
    """
    _print([{"store": str(file), **asdict(api.store.expire(file))}], output_format)


@store.command(examples=["store index news.db", "store index news.db --format json"])
@store_argument
@format_options
def index(file: Path, output_format: str | None) -> None:
    """Update the index with which 'search' looks through closed epochs.

    Batches add to it as epochs close; this command rebuilds damaged parts of it and of the index of terms. Columns:
    store, added (documents), rebuilt (documents).
    """
    added, rebuilt = api.store.index(file)
    _print([{"store": str(file), "added": added, "rebuilt": rebuilt}], output_format)


@store.command(examples=["store forget news.db doc-17", "store forget news.db --source example.org"])
@store_argument
@click.argument("ids", metavar="[ID]...", nargs=-1)
@reads("--source", "sources", multiple=True, help="Forget all documents of this source; can be repeated.")
@output("--caches", is_flag=True, help="Also delete the caches of word forms, which contain single rare words.")
@format_options
def forget(
    file: Path, ids: tuple[str, ...], sources: tuple[str, ...], output_format: str | None, *, caches: bool
) -> None:
    """Remove the content of documents: title, text, signature, checksums of the text, terms of the verdict.

    All versions of each document are forgotten, or nothing if the store lacks one of the documents or sources. The
    store's list of terms keeps single key terms, without the documents that had them.
    """
    if not ids and not sources:
        raise click.UsageError("name the documents to forget: ID... or --source")
    done = api.store.forget(file, ids, sources=sources, caches=caches)
    _print([asdict(one) for one in done.documents], output_format)
    if done.removed:
        note(f"{done.removed} unfinished copies left by killed processes were removed")
    for copy in done.copies:
        note(f"{copy}: an earlier copy that still contains what was forgotten; delete it")
    if not done.clean:
        note_remnants()


@click.group(cls=Commands, examples=["desk export news.db", "desk import news.db ask.jsonl --person oksana"])
def desk() -> None:
    """Manage the judgements that people made in the service, kept next to the store as STORE.desk.

    Judgements are added and withdrawn, never overwritten. The commands work while the service runs.
    """


@desk.command("export", examples=["desk export news.db --out labels.jsonl", "desk export news.db --who oksana"])
@store_argument
@reads("--who", metavar="NAME", help="Export only this person's judgements.")
@output(
    "--out",
    type=click.Path(dir_okay=False),
    help="Write the labels here instead of printing them: JSON Lines, or by its ending .csv, .xlsx or .sqlite.",
)
@output("--label-studio", is_flag=True, help="Export tasks for Label Studio (JSON), with texts and the pairs to judge.")
@general_options("table", "jsonl", "json", "csv")
def export_command(
    file: Path, who: str | None, out: str | None, output_format: str | None, *, label_studio: bool
) -> None:
    """Export judgements as labels for evaluate, train, compare and audit.

    The latest judgement of each person counts, then the majority, or the judgement that settled the pair. A pair
    without a majority has the label null, which those commands leave out. Pairs that an audit asked for have the field
    asked; audit then counts no others.
    """
    from infostream_dedup.api.desk import export_labels, label_studio_tasks

    beside = (str(file), f"{file.resolve()}.desk")
    if label_studio:
        tasks = label_studio_tasks(file, who=who)
        print_rows(tasks, "json", out=out, inputs=beside)
        note(f"{len(tasks)} tasks")
        return
    rows = export_labels(file, who=who)
    form = form_of(out, output_format)
    # JSON Lines contain only the fields given; tables have all columns in every row.
    shown = rows if form == "jsonl" else [{name: row.get(name) for name in _LABELS} for row in rows]
    print_rows(shown, form, columns=_LABELS, out=out, inputs=beside)
    note(f"{len(rows)} pairs")


@desk.command(
    "import",
    examples=["desk import news.db ask.jsonl --person oksana", "desk import news.db judged.csv --person taras"],
)
@store_argument
@click.argument("labels", type=click.Path(dir_okay=False))
@output("--person", metavar="NAME", required=True, help="Name of the person who judged.")
@general_options("table", "table")
def import_command(file: Path, labels: str, person: str) -> None:
    """Import a labels file (JSONL, CSV or .xlsx: a, b, label), or what Label Studio exported as JSON.

    Rows with a label become judgements; rows without one become pairs to judge (queue audit). Rows imported before are
    skipped, unless a later import has replaced them.
    """
    from infostream_dedup.api.desk import import_labels

    judged, asked = import_labels(file, labels, person=person)
    note(f"{judged} judgements added, {asked} pairs to be judged")


@desk.command("backup", examples=["desk backup news.db copy.desk", "desk backup news.db copy.desk --quiet"])
@store_argument
@click.argument("copy", type=click.Path(dir_okay=False))
@general_options("table", "table")
def backup_command(file: Path, copy: str) -> None:
    """Copy the desk while others write to it. The copy is written completely or not at all."""
    from infostream_dedup.api.desk import backup_desk

    note(f"{copy}: {backup_desk(file, copy):,} bytes")


@desk.command("forget", examples=["desk forget news.db doc-17", "desk forget news.db doc-17 doc-18"])
@store_argument
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@general_options("table", "table")
def forget_command(file: Path, ids: tuple[str, ...]) -> None:
    """Remove what the desk quotes from documents: example pairs in job results, and requests to judge them.

    Judgements stay: they contain ids of documents but none of their content. 'store forget' does this by itself.
    """
    from infostream_dedup.api.desk import forget_and_wipe

    changed, clean = forget_and_wipe(file, ids)
    note(f"{changed} rows changed or removed")
    if not clean:
        note_remnants()


_LABELS = ("a", "b", "label", "judges", "repeats", "asked")
