"""Benchmarks: the commands beside those of another checkout, and the parts of make bench."""

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.__main__ import _list_parts
from benchmarks.commands import CannotRunError, News, _checksum, _rows

# ``python -m benchmarks.commands``: the commands beside those of another checkout, which may be an older one.


ROOT = Path(__file__).parents[2]
REFUSAL = "Error: No such option '--no-estimate'."
OLDER = f"""\
import sys
if "--no-estimate" in sys.argv:
    sys.exit("Usage: infostream-dedup sweep\\n\\n{REFUSAL}")
print("rows of an older version")
"""
NEWER = "print('rows')"
FIGURES = ("wall_seconds", "cpu_seconds", "peak_gigabytes", "output")


@pytest.fixture
def checkouts(tmp_path) -> dict[str, Path]:
    """Two checkouts whose commands take no time; the other does not know ``--no-estimate``."""
    found = {}
    for name, code in (("here", NEWER), ("against", OLDER)):
        package = tmp_path / name / "infostream_dedup"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(code)
        found[name] = package.parent
    return found


@pytest.fixture
def news(tmp_path) -> News:
    path = tmp_path / "news.jsonl"
    path.write_bytes(b"".join(b'{"id":"d%d","text":"one"}\n' % number for number in range(4)))
    return News(path, tmp_path, 4)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the benchmark once, as people do: so few documents need no compiled loops."""
    command = [sys.executable, "-m", "benchmarks.commands", "--runs", "1", *arguments]
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_what_the_other_checkout_does_not_know_is_left_blank(checkouts, news, capsys):
    rows = [row for name in ("sweep", "dedup") for row in _rows(name, checkouts, news, 2)]
    assert [(row["command"], row["checkout"], row["wall_seconds"] is None) for row in rows] == [
        *(("sweep", "here", False), ("sweep", "here", False), ("sweep", "against", True)),
        *(("dedup", "here", False), ("dedup", "against", False)) * 2,
    ]
    for row in rows:
        assert row["documents"] == 4
        assert len({row[name] is None for name in FIGURES}) == 1
    line = "infostream-dedup sweep DOCS --no-estimate --format jsonl --representation stem --quiet"
    assert capsys.readouterr().err == f"{checkouts['against']} cannot run '{line}': {REFUSAL}\n"


def test_what_fails_here_ends_the_run(checkouts, news):
    turned = {"here": checkouts["against"], "against": checkouts["here"]}
    with pytest.raises(CannotRunError, match=re.escape(REFUSAL)):
        list(_rows("sweep", turned, news, 1))


def test_a_command_that_fails_without_a_word_is_named_with_its_exit_code(checkouts, news):
    (checkouts["here"] / "infostream_dedup" / "__main__.py").write_text("import os; os._exit(9)")
    with pytest.raises(CannotRunError, match=r"cannot run 'infostream-dedup pairs DOCS .*': exit code 9$"):
        list(_rows("pairs", checkouts, news, 1))


def test_a_folder_without_the_package_is_refused(tmp_path):
    done = run("--against", str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.endswith(f"error: --against: there is no infostream_dedup in {tmp_path}\n")


@pytest.mark.parametrize(
    ("names", "reason"), [("sweep,swep", "no command 'swep'"), ("pairs,compare", "compare: only for made-up news")]
)
def test_commands_that_cannot_be_timed_are_refused(names, reason):
    done = run("--file", "news.jsonl", "--only", names)
    assert done.returncode == 2
    assert reason in done.stderr.splitlines()[-1]


def test_every_two_of_the_first_documents_of_a_story_are_labelled(news):
    files = replace(news, stories=[7, 5, 7, 7]).first(3, labels=True)
    assert files["DOCS"].read_bytes() == b"".join(news.path.read_bytes().splitlines(keepends=True)[:3])
    assert files["LABELS"].read_bytes() == b'{"a":"d0","b":"d2","label":"dup"}\n'


def test_the_checksum_leaves_out_seconds_and_nothing_else(tmp_path):
    def checksum(row: object) -> str:
        path = tmp_path / "answer"
        path.write_text(json.dumps(row))
        return _checksum(path)

    row = {"method": "md5", "pairs": 9, "cpu_seconds": 0.0924, "seconds": 1.5e-05}
    assert checksum(row) == checksum(row | {"cpu_seconds": 3, "seconds": 0.25})
    assert checksum(row) != checksum(row | {"pairs": 8})


@pytest.mark.slow
def test_made_up_news_have_labels_for_the_commands_that_need_them():
    done = run("--documents", "60", "--only", "evaluate,compare")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["command"], row["documents"]) for row in rows] == [("evaluate", 60), ("compare", 60)]


# The sizes at which ``make bench`` runs its parts.


def options_of(part: str, monkeypatch: pytest.MonkeyPatch, *, month: bool) -> argparse.Namespace:
    """What the benchmark of a part reads from the command line that it is given."""
    command = _list_parts(month, "1", None)[part]
    monkeypatch.setattr(sys, "argv", command)
    options: argparse.Namespace = importlib.import_module(command[0])._arguments()
    return options


def test_all_commands_are_timed(monkeypatch):
    assert {"sweep estimated", "evaluate", "compare", "passages"} < set(
        options_of("commands", monkeypatch, month=False).only
    )
