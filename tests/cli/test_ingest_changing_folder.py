"""``ingest --follow``: files that grow, are replaced or vanish, and entries of the folder that are not files."""

import json
import os
import time

import pytest

from tests.cli import following

pytestmark = pytest.mark.slow
ROWS = [{"id": str(number), "text": f"снег в киеве, день {number}"} for number in range(6)]


def write(path, rows, mode="w"):
    with path.open(mode, encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def followed(folder):
    return following.followed("in", "--store", "s.db", cwd=folder.parent)


def ids(process, count):
    return [json.loads(process.stdout.readline())["id"] for _ in range(count)]


def ended(process):
    """What a run still printed after SIGTERM, and what it said."""
    time.sleep(1)
    rest, said = following.ended(process)
    return [json.loads(line)["id"] for line in rest.splitlines()], said


@pytest.mark.slow
def test_a_file_that_grows_after_it_was_read_is_read_on(folder):
    file = folder / "a.jsonl"
    write(file, ROWS[:2])
    with followed(folder) as process:
        assert ids(process, 2) == ["0", "1"]
        write(file, ROWS[2:4], "a")
        assert ids(process, 2) == ["2", "3"]
        os.utime(file)
        assert ended(process)[0] == []
    # It grows while nobody follows.
    write(file, ROWS[4:], "a")
    with followed(folder) as process:
        assert ids(process, 2) == ["4", "5"]
        rest, said = ended(process)
    assert rest == []
    assert "skipping documents that earlier runs have reported" in said


def test_a_file_that_takes_the_name_of_one_that_was_read_is_read(folder):
    write(folder / "a.jsonl", ROWS[:2])
    with followed(folder) as process:
        assert ids(process, 2) == ["0", "1"]
        (folder / "a.jsonl").rename(folder / "a.jsonl.1")
        write(folder / "a.jsonl", ROWS[2:4])
        assert ids(process, 2) == ["2", "3"]
        # Written from the beginning, longer than before.
        write(folder / "a.jsonl", ROWS[3:])
        assert (ids(process, 3), ended(process)[0]) == (["3", "4", "5"], [])


def test_what_is_not_a_file_of_documents_does_not_end_a_run(folder):
    os.mkfifo(folder / "a.jsonl")
    (folder / "b.jsonl").mkdir()
    (folder / "c.jsonl").symlink_to("missing")
    (folder / "d.csv").touch()
    write(folder / "e.jsonl", ROWS[:2])
    with followed(folder) as process:
        assert ids(process, 2) == ["0", "1"]
        (folder / "d.csv").write_text("id,text\n2,дождь\n", encoding="utf-8")
        assert ids(process, 1) == ["2"]
        rest, said = ended(process)
    assert rest == []
    assert "in/a.jsonl: not read; expected a regular file" in said
    assert "in/b.jsonl: not read; expected a regular file" in said
