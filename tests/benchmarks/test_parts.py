"""The sizes at which ``make bench`` runs its parts."""

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


def test_all_commands_are_timed(monkeypatch):
    assert {"sweep estimated", "evaluate", "compare", "passages"} < set(
        options_of("commands", monkeypatch, month=False).only
    )
