"""``dictionaries``: what the engine knows of words."""

from __future__ import annotations

from typing import Any

import click

from infostream_dedup.cli.install_model import install_model
from infostream_dedup.cli.options import general_options
from infostream_dedup.cli.output import chosen_format, print_rows
from infostream_dedup.model import LANGUAGES

__all__ = ["dictionaries"]


@click.group()
def dictionaries() -> None:
    """Look into the dictionaries behind morph and pivot; install translation models."""


@dictionaries.command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@click.option("--lang", type=click.Choice(LANGUAGES), help="Only this language; else all that the letters allow.")
@general_options("table", "jsonl", "json", "csv")
def show(words: tuple[str, ...], lang: Any, output_format: str | None, quiet: bool) -> None:
    """What the engine knows of a word, for every way it can stand in a text.

    Columns: form (key form), shape (lower, start of a sentence, capital inside one, upper), term (what it becomes; a
    dash for none, with the reason under why), strict (the term with --morph strict), lemma, part of speech, flags
    (surname, first_name, place, organisation ...), known, zipf (log10 of occurrences in 10^9 words), stem, source.
    """
    del quiet
    from infostream_dedup.lexicography import show as entries_of

    rows = [entry.as_dict() for word in words for entry in entries_of(word, lang)]
    print_rows(rows, chosen_format(output_format, "table", "jsonl"))


dictionaries.add_command(install_model)
