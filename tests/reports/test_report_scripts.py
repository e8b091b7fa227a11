"""Report scripts run with the package as it is: on a part of the labelled corpora, and one on the bundled sample."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.sample import documents_path

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
MOST_OF_A_LABEL = 40
MOST_UNLABELLED = 100
LIMIT = 600  # seconds that a script may take

SETS = ("uagec", "wmt", "ntrex", "multilingual", "slavictopics", "tgpairs", "mdnews")
"""What make_confirmed.py shows, in its order."""

PAGES = {
    "make_quality.py": "quality.md sweeps.csv without-labels.md",
    "make_comparison.py": "comparison.md comparison.csv speed.md", "make_verdicts.py": "quality.md",
    "make_confirmed.py": "without-labels.md", "make_pivot.py": "cross-language.md",
    "make_criteria.py": "criteria.md", "make_passages.py": "passages.md",
    "make_stream.py": "stream.md", "make_word_order.py": "cross-language.md",
    "make_coverage.py": "cross-language.md", "make_readings.py": "readings.md",
}  # fmt: skip
"""Scripts of ``make reports`` and what they write."""

BY_HAND = {
    "make_without_labels.py --set tgpairs --representation stem": "without-labels.csv without-labels.md",
    "make_advice.py --set uagec": "advice.csv advice.md",
    "make_paper.py": "paper.md paper.html figures/paper-sample-symmetry.svg",
}
"""Scripts that `make reports` does not run."""


@pytest.fixture(scope="module")
def part_of_the_corpora(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the scripts, beside a part of each labelled corpus."""
    reports, data = _folders(tmp_path_factory.mktemp("part"))
    for source in sorted(corpora.glob("*.docs.jsonl.gz")):
        name = source.name.removesuffix(".docs.jsonl.gz")
        documents, labels_file = list(_rows(source)), corpora / f"{name}.labels.jsonl.gz"
        if labels_file.exists():
            labels = _some_of_each_label(list(_rows(labels_file)))
            named = {row[end] for row in labels for end in ("a", "b")}
            documents = [row for row in documents if row["id"] in named]
            _write(data / labels_file.name, labels)
        else:
            documents = documents[:MOST_UNLABELLED]
        _write(data / source.name, documents)
        kin_file, families = corpora / f"{name}.kin.jsonl.gz", {row.get("family") for row in documents}
        if kin_file.exists():
            kin = (row for row in _rows(kin_file) if {row["family_a"], row["family_b"]} <= families)
            _write(data / kin_file.name, kin)
    return reports


@pytest.mark.corpus
@pytest.mark.parametrize("command", [*PAGES, *BY_HAND])
def test_a_script_writes_its_pages(command: str, part_of_the_corpora: Path) -> None:
    _run(part_of_the_corpora, command)
    for name in (PAGES | BY_HAND)[command].split():
        assert (part_of_the_corpora / name).stat().st_size > 0


def test_a_quick_script_runs_on_the_sample(tmp_path: Path) -> None:
    reports, data = _folders(tmp_path)
    lines = documents_path().read_bytes().splitlines(keepends=True)
    for place, name in enumerate(SETS):
        (data / f"{name}.docs.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[: 40 + place])))
    _run(reports, "make_confirmed.py")
    answers = (reports / "without-labels.md").read_text(encoding="utf-8").partition("## The answer")[2]
    assert re.findall(r"^\| (\w+) \| (\d+) \|", answers, re.MULTILINE)[: len(SETS)] == [
        (name, str(40 + place)) for place, name in enumerate(SETS)
    ]


def test_every_script_of_the_target_is_listed() -> None:
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nreports:")[2].partition("\n\n")[0]
    assert re.findall(r"reports/(\w+\.py)", target) == list(PAGES)


def _some_of_each_label(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for label in sorted({row["label"] for row in rows}):
        own = [row for row in rows if row["label"] == label]
        found += own[:: -(-len(own) // MOST_OF_A_LABEL)]
    return found


def _folders(base: Path) -> tuple[Path, Path]:
    """Folders of scripts and of corpora, beside each other as in a checkout; the first has the scripts."""
    reports, data = base / "main" / "reports", base / "shared" / "data"
    reports.mkdir(parents=True)
    data.mkdir(parents=True)
    for script in (ROOT / "reports").glob("*.py"):
        shutil.copy(script, reports)
    shutil.copy(ROOT / "reports" / "readings.tsv", reports)
    return reports, data


def _run(reports: Path, command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    script, *options = command.split()
    done = subprocess.run(
        [sys.executable, str(reports / script), *options], cwd=reports.parent, env=environment, capture_output=True,
        text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
