"""The sizes at which ``make bench`` runs its parts."""

from __future__ import annotations

import argparse
import importlib
import sys

import pytest

from benchmarks.__main__ import _list_parts


def options_of(part: str, monkeypatch: pytest.MonkeyPatch, *, month: bool) -> argparse.Namespace:
    """What the benchmark of a part reads from the command line that it is given."""
    command = _list_parts(month, "1", None)[part]
    monkeypatch.setattr(sys, "argv", command)
    options: argparse.Namespace = importlib.import_module(command[0])._arguments()
    return options


@pytest.mark.parametrize(("month", "days", "documents"), [(False, 14, 28_000), (True, 30, 1_200_000)])
def test_a_stream_is_a_month_long_only_if_asked_for(monkeypatch, month, days, documents):
    given = options_of("stream-month", monkeypatch, month=month)
    assert (given.days, given.days * given.each) == (days, documents)


@pytest.mark.parametrize(
    ("month", "sizes", "sentences"), [(False, [500, 2000], 20_000), (True, [10_000, 100_000], 57_135)]
)
def test_passages_are_those_of_the_paper_only_with_the_month(monkeypatch, month, sizes, sentences):
    given = options_of("passages", monkeypatch, month=month)
    assert (given.documents, given.sentences) == (sizes, sentences)


def test_all_commands_are_timed(monkeypatch):
    assert {"sweep estimated", "evaluate", "compare", "passages"} < set(
        options_of("commands", monkeypatch, month=False).only
    )
