"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Loops are tested as machine code; what small work runs, plain Python, has tests of its own in tests/machine.
os.environ.setdefault("INFOSTREAM_DEDUP_LOOPS", "compiled")

CORPORA = Path(__file__).resolve().parents[2] / "shared" / "data"

# A case that first waits for the compiler says nothing about the code under test.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """Folder of the real labelled corpora; the test is skipped where they do not lie beside the project."""
    if not CORPORA.is_dir():
        pytest.skip(f"the labelled corpora are not here ({CORPORA})")
    return CORPORA


@pytest.fixture(scope="session", autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither read nor write the form cache of the person who runs them."""
    os.environ["INFOSTREAM_DEDUP_CACHE"] = str(tmp_path_factory.mktemp("cache"))
