"""Options shared by several commands."""

from __future__ import annotations

import functools
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any, Final

import click
from click.core import ParameterSource

from infostream_dedup.cli.face import Declared, alike, check_rules, common, expert, large, output, reads
from infostream_dedup.cli.output import check_outputs, refuse_shared_files
from infostream_dedup.cli.run_log import LEVELS, RUN, print_warnings
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.model import settings as model_settings

FILE: Final = click.Path(dir_okay=False)
FILE_OR_PIPE: Final = click.Path(dir_okay=False, allow_dash=True)
FOLDER: Final = click.Path(file_okay=False)
FROM_ONE: Final = click.IntRange(min=1)

# Values of options and arguments that are dates or texts


class NumberOrAuto(click.ParamType[int | str]):
    """A whole number from 1, or ``auto``."""

    name = "N|auto"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Check the value."""
        text = str(value)
        if text == "auto":
            return text
        if not (text.isascii() and text.isdigit() and int(text)):
            self.fail(f"{text!r} is neither a number from 1 nor auto", param, ctx)
        return int(text)


def moment_of(given: str | None, zone: str | None, name: str) -> datetime | None:
    """Return the moment that an option names; ``None`` for ``None``."""
    from infostream_dedup.api import moment

    try:
        return moment(given, zone)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=f"--{name}") from error


def read_text(path: str) -> str:
    """Read a text file, or standard input for ``-``, in whatever encoding it is; line ends are kept."""
    from infostream_dedup.documents.reading import text_records

    for item in text_records(path, None):
        if isinstance(item, BadDataError):
            raise item
        return str(item.values["text"])
    return ""


def read_questions(path: str) -> list[dict[str, str]]:
    """Read questions, one a line: a text, whose id is the number of its line, or JSON with ``id`` and ``text``."""
    from infostream_dedup.documents.records import Place

    found = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            found.append({"id": str(number), "text": line})
            continue
        place = Place(path, number)
        try:
            values = json.loads(line)
        except ValueError as error:
            raise place.error("E_JSON", f"not JSON ({error}); give id and text") from None
        for name in ("id", "text"):
            if not isinstance(values.get(name), str | int) or not str(values[name]).strip():
                raise place.error("E_MISSING", "is missing, empty or no text; give id and text", name)
        found.append({name: str(values[name]) for name in ("id", "text", "title") if values.get(name) is not None})
    return found


Command = Callable[..., Any]

_CHECKED: Final = "files checked"
"""Set in the context if no output is another file of the command; otherwise no summary is written either."""


_OF_LINES: Final = ("", ".jsonl", ".ndjson", ".json")  # endings of pipes that may have JSON Lines


def documents_argument(function: Command) -> Command:
    """``DOCS...``: one or more files, or ``-``."""
    return click.argument("documents", metavar="DOCS...", nargs=-1, required=True, callback=pipe_as_input)(function)


def pipe_as_input(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Read a pipe, such as ``<(...)`` and ``/dev/fd/3``, as standard input: JSON Lines, each byte only once."""
    pipes = [one for one in given if stat.S_ISFIFO(_mode_of(one)) and PurePath(one).suffix.lower() in _OF_LINES]
    if len(pipes) != 1 or "-" in given:
        return given
    try:
        descriptor = os.open(pipes[0], os.O_RDONLY)
    except OSError:
        return given
    os.dup2(descriptor, 0)
    os.close(descriptor)
    return tuple("-" if one == pipes[0] else one for one in given)


def _mode_of(name: str) -> int:
    try:
        return os.stat(name).st_mode  # noqa: PTH116 - a name may be no path at all
    except (OSError, ValueError):
        return 0


