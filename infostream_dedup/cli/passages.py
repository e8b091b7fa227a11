"""``passages``: parts that documents share, found and located."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from infostream_dedup.cli.options import documents_argument, general_options, pop_reading, reading_options
from infostream_dedup.cli.output import chosen_format, note, print_json, print_rows
from infostream_dedup.cli.passage_reports import asked_rows, provenance, report_options
from infostream_dedup.cli.progress import progress_bar

if TYPE_CHECKING:
    from infostream_dedup.corpus.rows import RowFormat
    from infostream_dedup.passages.settings import PassageSettings

__all__ = ["passages"]

_COLUMNS = ("a", "b", "spans", "coverage_a", "coverage_b", "sentences")
_SETTINGS = ("feature", "tau", "gap", "min_sentences", "min_words")


@click.group()
def passages() -> None:
    """Find what documents have copied from each other: quotes, pasted paragraphs, digests."""


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What counts as a copy and as a passage."""
    for option in (
        click.option("--min-words", type=click.IntRange(min=1), help="Words of the shortest passage.  [default: 6]"),
        click.option(
            "--min-sentences", type=click.IntRange(min=1), help="Sentences of the shortest passage.  [default: 1]"
        ),
        click.option(
            "--gap", type=click.IntRange(0, 1000), help="Sentences a passage may skip at a time.  [default: 1]"
        ),
        click.option("--tau", type=float, help="Least resemblance of two sentences.  [default: the feature's own]"),
        click.option(
            "--feature",
            help="What is compared of a sentence: shingles, low-idf-sig, spotsigs, i-match or exact; parameters after "
            "colons, as in low-idf-sig:n=500:c=2.  [default: shingles]",
        ),
    ):
        command = option(command)
    return command


def _pop_settings(given: dict[str, Any]) -> PassageSettings:
    from infostream_dedup.passages import PassageSettings
    from infostream_dedup.passages.sentence_feature import sentence_feature

    chosen = {name: given.pop(name) for name in _SETTINGS}
    settings = PassageSettings(**{name: value for name, value in chosen.items() if value is not None})
    # A wrong feature is told before hours of reading, not after.
    sentence_feature(settings.feature)
    return settings


@passages.command()
@documents_argument
@report_options
@_settings_options
@click.option("--out", type=click.Path(dir_okay=False, allow_dash=True), default="-", help="Where rows go.")
@reading_options
@general_options("table", "jsonl", "json", "csv")
def find(**given: Any) -> None:
    """Passages that documents share, a row for every two documents.

    A row: a, b (ids, a the earlier by date, else the one that comes first: b copied from a), spans (of each passage its
    place in both texts as [start, end) in characters of the field text, its sentences and words), coverage_a (share of
    a's words that stand in sentences which b has too), coverage_b, sentences (that match). Titles take no part.

    --novel lists for each document novel_share (of its words), novel, sentences (how many) and spans (span, text).
    --digests lists id, share and sources (id, share, spans) in the order of the text. --list-boilerplate lists source,
    sentence, documents, share, first and last (seen). These keep all texts in memory, --digests does not.
    """
    from infostream_dedup.corpus import ReadingReport, check_output, read_documents
    from infostream_dedup.passages.boilerplate_file import marked_sentences
    from infostream_dedup.passages.finding import passages_of
    from infostream_dedup.passages.sentence_collection import read_collection

    settings = _pop_settings(given)
    reading = pop_reading(given)
    check_output(given["out"], inputs=_files(given["documents"]), quarantine=reading["quarantine"])
    report = ReadingReport()
    with progress_bar(quiet=given["quiet"]) as progress:
        documents = read_documents(list(given["documents"]), report=report, **reading)
        asked = asked_rows(documents, settings, given, progress)
        if asked is None:
            collection = read_collection(documents, progress=progress)
            without = marked_sentences(given["boilerplate"], collection)
            asked = passages_of(collection, settings, without=without, progress=progress).as_dicts(), _COLUMNS
    _write(*asked, given)
    note(report.summary(), quiet=given["quiet"])


def _write(rows: Iterable[dict[str, Any]], columns: Sequence[str], given: dict[str, Any]) -> None:
    """Rows on standard output, or in a file that is written whole or not at all."""
    from infostream_dedup.corpus import open_output, write_rows

    if given["out"] == "-":
        output_format = chosen_format(given["output_format"], "table", "jsonl")
        print_rows(
            _shown(rows) if output_format == "table" and columns == _COLUMNS else rows, output_format, columns=columns
        )
        return
    output_format = given["output_format"] or "jsonl"
    if output_format == "table":
        raise click.UsageError("a table is for the terminal; a file takes --format jsonl, json or csv")
    with open_output(given["out"], inputs=_files(given["documents"])) as stream:
        write_rows(rows, stream, cast("RowFormat", output_format), columns=columns)


def _shown(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows for the eye: spans as ``start:end=start:end``."""
    for row in rows:
        spans = (f"{one['a'][0]}:{one['a'][1]}={one['b'][0]}:{one['b'][1]}" for one in row["spans"])
        yield {**row, "spans": " ".join(spans)}


def _files(documents: Iterable[str]) -> list[str]:
    return [name for name in documents if name != "-"]


@passages.command()
@click.argument("text_a", metavar="A.TXT", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("text_b", metavar="B.TXT", type=click.Path(dir_okay=False, allow_dash=True))
@_settings_options
@click.option("--html", type=click.Path(dir_okay=False), help="Write both texts with linked passages here instead.")
@general_options("text", "text", "json")
def compare(text_a: str, text_b: str, html: str | None, **given: Any) -> None:
    """Two UTF-8 texts side by side, what they share marked with the number of its passage.

    Colours are for terminals. With --html a page without scripts: each passage is a link to its copy.
    """
    from infostream_dedup.cli.text_file import read_text
    from infostream_dedup.corpus import check_output, open_output
    from infostream_dedup.passages import compare as compare_texts

    if text_a == text_b == "-":
        raise click.UsageError("only one of the two texts can come from standard input")
    settings = _pop_settings(given)
    inputs = _files((text_a, text_b))
    if html is not None:
        check_output(html, inputs=inputs)
    found = compare_texts(read_text(text_a), read_text(text_b), settings)
    if html is not None:
        from infostream_dedup.report.passages_html import passages_page

        with open_output(html, inputs=inputs) as stream:
            stream.write(passages_page(found, (text_a, text_b)).encode("utf-8", "replace"))
        note(f"report: {html}", quiet=given["quiet"])
    elif chosen_format(given["output_format"], "text", "text") == "json":
        print_json(found.as_dict())
    else:
        from infostream_dedup.cli.side_by_side import print_side_by_side

        print_side_by_side(found, (text_a, text_b))


passages.add_command(provenance)
