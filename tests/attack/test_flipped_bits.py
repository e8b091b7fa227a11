"""Stores with one bit flipped: verified as damaged, refused, or saying all that they said."""

import random
import sqlite3
from contextlib import closing

import orjson
import pytest

from infostream_dedup import Deduplicator
from infostream_dedup.errors import BadDataError, InfostreamError
from infostream_dedup.judging.evidence.pair_model import MODEL_FILE
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

HARMLESS = {("store", "id"), ("evidence_frequency", "part")}
"""Columns that nothing depends on: there is one row, parts are added up."""
NOT_OURS = {"octet"}


def test_no_flipped_bit_of_a_store_is_silent(synthetic, tmp_path, faults, record_figures, scale):
    whole = tmp_path / "whole.db"
    synthetic.write(whole, 20, lambda number: None)
    with Store.open(whole) as store:
        expected = synthetic.content(store)
    good, draw, path = whole.read_bytes(), random.Random(4), tmp_path / "s.db"  # noqa: S311
    refused = found = harmless = 0
    flips, used = 60 * scale, [place for place, byte in enumerate(good) if byte]
    for _ in range(flips):
        bad = bytearray(good)
        bad[draw.choice(used)] ^= 1 << draw.randrange(8)
        for left in tmp_path.glob("s.db*"):
            left.unlink()
        path.write_bytes(bad)
        try:
            with Store.open(path, read_only=True) as store:
                if faults(store):
                    found += 1
                    continue
                assert synthetic.content(store) == expected
                harmless += 1
        except InfostreamError:
            refused += 1
    record_figures(flips=flips, refused=refused, found_by_verify=found, harmless=harmless, silent=0)
    assert refused + found >= flips / 4


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A store with all that a judged stream keeps: texts, several epochs, groups, stories, an index."""
    path = tmp_path_factory.mktemp("judged") / "s.db"
    rows = [orjson.loads(line) for line in documents_path().read_bytes().splitlines()]
    settings = StreamSettings(
        preset="judged", across="pivot", keep_text=True, epoch_documents=40, first_epoch=20, window_documents=60
    )
    with Deduplicator.open(path, settings) as stream:
        for begin in range(0, len(rows), 40):
            stream.process(rows[begin : begin + 40], batch_id=str(begin))
    return path


def changed(value):
    """Another value of the same type, one bit away where that is possible."""
    match value:
        case int():
            return value ^ 1
        case float():
            return value + 0.25
        case bytes():
            return value[:-1] + bytes([value[-1] ^ 1])
        case _:
            return f"{value[:-1]}{'x' if value[-1] != 'x' else 'y'}"


def test_every_column_of_a_store_is_under_some_check(judged, record_figures):
    silent, tried = set(), 0
    with closing(sqlite3.connect(judged, isolation_level=None)) as connection:
        assert not [check for check in checks(connection) if check.faults]
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            about = [] if table in NOT_OURS else connection.execute(f"PRAGMA table_info({table})").fetchall()
            key = [column for _, column, *_, part in about if part] or ["rowid"]
            for _, column, *_ in about:
                said = f"{column} IS NOT NULL AND length({column}) > 0"
                row = connection.execute(f"SELECT {column}, {', '.join(key)} FROM {table} WHERE {said}").fetchone()  # noqa: S608
                if row is None:
                    continue
                where = " AND ".join(f"{name} = ?" for name in key)
                connection.execute("BEGIN")
                try:
                    statement = f"UPDATE {table} SET {column} = ? WHERE {where}"  # noqa: S608
                    connection.execute(statement, (changed(row[0]), *row[1:]))
                    noticed = any(check.faults for check in checks(connection))
                except sqlite3.IntegrityError:
                    # Two rows would have one key: an index shows that.
                    noticed = True
                connection.execute("ROLLBACK")
                tried += 1
                if not noticed:
                    silent.add((table, column))
    record_figures(columns=tried, silent=len(silent - HARMLESS))
    assert silent <= HARMLESS
    assert tried >= 100


COEFFICIENT = str(orjson.loads(MODEL_FILE.read_bytes())["coefficients"]["share30_least"]).encode()


@pytest.mark.parametrize(("before", "after"), [
    (b'"df_max":0.5', b'"df_max":0.4'), (COEFFICIENT, b"9" + COEFFICIENT[1:]), (b'"judged"', b'"judgee"'),
])  # fmt: skip
def test_changed_settings_of_a_store_are_refused_when_it_is_opened(judged, tmp_path, before, after):
    with Store.open(judged) as store:
        store.backup(tmp_path / "s.db")
    good = (tmp_path / "s.db").read_bytes()
    assert before in good
    (tmp_path / "s.db").write_bytes(good.replace(before, after))
    for attempt in (lambda path: Store.open(path, read_only=True), Deduplicator.open):
        with pytest.raises(BadDataError, match="settings or state do not match their checksum"):
            attempt(tmp_path / "s.db")


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))])
def test_no_flipped_bit_of_the_head_of_a_store_is_silent(synthetic, tmp_path, faults, part):
    whole, path = tmp_path / "whole.db", tmp_path / "s.db"
    synthetic.write(whole, 4, lambda number: None)
    with Store.open(whole) as store:
        expected = synthetic.content(store)
    good = whole.read_bytes()
    for bit in range(part, 800, 8):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        for left in tmp_path.glob("s.db*"):
            left.unlink()
        path.write_bytes(bad)
        try:
            with Store.open(path, read_only=True) as store:
                assert faults(store) or synthetic.content(store) == expected
        except InfostreamError:
            continue
