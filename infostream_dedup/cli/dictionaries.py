"""``dictionaries``: what the engine knows about words."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.build_dictionaries import build
from infostream_dedup.cli.check_dictionaries import check
from infostream_dedup.cli.import_table import import_table, list_tables, remove
from infostream_dedup.cli.install_model import install_model
from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, print_rows
from infostream_dedup.model import OUR_LANGUAGES

__all__ = ["dictionaries"]


@click.group()
def dictionaries() -> None:
    """Inspect, build and check the dictionaries of morph and pivot; import tables, install translation models."""


@dictionaries.command(epilog=examples("dictionaries show завод --lang ru", "dictionaries show завод --to en"))
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option(
    "--from",
    "--lang",
    "lang",
    type=click.Choice(OUR_LANGUAGES),
    help="Language of the words.  [default: every language with these letters]",
)
@click.option(
    "--to", "target", type=click.Choice(OUR_LANGUAGES), help="Show the translations into this language, rung by rung."
)
@general_options("table", "jsonl", "json", "csv")
def show(words: tuple[str, ...], lang: Any, target: Any, output_format: str | None, quiet: bool) -> None:
    """Show what the engine knows about a word, in every way it can occur in a text; with --to, how it is translated.

    Columns: form (key form), shape (lower, start of a sentence, capital inside one, upper), term (what it becomes; a
    dash if it is not a term, with the reason in why), strict (the term with --morph strict), lemma, part of speech,
    flags (surname, first_name, place, organisation ...), known, zipf (log10 of occurrences in 10^9 words), stem,
    source.

    With --to, one row for each answer of each rung, in the order in which the rungs are consulted: term, is_term (no:
    it never occurs in documents), rung, answer (a dash if there is none), confidence, wins (all answers of the first
    rung that has any), why (it was rejected).
    """
    del quiet
    from infostream_dedup.api import dictionaries as known

    print_rows(known.show(words, lang, to=target), chosen_format(output_format, "table", "jsonl"))


for command in (build, check, import_table, list_tables, remove, install_model):
    dictionaries.add_command(command)
