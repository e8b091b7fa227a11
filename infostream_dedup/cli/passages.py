"""``passages``: find and locate parts that documents share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from infostream_dedup.cli.options import (
    boilerplate_option,
    documents_argument,
    examples,
    general_options,
    reading_options,
)
from infostream_dedup.cli.output import chosen_format, note, note_reading, print_json, print_rows, save_page, save_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.cli.provenance import provenance

if TYPE_CHECKING:
    from infostream_dedup.api import Listing

__all__ = ["passages"]

_LISTS: Final = ("list_boilerplate", "novel", "digests")
_RULE: Final = ("min_documents", "min_share", "min_days")
_SETTINGS: Final = ("feature", "tau", "gap", "min_sentences", "min_words", "min_run")


@click.group()
def passages() -> None:
    """Find what documents have copied from each other: quotes, pasted paragraphs, digests."""


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that define a copy and a passage."""
    for option in (
        click.option(
            "--min-run",
            type=click.IntRange(min=0),
            help="Minimum number of consecutive equal words that count as copied, even across sentence ends; 0: whole "
            "sentences only.  "
            "[default: 10]",
        ),
        click.option("--min-words", type=click.IntRange(min=1), help="Minimum words of a passage.  [default: 6]"),
        click.option(
            "--min-sentences", type=click.IntRange(min=1), help="Minimum sentences of a passage.  [default: 1]"
        ),
        click.option(
            "--gap", type=click.IntRange(0, 1000), help="Sentences that a passage may skip at a time.  [default: 1]"
        ),
        click.option(
            "--tau", type=float, help="Minimum similarity of two sentences.  [default: depends on the feature]"
        ),
        click.option(
            "--feature",
            help="How sentences are compared: shingles, low-idf-sig, spotsigs, i-match or exact; parameters follow "
            "colons, as in low-idf-sig:n=500:c=2.  [default: shingles]",
        ),
    ):
        command = option(command)
    return command