def stack(options: Sequence[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Return a decorator that adds these options in the given order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def read_configuration(context: click.Context, _parameter: click.Parameter, path: str | None) -> None:
    """Make the values of a TOML file the defaults of a command; keys are the long names of its options."""
    if path is None:
        return
    import difflib

    context.meta["config"] = path
    values = model_settings.parsed(path)
    if model_settings.is_thresholds(values):
        context.meta["thresholds"] = model_settings.Thresholds.of(values, path)
        return
    names = {
        flag.removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.name != "config"
        for flag in option.opts
        if flag.startswith("--")
    }
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        option = names.get(key.replace("_", "-"))
        if option is None or option.name is None:
            near = difflib.get_close_matches(key.replace("_", "-"), names, n=1)
            advice = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(names))}"
            raise ConfigurationError(f"{path}: unknown key {key!r}{advice}")
        if option.name == "columns" and isinstance(value, dict):
            value = [f"{ours}={theirs}" for ours, theirs in value.items()]
        defaults[option.name] = _checked(value, option, context, f"{path}: {key}")
    context.default_map = {**(context.default_map or {}), **defaults}


def _checked(value: Any, option: click.Option, context: click.Context, place: str) -> Any:
    """Convert a value as the option's flag would; an option that may be repeated also accepts a single value."""
    if isinstance(value, bool) != option.is_flag or isinstance(value, dict):
        expected = "true or false" if option.is_flag else "a string or a number"
        raise ConfigurationError(f"{place} is {value!r}; expected {expected}")
    if option.is_flag:
        return value
    many = value if isinstance(value, list) else [value]
    if not option.multiple and isinstance(value, list):
        raise ConfigurationError(f"{place} is {value!r}; expected one value")
    texts = [str(one) for one in many]
    given: Any = texts if option.multiple else texts[0]
    try:
        option.type_cast_value(context, given)
    except click.BadParameter as error:
        raise ConfigurationError(f"{place}: {error.message}") from error
    return given


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keep the value of an option for the functions that print."""
    context.meta[parameter.name or ""] = value


def _hush(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    del context, parameter
    RUN.quiet = value


_unseen = functools.partial(common, expose_value=False)
quiet_option = _unseen("--quiet", is_flag=True, callback=_hush, help="Print no progress and no summary.")


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


_log = functools.partial(_unseen, is_eager=True, callback=_begin_log)
_FORMAT_HELP: Final = "Format of lines on standard error: text for people, or JSON objects."
_SUMMARY_HELP: Final = "File for one JSON object about the run: counts, seconds of each stage, peak memory, versions."
_log_options = (
    _log("--log-format", type=["text", "json"], default="text", help=_FORMAT_HELP),
    _log("--log-level", type=[*LEVELS], default="info", help="Minimum level of lines to print."),
    _unseen("--summary", type=FILE, callback=_sum_up, help=_SUMMARY_HELP),
)


def general_options(*formats: str) -> Callable[[Command], Command]:
    """``--format``, ``--quiet``, ``--config``, logs and summary."""
    sheets = ["xlsx", "parquet"] if "csv" in formats else []
    terminal, elsewhere, *_ = formats
    default = terminal if terminal == elsewhere else f"{terminal} on a terminal, {elsewhere} otherwise"
    dialect = _unseen(
        "--csv-dialect",
        type=["standard", "excel"],
        default="standard",
        callback=_keep,
        help="excel: CSV that Ukrainian or Russian Excel opens directly: byte order mark, semicolons, decimal commas.",
    )
    options = stack(
        [
            common(
                "--format",
                "output_format",
                type=click.Choice(list(dict.fromkeys([*formats, *sheets]))),
                help=f"Output format.  [default: {default}]",
            ),
            *([dialect] if sheets else []),
            quiet_option,
            _unseen("--verbose", is_flag=True, callback=_keep, help="Print all remarks on a result."),
            *_log_options,
            _unseen(
                "--config",
                type=FILE,
                is_eager=True,
                callback=read_configuration,
                help="TOML file with long option names as keys, or thresholds of 'sweep --write-config'; flags "
                "override it.",
            ),
        ]
    )
    return lambda function: options(_with_own_files(function, has_choice=len(set(formats)) > 1))


def _with_own_files(function: Command, *, has_choice: bool) -> Command:
    @functools.wraps(function)
    def checked(*arguments: Any, **given: Any) -> Any:
        context = click.get_current_context()
        check_rules(context)
        take_thresholds(context, given)
        refuse_shared_files(context)
        _refuse_idle_dialect(context)
        check_outputs(context)
        context.meta[_CHECKED] = True
        if not has_choice:
            del given["output_format"]
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
        large(
            "--workdir",
            type=FOLDER,
            help="Work on disk, in this folder (extra tables); an interrupted run goes on from its last whole stage.",
        ),
        large("--memory", metavar="SIZE", help="With --workdir: memory to use, e.g. 8GB.  [default: half]"),
    ]
)

window_days_option = large(
    "--window-days",
    type=click.FloatRange(min=0, min_open=True),
    help="With --workdir: link only documents published at most this many days apart.",
)


def _within_options(within: str, days: str) -> Callable[[Command], Command]:
    return stack(
        [
            alike("--within", type=["source", "outlets", "all"], default="all", help=within),
            alike("--within-days", type=click.FloatRange(min=0, min_open=True), help=days),
        ]
    )


within_options = _within_options(
    "With preset judged: pairs of one source, of different outlets, or all.",
    "Pairs published at most this many days apart, or without a date; key terms need --workdir.",
)
within_of_one_options = _within_options(
    "With --id or --url: documents of its own source, of other outlets, or all.",
    "With --id or --url: documents published at most this many days before or after it, or without a date.",
)

reading_options = Declared("infostream_dedup.documents.reading:Reading", unset=False)

_TERMS: Final = "infostream_dedup.model.settings:Settings"


def _settings_options(presets: tuple[str, ...], leave_out: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    return stack(
        [
            alike("--preset", type=click.Choice(presets), help="Named set of settings."),
            Declared(_TERMS, leave_out=("representation", *leave_out)),
        ]
    )


settings_options = _settings_options(tuple(model_settings.PRESETS))

sweep_settings_options = _settings_options(tuple(model_settings.PRESETS), ("score",))

judgeable_settings_options = _settings_options(("judged", *model_settings.PRESETS))
"""Like ``settings_options``, plus preset ``judged``, which is more than a choice of settings."""

representation_option = Declared(_TERMS, names=("representation",))

choose_by_option = output(
    "--choose-by",
    metavar="WAY",
    default="auto",
    help="What chooses the recommended k: estimate, count, consistency (S and T), or a number. auto: the first of "
    "these that can be believed, else half of --n.",
)

between_option = alike(
    "--between",
    type=["nothing-better", "plain", "none"],
    help="Rule of preset judged for pairs in two languages; none leaves them out.  [default: nothing-better]",
)

semantic_option = expert(
    "--semantic",
    is_flag=True,
    help="With preset judged: ask a sentence encoder about doubtful pairs (extra semantic; about .2 s per document).",
)

boilerplate_option = reads(
    "--boilerplate",
    metavar="FILE",
    type=FILE,
    help="Leave out the sentences listed in this file (from 'passages find --list-boilerplate').",
)

repeated_lines_option = expert(
    "--keep-repeated-lines", is_flag=True, help="Also compare lines that many documents repeat, such as footers."
)


class _Mode(click.ParamType[int]):
    """Permissions of a file in octal digits; the owner can always read and write."""

    name = "octal"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not re.fullmatch("0?[67][0-7]{2}", text):
            self.fail(f"{text!r} is not a mode; expected octal digits such as 640 or 660", param, ctx)
        return int(text, 8)


mode_option = expert(
    "--mode", type=_Mode(), help="Permissions of the file, such as 640 to let a group read it.  [default: 600]"
)

wide_option = output(
    "--wide", is_flag=True, help="On a terminal, print the whole table instead of counts and examples with titles."
)

prefix_option = expert("--prefix", default="", help="Prefix for the columns that --annotate adds.")

candidates_option = alike(
    "--candidates",
    type=["key-terms", "two-words"],
    default="key-terms",
    help="Consider pairs linked by key terms, or with the same two heaviest words (as in the paper).",
)

link_option = alike("--k", type=click.IntRange(1, 12), default=3, help="Shared key terms that link a pair, out of 12.")

_STREAM: Final = Declared("infostream_dedup.stream.settings:StreamSettings")

_STREAM_TERMS: Final = Declared(
    _TERMS,
    leave_out=("score", "background", "pivot"),
    # A stream has no dictionaries between languages, and no ranks of earlier terms.
    only=(
        ("representation", tuple(name for name in model_settings.REPRESENTATIONS if name != "pivot")),
        ("target", ("text", "signature")),
    ),
)


stream_options = stack([_STREAM, _STREAM_TERMS])
"""A store keeps those it was created with; for an existing store they may be left out."""


def pop_stream_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Remove the stream's settings from a command's values, and return those that were given."""
    names = [option.name or "" for record in (_STREAM, _STREAM_TERMS) for option in record.options()]
    chosen = {name: value for name in names if (value := given.pop(name)) not in (None, ())}
    if "join" in chosen:
        chosen["join"] = tuple(name.strip() for name in chosen["join"].split(","))
    if chosen.get("window_days") == 0:
        chosen["window_days"] = None
    return chosen


