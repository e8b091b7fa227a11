"""``config`` (what a configuration may say, whether a file is right), ``help``, ``warm``, completion, manual pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

import infostream_dedup as api
from infostream_dedup.cli.face import COMMON, Commands, GroupedOption, command, output, reads
from infostream_dedup.cli.options import general_options, read_configuration
from infostream_dedup.cli.output import chosen_format, note, print_rows, progress_bar


@command("help", examples=["help common", "help store groups"])
@click.argument("words", metavar="[COMMAND...]", nargs=-1)
@click.pass_context
def help_command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, or with 'help common' the options that all commands share."""
    if words == ("common",):
        click.echo(_common())
        return
    named = _context_of(context, words)
    click.echo(named.command.get_help(named))


def _context_of(context: click.Context, words: Sequence[str]) -> click.Context:
    """The context of the command that words name; without a word, of the whole program."""
    found = context.find_root()
    for word in words:
        further = found.command.get_command(found, word) if isinstance(found.command, click.Group) else None
        if further is None:
            raise click.UsageError(f"no such command: {' '.join(words)}", context)
        found = click.Context(further, parent=found, info_name=word)
    return found


def _common() -> str:
    """The general options, as they are offered by commands with rows."""

    @command("common")
    @general_options("table", "jsonl", "json", "csv")
    def every() -> None: ...

    context = click.Context(every, info_name="infostream-dedup", max_content_width=110)
    formatter = context.make_formatter()
    formatter.write_text(
        "Options of every command, before or after its name, as in 'infostream-dedup --quiet dedup ...'. The formats "
        "of a command, and its default, are in its help; a command that prints no CSV has no --csv-dialect."
    )
    with formatter.section(COMMON):
        shown = [one for one in every.params if isinstance(one, GroupedOption) and one.group == COMMON]
        formatter.write_dl([record for one in shown if (record := one.get_help_record(context)) is not None])
    return formatter.getvalue().rstrip()


_LEFT_OUT: Final = ("config", "help")


@click.group(cls=Commands, examples=["config show ingest", "config check stream.toml --command ingest"])
def config() -> None:
    """Show what a --config file may say and whether one is right; complete commands in a shell; write manual pages."""


command_option = reads("--command", "name", metavar="COMMAND", required=True, help="Command that reads the file.")


def _configured(context: click.Context, name: str) -> click.Context:
    """The context of a command that reads a configuration."""
    found = _context_of(context, name.split())
    if isinstance(found.command, click.Group):
        raise click.UsageError(f"{name} has commands: {', '.join(found.command.commands)}; name one of them", context)
    return found


def schema_of(name: str, found: click.Command) -> dict[str, Any]:
    """The JSON Schema of a configuration of a command."""
    options = (one for one in found.params if isinstance(one, click.Option) and one.name not in _LEFT_OUT)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"infostream-dedup {name}",
        "type": "object",
        "properties": {one.opts[0].removeprefix("--"): _property(one) for one in options},
        "additionalProperties": False,
    }


def _property(option: click.Option) -> dict[str, Any]:
    kind = option.type
    one: dict[str, Any] = {"type": "string"}
    if option.is_flag:
        one = {"type": "boolean"}
    elif isinstance(kind, click.Choice):
        one = {"enum": list(kind.choices)}
    elif isinstance(kind, click.IntRange):
        limits = {"minimum": kind.min, "maximum": kind.max}
        one = {"type": "integer"} | {side: limit for side, limit in limits.items() if limit is not None}
    elif kind is click.INT or kind is click.FLOAT:
        one = {"type": "number" if kind is click.FLOAT else "integer"}
    elif kind.name == "N|auto":
        one = {"type": ["integer", "string"]}
    if option.multiple:
        one = {"anyOf": [one, {"type": "array", "items": one}]}
    if option.name == "columns":
        one = {"type": ["string", "object", "array"]}
    default = option.default
    told = {"default": default} if isinstance(default, str | int | float | bool) else {}
    return one | told | {"description": (option.help or "").replace("\n", " ")}


