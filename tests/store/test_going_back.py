"""``store restore``: a backup goes into the live file, and nothing is lost without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from infostream_dedup.api.store import restore
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError, StoreBusyError, UsageError
from infostream_dedup.stream.store import Store


@pytest.fixture
def copy(filled: Path) -> Path:
    with Store.open(filled) as store:
        store.backup(filled.with_name("copy.db"))
    return filled.with_name("copy.db")


def content(path: Path, synthetic):
    with Store.open(path, read_only=True) as store:
        found = synthetic.content(store)
        # But for the moment of going back, and the checksum over it.
        found["state"] = [row for row in found["state"] if row[0] not in ("restored", "checksum")]
        return found, store.position.batches


def test_a_backup_that_lacks_batches_is_refused_by_name(filled, copy, synthetic):
    with Store.open(filled) as store:
        for number in range(20, 27):
            store.append(synthetic.batch(number))
    names = [synthetic.batch(number).id for number in range(20, 27)]
    before = content(filled, synthetic)
    with pytest.raises(StoreBusyError, match="the backup lacks 7 batches") as refused:
        restore(filled, copy)
    assert all(name in str(refused.value) for name in names[:5])
    assert names[5] not in str(refused.value)
    assert (content(filled, synthetic), sorted(filled.parent.glob("*before*"))) == (before, [])


def test_what_is_discarded_is_kept_under_a_dated_name(filled, copy, synthetic, faults):
    first, inode = content(filled, synthetic), filled.stat().st_ino
    with Store.open(filled) as store:
        store.append(synthetic.batch(20))
    newer = content(filled, synthetic)
    done = restore(filled, copy, discard_newer=True)
    assert (done.batches, done.discarded, done.forgotten) == (20, 1, 0)
    assert (content(filled, synthetic), content(Path(done.kept), synthetic)) == (first, newer)
    assert filled.stat().st_ino == inode
    with Store.open(filled) as store:
        assert faults(store) == []


def test_open_stores_notice_and_read_again(filled, copy, synthetic):
    with Store.open(filled) as writer, Store.open(filled, read_only=True) as reader:
        loaded = writer.load()
        assert restore(filled, copy).discarded == 0
        # Every number is as it was, and yet the stream may be another one.
        assert writer.changed()
        again = writer.load(since=loaded.position)
        assert again.position[:4] == loaded.position[:4]
        assert again.position.restored > 0
        assert len(again.terms) == len(loaded.terms)
        assert reader.changed()
        writer.append(synthetic.batch(20))
        assert writer.position.restored == again.position.restored
    with Store.open(filled) as store:
        assert store.position.batches == 21


def test_nobody_writes_between_the_check_and_the_change(filled, copy, synthetic, monkeypatch):
    from infostream_dedup.stream.store import going_back

    real = going_back._lacking

    def lacking(present, part):
        # The attack: a batch while the former store is being compared.
        with Store.open(filled, busy_seconds=0.1) as other, pytest.raises(StoreBusyError):
            other.append(synthetic.batch(20))
        return real(present, part)

    monkeypatch.setattr(going_back, "_lacking", lacking)
    assert restore(filled, copy).batches == 20


def test_what_was_forgotten_since_does_not_come_back(filled, copy, faults):
    with Store.open(filled) as store:
        (name,) = store.connection.execute("SELECT id FROM document LIMIT 1").fetchone()
        (title,) = store.connection.execute("SELECT title FROM document WHERE id = ?", (name,)).fetchone()
        store.forget(name)
        store.wipe()
    assert restore(filled, copy).forgotten == 1
    with Store.open(filled) as store:
        assert store.connection.execute("SELECT forgotten FROM document WHERE id = ?", (name,)).fetchone() == (1,)
        assert faults(store) == []
    assert title
    assert title.encode() not in filled.read_bytes()


def test_a_store_that_is_gone_is_made_again_without_the_old_log(filled, copy, synthetic):
    first = content(filled, synthetic)
    with Store.open(filled) as store:
        store.append(synthetic.batch(20))
        filled.unlink()
        done = restore(filled, copy)
    assert done.kept
    assert content(filled, synthetic) == first


def test_a_damaged_store_is_replaced_only_if_that_is_said(filled, copy, synthetic):
    first = content(filled, synthetic)
    filled.write_bytes(b"nothing of a store" * 100)
    with pytest.raises(StoreBusyError, match="with discard_newer, the damaged file is kept"):
        restore(filled, copy)
    done = restore(filled, copy, discard_newer=True)
    assert content(filled, synthetic) == first
    assert Path(done.kept).read_bytes().startswith(b"nothing of a store")


def test_what_is_no_backup_is_refused(filled, copy, tmp_path, synthetic):
    before = content(filled, synthetic)
    with pytest.raises(UsageError, match="is the store itself"):
        restore(filled, filled)
    with pytest.raises(NoInputError, match="there is no backup"):
        restore(filled, tmp_path / "none.db")
    copy.write_bytes(copy.read_bytes()[:16384] + bytes(16384) + copy.read_bytes()[32768:])
    with pytest.raises(BadDataError):
        restore(filled, copy)
    with Store.open(tmp_path / "other.db", settings_digest="other", settings={}) as store:
        store.append(synthetic.batch(0))
    with pytest.raises(ConfigurationError, match="other settings than the backup"):
        restore(filled, tmp_path / "other.db")
    assert content(filled, synthetic) == before
