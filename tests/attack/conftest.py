"""How hard the attacks are: a few seconds each in ``make test``, minutes in ``make attack``."""

import importlib.util
import os
from pathlib import Path

import pytest

from infostream_dedup.stream.store.checking import checks

STREAM = Path(__file__).parents[1] / "store" / "synthetic_stream.py"


@pytest.fixture(scope="session")
def scale():
    """1 in ``make test``; ``make attack`` sets ATTACK_SCALE."""
    return int(os.environ.get("ATTACK_SCALE", "1"))


@pytest.fixture(scope="session")
def synthetic():
    """The made-up stream of the tests of the store."""
    spec = importlib.util.spec_from_file_location("synthetic_stream", STREAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def writer_script():
    """Path of the script that writes the made-up stream in a process of its own."""
    return STREAM


@pytest.fixture(scope="session")
def faults():
    """``faults(store)``: what its checks find."""
    return lambda store: [check for check in checks(store.connection) if check.faults]


@pytest.fixture
def record_figures(record_property):
    """``record_figures(name=value)``: figures for reports/robustness.md."""

    def record(**figures):
        for name, value in figures.items():
            record_property(name, f"{value:.3g}" if isinstance(value, float) else f"{value:,}")

    return record
