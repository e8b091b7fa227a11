"""How a command looks: examples first, options in titled groups, general options once and on either side of its name.

Options of records (``Settings``, ``StreamSettings``, ``Reading``, ``PassageSettings``) are made from their fields when
a command first needs them, so that the list of commands starts without the rooms of these records.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import click
from click.core import ParameterSource

from infostream_dedup.model.limits import ALIKE, EXPERT, LARGE, OUTPUT, READS, OneOf, Range, record_named
from infostream_dedup.model.limits import Option as Shown

Function = Callable[..., Any]
_F = TypeVar("_F", bound=Function)
COMMON: Final = "Common options"
ACCESS: Final = "Addresses and access"
_TITLES: Final = (READS, ACCESS, ALIKE, OUTPUT, LARGE, EXPERT)


GENERAL: Final[dict[str, click.Option]] = {}  # the general options by flag; each is entered when a command takes it


class GroupedOption(click.Option):
    """An option with the title of its group; a list as type is a choice, and a default that says something is shown."""

    def __init__(self, *names: Any, group: str = OUTPUT, **given: Any) -> None:
        if isinstance(given.get("type"), list):
            given["type"] = click.Choice(given["type"])
        default = given.get("default")
        says = default not in (None, "", "-") and not isinstance(default, bool)
        super().__init__(*names, **{"show_default": says, **given})
        self.group = group
        if group == COMMON:
            GENERAL.update(dict.fromkeys(self.opts, self))


reads = functools.partial(click.option, cls=GroupedOption, group=READS)
alike = functools.partial(click.option, cls=GroupedOption, group=ALIKE)
output = functools.partial(click.option, cls=GroupedOption, group=OUTPUT)
large = functools.partial(click.option, cls=GroupedOption, group=LARGE)
expert = functools.partial(click.option, cls=GroupedOption, group=EXPERT)
access = functools.partial(click.option, cls=GroupedOption, group=ACCESS)
common = functools.partial(click.option, cls=GroupedOption, group=COMMON)


@dataclass(frozen=True)
class Declared:
    """The options of a record, made when they are needed."""

    record: str
    names: tuple[str, ...] | None = None
    leave_out: tuple[str, ...] = ()
    only: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unset: bool = True

    def __call__(self, function: _F) -> _F:
        """Add the options to a command."""
        function.__dict__.setdefault("__click_params__", []).append(self)
        return function

    def options(self) -> list[GroupedOption]:
        """The options in the order of the fields."""
        record, only = record_named(self.record), dict(self.only)
        hints = get_type_hints(record, include_extras=True)
        found = {one.name: (one, hints[one.name]) for one in fields(record)}
        chosen = found if self.names is None else {name: found[name] for name in self.names}
        made = [
            _option(one, hint, shown, only.get(name), unset=self.unset)
            for name, (one, hint) in chosen.items()
            for shown in _marks(hint)
            if isinstance(shown, Shown)
        ]
        return [option for option in made if option.name not in self.leave_out]


def _marks(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__metadata__", ())


def _option(one: Field[Any], hint: Any, shown: Shown, only: tuple[str, ...] | None, *, unset: bool) -> GroupedOption:
    default = None if one.default is MISSING else one.default
    flag = shown.flag or one.name.replace("_", "-")
    if isinstance(default, bool):
        words = flag if default else None
        flag = f"{flag}/--no-{flag}" if default else flag
        kind: dict[str, Any] = {"is_flag": True, "default": None if unset else default}
    else:
        words = shown.default or (None if default in (None, ()) else _words(default))
        value = None if unset or shown.many else default
        kind = {"type": _type(hint, only), "multiple": shown.many, "default": value}
        if only is None:
            kind["metavar"] = shown.metavar
    text = shown.help if words is None else f"{shown.help}  [default: {words}]"
    return GroupedOption([f"--{flag}", one.name], help=text, group=shown.group, show_default=False, **kind)


def _words(default: Any) -> str:
    return f"{default:g}" if isinstance(default, float) else str(default)


def _type(hint: Any, only: tuple[str, ...] | None) -> Any:
    """The type of the values: whole numbers and names are checked by click, shares and days by the record itself."""
    kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if Path in parts:
        return click.Path(dir_okay=False)
    choices = only or next((mark.values for mark in marks if isinstance(mark, OneOf)), None)
    if choices is None and get_origin(parts[0]) is Literal:
        choices = get_args(parts[0])
    if choices is not None:
        return click.Choice(list(choices))
    if int in parts:
        limit = next((mark for mark in marks if isinstance(mark, Range)), Range(0))
        return click.IntRange(int(limit.low), None if limit.high >= 2**31 - 1 else int(limit.high))
    return float if float in parts else str


@dataclass(frozen=True)
class Needs:
    """``option`` needs one of ``others``, or what ``words`` says, if it is typed or in a configuration."""

    option: str
    others: tuple[str, ...]
    typed: bool = False

    def broken(self, context: click.Context) -> str | None:
        """Say what is missing."""
        if _is_given(context, self.option, typed=self.typed) and not any(
            _is_given(context, one) for one in self.others
        ):
            return f"{_flag(context, self.option)} needs {_either(context, self.others)}"
        return None


@dataclass(frozen=True)
class Excludes:
    """At most one of ``options`` may be given; exactly one if ``needed``."""

    options: tuple[str, ...]
    needed: bool = False

    def broken(self, context: click.Context) -> str | None:
        """Say which options exclude each other."""
        given = [one for one in self.options if _is_given(context, one)]
        if self.needed and len(given) != 1:
            return f"give either {_either(context, self.options)}"
        return f"{' and '.join(_flag(context, one) for one in given)} exclude each other" if len(given) > 1 else None


Rule = Needs | Excludes


def _is_given(context: click.Context, name: str, *, typed: bool = False) -> bool:
    """Whether an option says something: a value other than its default, or one typed by the user."""
    value = context.params.get(name)
    if value in (None, False, ()):
        return False
    source = context.get_parameter_source(name)
    if typed or source is ParameterSource.COMMANDLINE:
        return source is ParameterSource.COMMANDLINE
    return source is not ParameterSource.DEFAULT and value != _parameter(context, name).get_default(context)


def _parameter(context: click.Context, name: str) -> click.Parameter:
    return next(one for one in context.command.params if one.name == name)


def _flag(context: click.Context, name: str) -> str:
    parameter = _parameter(context, name)
    if isinstance(parameter, click.Option):
        return parameter.opts[0]
    return str(getattr(parameter, "metavar", None) or name).strip("[].")


def _either(context: click.Context, names: Sequence[str]) -> str:
    flags = [_flag(context, name) for name in names]
    return flags[0] if len(flags) == 1 else f"{', '.join(flags[:-1])} or {flags[-1]}"


def check_rules(context: click.Context) -> None:
    """Refuse options that need or exclude others; each command lists its rules."""
    for rule in getattr(context.command, "rules", ()):
        if message := rule.broken(context):
            raise click.UsageError(message, context)


class _WithExamples(click.Command):
    """Help that begins with examples."""

    def __init__(self, name: str | None = None, *, examples: Sequence[str] = (), **more: Any) -> None:
        # Each line of such a block is shown as it is.
        lines = "\n".join(f"  infostream-dedup {line}" for line in examples)
        super().__init__(name, epilog=f"\b\nExamples:\n{lines}" if examples else None, **more)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, examples, text and options."""
        self.format_usage(ctx, formatter)
        if self.epilog:
            formatter.write_paragraph()
            formatter.write_text(self.epilog)
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)


