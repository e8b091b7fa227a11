"""Commands over a collection: ``demo``, ``sweep``, ``pairs`` and ``dedup``."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

import infostream_dedup as api
from infostream_dedup.cli import drawn, options
from infostream_dedup.cli import output as printing
from infostream_dedup.cli.face import Command, Excludes, Needs, alike, command, expert, output, reads
from infostream_dedup.cli.run_log import RUN
from infostream_dedup.errors import how_to_install
from infostream_dedup.model.settings import REPRESENTATIONS, SCORES, SERIES

if TYPE_CHECKING:
    from infostream_dedup.api.pairs import PairListing
    from infostream_dedup.links.measures import Advice
    from infostream_dedup.runs.batch.pairing import PairRow
    from infostream_dedup.runs.batch.sweeping import SweepResult

_PAGE: Final = ("made", "ui_language", "xlsx", "paper")
_WORDS: Final = "infostream_dedup.sweep.words"
_READING: Final = (
    *("on_error", "quarantine", "max_errors", "columns", "make_ids", "other_languages", "encoding", "repair"),
    *("write_repaired", "sections"),
)
_OF_TEXTS: Final = (
    *_READING,
    *("workdir", "memory", "window_days", "by", "boilerplate", "planted", "confirmed", "series"),
)
"""Options without a meaning for a store, which keeps no texts; ``tz`` reads --since and --until."""


class _Range(click.ParamType[range]):
    """``6`` or ``4-8``: whole numbers, both ends included."""

    name = "A-B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> range:
        if isinstance(value, range):
            return value
        first, _, last = str(value).partition("-")
        try:
            found = range(int(first), int(last or first) + 1)
        except ValueError:
            found = range(0)
        if not found or found[0] < 1:
            self.fail(f"{value!r} is not a number or a range such as 4-8", param, ctx)
        return found


class _Remembering(Command):
    """A command that keeps the arguments it was called with."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)


def _command_line() -> str:
    """Return the command as typed, with file names without their folders, and without the output folder."""
    words = click.get_current_context().meta[_WORDS]
    kept = [
        _without_folder(word)
        for before, word in zip(["", *words], words, strict=False)
        if "--out" not in (before, word.partition("=")[0])
    ]
    return shlex.join(["infostream-dedup", "sweep", *kept])


def _without_folder(word: str) -> str:
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    return option + equals + (PurePath(value).name if "/" in value or "\\" in value else value)


