"""A made-up stream and stores filled with it."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

SCRIPT = Path(__file__).parent / "synthetic_stream.py"


@pytest.fixture(scope="session")
def synthetic():
    """The module ``synthetic_stream.py``."""
    spec = importlib.util.spec_from_file_location("synthetic_stream", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def writer_script():
    """Path of the script that writes the stream in a process of its own."""
    return SCRIPT


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
def new_store(synthetic, tmp_path):
    """An open store without a batch."""
    with Store.open(tmp_path / "new.db", settings_digest=synthetic.DIGEST) as store:
        yield store


@pytest.fixture(scope="session")
def faults():
    """``faults(store)``: what its checks find."""
    return lambda store: [check for check in checks(store.connection) if check.faults]
