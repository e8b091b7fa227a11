"""A power cut leaves the log of the latest batches cut, torn or stale: what is found is always a whole prefix."""

import random

import pytest

from infostream_dedup.stream.store import Store


def cut(log, randomness):
    """The log with its tail gone, wiped or replaced by garbage, from any byte on."""
    place = randomness.randrange(len(log) + 1)
    match randomness.randrange(3):
        case 0:
            return log[:place]
        case 1:
            return log[:place] + randomness.randbytes(min(4096, len(log) - place))
        case _:
            return log[:place] + bytes(len(log) - place)


@pytest.mark.parametrize("cuts", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_cut_log_leaves_a_whole_prefix(synthetic, tmp_path, faults, cuts):
    source, copy = tmp_path / "source.db", tmp_path / "copy.db"
    synthetic.write(source, 3, lambda number: None)
    contents = []
    with Store.open(source) as store:
        contents.append(synthetic.content(store))
        for number in range(3, 13):
            store.append(synthetic.batch(number))
            contents.append(synthetic.content(store))
        database, log = source.read_bytes(), source.with_name("source.db-wal").read_bytes()
    assert len(log) > 100_000
    randomness = random.Random(1812)  # noqa: S311
    found = set()
    for _ in range(cuts):
        copy.write_bytes(database)
        copy.with_name("copy.db-wal").write_bytes(cut(log, randomness))
        with Store.open(copy) as store:
            batches = store.position.batches
            found.add(batches)
            assert (faults(store), synthetic.content(store)) == ([], contents[batches - 3])
            store.append(synthetic.batch(batches))
            assert faults(store) == []
        for leftover in tmp_path.glob("copy.db*"):
            leftover.unlink()
    assert len(found) > 8, "cuts at all places were tried"
