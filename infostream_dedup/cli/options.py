"""Options shared by several commands."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from infostream_dedup.cli.configuration import read_configuration
from infostream_dedup.cli.own_files import check_outputs, refuse_shared_files
from infostream_dedup.cli.run_log import LEVELS, RUN, print_warnings
from infostream_dedup.machine.engines import ENGINES
from infostream_dedup.model import OUR_LANGUAGES
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
    "df_max_option",
    "documents_argument",
    "examples",
    "general_options",
    "judgeable_settings_options",
    "mode_option",
    "morph_option",
    "n_option",
    "prefix_option",
    "reading_options",
    "representation_option",
    "semantic_option",
    "settings_options",
    "short_option",
    "stack",
    "weighting_option",
    "work_folder_options",
]

Command = Callable[..., Any]

_CHECKED: Final = "files checked"
"""Set in the context if no output is another file of the command; otherwise no summary is written either."""


def documents_argument(function: Command) -> Command:
    """``DOCS...``: one or more files, or ``-``."""
    return click.argument("documents", metavar="DOCS...", nargs=-1, required=True)(function)


def examples(*lines: str) -> str:
    """Lines for ``epilog`` of a command, each shown as it is."""
    return "\b\nExamples:\n" + "\n".join(f"  infostream-dedup {line}" for line in lines)


def stack(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Return a decorator that adds these options in the given order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep the value of an option for the functions that print."""
    context.meta[parameter.name or ""] = value


