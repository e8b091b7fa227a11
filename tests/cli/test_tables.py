"""Tables have the same characters with and without ``rich``."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.cli.output import Column, cell_width, print_table, table_lines

WORDS = st.text(st.sampled_from("aбї漢 —é01-"), max_size=14)
CELLS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join) | st.lists(WORDS, min_size=1, max_size=3).map("\n".join)


def with_rich(columns: list[Column], rows: list[list[str]], width: int, *, even: bool) -> list[str]:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1), expand=even)
    for one in columns:
        ratio, overflow = (1, "fold") if even else (None, "ellipsis")
        justify = "right" if one.numeric else "left"
        table.add_column(one.header, justify=justify, no_wrap=one.numeric, ratio=ratio, overflow=overflow)
    for row in rows:
        table.add_row(*row)
    file = io.StringIO()
    Console(file=file, width=width, markup=False, highlight=False, emoji=False).print(table)
    return file.getvalue().split("\n")[:-1]


@given(st.data(), st.integers(1, 5), st.integers(40, 120), st.booleans())
def test_a_table_is_the_one_of_rich(data, count, width, even):
    numeric = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    columns = [Column(f"name {number}", one and not even) for number, one in enumerate(numeric)]
    numbers = st.integers(0, 10**9).map(str)
    rows = data.draw(st.lists(st.tuples(*(numbers if one.numeric else CELLS for one in columns)), max_size=5))
    found = table_lines(columns, rows, width, even=even)
    assert found == with_rich(columns, rows, width, even=even)
    assert all(cell_width(line) <= width for line in found)


def test_a_table_by_hand():
    columns = [Column("слово"), Column("n", numeric=True)]
    rows = [("длинное название", "7"), ("ї", "1234")]
    assert table_lines(columns, rows, 40) == [
        "слово                n",
        "длинное название     7",
        "ї                 1234",
    ]
    assert table_lines(columns, rows, 16) == [
        "слово          n",
        "длинное        7",
        "название        ",
        "ї           1234",
    ]
    assert table_lines([], [], 40) == [""]


BAR = """
import sys
from infostream_dedup.cli.output import progress_bar
with progress_bar(quiet=False) as show:
    for done in range(3 if show else 0):
        show("reading", done, 2)
"""


def test_a_bar_is_only_on_a_terminal_and_is_gone_at_the_end():
    ours, theirs = pty.openpty()
    told = subprocess.run([sys.executable, "-c", BAR], stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert told.returncode == 0
    assert "reading" in shown
    assert "2/2" in shown
    assert shown.endswith(f"\r{' ' * 79}\r")
    assert subprocess.run([sys.executable, "-c", BAR], capture_output=True, check=True).stderr == b""


def test_a_pipe_gets_every_column_whole(capsys):
    rows = [{f"quantity_{number}": number / 7 for number in range(40)} | {"title": "слово " * 60}]
    print_table(rows)
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == list(rows[0])
    assert "…" not in line
    assert rows[0]["title"].strip() in line
