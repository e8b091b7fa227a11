"""Options that several commands share, each written once."""

from __future__ import annotations

import functools
import re
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
    Settings,
)

__all__ = [
    "boilerplate_option",
    "checked_prefix",
    "documents_argument",
    "general_options",
    "mode_option",
    "pop_given_settings",
    "pop_reading",
    "pop_settings",
    "prefix_option",
    "reading_options",
    "settings_options",
]

Command = Callable[..., Any]

_READING = ("on_error", "quarantine", "max_errors", "tz", "id_type")
_SETTINGS = ("weighting", "n", "score", "preset", "target", "df_min", "df_max", "background", "short", "morph", "pivot")


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


class _Mode(click.ParamType[int]):
    """Rights of a file in octal digits; the owner can always read and write."""

    name = "octal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not re.fullmatch("0?[67][0-7]{2}", text):
            self.fail(f"{text!r} is no mode; expected octal digits such as 640 or 660", param, ctx)
        return int(text, 8)


mode_option = click.option(
    "--mode", type=_Mode(), help="Rights of the file, such as 640 for a group that reads it.  [default: 600]"
)

prefix_option = click.option("--prefix", help="Put before the names of the columns that --annotate adds.")


def checked_prefix(given: dict[str, Any]) -> str:
    """The prefix of the columns of ``--annotate``; empty where none was given.

    Raises:
        UsageError: there is one, but nothing to put it before.
    """
    if given["prefix"] and not given["annotate"]:
        raise click.UsageError("--prefix goes with --annotate")
    return given["prefix"] or ""


def pop_reading(given: dict[str, Any]) -> dict[str, Any]:
    """Take the reading options out of a command's values."""
    return {name: given.pop(name) for name in _READING}


def pop_settings(given: dict[str, Any], **more: Any) -> Settings:
    """Take the settings out of a command's values."""
    return Settings.of(**pop_given_settings(given), **more)


def pop_given_settings(given: dict[str, Any]) -> dict[str, Any]:
    """The same by name; ``None`` where nothing was given, for those who have other defaults."""
    return {name: given.pop(name) for name in _SETTINGS}
