import sqlite3
from contextlib import closing

import pytest

from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

CHECKS = [
    "pages", "references", "numbering", "settings", "batches", "signatures", "evidence", "answers", "names", "epochs",
    "groups", "stories", "index",
]  # fmt: skip


def test_a_sound_store_has_no_faults(filled):
    with Store.open(filled, read_only=True) as store:
        found = {check.check: check for check in checks(store.connection)}
    assert list(found) == CHECKS
    assert all((check.faults, check.first) == (0, None) for check in found.values())
    counts = {name: found[name].checked for name in ("batches", "signatures", "names", "epochs")}
    assert counts == {"batches": 20, "signatures": 100, "names": 100, "epochs": 8}


WRITTEN = "does not match its checksum"
CHANGES = [
    ("UPDATE document SET title = 'other' WHERE ordinal = 42", "batches", f"batch 'batch-8' {WRITTEN}"),
    ("UPDATE document SET forward = 7 WHERE ordinal = 43", "batches", f"batch 'batch-8' {WRITTEN}"),
    ("UPDATE batch SET content_hash = x'00' WHERE sequence = 3", "batches", f"batch 'batch-3' {WRITTEN}"),
    ("UPDATE term SET term = 'other' WHERE number = 0", "batches", f"batch 'batch-0' {WRITTEN}"),
    ("UPDATE event SET value = 0.5 WHERE number = 1", "batches", f"batch 'batch-7' {WRITTEN}"),
    ("DELETE FROM event WHERE number = 2", "batches", f"batch 'batch-14' {WRITTEN}"),
    ("UPDATE epoch_frequency SET documents = 1 WHERE epoch = 2", "batches", f"batch 'batch-12' {WRITTEN}"),
    ("UPDATE signature SET text_hash = x'00' WHERE ordinal = 5", "signatures", f"of document 'документ-5' {WRITTEN}"),
    ("UPDATE signature SET targets = x'' WHERE ordinal = 5", "signatures", f"of document 'документ-5' {WRITTEN}"),
    ("UPDATE body SET packed = x'00' WHERE ordinal = 5", "signatures", f"of document 'документ-5' {WRITTEN}"),
    ("DELETE FROM body WHERE ordinal = 5", "signatures", f"of document 'документ-5' {WRITTEN}"),
    ("DELETE FROM signature WHERE ordinal = 99", "signatures", "of document 'документ-99' is missing"),
    ("DELETE FROM term WHERE number = 299", "numbering", "term: 299 rows up to 299, 300 expected"),
    ("DELETE FROM term WHERE number = 299", "signatures", "document 'документ-99' has a term the store does not know"),
    ("DELETE FROM document WHERE ordinal = 99", "numbering", "document: 99 rows up to 99, 100 expected"),
    ("DELETE FROM document WHERE ordinal = 99", "references", "row 99 of body refers to a missing row of document"),
    ("DELETE FROM batch WHERE sequence = 10", "numbering", "batch 11 does not continue where the previous one ends"),
    ("UPDATE batch SET answers = x'ff000000000000ff' WHERE sequence = 2", "answers", "batch 'batch-2' answers"),
    ("UPDATE document SET of_id = 'nobody' WHERE ordinal = 7", "names", "of_id of document 'документ-7'"),
    ("UPDATE document SET group_id = 'nobody' WHERE ordinal = 7", "names", "group_id of document 'документ-7'"),
    ("UPDATE document SET length = 41 WHERE ordinal = 5", "epochs", "epoch 0, language ru: 13 documents of"),
    ("UPDATE document SET language = 'en' WHERE ordinal = 5", "epochs", "epoch 0, language en: 0 documents of 0"),
    ("UPDATE epoch_frequency SET df = terms WHERE epoch = 1", "epochs", "epoch 1, language ru: document frequencies"),
    ("DELETE FROM epoch_frequency WHERE epoch = 1 AND language = 'ru'", "epochs", "epoch 1, language ru: 0 documents"),
    ("UPDATE document SET epoch = 3 WHERE epoch = 1", "epochs", "epoch 3, language ru: "),
]


@pytest.mark.parametrize(("statement", "check", "first"), CHANGES)
def test_every_change_by_others_is_found(filled, statement, check, first):
    with closing(sqlite3.connect(filled)) as meddler:
        meddler.execute("PRAGMA ignore_check_constraints = ON")
        assert meddler.execute(statement).rowcount > 0
        meddler.commit()
    with Store.open(filled, read_only=True) as store:
        found = {one.check: one for one in checks(store.connection)}
    assert found[check].faults > 0
    assert first in found[check].first