# What a command takes from a file of thresholds that --config names, and what it says about it


_TAKE: Final[Mapping[str, tuple[str, str | None]]] = {
    "pairs": ("k", "min_probability"),
    "dedup": ("k", "join"),
    "evaluate": ("choose_by", None),
    "ingest": ("k_duplicate", "join"),
    "serve": ("k_duplicate", "join"),
}
"""By command, the parameter that takes k, and the one that preset ``judged`` takes."""


def take_thresholds(context: click.Context, given: dict[str, Any]) -> None:
    """Put thresholds of a file among the values of a command, and say which; typed values stay."""
    thresholds: model_settings.Thresholds | None = context.meta.get("thresholds")
    if thresholds is None:
        return
    name = context.command.name or ""
    if name in ("retune", "fork"):
        return
    if name not in _TAKE:
        raise ConfigurationError(f"{thresholds.path}: '{name}' takes no thresholds; {', '.join(_TAKE)} do")
    if given.get("store") is not None and Path(given["store"]).exists():
        from infostream_dedup.api.store import same_thresholds

        names, left = same_thresholds(given["store"], thresholds)
        said = _said(f"{', '.join(names)} as {given['store']} has it", list(left))
    else:
        said = _take(context, thresholds, given, *_TAKE[name])
    if not RUN.quiet:
        RUN.say(f"{thresholds.path}: {said}")