@config.command("show", examples=["config show ingest > ingest.schema.json", "config show ingest --toml"])
@click.argument("words", nargs=-1, required=True, metavar="COMMAND")
@output("--toml", is_flag=True, help="Print a file with every option as a comment instead, to be filled in.")
@general_options("table", "table")
@click.pass_context
def show(context: click.Context, words: tuple[str, ...], toml: bool) -> None:
    """Print the JSON Schema of the --config file of a command: names, types, limits and defaults of its options."""
    name = " ".join(words)
    found = _configured(context, name).command
    if not toml:
        click.echo(json.dumps(schema_of(name, found), ensure_ascii=False, indent=1))
        return
    for key, one in schema_of(name, found)["properties"].items():
        click.echo(f"# {one['description']}")
        click.echo(f"# {key} = {json.dumps(one['default'], ensure_ascii=False) if 'default' in one else '...'}")


@config.command(
    "check", examples=["config check stream.toml --command ingest", "config check nightly.toml --command dedup"]
)
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False))
@command_option
@general_options("table", "table")
@click.pass_context
def check(context: click.Context, path: str, name: str) -> None:
    """Check a --config file of a command; the exit code is 78 if it is wrong, and the message names the key."""
    inner = _configured(context, name)
    read_configuration(inner, inner.command.params[0], path)
    what = "thresholds" if "thresholds" in inner.meta else f"{len(inner.default_map or {})} options"
    note(f"{path}: {what}, right for {name}")


@config.command("completion", examples=["config completion bash", "config completion zsh"])
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@general_options("table", "table")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what completes commands and options in a shell; put it into its start-up file."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - one of click's own shells
    made = found(context.find_root().command, {}, "infostream-dedup", "_INFOSTREAM_DEDUP_COMPLETE")
    click.echo(made.source_template % made.source_vars())


@config.command("man", examples=["config man ~/.local/share/man/man1", "config man pages --quiet"])
@click.argument("folder", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path))
@general_options("table", "table")
@click.pass_context
def man(context: click.Context, folder: Path) -> None:
    """Write a manual page for each command into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = list(_pages(context.find_root().command, "infostream-dedup", None))
    for name, page in pages:
        (folder / f"{name}.1").write_text(page, encoding="utf-8")
    note(f"{len(pages)} pages in {folder}; read one with man infostream-dedup-dedup")


def _pages(found: click.Command, name: str, parent: click.Context | None) -> Any:
    """Yield the name and the text of the page of a command and of each below it."""
    context = click.Context(found, parent=parent, info_name=name.rpartition("-")[2] if parent else name)
    lines = [f'.TH "{name.upper()}" 1', ".SH NAME", f"{_roff(name)} \\- {_roff(found.get_short_help_str(400))}"]
    usage = " ".join(found.collect_usage_pieces(context))
    lines += [".SH SYNOPSIS", f"{_roff(context.command_path)} {_roff(usage)}", ".SH DESCRIPTION"]
    lines += [_roff(line.strip()) if line.strip() else ".PP" for line in (found.help or "").splitlines()]
    options = [one for one in found.params if isinstance(one, GroupedOption)]
    records = [record for one in options if (record := one.get_help_record(context)) is not None]
    lines += [".SH OPTIONS"] if records else []
    for flags, text in records:
        lines += [".TP", f"\\fB{_roff(flags)}\\fR", _roff(text)]
    yield name, "\n".join(lines) + "\n"
    if isinstance(found, click.Group):
        for further in found.list_commands(context):
            yield from _pages(found.commands[further], f"{name}-{further}", context)


def _roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


@command(examples=["warm", "warm --format json"])
@general_options("table", "json", "jsonl", "csv")
def warm(output_format: str | None) -> None:
    """Fill the tables of word forms and translations in the cache folder, so that the next command finds them there.

    For container images and machines that start often. Column: cpu_seconds.
    """
    with progress_bar() as progress:
        done = api.warm(progress=progress)
    print_rows([done.as_dict()], chosen_format(output_format, "table", "json"))
