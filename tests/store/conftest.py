"""A made-up stream and stores filled with it."""

import shutil
from pathlib import Path

import pytest

from infostream_dedup.stream.store import Store


@pytest.fixture(scope="session")
def _filled(synthetic, tmp_path_factory):
    path = tmp_path_factory.mktemp("filled") / "stream.db"
    synthetic.write(path, 20, lambda number: None)
    return path


@pytest.fixture
def filled(_filled, tmp_path):
    """A closed store with 20 batches, which is 100 documents; epochs 0 to 3 are closed."""
    return Path(shutil.copy(_filled, tmp_path / "stream.db"))


@pytest.fixture
def store(filled):
    """The same, open."""
    with Store.open(filled) as opened:
        yield opened


@pytest.fixture
def sound(store, faults):
    """The same, which has no faults after the test."""
    yield store
    assert faults(store) == []


@pytest.fixture
def new_store(synthetic, tmp_path):
    with Store.open(tmp_path / "new.db", settings_digest=synthetic.DIGEST) as store:
        yield store
