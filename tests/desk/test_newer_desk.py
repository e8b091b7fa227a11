"""A desk that a newer version of the program has changed meanwhile."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judgements import Desk


def test_a_running_process_does_not_use_a_desk_that_a_newer_program_changed(tmp_path: Path) -> None:
    with Desk.open(tmp_path / "news.desk") as desk:
        with closing(sqlite3.connect(desk.path)) as other, other:
            other.execute("CREATE TABLE later (x)")
            other.execute("PRAGMA user_version = 99")
        for use in (desk.reading, desk.writing):
            with pytest.raises(ConfigurationError, match="schema 99, this program reads schema 1;"), use():
                pass