def _take(
    context: click.Context,
    thresholds: model_settings.Thresholds,
    given: dict[str, Any],
    k_name: str,
    judged_name: str | None,
) -> str:
    judged = given.get("preset") == "judged"
    left = [f"k of {name}" for name in thresholds.ks]
    others = [f"[judged] {name}" for name in thresholds.judged]
    if judged:
        if judged_name is None or judged_name not in thresholds.judged:
            raise ConfigurationError(f"{thresholds.path}: [judged] says nothing that '{context.command.name}' reads")
        value = thresholds.judged[judged_name]
        taken = f"{judged_name} = {', '.join(value) if isinstance(value, list) else f'{value:g}'}"
        _set(context, given, judged_name, ",".join(value) if isinstance(value, list) else value)
        return _said(f"{taken} (preset judged)", [*left, *(one for one in others if not one.endswith(judged_name))])
    names = ("representation", "weighting", "df_min", "n", "score", "target", "preset")
    settings = model_settings.Settings.of(**{name: given.get(name) for name in names})
    k = thresholds.k_for(settings)
    series = model_settings.series_of(
        settings.representation, settings.weighting, middle=settings.df_min == model_settings.MIDDLE_SHARE
    )
    _set(context, given, k_name, k)
    if k_name == "k_duplicate" and k < (given.get("k_similar") or 4):
        _set(context, given, "k_similar", k)
    preset = "" if k_name == "choose_by" else f" (preset {given.get('preset') or 'faithful'})"
    return _said(f"k = {k} of {series}{preset}", [one for one in left if one != f"k of {series}"] + others)


def _set(context: click.Context, given: dict[str, Any], name: str, value: Any) -> None:
    """Set a value, unless the user typed another."""
    if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
        given[name] = value


def _said(taken: str, left: list[str]) -> str:
    return f"took {taken}" + (f"; not taken: {', '.join(left)}" if left else "")
