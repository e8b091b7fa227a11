"""reports/speed.md from whatever has been measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed_page import speed_page
from benchmarks.stream_month import grown


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


def test_terms_have_a_line_for_each_step_and_dashes_where_only_one_index_was_measured(tmp_path):
    rows = [
        {"index": "a", "step": "5 new terms", "clock_ms": 4.5, "processor_ms": 2.5},
        {"index": "b", "step": "5 new terms", "clock_ms": 0.5, "processor_ms": 0.25},
        {"index": "b", "step": "later searches", "clock_ms": 1.5, "processor_ms": 1.25},
    ]
    page = page_of(tmp_path, terms={"terms": 1000, "megabytes": {"a": 56.7, "b": 33.5}, "rows": rows})
    assert "## New terms in a store with 1,000 terms" in page
    assert "| 5 new terms | 4.5 | 2.5 | 0.5 | 0.25 |" in page
    assert "| later searches | - | - | 1.5 | 1.25 |" in page
    assert "Megabytes of the store: a 56.7, b 33.5." in page


def test_steps_of_passages_end_with_their_growth(tmp_path):
    steps = {"read": 0.5, "index": 0.25, "match": 0.125, "passages": 0.0625, "seconds": 0.9375}
    paper = {"documents": 1500, "sentences": 20_005, "pairs": 700, "seconds": 4.96, "cpu_seconds": 4.5}
    report = {"rows": [{"documents": 500, "sentences": 6256, "pairs": 374, **steps}], "paper": paper}
    without = page_of(tmp_path, passages=report)
    assert "| 500 | 6,256 | 374 | 0.5 | 0.25 | 0.125 | 0.0625 | 0.938 |" in without
    assert "1,500 documents of 20,005 sentences, from the file to the rows: 5.0 s" in without
    assert "growth exponent" not in without
    growth = dict.fromkeys(("pairs", *steps), 1.5)
    assert "| growth exponent | - | 1.5 |" in page_of(tmp_path, passages=report | {"growth": growth})


@pytest.fixture
def month() -> dict[str, Any]:
    """A stream of nine days, of which the last needs more memory."""
    names = ("day", "documents", "window", "in_use", "resident", "documents_per_cpu_second")
    rows = [
        dict(zip(names, (day, 1000 * day, 1000 * min(day, 7), 200.0, 500.0, 900), strict=True)) for day in range(1, 10)
    ]
    rows[-1] |= {"in_use": 220.0, "resident": 510.0}
    shape = {"days": 9, "each": 1000, "preset": "faithful", "full_after_day": 8}
    return {**shape, "rows": rows, "growth": grown(rows)}


def test_memory_of_a_stream_is_shown_for_some_days_with_its_growth(tmp_path, month):
    page = page_of(tmp_path, **{"stream-month": month})
    assert "## Memory of a stream: 9 days of 1,000 documents, `faithful`" in page
    days = [line.split(" | ")[0] for line in page.splitlines() if line.endswith(" | 900 |")]
    assert days == ["| 1", "| 3", "| 7", "| 8", "| 9"]
    assert "at\nmost 1.1 times what it was then, and resident memory 1.02 times" in page


def test_a_stream_that_ends_with_a_full_window_has_not_grown(tmp_path, month):
    month["rows"] = month["rows"][:8]
    month["growth"] = grown(month["rows"])
    assert month["growth"] == {}
    assert "times what it was then" not in page_of(tmp_path, **{"stream-month": month})
