"""Where the dictionaries are found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infostream_dedup.errors import NoInputError
from infostream_dedup.language.lexicon import tables
from infostream_dedup.language.lexicon.tables import dictionaries_folder


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation of its own: the folder of the package."""
    package = tmp_path / "infostream_dedup"
    monkeypatch.setattr(tables, "__file__", str(package / "language" / "lexicon" / "folder.py"))
    dictionaries_folder.cache_clear()
    yield package
    dictionaries_folder.cache_clear()


def make(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "README.md").write_text("", encoding="utf-8")
    return path


def test_checkout_has_them_beside_the_package(package: Path) -> None:
    expected = make(package.parent / "dictionaries")
    assert dictionaries_folder() == expected


def test_wheel_has_them_inside(package: Path) -> None:
    make(package.parent / "dictionaries")
    expected = make(package / "_dictionaries")
    assert dictionaries_folder() == expected


def test_broken_installation_says_where_it_looked(package: Path) -> None:
    with pytest.raises(NoInputError, match=r"dictionaries of infostream-dedup are missing; looked in .*_dictionaries"):
        dictionaries_folder()
