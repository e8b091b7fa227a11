"""``passages provenance --html``: the page is written whoever reads the rows; groups under a name of their own."""

import json
import os
import subprocess
import sys

import pytest

TEXT = "The mayor opened a new bridge over the river on Monday morning. Three hundred guests came to the ceremony."
ROWS = [{"id": str(number), "text": f"{TEXT} Part {number}.", "x_group": "0"} for number in range(3)]


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_the_page_is_there_though_nobody_reads_the_rows(documents, tmp_path):
    receiving, sending = os.pipe()
    os.close(receiving)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "infostream_dedup", "passages", "provenance", str(documents)),
            *("--prefix", "x_", "--html", "page.html"),
        ],
        cwd=tmp_path,
        stdout=sending,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(sending)
    assert done.returncode == 0, done.stderr
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_column_of_groups_has_the_prefix(run, documents):
    found = run("passages", "provenance", str(documents), "--prefix", "x_")
    assert [json.loads(line)["id"] for line in found.stdout.splitlines()] == ["1", "2"]
    missing = run("passages", "provenance", str(documents))
    assert missing.returncode == 2
    assert b"no document has a column group" in missing.stderr