def _begin_log(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    _keep(context, parameter, value)
    RUN.start(context.meta.get("log_format", "text"), context.meta.get("log_level", "info"))
    print_warnings()


def _sum_up(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """Write the summary when the command ends, even with an error, unless it would overwrite another file."""
    _keep(context, parameter, path)
    if path is None:
        return

    def write() -> None:
        import orjson

        from infostream_dedup.documents.outputs import open_output

        if _CHECKED not in context.meta:
            return
        summary = RUN.summary(context.command_path.partition(" ")[2], sys.exc_info()[1])
        with open_output(path) as stream:
            stream.write(orjson.dumps(summary, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    RUN.is_summed_up = True
    context.call_on_close(write)


_log_options = (
    click.option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        is_eager=True,
        expose_value=False,
        callback=_begin_log,
        help="Format of lines on standard error: text for people, or JSON objects.",
    ),
    click.option(
        "--log-level",
        type=click.Choice(LEVELS),
        default="info",
        show_default=True,
        is_eager=True,
        expose_value=False,
        callback=_begin_log,
        help="Minimum level of lines to print.",
    ),
    click.option(
        "--summary",
        type=click.Path(dir_okay=False),
        expose_value=False,
        callback=_sum_up,
        help="File for one JSON object about the run: counts, seconds of each stage, peak memory, versions.",
    ),
)


store_argument = click.argument("file", metavar="STORE", type=click.Path(path_type=Path))


def _default_of(formats: Sequence[str]) -> str:
    """Return the words in which help states the default format, on a terminal and elsewhere."""
    terminal, elsewhere, *_ = formats
    return terminal if terminal == elsewhere else f"{terminal} on a terminal, {elsewhere} otherwise"


def general_options(*formats: str) -> Callable[[Command], Command]:
    """``--format``, ``--quiet``, ``--config``, logs and summary.

    The first format is the default on a terminal, the second elsewhere. Rows that can be CSV can also be a workbook.
    """
    sheets = ["xlsx"] if "csv" in formats else []
    dialect = click.option(
        "--csv-dialect",
        type=click.Choice(["standard", "excel"]),
        default="standard",
        show_default=True,
        expose_value=False,
        callback=_keep,
        help="excel: CSV that Ukrainian or Russian Excel opens directly: byte order mark, semicolons, decimal commas.",
    )
    options = stack(
        [
            click.option(
                "--format",
                "output_format",
                type=click.Choice(list(dict.fromkeys([*formats, *sheets]))),
                help=f"Output format.  [default: {_default_of(formats)}]",
            ),
            *([dialect] if sheets else []),
            click.option("--quiet", is_flag=True, help="Print no progress and no summary."),
            *_log_options,
            click.option(
                "--config",
                type=click.Path(dir_okay=False),
                is_eager=True,
                expose_value=False,
                callback=read_configuration,
                help="TOML file with long option names as keys; flags override it.",
            ),
        ]
    )
    return lambda function: options(_with_own_files(function))


def _with_own_files(function: Command) -> Command:
    @functools.wraps(function)
    def checked(*arguments: Any, **given: Any) -> Any:
        context = click.get_current_context()
        refuse_shared_files(context)
        _refuse_idle_dialect(context)
        check_outputs(context)
        context.meta[_CHECKED] = True
        return function(*arguments, **given)

    return checked


def _refuse_idle_dialect(context: click.Context) -> None:
    """Refuse a dialect of CSV on the command line if no CSV is written; a configuration file serves many commands."""
    given = context.get_parameter_source("csv_dialect") is ParameterSource.COMMANDLINE
    out = str(context.params.get("out") or "").lower().removesuffix(".gz")
    if given and context.params.get("output_format") != "csv" and not out.endswith(".csv"):
        raise click.UsageError("--csv-dialect needs --format csv, or a file that ends with .csv")


work_folder_options = stack(
    [
        click.option(
            "--workdir",
            type=click.Path(file_okay=False),
            help="Work on disk, in this folder; an interrupted run continues from its last complete stage.",
        ),
        click.option("--memory", metavar="SIZE", help="With --workdir: memory to use, e.g. 8GB.  [default: half]"),
        click.option(
            "--window-days",
            type=click.FloatRange(min=0, min_open=True),
            help="With --workdir: link only documents published at most this many days apart.",
        ),
    ]
)

reading_options = stack(
    [
        click.option(
            "--on-error",
            type=click.Choice(["fail", "skip"]),
            default="fail",
            show_default=True,
            help="Stop at a bad record, or skip it and write it to the quarantine file.",
        ),
        click.option("--quarantine", type=click.Path(dir_okay=False), help="File for skipped records (JSONL)."),
        click.option("--max-errors", type=click.IntRange(min=0), help="Stop when more records than this are skipped."),
        click.option("--tz", help="Time zone of dates without one, e.g. Europe/Kyiv.  [default: UTC]"),
        click.option(
            "--id-type", type=click.Choice(["str", "int"]), default="str", help="int: accept whole numbers as ids."
        ),
        click.option(
            "--columns",
            multiple=True,
            metavar="OURS=THEIRS,...",
            help="Names of your columns, e.g. id=ID,text=Text.",
        ),
        click.option("--make-ids", is_flag=True, help="Derive an id from the content of documents without one."),
        click.option(
            "--other-languages",
            type=click.Choice(["stem", "skip", "fail"]),
            default="stem",
            show_default=True,
            help="Documents in languages other than ru, uk and en: compared by stems, left out, or bad records.",
        ),
        click.option("--encoding", help="Encoding of text files.  [default: UTF-8; UTF-16, cp1251, koi8-u recognised]"),
    ]
)


weighting_option = click.option(
    "--weighting", type=click.Choice(WEIGHTINGS), help="How terms are weighted.  [default: bm25]"
)
n_option = click.option("--n", type=click.IntRange(1, 255), help="Key terms per document.  [default: 12]")
df_max_option = click.option(
    "--df-max", type=float, help="Maximum document frequency of a key term; below 1, a share.  [default: 0.5]"
)
short_option = click.option(
    "--short",
    type=click.Choice(SHORT_RULES),
    help="Whether to lower k for documents with few terms.  [default: scaled]",
)
morph_option = click.option(
    "--morph",
    type=click.Choice(MORPH_RULES),
    help="Include predicted proper nouns, or dictionary words only.  [default: open]",
)


def _settings_options(presets: tuple[str, ...]) -> Callable[[Command], Command]:
    return stack(
        [
            weighting_option,
            n_option,
            click.option(
                "--score",
                type=click.Choice(SCORES),
                help="Compare k of n terms, or the share of their weight.  [default: count]",
            ),
            click.option("--preset", type=click.Choice(presets), help="Named set of settings."),
            click.option("--target", help="Where key terms are looked up: text, signature or top:M.  [default: text]"),
            click.option(
                "--df-min", type=float, help="Minimum document frequency of a key term; below 1, a share.  [default: 2]"
            ),
            df_max_option,
            click.option(
                "--background/--no-background",
                default=None,
                help="Blend the statistics of small collections with a frequency dictionary.  [default: background]",
            ),
            short_option,
            morph_option,
            click.option(
                "--pivot",
                type=click.Choice(OUR_LANGUAGES),
                help="Language into which representation pivot translates terms.  [default: ru]",
            ),
            click.option(
                "--engine",
                type=click.Choice(ENGINES),
                default="auto",
                show_default=True,
                help="Plain code, or compiled code for large collections; results are the same.",
            ),
        ]
    )


settings_options = _settings_options(tuple(PRESETS))
judgeable_settings_options = _settings_options(("judged", *PRESETS))
"""Like ``settings_options``, plus preset ``judged``, which is more than a choice of settings."""

representation_option = click.option(
    "--representation", type=click.Choice(REPRESENTATIONS), help="How a word becomes a term.  [default: morph]"
)

between_option = click.option(
    "--between",
    type=click.Choice(["nothing-better", "plain", "none"]),
    help="Rule of preset judged for pairs in two languages; none leaves them out.  [default: nothing-better]",
)

semantic_option = click.option(
    "--semantic",
    is_flag=True,
    help="With preset judged: ask a sentence encoder about doubtful pairs (extra semantic; about .2 s per document).",
)

boilerplate_option = click.option(
    "--boilerplate",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Leave out the sentences listed in this file (from 'passages find --list-boilerplate').",
)


class _Mode(click.ParamType[int]):
    """Permissions of a file in octal digits; the owner can always read and write."""

    name = "octal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not re.fullmatch("0?[67][0-7]{2}", text):
            self.fail(f"{text!r} is not a mode; expected octal digits such as 640 or 660", param, ctx)
        return int(text, 8)


mode_option = click.option(
    "--mode", type=_Mode(), help="Permissions of the file, such as 640 to let a group read it.  [default: 600]"
)

prefix_option = click.option("--prefix", default="", help="Prefix for the columns that --annotate adds.")
