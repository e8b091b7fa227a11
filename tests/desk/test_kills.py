"""A process that judges dies at any moment: no acknowledged judgement is lost, none is counted twice."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from infostream_dedup.judgements import Desk
from infostream_dedup.judgements.judgements import judgement_page

WRITER = """
import sys
from infostream_dedup.judgements import Desk
from infostream_dedup.judgements.judgements import Judgement, add_judgement, undo_judgement
from infostream_dedup.judgements.judgements import next_pairs

path, first = sys.argv[1], int(sys.argv[2])
with Desk.open(path) as desk:
    for place in range(first, first + 10_000):
        pair = ("a%05d" % place, "b%05d" % place)
        with desk.writing() as connection:
            next_pairs(connection, [pair], person="oksana", queue="random", wanted=1)
        with desk.writing() as connection:
            said = add_judgement(
                connection, Judgement(a=pair[0], b=pair[1], label="dup", person="oksana", key="k%d" % place)
            )
        print(place, "dup", flush=True)
        if place % 3 == 0:
            with desk.writing() as connection:
                undo_judgement(connection, said.number, "oksana", "u%d" % place)
            print(place, "undone", flush=True)
"""


def acknowledged_until_killed(path: Path, first: int, draw: random.Random) -> list[tuple[int, str]]:
    """What a writer said before it was killed a moment after one of its judgements."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(first)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wanted, lines = draw.randrange(1, 12), []
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            lines.append(line)
            if len(lines) >= wanted:
                break
        time.sleep(draw.random() * 0.01)
        process.kill()
        lines += process.stdout
        assert process.stderr.read() == ""
    said = [line.split() for line in lines if line.endswith("\n")]
    return [(int(place), what) for place, what in said]


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_at_any_moment(tmp_path: Path, kills: int, record_property: Callable[[str, object], None]) -> None:
    path, draw = tmp_path / "news.db.desk", random.Random(kills)  # noqa: S311
    acknowledged: set[tuple[int, str]] = set()
    next_place = 0
    for _ in range(kills):
        acknowledged |= set(acknowledged_until_killed(path, next_place, draw))
        # Opening it compares everything with its checksums.
        with Desk.open(path) as desk, desk.reading() as connection:
            rows = judgement_page(connection, before=None, limit=100_000)
        judged = [int(row["a"][1:]) for row in rows if row["undoes"] is None]
        undone = [int(row["a"][1:]) for row in rows if row["undoes"] is not None]
        stored = {(place, "dup") for place in judged} | {(place, "undone") for place in undone}
        assert len(stored) == len(rows), "double"
        assert acknowledged <= stored, "lost"
        next_place = max(judged) + 1
    # After each kill at most one row more than was acknowledged.
    assert len(stored) - len(acknowledged) <= kills
    record_property("kills", kills)
    record_property("acknowledged", len(acknowledged))
