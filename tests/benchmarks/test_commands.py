"""Benchmarks of commands: what is labelled, and what a checksum leaves out."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.commands import News, _checksum

ROOT = Path(__file__).parents[2]


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
