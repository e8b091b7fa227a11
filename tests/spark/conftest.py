"""The collections of ``tests/sharded``, for Spark."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def collections():
    """Small collections by name."""
    place = Path(__file__).parents[1] / "sharded" / "conftest.py"
    spec = importlib.util.spec_from_file_location("sharded_conftest", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.small_collections()
