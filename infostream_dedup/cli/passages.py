"""``passages``: find, locate and trace parts that documents share."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import click

import infostream_dedup as api
from infostream_dedup.cli import drawn, options
from infostream_dedup.cli import output as printing
from infostream_dedup.cli.face import Commands, Declared, Excludes, Needs, output, reads
from infostream_dedup.cli.run_log import without_commands

if TYPE_CHECKING:
    from infostream_dedup.api import Listing
    from infostream_dedup.judging.passages.passage_table import TextComparison, TextStretch

_LISTS: Final = ("list_boilerplate", "novel", "digests")
_RULE: Final = ("min_documents", "min_share", "min_days")
_SETTINGS: Final = ("feature", "tau", "gap", "min_sentences", "min_words", "min_run")


@click.group(cls=Commands, examples=["passages find march.jsonl", "passages compare a.txt b.txt"])
def passages() -> None:
    """Find what documents have copied from each other: quotes, pasted paragraphs, digests."""


_settings_options = Declared("infostream_dedup.judging.passages.settings:PassageSettings")


@passages.command(
    examples=["passages find march.jsonl", "passages find march.jsonl --novel"],
    rules=[
        Excludes(_LISTS),
        Excludes(("boilerplate", "list_boilerplate")),
        *(Needs(name, ("list_boilerplate",)) for name in _RULE),
    ],
)
@options.documents_argument
@output("--list-boilerplate", is_flag=True, help="List the sentences that recur in many texts of one source.")
@output("--novel", is_flag=True, help="List what no earlier document says: sentences, parts of them, numbers.")
@output("--digests", is_flag=True, help="List documents most of whose text comes from 3 or more others.")
@output("--min-documents", type=int, help="With --list-boilerplate: minimum number of a source's texts.  [default: 5]")
@output("--min-share", type=float, help="With --list-boilerplate: minimum share of a source's texts.  [default: 0.005]")
@output("--min-days", type=int, help="With --list-boilerplate: minimum days of publication.  [default: 3]")
@options.boilerplate_option
@_settings_options
@output("--out", type=options.FILE_OR_PIPE, default="-", help="Output file.  [default: standard output]")
@options.reading_options
@options.general_options("table", "jsonl", "json", "csv")
def find(documents: tuple[str, ...], out: str, output_format: str | None, **given: Any) -> None:
    """List the passages that documents share, one row for every two documents.

    Columns: a, b (ids, the earlier first: b copied from a), spans (position of each passage in both texts as
    [start, end) in characters of the field text, its sentences and words), coverage_a (share of a's words in sentences
    and runs of words that b has too; sentences that a span skips do not count), coverage_b, sentences (that match).
    Titles are not compared.
    """
    asked = _asked(given)
    with printing.progress_bar() as progress:
        found = asked(documents, progress=progress, **given)
    if out == "-" and "coverage_a" in found.columns and printing.is_drawn(output_format):
        drawn.print_passages(found.once(), documents, {name: given[name] for name in drawn.AGAIN})
    else:
        form = printing.form_of(out, output_format)
        shown = form == "table" and "coverage_a" in found.columns
        rows = map(_for_the_eye, found.once()) if shown else found.once()
        printing.print_rows(rows, form, columns=found.columns, out=out, inputs=documents)
    for warning in found.warnings:
        printing.note(f"warning: {warning}")
    printing.note_reading(found.report)


def _asked(given: dict[str, Any]) -> Callable[..., Listing[dict[str, Any]]]:
    """Choose the public function for the requested list; options that it does not accept are removed from ``given``."""
    asked = [name for name in _LISTS if given.pop(name)]
    rule = {name: value for name in _RULE if (value := given.pop(name)) is not None}
    if asked != ["list_boilerplate"]:
        return {"novel": api.passages.find_novel, "digests": api.passages.find_digests}.get(
            "".join(asked), api.passages.find
        )
    for name in ("boilerplate", *_SETTINGS):
        del given[name]
    given |= rule
    return api.boilerplate


def _for_the_eye(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row for the table: spans as ``start:end=start:end``."""
    spans = (f"{one['a'][0]}:{one['a'][1]}={one['b'][0]}:{one['b'][1]}" for one in row["spans"])
    return {**row, "spans": " ".join(spans)}


@passages.command(examples=["passages compare a.txt b.txt", "passages compare a.txt b.txt --html side-by-side.html"])
@click.argument("text_a", metavar="A.TXT", type=options.FILE_OR_PIPE)
@click.argument("text_b", metavar="B.TXT", type=options.FILE_OR_PIPE)
@_settings_options
@reads("--languages", metavar="LANG,LANG", help="Languages of the two texts, such as uk,ru.  [default: detected]")
@output("--html", type=options.FILE, help="Write a page with both texts and linked passages here instead.")
@options.general_options("text", "text", "json")
def compare(
    text_a: str, text_b: str, languages: str | None, html: str | None, output_format: str | None, **given: Any
) -> None:
    """Show two texts side by side, with shared passages numbered.

    On a terminal, passages are coloured. --html writes a page without scripts in which each passage links to its copy.
    """
    if text_a == text_b == "-":
        raise click.UsageError("only one of the two texts can come from standard input")
    inputs = [name for name in (text_a, text_b) if name != "-"]
    given["languages"] = None if languages is None else tuple(languages.split(","))
    found = api.passages.compare(options.read_text(text_a), options.read_text(text_b), **given)
    if html is not None:
        from infostream_dedup.report.files import passages_page

        printing.save_page(passages_page(found, (text_a, text_b)), html, inputs=inputs)
        printing.note(f"report: {html}")
    elif printing.chosen_format(output_format, "text", "text") == "json":
        printing.print_json(found.as_dict())
    else:
        print_side_by_side(found, (text_a, text_b))


