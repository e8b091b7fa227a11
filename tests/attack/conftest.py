"""How hard the attacks are: a few seconds each in ``make test``, minutes in ``make attack``."""

import os

import pytest


@pytest.fixture(scope="session")
def scale():
    """1 in ``make test``; ``make attack`` sets ATTACK_SCALE."""
    return int(os.environ.get("ATTACK_SCALE", "1"))


@pytest.fixture
def record_figures(record_property):
    """``record_figures(name=value)``: figures for reports/robustness.md."""

    def record(**figures):
        for name, value in figures.items():
            record_property(name, f"{value:.3g}" if isinstance(value, float) else f"{value:,}")

    return record
