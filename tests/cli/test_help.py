"""Every command shows examples that it would accept, its options in groups, and the general ones once."""

import dataclasses
import shlex
from typing import Annotated

import click
import pytest
from click.testing import CliRunner

from infostream_dedup.api.keywords import KEYWORDS
from infostream_dedup.cli import cli
from infostream_dedup.cli.face import COMMON, GENERAL, Command, Declared, GroupedOption
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import settings
from infostream_dedup.model.limits import EXPERT, OUTPUT, Range, check_limits
from infostream_dedup.model.limits import Option as Shown


def commands(group: click.Group = cli, before: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found = []
    for name, command in group.commands.items():
        path = (*before, name)
        found += commands(command, path) if isinstance(command, click.Group) else [(path, command)]
    return found


def shown(*words: str) -> str:
    return CliRunner().invoke(cli, list(words), env={"COLUMNS": "100"}).output


@pytest.mark.parametrize(("path", "command"), commands(), ids=lambda it: " ".join(it) if isinstance(it, tuple) else "")
def test_the_examples_of_a_command_are_commands(path: tuple[str, ...], command: click.Command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.toml").touch()
    lines = [line.strip() for line in (command.epilog or "").splitlines() if "infostream-dedup" in line]
    assert len(lines) >= 2
    text = command.get_help(click.Context(command, info_name=" ".join(path)))
    for line in lines:
        words = shlex.split(line.partition(" | ")[0].partition(" < ")[0].partition(" > ")[0])
        assert tuple(words[1 : 1 + len(path)]) == path, line
        context = command.make_context(path[-1], words[1 + len(path) :], resilient_parsing=False)
        with context:
            assert context.params is not None
        assert line in text, "examples keep their lines"
        assert "\\" not in text, "an escape that was not read as one"


@pytest.mark.parametrize(("path", "command"), commands(), ids=lambda it: " ".join(it) if isinstance(it, tuple) else "")
def test_help_begins_with_examples_and_ends_with_experts_and_common_options(path, command) -> None:
    text = shown(*path, "--help")
    parts = text.split("\n\n")
    assert parts[0].startswith("Usage: ")
    assert parts[1].startswith("Examples:\n")
    titles = [part.partition("\n")[0] for part in parts if part.partition("\n")[0].endswith(":")]
    assert titles[-1] == f"{COMMON}:"
    assert f"{EXPERT}:" not in titles[:-2]
    for option in command.params:
        if isinstance(option, click.Option):
            assert isinstance(option, GroupedOption), option.name
            assert option.help or option.name == "help", option.name
            assert option.group != COMMON or f"\n  {option.opts[0]} " not in text or option.opts[0] == "--format"


def test_ingest_shows_at_most_25_options_to_most_people() -> None:
    options = [one for one in cli.commands["ingest"].params if isinstance(one, GroupedOption)]
    assert sum(one.group not in (EXPERT, COMMON) for one in options) <= 25


def test_general_options_are_explained_once() -> None:
    text = shown("help", "common")
    for flag in ("--quiet", "--log-format", "--log-level", "--summary", "--config", "--format", "--csv-dialect"):
        assert flag in GENERAL
        assert f"\n  {flag} " in text
    asked = shown("help", "store", "groups"), shown("store", "groups", "--help")
    assert asked[0].partition("Examples")[2] == asked[1].partition("Examples")[2]
    assert CliRunner().invoke(cli, ["help", "stores"]).exit_code == 2


@pytest.mark.parametrize("words", [
    ("--quiet", "--format", "json", "dictionaries", "show", "завод", "--lang", "ru"),
    ("--format=json", "dictionaries", "--quiet", "show", "завод", "--lang", "ru"),
    ("dictionaries", "show", "завод", "--lang", "ru", "--format", "json", "--quiet"),
])  # fmt: skip
def test_general_options_stand_before_or_after_the_name(words) -> None:
    done = CliRunner().invoke(cli, list(words))
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("[")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Settings(settings.Settings):
    """Settings with one more field."""

    patience: Annotated[int, Range(1, 9), Shown("Times to look again.", OUTPUT)] = 3

    def __post_init__(self) -> None:
        check_limits(self)


def test_a_setting_declared_once_is_an_option_a_keyword_and_in_the_help(monkeypatch) -> None:
    monkeypatch.setattr(settings, "Settings", _Settings)
    seen = {}

    @Declared("infostream_dedup.model.settings:Settings")
    def command(**given) -> None:
        seen.update(given)

    made = click.command("try", cls=Command)(command)
    group = CliRunner().invoke(made, ["--help"]).output.partition(f"{OUTPUT}:")[2]
    for words in ("--patience INTEGER RANGE", "Times to look again.  [default: 3]", "[1<=x<=9]"):
        assert words in group
    assert CliRunner().invoke(made, ["--patience", "5"]).exit_code == 0
    assert (seen["patience"], seen["n"]) == (5, None)
    assert CliRunner().invoke(made, ["--patience", "10"]).exit_code == 2
    assert "patience" in KEYWORDS["DedupKeywords"].names()
    assert _Settings(patience=4).patience == 4
    with pytest.raises(ConfigurationError, match="patience is 10"):
        _Settings(patience=10)


RULES = [
    ("sweep", "d.jsonl", "--store", "s.db"), ("sweep",), ("sweep", "d.jsonl", "--xlsx"),
    ("sweep", "d.jsonl", "--since", "2026-01-01"), ("sweep", "--store", "s.db", "--make-ids"),
    ("sweep", "--store", "s.db", "--workdir", "w"), ("sweep", "--store", "s.db", "--planted"),
    ("ingest", "d.jsonl", "--store", "s.db", "--keep", "originals", "--annotate"),
    ("ingest", "d.jsonl", "--store", "s.db", "--batch-seconds", "1"), ("search", "--store", "s.db"),
    ("search", "--store", "s.db", "--text", "a", "--id", "b"),
    ("audit", "d.jsonl", "--out", "o.jsonl", "--judged", "j.jsonl"), ("compare", "d.jsonl", "--out-labels", "o.jsonl"),
    ("serve", "--new-token", "desk"), ("serve",), ("train", "d.jsonl", "--labels", "l.jsonl"),
    ("passages", "find", "d.jsonl", "--novel", "--digests"), ("passages", "find", "d.jsonl", "--min-days", "2"),
    ("passages", "find", "d.jsonl", "--list-boilerplate", "--boilerplate", "b.jsonl"),
    ("passages", "provenance", "d.jsonl", "--original", "--html", "p.html"),
    ("pairs", "d.jsonl", "--csv-dialect", "excel"),
]  # fmt: skip


@pytest.mark.parametrize("words", RULES, ids=" ".join)
def test_options_that_need_or_exclude_others(words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, list(words))
    assert done.exit_code == 2, done.output
    assert "Error: " in done.output
    assert not list(tmp_path.iterdir())


def test_help_names_a_default_format_once_if_it_is_the_same_everywhere() -> None:
    assert "[default: jsonl]" in shown("ingest", "--help")
    assert "[default: table on a terminal, json otherwise]" in " ".join(shown("sweep", "--help").split())
