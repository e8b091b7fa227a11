import pytest

from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.removal import Expired


def signatures(store):
    return [row[0] for row in store.connection.execute("SELECT ordinal FROM signature ORDER BY ordinal")]


def free_pages(store):
    return store.connection.execute("PRAGMA freelist_count").fetchone()[0]


def test_every_free_page_goes_back_to_the_disk(filled, store):
    page = store.connection.execute("PRAGMA page_size").fetchone()[0]
    connection = store.connection
    connection.execute("DELETE FROM body")
    # A row of a thousand pages, deleted: as much as a day's signatures leave behind.
    connection.execute("INSERT INTO body VALUES (99, zeroblob(?))", (1000 * page,))
    connection.execute("DELETE FROM body")
    assert free_pages(store) >= 1000
    assert store.expire().freed >= 1000 * page
    assert free_pages(store) == 0
    assert filled.stat().st_size < 1000 * page


def test_nothing_visible_changes(filled, sound, synthetic, faults):
    before = sound.load()
    verdicts = [sound.batch(f"batch-{number}") for number in range(20)]
    groups = sound.connection.execute("SELECT * FROM v_groups").fetchall()
    size = filled.stat().st_size
    expired = sound.expire()
    assert (expired.documents, expired.below) == (70, 70)
    assert signatures(sound) == list(range(70, 100))
    assert [sound.text(ordinal) is None for ordinal in (69, 71)] == [True, False]
    assert filled.stat().st_size == size - expired.freed < size
    assert (free_pages(sound), [sound.batch(f"batch-{number}") for number in range(20)]) == (0, verdicts)
    assert (sound.connection.execute("SELECT * FROM v_groups").fetchall(), faults(sound)) == (groups, [])
    after = sound.load()
    assert after.position == before.position
    assert after.documents.ordinals.tolist() == before.documents.ordinals.tolist()
    assert after.documents.targets.values.tolist() == before.documents.targets.values.tolist()
    assert {name: sums.df.tolist() for name, sums in after.frequencies.items()} == {
        name: sums.df.tolist() for name, sums in before.frequencies.items()
    }
    assert not sound.changed()
    sound.append(synthetic.batch(20))


def test_the_open_epoch_stays_though_the_window_has_moved(store, synthetic):
    store.append(synthetic.batch(20, closed=[], oldest=105))
    assert (store.expire().below, store.load().documents.ordinals.tolist()) == (80, list(range(80, 105)))


def test_an_empty_store_expires_nothing(new_store):
    assert new_store.expire() == Expired(documents=0, below=0, freed=0)


def test_past_signatures_come_back_empty(filled):
    with Store.open(filled) as store:
        store.expire()
        past = store.documents(68, 72)
    assert ([len(row.keys) > 0 for row in past], past.row(0).text_hash) == ([False, False, True, True], b"")


def test_many_documents_go_in_several_transactions(sound, monkeypatch):
    from infostream_dedup.stream.store import removal

    monkeypatch.setattr(removal, "_ORDINALS_AT_ONCE", 16)
    assert sound.expire().documents == 70


@pytest.mark.parametrize("oldest", [0, 80])
def test_a_load_reads_the_same_whatever_has_been_deleted(store, synthetic, oldest):
    store.append(synthetic.batch(20, oldest=oldest))
    before = store.load().documents.ordinals.tolist()
    store.expire()
    assert store.load().documents.ordinals.tolist() == before