def _list_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for listing other things than passages, and for leaving out sentences."""
    for option in (
        boilerplate_option,
        click.option(
            "--min-days", type=int, help="With --list-boilerplate: minimum days of publication.  [default: 3]"
        ),
        click.option(
            "--min-share",
            type=float,
            help="With --list-boilerplate: minimum share of a source's texts.  [default: 0.005]",
        ),
        click.option(
            "--min-documents",
            type=int,
            help="With --list-boilerplate: minimum number of a source's texts.  [default: 5]",
        ),
        click.option("--digests", is_flag=True, help="List documents most of whose text comes from 3 or more others."),
        click.option("--novel", is_flag=True, help="List the sentences that no earlier document has."),
        click.option(
            "--list-boilerplate", is_flag=True, help="List the sentences that recur in many texts of one source."
        ),
    ):
        command = option(command)
    return command


@passages.command(epilog=examples("passages find march.jsonl", "passages find march.jsonl --novel"))
@documents_argument
@_list_options
@_settings_options
@click.option(
    "--out",
    type=click.Path(dir_okay=False, allow_dash=True),
    default="-",
    help="Output file.  [default: standard output]",
)
@reading_options
@general_options("table", "jsonl", "json", "csv")
def find(documents: tuple[str, ...], out: str, output_format: str | None, quiet: bool, **given: Any) -> None:
    """List the passages that documents share, one row for every two documents.

    Columns: a, b (ids, the earlier first: b copied from a), spans (position of each passage in both texts as
    [start, end) in characters of the field text, its sentences and words), coverage_a (share of a's words in sentences
    and runs of words that b has too; sentences that a span skips do not count), coverage_b, sentences (that match).
    Titles are not compared.

    --novel lists, for each document, novel_share (share of its words), novel and sentences (numbers of novel and of all
    sentences) and spans (span, text). --digests lists id, share and sources (id, share, spans; in text order).
    --list-boilerplate lists source, sentence, documents, share, first and last (seen). All but --digests keep the texts
    in memory.
    """
    asked = _asked(given)
    with progress_bar(quiet=quiet) as progress:
        found = asked(documents, progress=progress, **given)
    if out == "-":
        form = chosen_format(output_format, "table", "jsonl")
        rows = map(_for_the_eye, found) if form == "table" and "coverage_a" in found.columns else found
        print_rows(rows, form, columns=found.columns)
    elif output_format == "table":
        raise click.UsageError("a table is for the terminal only; for a file use --format jsonl, json or csv")
    else:
        save_rows(found, out, output_format, columns=found.columns, inputs=documents)
    for warning in found.warnings:
        note(f"warning: {warning}", quiet=quiet)
    note_reading(found.report, quiet=quiet)


def _asked(given: dict[str, Any]) -> Callable[..., Listing[dict[str, Any]]]:
    """Choose the public function for the requested list; options that it does not accept are removed from ``given``.

    Raises:
        UsageError: options exclude each other.
    """
    from infostream_dedup import api

    asked = [name for name in _LISTS if given.pop(name)]
    rule = {name: value for name in _RULE if (value := given.pop(name)) is not None}
    if len(asked) > 1:
        raise click.UsageError("--list-boilerplate, --novel and --digests exclude each other")
    if rule and asked != ["list_boilerplate"]:
        raise click.UsageError("--min-documents, --min-share and --min-days need --list-boilerplate")
    if asked != ["list_boilerplate"]:
        return {"novel": api.passages.find_novel, "digests": api.passages.find_digests}.get(
            "".join(asked), api.passages.find
        )
    if given.pop("boilerplate") is not None:
        raise click.UsageError("--boilerplate and --list-boilerplate exclude each other")
    for name in _SETTINGS:
        del given[name]
    given |= rule
    return api.boilerplate


def _for_the_eye(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row for the table: spans as ``start:end=start:end``."""
    spans = (f"{one['a'][0]}:{one['a'][1]}={one['b'][0]}:{one['b'][1]}" for one in row["spans"])
    return {**row, "spans": " ".join(spans)}


@passages.command(
    epilog=examples("passages compare a.txt b.txt", "passages compare a.txt b.txt --html side-by-side.html")
)
@click.argument("text_a", metavar="A.TXT", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("text_b", metavar="B.TXT", type=click.Path(dir_okay=False, allow_dash=True))
@_settings_options
@click.option(
    "--languages", metavar="LANG,LANG", help="Languages of the two texts, such as uk,ru.  [default: detected]"
)
@click.option(
    "--html", type=click.Path(dir_okay=False), help="Write a page with both texts and linked passages here instead."
)
@general_options("text", "text", "json")
def compare(
    text_a: str,
    text_b: str,
    languages: str | None,
    html: str | None,
    output_format: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Show two UTF-8 texts side by side, with shared passages numbered.

    On a terminal, passages are coloured. --html writes a page without scripts in which each passage links to its copy.

    In texts of two languages, nouns and names that translate each other are numbered and listed (--html: linked).
    """
    from infostream_dedup import api
    from infostream_dedup.cli.text_file import read_text

    if text_a == text_b == "-":
        raise click.UsageError("only one of the two texts can come from standard input")
    inputs = [name for name in (text_a, text_b) if name != "-"]
    given["languages"] = None if languages is None else tuple(languages.split(","))
    found = api.passages.compare(read_text(text_a), read_text(text_b), **given)
    if html is not None:
        from infostream_dedup.report.passages import passages_page

        save_page(passages_page(found, (text_a, text_b)), html, inputs=inputs)
        note(f"report: {html}", quiet=quiet)
    elif chosen_format(output_format, "text", "text") == "json":
        print_json(found.as_dict())
    else:
        from infostream_dedup.cli.side_by_side import print_side_by_side

        print_side_by_side(found, (text_a, text_b))


passages.add_command(provenance)
