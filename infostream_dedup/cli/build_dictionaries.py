"""``dictionaries build``: write the frequency dictionaries as tables."""

from __future__ import annotations

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, print_rows
from infostream_dedup.cli.progress import progress_bar
from infostream_dedup.model import OUR_LANGUAGES

__all__ = ["build"]


@click.command(epilog=examples("dictionaries build --lang ru,uk --out my-dictionaries"))
@click.option(
    "--lang",
    "--languages",
    "languages",
    default=",".join(OUR_LANGUAGES),
    show_default=True,
    metavar="LANGUAGES",
    help="Languages, separated by commas.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder to write to.  [default: frequency-dictionaries in your data folder]",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    help="Take only this number of the most frequent forms, and no words that are not in use.",
)
@general_options("table", "jsonl", "json", "csv")
def build(languages: str, folder: str | None, most: int | None, output_format: str | None, quiet: bool) -> None:
    """Write the morphological frequency dictionaries, the nouns and names that morph terms come from, as tables.

    The engine looks words up in its sources: pymorphy3, wordfreq, names-translator and the lists in dictionaries/. This
    command asks them for all words that they know, to read, search or compare: after an update of a package, or of a
    list, two tables show which terms have changed. The engine itself does not read the tables. It takes a minute or two
    per language.

    Each language has a file, ru.tsv, uk.tsv, en.tsv, with the most frequent terms first. Its columns: term (a lemma; in
    English a stem), kinds (noun, or what a name denotes: surname, first_name, patronymic, place, organisation,
    abbreviation; several are separated by |), zipf (log10 of the occurrences of all its forms per billion words; 0.00
    if wordfreq has none), source, forms (the five most frequent). Guesses, which --morph strict rejects, are left out.
    manifest.json holds versions and the checksums of this run.

    Columns printed: language, terms, in_use (terms that wordfreq has), nouns (in English stems), surnames,
    organisations, places, other_names, file.
    """
    from infostream_dedup.api import dictionaries

    with progress_bar(quiet=quiet) as progress:
        rows = dictionaries.build(folder, languages, most=most, progress=progress)
    print_rows(rows, chosen_format(output_format, "table", "jsonl"))
