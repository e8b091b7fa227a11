"""``dictionaries``: what the engine knows about words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infostream_dedup as api
from infostream_dedup.cli.face import Commands, output, reads
from infostream_dedup.cli.options import general_options, quiet_option
from infostream_dedup.cli.output import chosen_format, note, print_rows, print_table, progress_bar
from infostream_dedup.errors import BadDataError, how_to_install
from infostream_dedup.model import OUR_LANGUAGES


@click.group(cls=Commands, examples=["dictionaries show завод", "dictionaries check"])
def dictionaries() -> None:
    """Inspect, build and check the dictionaries of morph and pivot; import tables, install translation models."""


@dictionaries.command(
    examples=[
        "dictionaries build --lang ru,uk --out my-dictionaries",
        "dictionaries build --lang en --most 10000 --out frequent",
    ]
)
@reads(
    "--lang",
    "--languages",
    "languages",
    default=",".join(OUR_LANGUAGES),
    metavar="LANGUAGES",
    help="Languages, separated by commas.",
)
@output(
    "--out",
    "folder",
    type=click.Path(file_okay=False),
    help="Folder to write to.  [default: frequency-dictionaries in your data folder]",
)
@output(
    "--most",
    type=click.IntRange(min=1),
    help="Take only this number of the most frequent forms, and no words that are not in use.",
)
@general_options("table", "jsonl", "json", "csv")
def build(languages: str, folder: str | None, most: int | None, output_format: str | None) -> None:
    """Write the morphological frequency dictionaries, the nouns and names that morph terms come from, as tables.

    The engine looks words up in its sources: pymorphy3, wordfreq, names-translator and the lists in dictionaries/. This
    command asks them for all words that they know, to read, search or compare: after an update of a package, or of a
    list, two tables show which terms have changed. The engine itself does not read the tables. It takes a minute or two
    per language.
    """
    with progress_bar() as progress:
        rows = api.dictionaries.build(folder, languages, most=most, progress=progress)
    print_rows(rows, chosen_format(output_format, "table", "jsonl"))


@dictionaries.command(examples=["dictionaries check", "dictionaries check --doubts --no-coverage"])
@reads(
    "--folder", type=click.Path(path_type=Path, file_okay=False), help="Check this folder instead of the one in use."
)
@output("--doubts", is_flag=True, help="Also list doubts; otherwise they are only counted.")
@output("--coverage/--no-coverage", default=True, show_default=True, help="Measure what translation covers.")
@general_options("table", "jsonl", "json", "csv")
def check(folder: Path | None, doubts: bool, coverage: bool, output_format: str | None) -> None:
    """Check every row of the dictionaries, and measure their coverage.

    The checks cover columns, letters, whether pymorphy3 or wordfreq knows the words, nominatives of nouns, repeated
    rows, words of the block-list, contradictions between translations.tsv and false_friends.tsv, and whether the words
    of a row translate into each other in both directions. Each defect is reported as file:line:field with advice; the
    exit code is then 65. Doubts are rare names that no installed resource confirms; they are not defects.
    """
    form = chosen_format(output_format, "table", "jsonl")
    with progress_bar() as progress:
        found = api.dictionaries.check(folder, coverage=coverage, progress=progress)
    if form == "table":
        for one in found.checked.findings:
            if doubts or one.level == "defect":
                click.echo(f"{one}" if one.level == "defect" else f"{one} (doubt)")
        if found.coverage:
            print_table(found.coverage)
    else:
        rows = found.rows(doubts=doubts)
        names = list(dict.fromkeys(name for row in rows for name in row))
        print_rows(({name: row.get(name) for name in names} for row in rows) if form == "csv" else rows, form)
    checked, number = found.checked, len(found.checked.defects)
    untried = "" if checked.round_trips else "; round trips were not tried"
    told = f"{number} defects, {len(checked.findings) - number} doubts{untried}"
    note(f"{checked.files} files, {checked.rows:,} rows: {told}")
    if number:
        raise BadDataError(
            f"{number} {'defect' if number == 1 else 'defects'} found; correct the rows named above",
            code="E_DICTIONARY",
            source=str(checked.folder),
        )


_NAMED = 20
_COLUMNS = ("name", "pairs", "languages", "file")


@dictionaries.command(
    "import",
    examples=[
        "dictionaries import pairs.tsv --from en --to uk --format tsv",
        "dictionaries import ukr-rus.dix --from uk --to ru --format apertium",
    ],
)
@click.argument("file", type=click.Path(path_type=Path))
@reads("--from", "source", type=click.Choice(OUR_LANGUAGES), required=True, help="Language of the left words.")
@reads("--to", "target", type=click.Choice(OUR_LANGUAGES), required=True, help="Language of the right words.")
@reads("--format", "table_format", type=["tsv", "apertium", "wiktionary"], required=True, help="Format of the file.")
@reads(
    "--pos",
    "parts",
    type=["noun", "name", "adj"],
    multiple=True,
    help="Parts of speech to take; may be given several times.  [default: noun, name]",
)
@reads("--name", help="Name of the table.  [default: the file name with the languages]")
@output("--skip", is_flag=True, help="Skip broken rows and list them; otherwise the first one stops the import.")
@output("--output", "output_format", type=["table", "jsonl", "json", "csv"], help="Output format.")
@quiet_option
def import_table(file: Path, source: Any, target: Any, output_format: str | None, **given: Any) -> None:
    """Import a table of word pairs, for the dictionary rung of the ladder.

    FILE is your own table (tsv: a header with source and target, or with language codes, and optionally pos; several
    equivalents are separated by |), a bilingual Apertium dictionary (apertium: the .dix source, its left side in the
    language --from), or a wiktextract dump of a Wiktionary (wiktionary: JSONL, as on kaikki.org), plain or compressed
    with gzip. Only single words are imported. The file is read completely before anything is written; a
    table of the same name is replaced. If both contain a word, the bundled tables take precedence.
    """
    with progress_bar() as progress:
        done = api.dictionaries.import_table(file, source, target, progress=progress, **given)
    row = {
        "name": done.name,
        "pairs": done.pairs,
        "replaced": done.replaced,
        "left_out": sum(done.left_out.values()),
        "broken": len(done.broken),
        "file": str(done.path),
    }
    print_rows([row], chosen_format(output_format, "table", "jsonl"))
    for reason, number in done.left_out.items():
        note(f"left out: {number} ({reason})")
    for error in done.broken[:_NAMED]:
        note(f"skipped: {error.for_command_line}")
    if len(done.broken) > _NAMED:
        note(f"skipped: {len(done.broken) - _NAMED} more")


@dictionaries.command("list", examples=["dictionaries list", "dictionaries list --format json"])
@general_options("table", "jsonl", "json", "csv")
def list_tables(output_format: str | None) -> None:
    """List the imported tables.

    Columns: name, pairs, languages (pairs of codes), file.
    """
    rows = api.dictionaries.list_tables()
    if not rows:
        note("no imported tables; import one with: infostream-dedup dictionaries import FILE")
    print_rows(rows, chosen_format(output_format, "table", "jsonl"), columns=_COLUMNS)


@dictionaries.command(examples=["dictionaries remove pairs.en-uk", "dictionaries remove pairs.en-uk --quiet"])
@click.argument("name")
@general_options("table", "table")
def remove(name: str) -> None:
    """Remove the imported table NAME (see list)."""
    note(f"removed {api.dictionaries.remove_table(name)}")


@dictionaries.command(
    "install-model",
    examples=[
        "dictionaries install-model translate-en_ru.argosmodel",
        "dictionaries install-model translate-uk_ru.argosmodel --format json",
    ],
)
@click.argument("file", type=click.Path(path_type=Path))
@general_options("table", "jsonl", "json", "csv")
def install_model(file: Path, output_format: str | None) -> None:
    """Install a translation model: FILE is an .argosmodel of Argos Translate between ru, uk and en.

    The file (a zip) is checked before anything is written, and nothing is downloaded. The model goes to the folder in
    which Argos Translate keeps its models (ARGOS_PACKAGES_DIR overrides it). Installing a version again replaces it.
    """
    done = api.dictionaries.install_model(file)
    row = {
        "file": str(file),
        "source": done.model.source,
        "target": done.model.target,
        "version": done.model.version,
        "folder": str(done.model.folder),
        "replaced": done.replaced,
        "tried": done.tried,
    }
    print_rows([row], chosen_format(output_format, "table", "jsonl"))
    if not done.tried:
        note(f"the model can be used once its packages are installed: {how_to_install('translate')}")


@dictionaries.command(examples=["dictionaries show завод --lang ru", "dictionaries show завод --to en"])
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@reads(
    "--from",
    "--lang",
    "lang",
    type=click.Choice(OUR_LANGUAGES),
    help="Language of the words.  [default: every language with these letters]",
)
@reads(
    "--to", "target", type=click.Choice(OUR_LANGUAGES), help="Show the translations into this language, rung by rung."
)
@general_options("table", "jsonl", "json", "csv")
def show(words: tuple[str, ...], lang: Any, target: Any, output_format: str | None) -> None:
    """Show what the engine knows about a word, in every way it can occur in a text; with --to, how it is translated.

    Columns: form (key form), shape (lower, start of a sentence, capital inside one, upper), term (what it becomes; a
    dash if it is not a term, with the reason in why), strict (the term with --morph strict), lemma, part of speech,
    flags (surname, first_name, place, organisation ...), known, zipf (log10 of occurrences in 10^9 words), stem,
    source.
    """
    print_rows(api.dictionaries.show(words, lang, to=target), chosen_format(output_format, "table", "jsonl"))
