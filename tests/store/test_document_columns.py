"""Columns that SQLite concatenates against rows read one by one."""

import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from infostream_dedup.model.stream_records import Batch, Decided, Verdict
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.document_columns import table_of

NAMES = ['"', "\\", "\n\t\x01", "д\x00е", "‮é𝄞", "[1,null]", "null", "'"]
BLOBS = {
    "text_hash": "text_hashes", "opening_hash": "opening_hashes", "keys": "keys", "weights": "weights",
    "targets": "targets", "numbers": "numbers",
}  # fmt: skip


@pytest.fixture
def odd(tmp_path, synthetic):
    """A store of many documents with all kinds of bytes; some have no signature."""
    random = np.random.default_rng(3)
    documents = []
    for ordinal in range(1234):
        targets = np.unique(random.integers(0, 300, size=random.integers(0, 9)))
        documents.append(
            replace(
                synthetic.document(0), ordinal=ordinal, id=f"{NAMES[ordinal % len(NAMES)]}{ordinal}",
                source=None if ordinal % 5 == 0 else NAMES[ordinal % 3],
                published=None if ordinal % 7 == 0 else int(random.integers(-(2**63), 2**63 - 1)),
                text_hash=random.bytes(16) if ordinal % 11 else bytes(ordinal % 4),
                opening_hash=random.bytes(ordinal % 3), keys=targets[:3],
                weights=random.integers(0, 2**62, size=len(targets[:3])), targets=targets,
                numbers=random.integers(-(2**63), 2**63 - 1, size=ordinal % 4),
            )
        )  # fmt: skip
    verdicts = [
        Verdict(id=one.id, status="new", group=one.id)
        if one.ordinal % 3
        else Verdict(id=one.id, status="duplicate", of=documents[0].id, group=documents[0].id, relation="equal")
        for one in documents
    ]
    path = tmp_path / "odd.db"
    with Store.open(path, settings_digest="odd") as store:
        terms = [f"t{number}" for number in range(300)]
        store.append(Batch("odd", b"odd", Decided(remembered=documents, verdicts=verdicts, new_terms=terms)))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM signature WHERE ordinal % 10 = 4 OR ordinal > 1200")
    return path


@pytest.mark.parametrize(("first", "end"), [(0, 1234), (3, 3), (499, 501), (1201, 1220), (700, 2**62)])
def test_columns_are_the_rows_one_by_one(odd, first, end):
    with Store.open(odd, read_only=True) as store:
        connection = store.connection
        table = table_of(connection, first, end)
        connection.row_factory = sqlite3.Row
        rows = connection.execute(
            "SELECT * FROM document LEFT JOIN signature USING (ordinal) WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal",
            (first, end - 1),
        ).fetchall()
    for column, name in (
        ("ordinal", "ordinals"), ("id", "ids"), ("version", "versions"), ("source", "sources"), ("clock", "clocks"),
        ("published", "published"), ("language", "languages"), ("epoch", "epochs"), ("length", "lengths"),
        ("status", "statuses"), ("group_id", "groups"),
    ):  # fmt: skip
        assert list(getattr(table, name)) == [row[column] for row in rows]
    assert table.repeats.tolist() == [int(row["status"] == "duplicate") for row in rows]
    for column, name in BLOBS.items():
        kept = getattr(table, name)
        if not isinstance(kept, list):
            kept = [kept.values[begin:end].tobytes() for begin, end in itertools.pairwise(kept.indptr)]
        assert kept == [row[column] or b"" for row in rows]
    assert list(table.evidence.urls) == [None] * len(rows)
    assert len(table.pivot.links) == len(table.evidence.records) == len(rows)


def test_missing_documents_are_passed_over(odd):
    with closing(sqlite3.connect(odd, check_same_thread=False)) as connection, connection:
        connection.execute("DELETE FROM signature WHERE ordinal BETWEEN 100 AND 1100")
        connection.execute("DELETE FROM document WHERE ordinal BETWEEN 100 AND 1100")
        table = table_of(connection, 0, 2**62)
    assert table.ordinals.tolist() == [*range(100), *range(1101, 1234)]
    assert len(table.ids) == len(table.targets) == len(table.text_hashes) == 233