def _check_day(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a day such as 2026-11-22", ctx, param) from None


@command(
    cls=_Remembering,
    examples=[
        "sweep march.jsonl",
        "sweep march.jsonl --out report",
        "sweep year.jsonl --by month --out report --ui-language uk",
        "sweep --store news.db",
    ],
    rules=[
        Excludes(("documents", "store"), needed=True),
        *(Needs(name, ("out",)) for name in ("made", "ui_language", "xlsx", "paper")),
        *(Needs(name, ("store",)) for name in ("since", "until")),
        *(Needs(name, ("documents",)) for name in _OF_TEXTS),
    ],
)
@click.argument("documents", metavar="[DOCS...]", nargs=-1, callback=options.pipe_as_input)
@reads(
    "--store",
    "store",
    metavar="FILE",
    type=options.FILE,
    help="Instead of DOCS, sweep the documents that 'ingest' stored here.",
)
@reads("--since", metavar="DATE", help="With --store: start at this moment of the stream's clock.")
@reads("--until", metavar="DATE", help="With --store: stop before this moment.")
@alike(
    "--representation",
    "representations",
    metavar="|".join([*REPRESENTATIONS, "REP:WEIGHTING"]),
    multiple=True,
    callback=lambda _context, _option, given: tuple(name.strip() for one in given for name in one.split(",")),
    help="How words become terms, e.g. stem,morph or stem:tfidf.  [default: stem, morph; pivot of two languages]",
)
@alike(
    "--series",
    type=click.Choice(list(SERIES)),
    help="paper: stem:tfidf, morph:bm25 and pivot, as in the paper's tables; middle: terms of middle frequency.",
)
@alike("--k", "ks", type=_Range(), help="Show only these k, e.g. 6 or 4-8.")
@output("--out", type=options.FOLDER, help="Folder for sweep.json, sweep.csv, plots and report.html.")
@output(
    "--by",
    type=["file", "source", "day", "week", "month"],
    help="Sweep each part separately: rows get a column part, and the report shows parts side by side.",
)
@output("--made", metavar="DATE", callback=_check_day, help="With --out: day to print on the report.")
@output("--ui-language", type=["uk", "ru", "en"], default="en", help="With --out: language of the report.")
@output("--xlsx", is_flag=True, help="With --out: also write report.xlsx (extra xlsx).")
@output("--paper", is_flag=True, help="With --out: show the values that the paper published beside yours.")
@output(
    "--estimate/--no-estimate",
    default=None,
    help="Estimate without labels how good the links are at each k, and recommend k by that.  [default: unless on "
    "disk, or in a store without evidence]",
)
@output(
    "--confirmed",
    is_flag=True,
    help="Also measure the links of pairs that the evidence of preset judged accepts, as block confirmed.",
)
@output(
    "--planted",
    is_flag=True,
    help="Also plant edited copies of texts, and count how many are linked to their originals.",
)
@options.choose_by_option
@output(
    "--write-config",
    type=options.FILE,
    help="File of thresholds for pairs, dedup, ingest, evaluate, serve and store retune (--config).",
)
@expert(
    "--exact",
    is_flag=True,
    help="Count the links at k = 1 to 3 in all documents; otherwise those of a large collection are estimated from "
    "20,000 documents.",
)
@options.wide_option
@options.boilerplate_option
@options.work_folder_options
@options.window_days_option
@alike(
    "--score",
    type=[*SCORES, "probability"],
    help="Compare k of n terms, the share of their weight, or sweep the minimum probability of preset judged.  "
    "[default: count]",
)
@options.sweep_settings_options
@options.reading_options
@options.general_options("table", "json", "jsonl", "csv")
def sweep(
    documents: tuple[str, ...],
    store: str | None,
    since: str | None,
    until: str | None,
    out: str | None,
    write_config: str | None,
    output_format: str | None,
    **given: Any,
) -> None:
    """Measure symmetry S and transitivity T at every k, and recommend a k.

    Each row is one k of one representation: links, links in both directions (reciprocal), two-step paths, closed paths,
    S = reciprocal / links, T = closed / paths. With too many paths, T is sampled and has a standard error.
    With too many links, at k = 1 to 3 of a large collection, they and S are estimated too, unless --exact.
    S and T show how close the links are to an equivalence, not how precise or complete they are.

    A second table shows which k each way chooses (estimated and counted without labels, consistent by the level of S
    and T at k = 6) and which one is recommended.

    With --by, each file, source, day, week or month is swept separately, with its own statistics; the recommendations
    in JSON and below a table are those for the whole collection.

    Without labels, copies are counted (copy_precision, copy_recall), and other duplicates estimated (precision,
    recall), the latter only if nothing contradicts the estimate (reliable). --no-estimate leaves out both.

    --planted shows what the links can find: of edited copies of your own texts (cuts, additions, word forms, numbers,
    all of these, at rates of .1, .3 and .5), the share linked to their originals.

    groups, grouped, largest: number of groups of two or more documents joined by links in both directions, number of
    documents in these groups, and in the largest of them.

    With --workdir, a collection of any size is swept with a part of it in memory at a time. The numbers are the same;
    example pairs are not drawn.

    With --store, the documents of a stream are swept without their texts, by the key terms chosen when they arrived.
    The settings are then those of the store; only --n and --target may be smaller.
    """
    from infostream_dedup.documents.outputs import open_output

    if write_config is not None and given["score"] not in (None, "count"):
        raise click.UsageError(f"--write-config needs --score count: --score {given['score']} has no k")
    page, wide = {name: given.pop(name) for name in _PAGE}, given.pop("wide")
    with printing.progress_bar(stages=given["workdir"] is not None) as progress:
        given |= {"examples": out is not None, "progress": progress}
        result = api.sweep(documents, **given) if store is None else _sweep_store(store, since, until, given)
    try:
        if printing.is_drawn(output_format, wide=wide):
            drawn.print_collection(result.documents, len(result.report.sources.keys() - {""}) if result.report else 0)
            if result.answer is not None:
                drawn.print_ingested(Counter(result.answer.statuses), [])
            drawn.print_swept(result)
        else:
            print_sweep(result, printing.chosen_format(output_format, "table", "json"))
    finally:
        # Also if the reader of the numbers stops at the first lines.
        if out is not None:
            from infostream_dedup.report.files import write_report

            write_report(result, out, command=_command_line(), **page)
    if write_config is not None:
        with open_output(write_config) as file:
            file.write(result.thresholds().as_toml().encode())
        printing.note(f"thresholds: {write_config}")
    printing.note_reading(result.report)
    if printing.is_drawn(output_format, wide=wide):
        printing.note("next: infostream-dedup dedup NEWS --out unique.csv (it judges every pair, and needs no k)")
    if store is not None:
        printing.note(f"{store}: {sum(result.documents.values())} documents")
    if out is not None:
        printing.note(f"report: {Path(out, 'report.html')}")


def _sweep_store(store: str, since: str | None, until: str | None, given: dict[str, Any]) -> SweepResult:
    zone = given.pop("tz")
    for name in _OF_TEXTS:
        del given[name]
    representations = given.pop("representations")
    if len(representations) > 1:
        raise click.UsageError("a store has one representation")
    return api.sweep_store(
        store,
        since=options.moment_of(since, zone, "since"),
        until=options.moment_of(until, zone, "until"),
        representation=next(iter(representations), None),
        **given,
    )


def print_sweep(result: SweepResult, output_format: str) -> None:
    """Print the result; a table is followed by the recommended k and the reasons."""
    rows = result.as_rows() if result.by is None else [{"part": row["part"], **row} for row in result.as_rows()]
    if output_format == "json":
        printing.print_json(result.as_dict())
    elif output_format != "table":
        printing.print_rows(rows, output_format)
    else:
        rows = [row for row in rows if row["representation"] not in result.same_as]
        # An error column is empty unless something was sampled; intervals are in the other formats.
        errors = ("transitivity_error", "symmetry_error", "links_error", "transitivity_with_return")
        hidden = {"sampled", *(name for name in errors if all(row[name] is None for row in rows))}
        hidden |= {name for row in rows for name in row if name.endswith(("_low", "_high", "_code"))}
        printing.print_table([{name: value for name, value in row.items() if name not in hidden} for row in rows])
        click.echo()
        advised = [{"series": name, **one.as_dict()} for name, one in result.advice.items() if one.chosen is not None]
        if advised:
            printing.print_table(advised)
            click.echo()
        for name, k in result.recommended_k.items():
            printing.say(f"{name}: {f'k = {k}' if k is not None else 'no k recommended'}: {result.reason[name]}")
        for name, why in result.missing.items():
            printing.say(f"{name}: not computed: {why}")
        for remark in result.notes:
            printing.say(remark)
        _print_planted(result)


def _print_planted(result: SweepResult) -> None:
    """Print the planted copies that are linked at the recommended k, a column for each rate."""
    if not result.planted:
        return
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in result.planted_at_k():
        key = (row["representation"], row["language"], row["edit"])
        line = rows.setdefault(key, {name: row[name] for name in ("representation", "k", "language", "edit", "copies")})
        line[f"at {row['rate']:g}"] = row["recovered"]
    click.echo("\nplanted copies that are linked to their originals:")
    printing.print_table(list(rows.values()))


@command(examples=["demo", "demo --serve"])
@output("--out", type=options.FOLDER, default="infostream-dedup-demo", help="Folder for the report.")
@output("--serve", is_flag=True, help="Show the sample in the browser instead (extra service).")
@output("--port", type=click.IntRange(1, 65535), default=8600, help="With --serve.")
@options.wide_option
@options.general_options("table", "table", "json", "jsonl", "csv")
def demo(*, out: str, serve: bool, port: int, wide: bool, output_format: str | None) -> None:
    """Show what repeats what in the bundled sample of news, and sweep it: Russian, Ukrainian and English items."""
    if serve:
        from infostream_dedup.service.sample import serve_sample

        printing.note("reading the sample ...")
        serve_sample(port, tell=lambda address: printing.note(f"open {address} (Ctrl+C ends it)"))
        return
    from infostream_dedup.api.dictionaries import judged_sample
    from infostream_dedup.report import has_report_extra

    written, on_terminal = has_report_extra(), printing.is_drawn(output_format, wide=wide)
    if on_terminal:
        with printing.progress_bar() as progress:
            sample = judged_sample(progress=progress)
            rows = [_pair_for_the_eye(row) for row in sample.pairs]
        drawn.print_sample(sample, rows)
    with printing.progress_bar() as progress:
        result = api.demo(out if written else None, progress=progress)
    if on_terminal:
        drawn.print_swept(result)
        printing.note("next: infostream-dedup demo --serve (the same items in the browser)")
        printing.note("      infostream-dedup dedup YOUR.csv --out unique.csv")
    else:
        print_sweep(result, printing.chosen_format(output_format, "table", "table"))
        printing.note_reading(result.report)
    without = f"no report was written: {how_to_install('report')}"
    printing.note(f"report: {Path(out, 'report.html')}" if written else without)


@command(
    examples=[
        "pairs march.jsonl --sort strength --top 20",
        "pairs march.csv --format csv --csv-dialect excel > pairs.csv",
        "pairs march.jsonl --by wording --identical .8",
        "pairs march.jsonl --k 8 --representation stem",
    ]
)
@options.documents_argument
@options.representation_option
@alike(
    "--k",
    type=options.NumberOrAuto(),
    help="Number of terms that must match; auto: the one that sweep advises.  [default: 6, or the preset's]",
)
@alike("--k-min", type=options.FROM_ONE, help="List all pairs with this many terms in either direction instead.")
@output("--out", type=options.FILE_OR_PIPE, default="-", help="Output file, as of dedup.  [default: standard output]")
@output("--terms", type=["all", "none"], default="all", help="Include the matching terms.")
@alike("--cross-language", is_flag=True, help="Only pairs of two languages.")
@alike("--between-files", is_flag=True, help="Only pairs of two files.")
@expert(
    "--statistics",
    metavar="STORE:EPOCH",
    help="Weight terms by the statistics that a stream had before an epoch, and use the stream's settings.",
)
@alike(
    "--min-probability",
    type=click.FloatRange(0, 1),
    help="With preset judged: minimum probability of a pair; 0 lists all candidates.  [default: 0.5; 0 with --k-min]",
)
@output("--explain", is_flag=True, help="With preset judged: add the reasons for the probability.")
@output(
    "--sort", type=["id", "strength"], help="Order of the pairs; strength means probability or shares.  [default: id]"
)
@output("--top", type=options.FROM_ONE, help="List only this many pairs, the strongest.")
@options.wide_option
@options.semantic_option
@options.between_option
@alike(
    "--one-to-one",
    is_flag=True,
    help="With preset judged: at most one translation of each document into each other language.",
)
@alike(
    "--kinds",
    metavar="KIND,...",
    help="With preset judged: kinds to list, or all.  [default: all but related and template; all with --k-min "
    "or --min-probability]",
)
@alike(
    "--by",
    type=["key-terms", "wording"],
    default="key-terms",
    show_default=False,
    help="wording: pairs with common wording in any language, without key terms, several times as fast.",
)
@alike(
    "--identical",
    type=click.FloatRange(0.2, 1),
    help="Share of the smaller document's word triples that the other must have.  [default by wording: 0.3]",
)
@options.boilerplate_option
@options.repeated_lines_option
@options.within_options
@options.work_folder_options
@options.judgeable_settings_options
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def pairs(
    documents: tuple[str, ...], out: str, terms: str, wide: bool, output_format: str | None, **given: Any
) -> None:
    """List pairs of documents that say the same, report one story, or are linked by key terms.

    Columns: a, b (ids, the earlier first), forward (key terms of a found in b), backward, n_a, n_b (key terms of each),
    share_forward, share_backward (share of their weight), relation, terms (heaviest first). The relation at k is equal
    (both directions), contained (a is part of b), contains (b is part of a), or empty below need(k).

    Representation pivot adds met, the words that became the terms: objects with a, b (the word in each document), pivot
    (the equivalent they share) and rung (what translated them). In a table, met replaces terms.

    --preset judged, the default, takes a second look at pairs that share 3 of 12 key terms, or their whole text.
    Numbers, names, opening, length and key terms give each pair a probability; with wording, source and date they
    decide its kind (copy, retold, contained, contains, updated, follow-up, differs; related, one topic, and template,
    one form, are only counted unless --kinds names them). Pairs with a probability of at least .5 are listed, with the
    columns probability, kind, wording_forward (share of the word triples of a found in b), wording_backward and, with
    --explain, reasons. Where few words decide (differs, updated), differs_by says how and differing names them.

    Pairs of two languages are listed by preset judged as kind translation (same-story: another report of one event, by
    its numbers, names and days; differs: a translation that gives another figure), without probability and wording, if
    their 30 heaviest key terms share .4 of their weight in the pivot language both ways and neither document has a
    clearly better partner in the other's language, if their numbers and lengths agree, and if their words keep the
    order (--between plain asks only for the shares, --between none drops all of these pairs). Their counts and shares
    are those of the 30 terms. A work folder (--workdir) does not support translations: documents of several languages
    need --between none there.

    --by wording compares word triples instead of key terms: columns a, b, kind (copy, contained, contains,
    overlapping), wording_forward, wording_backward. It finds copies, not retellings or translations.

    --preset faithful lists the pairs that are linked at k in at least one direction. It is the default
    if --k, --k-min, --n, --score, --target, --representation stem or pivot, or --statistics is given.
    """
    from infostream_dedup.api.pairs import topics_note
    from infostream_dedup.documents import file_format

    form = printing.form_of(out, output_format or (None if out == "-" else file_format(out)))
    with printing.progress_bar(stages=given["workdir"] is not None) as progress:
        found = api.pairs(documents, terms=terms == "all", progress=progress, **given)
    if out == "-" and printing.is_drawn(output_format, wide=wide):
        reading = {name: given[name] for name in drawn.AGAIN}
        drawn.print_pairs(map(_pair_for_the_eye, found), documents, reading, items=lambda: found.report.used)
        _note_left_out(found)
        printing.note_reading(found.report)
        return
    links = Counter[bool]()
    rows: Iterator[PairRow] = found.once()
    if given["cross_language"] and found.settings.representation == "pivot" and given["top"] is None:
        rows = _counted(rows, links)
    shown = (_pair_for_the_eye(row) if form == "table" else row.as_dict() for row in rows)
    number = printing.print_rows(shown, form, columns=found.columns, further=True, out=out, inputs=documents)
    if out != "-":
        printing.note(f"{number:,} pair{'s' * (number != 1)}: {out}")
    if said := topics_note(links.total(), links[True], found.settings.k):
        printing.note(said)
    _note_advice(found.advice)
    _note_left_out(found)
    printing.note_reading(found.report)


def _counted(rows: Iterable[PairRow], links: Counter[bool]) -> Iterator[PairRow]:
    """Pass pairs on, and count their links: whether each is returned."""
    for row in rows:
        if row.relation is not None:
            links[row.relation == "equal"] += 1 + (row.relation == "equal")
        yield row


def _note_left_out(found: PairListing) -> None:
    """Say how many pairs of kinds that are not listed there are."""
    if found.left_out:
        counts = " and ".join(f"{count:,} {kind}" for kind, count in sorted(found.left_out.items()))
        printing.note(f"not listed: {counts} (--kinds {','.join(sorted(found.left_out))} lists them)")


def _note_advice(advice: Advice | None) -> None:
    """Say which k ``--k auto`` took, and why."""
    if advice is not None:
        printing.note(f"k = {advice.chosen} (--k auto): {advice.reason}")


def _pair_for_the_eye(row: PairRow) -> dict[str, Any]:
    """Convert a row for the table: words that match across languages replace the terms."""
    shown = row.as_dict()
    met = getattr(row, "met", None)
    if met is not None:
        words = [str(meeting) for meeting in met]
        shown |= {"terms": words} if "kind" in shown else {"met": words}
        del shown["met" if "kind" in shown else "terms"]
    if "reasons" in shown:
        shown["reasons"] = [f"{one['adds']:+.2f} {one['words']}" for one in shown["reasons"]]
    return shown


@command(
    name="terms",
    examples=[
        "terms march.jsonl --format csv",
        "terms march.jsonl --representation pivot --out terms.parquet",
        "terms march.jsonl --vocabulary --out vocabulary.parquet",
    ],
)
@options.documents_argument
@output("--vocabulary", is_flag=True, help="List all terms in which key terms of other documents are looked up.")
@output("--out", type=options.FILE, help="File instead of standard output: .jsonl, .csv, .parquet.")
@options.representation_option
@options.settings_options
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def terms_of(documents: tuple[str, ...], out: str | None, output_format: str | None, **given: Any) -> None:
    """List the key terms of each document, heaviest first.

    Columns: id, language, rank, term, number, kind (surname, organisation, place, noun, stem), weight, documents (of
    the same language that contain the term), places (start and end of its words in the text, in characters),
    places_in_title, equivalents (with --representation pivot).
    """
    with printing.progress_bar() as progress:
        found = api.key_terms(documents, progress=progress, **given)
    if out is not None and out.endswith(".parquet"):
        from infostream_dedup.documents.outputs import open_output

        with open_output(out, inputs=[one for one in documents if one != "-"]) as file:
            found.write_parquet(file)
    else:
        form = printing.form_of(out, None if out else output_format)
        printing.print_rows(found.as_dicts(), form, columns=found.columns, out=out, inputs=documents)
    printing.note_reading(found.report)


@command(
    examples=[
        "dedup march.csv --out kept.csv",
        "dedup *.parquet --out annotated.parquet --annotate",
        "dedup news.xlsx --columns id=ID,text=Текст --annotate --out judged.xlsx",
    ]
)
@options.documents_argument
@output(
    "--out",
    type=options.FILE_OR_PIPE,
    help="Output: .jsonl, .json, .csv, .tsv (also .gz), .parquet, .xlsx; or -. A terminal shows groups without it.",
)
@output(
    "--show",
    type=["first", "latest", "longest", "complete", "rank"],
    help="Which document of a group stays; rank: of the source that others copy most.  [default: first]",
)
@output("--annotate", is_flag=True, help="Keep every document and add columns: status, of, group.")
@options.wide_option
@options.prefix_option
@alike(
    "--duplicate-rule",
    type=["equal", "contained"],
    default="equal",
    help="Require both directions, or accept documents contained in earlier ones; preset similar accepts any relation.",
)
@alike("--join", metavar="KIND,...", help="With preset judged: kinds of pairs that make a group.  [default: copy]")
@alike(
    "--policy",
    type=["newsdesk", "strict"],
    help="Named policy: newsdesk groups two days of copies and retellings, and drops the copies; strict drops what has "
    "0.9 of its wording elsewhere.",
)
@alike("--drop", metavar="KIND,...", help="Kinds of the members of a group that leave.  [default: those of --join]")
@alike(
    "--identical",
    type=click.FloatRange(0.2, 1),
    help="Instead of --join: share of the smaller document's wording that makes a duplicate.",
)
@options.semantic_option
@output(
    "--count-copies",
    is_flag=True,
    help="Also count how many pairs of documents in one group are copies, and how many copies are in one group.",
)
@options.representation_option
@alike(
    "--k",
    type=options.NumberOrAuto(),
    help="Number of terms that a duplicate must share; auto: the one that sweep advises.  [default: 6]",
)
@options.boilerplate_option
@options.repeated_lines_option
@options.within_options
@options.work_folder_options
@options.judgeable_settings_options
@options.reading_options
@options.general_options("table", "json", "jsonl", "csv")
def dedup(
    documents: tuple[str, ...], out: str | None, prefix: str, wide: bool, output_format: str | None, **given: Any
) -> None:
    """Write a collection without its duplicates; every column is kept.

    The status of a document is exact (same text as an earlier one; below 25 words the same words, title included),
    duplicate, similar, insufficient_text (one word or none, nothing to compare) or new. Exact and duplicate documents
    form groups; one document of each group is kept. --annotate never overwrites a field: documents that already have a
    field status, of or group are refused unless --prefix gives the
    columns other names.

    --preset judged, the default, takes a second look at the pairs that share key terms (see pairs --help). The later
    document of a pair is a duplicate if the pair's kind is named in --join, and similar if it has another kind; related
    pairs must also share .3 of the wording. --annotate then also adds kind (how the document is related to 'of'),
    probability and story (the first of the documents in one language that report one event). Translations never change
    a status.

    --count-copies adds pairs, copies, copy_precision and copy_recall (with 95 % intervals) to the summary: pairs in
    groups, copies in the collection (three tenths of the wording), the share of these pairs that are copies, and the
    share of copies that are in groups.

    --preset faithful: a document is duplicate if 6 of its key terms match in both directions, and similar if 4 match in
    either direction. It is the default if --k, --n, --score, --target, --representation stem or pivot, or another
    --duplicate-rule is given.
    """
    if out is None and not printing.is_drawn(output_format, wide=wide):
        raise click.UsageError("--out is missing: name the file to write, or - for standard output")
    with printing.progress_bar(stages=given["workdir"] is not None) as progress:
        # Not asked for another, the output is written as the input is.
        asked = click.get_current_context().get_parameter_source("csv_dialect") is not ParameterSource.DEFAULT
        dialect = printing.csv_dialect() if asked else "input"
        summary = api.dedup(documents, out, prefix=prefix, csv_dialect=dialect, progress=progress, **given)
    if out != "-" and printing.is_drawn(output_format, wide=wide):
        reading = {name: given[name] for name in drawn.AGAIN}
        drawn.print_dedup(summary, documents, reading, out, annotated=given["annotate"])
    elif out != "-":
        printing.print_rows([summary.as_dict()], printing.chosen_format(output_format, "table", "json"))
    RUN.statuses.update(summary.statuses)
    _note_advice(summary.advice)
    printing.note_reading(summary.report)
