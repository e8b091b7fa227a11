"""A report that could not be written is refused before the work, and nothing is created by looking."""

import os
from pathlib import Path

import pytest

from infostream_dedup.errors import CannotCreateError
from infostream_dedup.report.needed import check_report_folder


def test_a_folder_may_exist_or_be_made_with_those_above_it(tmp_path: Path) -> None:
    check_report_folder(tmp_path)
    check_report_folder(tmp_path / "2026" / "march")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["taken", "taken/march", "taken/2026/march"])
def test_a_file_is_no_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(CannotCreateError, match="taken is a file"):
        check_report_folder(tmp_path / name)


def test_a_folder_that_must_not_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Permissions would not stop a test that root runs.
    monkeypatch.setattr(os, "access", lambda path, _mode: path != tmp_path)
    with pytest.raises(CannotCreateError, match=f"{tmp_path}: Permission denied"):
        check_report_folder(tmp_path / "2026" / "march")
