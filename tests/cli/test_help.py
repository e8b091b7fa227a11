"""Every command shows examples that it would accept."""

import shlex

import click
import pytest

from infostream_dedup.cli import cli


def commands(group: click.Group = cli, before: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = []
    for name, command in group.commands.items():
        path = (*before, name)
        found += commands(command, path) if isinstance(command, click.Group) else [(path, command)]
    return found


@pytest.mark.parametrize(
    ("path", "command"), commands(), ids=lambda one: " ".join(one) if isinstance(one, tuple) else ""
)
def test_the_examples_of_a_command_are_commands(path: tuple[str, ...], command: click.Command) -> None:
    lines = [line.strip() for line in (command.epilog or "").splitlines() if "infostream-dedup" in line]
    assert lines, "no example"
    for line in lines:
        words = shlex.split(line.partition(" | ")[0].partition(" < ")[0].partition(" > ")[0])
        assert tuple(words[1 : 1 + len(path)]) == path, line
        context = command.make_context(path[-1], words[1 + len(path) :], resilient_parsing=False)
        with context:
            assert context.params is not None
        shown = command.get_help(click.Context(command, info_name=" ".join(path)))
        assert line.split(" --")[0] in shown, "examples keep their lines"
        assert "\\" not in shown, "an escape that was not read as one"


def test_help_names_a_default_format_once_if_it_is_the_same_everywhere() -> None:
    helps = {
        path: option.help
        for path, command in commands()
        for option in command.params
        if isinstance(option, click.Option) and option.name == "output_format"
    }
    assert str(helps["ingest",]).endswith("[default: jsonl]")
    assert str(helps["sweep",]).endswith("[default: table on a terminal, json otherwise]")
