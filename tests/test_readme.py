"""The commands of the README run, the reference lists every command, and examples in docstrings are true."""

import csv
import doctest
import importlib
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import infostream_dedup
from infostream_dedup.sample import documents_path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^infostream-dedup ((?:sweep|pairs|dedup) .*)$", README, re.MULTILINE)
PACKAGE = Path(infostream_dedup.__file__).parent
MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__main__.py"
}


@pytest.mark.parametrize("name", [name for name, path in MODULES.items() if ">>> " in path.read_text("utf-8")])
def test_examples_in_docstrings_are_true(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_every_module_can_be_imported():
    for name in MODULES:
        importlib.import_module(name)


@pytest.fixture
def news(tmp_path, monkeypatch):
    """A table with the columns that the README names, in an empty folder."""
    rows = infostream_dedup.read_documents(documents_path())
    with (tmp_path / "news.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("ID", "Title", "Text"), *((one.id, one.title, one.text) for one in rows)])
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("news")
def test_the_first_commands_run(command):
    from infostream_dedup.cli import cli

    done = CliRunner().invoke(cli, shlex.split(command))
    assert done.exit_code == 0, done.output


def test_the_readme_has_its_three_commands():
    assert [command.split()[0] for command in COMMANDS] == ["dedup", "pairs", "sweep"]
    assert len(README.splitlines()) <= 150


def test_every_command_is_listed():
    from infostream_dedup.cli import cli

    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for name in cli.commands:
        assert re.search(rf"\| `infostream-dedup {name}\b", page), name


def test_the_pages_count_the_methods_there_are():
    from infostream_dedup.lab.methods import methods

    pages = [README, *(path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md"))]
    found = re.findall(r"(\d+) methods|all (\d+) names", "\n".join(pages))
    assert found
    assert {int(first or second) for first, second in found} == {len(methods())}


def test_everything_public_can_be_had():
    for name in infostream_dedup.__all__:
        assert getattr(infostream_dedup, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        infostream_dedup.nothing  # noqa: B018