@passages.command(
    examples=[
        "passages provenance annotated.parquet --html history.html",
        "passages provenance march.jsonl --group doc-17,doc-18",
    ],
    rules=[Excludes(("original", "html"))],
)
@options.documents_argument
@reads(
    "--group",
    "groups",
    metavar="A,B,C",
    multiple=True,
    help="Ids of the documents of a group; may be given several times.",
)
@output("--prefix", default="", help="The --prefix given to 'dedup --annotate', if any.")
@output("--html", type=options.FILE, help="Also write a page with the texts here.")
@output("--most", type=options.FROM_ONE, default=100, help="Maximum number of groups, largest first.")
@output(
    "--original",
    is_flag=True,
    help="Print one message from each group instead: the first text, and what each other text adds.",
)
@options.reading_options
@options.general_options("table", "jsonl", "json")
def provenance(
    documents: tuple[str, ...], html: str | None, original: bool, output_format: str | None, **given: Any
) -> None:
    """Show who published a story first, and what each copy kept, cut, added and changed.

    Name groups by --group, or give DOCS written by 'dedup --annotate'. One row per copy: group, first, first_source,
    first_by (time; date: the earliest date, where a day without a time leaves the order open; order: the first in the
    input, as times are equal or unknown), id, source, published, title, url, copied_from (the earlier document with
    which it shares most), copied_share (share of its word triples), kept (sentences with the same words), kept_share
    (share of the first document's words), title_changed, cut, added (sentences), changed (before, after, numbers and
    names that were removed or added, positions of the words that differ).
    """
    inputs = [name for name in documents if name != "-"]
    named = given.pop("groups") or None
    if original:
        from infostream_dedup.api.provenance import original_messages

        message = original_messages(documents, groups=named, **given)
        if printing.is_drawn(output_format):
            drawn.print_message(list(message.as_dicts()))
        else:
            printing.print_rows(message, printing.chosen_format(output_format, "table", "jsonl"))
        printing.note_reading(message.report)
        return
    with printing.progress_bar() as progress:
        found = api.provenance(documents, groups=named, progress=progress, **given)
    if html is not None:
        from infostream_dedup.report.files import provenance_page

        # Before the rows, because their reader may stop at the first ones.
        printing.save_page(provenance_page(found.groups, found.boilerplate), html, inputs=inputs)
    if printing.is_drawn(output_format):
        drawn.print_histories(found.groups)
    else:
        rows = found.once()
        form = printing.chosen_format(output_format, "table", "jsonl")
        if form == "table":
            # Sentences would fill the table: their numbers do.
            rows = ({**row, **{name: len(row[name]) for name in _SENTENCES}} for row in rows)
        printing.print_rows(rows, form)
    if html is not None:
        printing.note(f"report: {html}")
    printing.note_reading(found.report, more=f"; {len(found.groups)} of {found.total} groups")


__all__ = ["print_side_by_side"]

_SENTENCES: Final = ("cut", "added", "changed")

_STYLES: Final = ("black on cyan", "black on yellow", "black on green", "black on magenta", "white on blue")
_PIPE_WIDTH: Final = 160
# A text may contain escape sequences that would take over the terminal.
_LINE_END: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")


def print_side_by_side(comparison: TextComparison, names: tuple[str, str]) -> None:
    """Print both texts and a table of their passages."""
    words, columns = comparison.translated, []
    for name, coverage, share in zip(
        names, (comparison.coverage_a, comparison.coverage_b), (words.share_a, words.share_b), strict=True
    ):
        heading = f"{_shown(name)}: {100 * coverage:.0f} % of the words are shared"
        if words.met:
            heading += f", {100 * share:.0f} % of the nouns and names translated"
        columns.append(printing.Column(heading))
    rows = [[_marked(left), _marked(right)] for left, right in comparison.aligned()]
    printing.show_table(columns, rows, even=True, in_pipe=_PIPE_WIDTH)
    click.echo()
    if comparison.differences:
        click.echo("Words in which copied sentences differ are in braces.")
    if comparison.passages:
        printing.print_table(
            [
                {
                    "passage": number,
                    "a": f"{passage.start_a}:{passage.end_a}",
                    "b": f"{passage.start_b}:{passage.end_b}",
                    "sentences": passage.sentences,
                    "words": passage.words,
                }
                for number, passage in enumerate(comparison.passages, start=1)
            ]
        )
    else:
        click.echo("The texts have no passage in common.")
    if words.met:
        click.echo()
        printing.print_table(
            [
                {
                    "number": one.number,
                    f"a ({comparison.languages[0]})": one.words.a,
                    f"b ({comparison.languages[1]})": one.words.b,
                    "pivot": one.words.pivot,
                    "rung": one.words.rung,
                    "in a": len(one.spans_a),
                    "in b": len(one.spans_b),
                }
                for one in words.met
            ]
        )


def _marked(pieces: list[TextStretch]) -> list[printing.Piece]:
    marked: list[printing.Piece] = []
    for passage, group in groupby(pieces, key=lambda piece: piece.passage):
        style = _STYLES[passage % len(_STYLES)] if passage else ""
        if passage:
            marked.append((f"[{passage}: ", style))
        # Words that differ may be cut by the words translated in them, but have one pair of braces.
        for changed, part in groupby(group, key=lambda piece: piece.changed):
            marked.append(("{" if changed else "", style))
            for piece in part:
                marked.append((_shown(piece.text), f"{style} underline" if piece.changed or piece.word else style))
                if piece.word:
                    marked.append((f"[{piece.word}]", style or "dim"))
            marked.append(("}" if changed else "", style))
        if passage:
            marked.append(("]", style))
    return marked


def _shown(text: str) -> str:
    return without_commands(_LINE_END.sub("\n", text))