class Command(_WithExamples):
    """A command whose help shows its options in groups, those for experts last."""

    def __init__(self, name: str | None, *, rules: Iterable[Rule] = (), **more: Any) -> None:
        self._params: list[Any] = []
        super().__init__(name, **more)
        self.rules = tuple(rules)

    @property
    def params(self) -> list[click.Parameter]:
        """The parameters; those of records are made at the first call."""
        if any(isinstance(one, Declared) for one in self._params):
            made = ([*one.options()] if isinstance(one, Declared) else [one] for one in self._params)
            self._params = [option for options in made for option in options]
        return self._params

    @params.setter
    def params(self, given: list[click.Parameter]) -> None:
        self._params = given

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups."""
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in _TITLES}
        for parameter in self.params:
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, GroupedOption) and parameter.group != COMMON:
                groups[parameter.group].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)
        _write_common(self, formatter)


def _write_common(command: click.Command, formatter: click.HelpFormatter) -> None:
    offered = [one for one in command.params if isinstance(one, GroupedOption) and one.group == COMMON]
    flags = ", ".join(one.opts[0] for one in offered if one.name != "output_format")
    with formatter.section(COMMON):
        for one in offered:
            if one.name == "output_format" and isinstance(one.type, click.Choice):
                choices, _, default = "|".join(one.type.choices), *(one.help or "").partition("  ")[1:]
                formatter.write_text(f"--format {choices}  {default}")
        formatter.write_text(f"{flags or 'Before or after the command'}: see 'infostream-dedup help common'")


_WHOLE: Final = 400  # letters of a first sentence: none is cut


class Commands(_WithExamples, click.Group):
    """A group of commands, which hands general options on to the command that follows them."""

    command_class = Command

    def __init__(self, name: str | None = None, *, parts: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(name, **more)
        self._parts = parts or {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, by what people do with it."""
        names = self.list_commands(ctx)
        placed = {name for part in self._parts.values() for name in part.split()}
        parts = {**{title: part.split() for title, part in self._parts.items()}}
        parts |= {"Commands" if not parts else "Others": [name for name in names if name not in placed]}
        for title, listed in parts.items():
            if listed:
                with formatter.section(title):
                    formatter.write_dl([(name, self.commands[name].get_short_help_str(_WHOLE)) for name in listed])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move general options from before the name of a command to after it."""
        before: list[str] = []
        rest = list(args)
        while rest and (flag := rest[0].partition("=")[0]) in GENERAL:
            takes = 1 if "=" in rest[0] or GENERAL[flag].is_flag else 2
            before, rest = before + rest[:takes], rest[takes:]
        name = rest[:1] if rest and not rest[0].startswith("-") else []
        return super().parse_args(ctx, [*name, *before, *rest[len(name) :]] if name else args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, and where the general options are explained."""
        self.format_commands(ctx, formatter)
        _write_common(self, formatter)


command = functools.partial(click.command, cls=Command)
store_argument = click.argument("file", metavar="STORE", type=click.Path(path_type=Path))
