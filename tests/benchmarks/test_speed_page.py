"""reports/speed.md from whatever has been measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed_page import speed_page


def page_of(folder: Path, **parts: Any) -> str:
    """The page made of these measurements and no others."""
    for name, report in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(report))
    return speed_page(folder)


@pytest.fixture
def commands() -> dict[str, Any]:
    """Two runs of a command here, and one that another checkout does not know."""
    names = ("command", "checkout", "documents", "wall_seconds", "cpu_seconds", "peak_gigabytes")
    rows = [
        ("sweep", "here", 20_000, 3.25, 5.5, 0.5),
        ("sweep", "here", 20_000, 3.5, 5.25, 0.5),
        ("sweep", "against", 20_000, None, None, None),
    ]
    return {"rows": [dict(zip(names, row, strict=True)) for row in rows]}


def test_parts_that_were_not_measured_are_left_out(tmp_path):
    assert "## Commands" not in page_of(tmp_path)


def test_a_command_without_figures_has_dashes(tmp_path, commands):
    rows = [line for line in page_of(tmp_path, commands=commands).splitlines() if line.startswith("| sweep")]
    assert rows == ["| sweep | here | 20,000 | 3.25 | 5.25 | 0.5 |", "| sweep | against | 20,000 | - | - | - |"]
