"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from infostream_dedup.cli.configuration import read_configuration
from infostream_dedup.model import LANGUAGES
from infostream_dedup.model.settings import (
    MORPH_RULES,
    PRESETS,
    REPRESENTATIONS,
    SCORES,
    SHORT_RULES,
    WEIGHTINGS,
)

__all__ = [
    "boilerplate_option",
    "documents_argument",
    "general_options",
    "prefix_option",
    "reading_options",
    "representation_option",
    "settings_options",
]

Command = Callable[..., Any]


def documents_argument(function: Command) -> Command:
    """``DOCS...``: one or more files, or ``-``."""
    return click.argument("documents", metavar="DOCS...", nargs=-1, required=True)(function)


def _stack(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def general_options(*formats: str) -> Callable[[Command], Command]:
    """``--format``, ``--quiet`` and ``--config``; the first format is for a terminal, the second for a pipe."""
    return _stack(
        click.option(
            "--format",
            "output_format",
            type=click.Choice(list(dict.fromkeys(formats))),
            help=f"Form of the output; {formats[0]} on a terminal, else {formats[1]}.",
        ),
        click.option("--quiet", is_flag=True, help="No progress and no summary on standard error."),
        click.option(
            "--config",
            type=click.Path(dir_okay=False),
            is_eager=True,
            expose_value=False,
            callback=read_configuration,
            help="TOML file with the long names of these options; flags override it.",
        ),
    )


reading_options = _stack(
    click.option(
        "--on-error",
        type=click.Choice(["fail", "skip"]),
        default="fail",
        show_default=True,
        help="A bad record stops the run, or goes to the quarantine file.",
    ),
    click.option("--quarantine", type=click.Path(dir_okay=False), help="Where skipped records go (JSONL)."),
    click.option("--max-errors", type=click.IntRange(min=0), help="Stop after more skipped records than this."),
    click.option("--tz", help="Time zone of dates without one, such as Europe/Kyiv.  [default: UTC]"),
    click.option("--id-type", type=click.Choice(["str", "int"]), default="str", help="Accept whole numbers as ids."),
)

settings_options = _stack(
    click.option("--weighting", type=click.Choice(WEIGHTINGS), help="Weight of a term.  [default: bm25]"),
    click.option("--n", type=click.IntRange(1, 255), help="Key terms of a document.  [default: 12]"),
    click.option(
        "--score", type=click.Choice(SCORES), help="k of n terms, or share of their weight.  [default: count]"
    ),
    click.option("--preset", type=click.Choice(list(PRESETS)), help="A row of the table of presets (README)."),
    click.option("--target", help="What key terms are looked up in: text, signature or top:M.  [default: text]"),
    click.option("--df-min", type=float, help="Least document frequency; below 1 a share.  [default: 2]"),
    click.option("--df-max", type=float, help="Greatest document frequency; below 1 a share.  [default: 0.5]"),
    click.option(
        "--background/--no-background",
        default=None,
        help="Blend small collections with the frequency dictionary.  [default: background]",
    ),
    click.option(
        "--short", type=click.Choice(SHORT_RULES), help="How k falls for documents with few terms.  [default: scaled]"
    ),
    click.option(
        "--morph",
        type=click.Choice(MORPH_RULES),
        help="With predicted proper nouns, or dictionary words only.  [default: open]",
    ),
    click.option(
        "--pivot",
        type=click.Choice(LANGUAGES),
        help="Language that representation pivot translates terms into.  [default: ru]",
    ),
    click.option(
        "--engine",
        type=click.Choice(["auto", "scipy", "numba"]),
        default="auto",
        show_default=True,
        help="What matches: plain, or compiled for large collections; results are the same.",
    ),
)

representation_option = click.option(
    "--representation", type=click.Choice(REPRESENTATIONS), help="How a word becomes a term.  [default: morph]"
)


boilerplate_option = click.option(
    "--boilerplate",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Leave out the sentences that 'passages find --list-boilerplate' wrote there.",
)


prefix_option = click.option("--prefix", default="", help="Put before the names of the columns that --annotate adds.")
