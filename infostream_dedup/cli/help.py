"""``help``: help on a command, or on the options that all commands share."""

from __future__ import annotations

import click

from infostream_dedup.cli.face import COMMON, GroupedOption, command
from infostream_dedup.cli.options import general_options


@command("help", examples=["help common", "help store groups"])
@click.argument("words", metavar="[COMMAND...]", nargs=-1)
@click.pass_context
def help_command(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, or with 'help common' the options that all commands share."""
    if words == ("common",):
        click.echo(_common())
        return
    found, parent = context.find_root().command, context.find_root()
    for word in words:
        next_one = found.get_command(parent, word) if isinstance(found, click.Group) else None
        if next_one is None:
            raise click.UsageError(f"no such command: {' '.join(words)}", context)
        found, parent = next_one, click.Context(next_one, parent=parent, info_name=word)
    click.echo(found.get_help(parent))


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
