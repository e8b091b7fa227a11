from dataclasses import replace

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.model.stream_records import Batch, Decided
from infostream_dedup.stream.store import Store, StoreChangedError
from infostream_dedup.stream.store.removal import Forgotten


def test_what_a_document_said_is_gone(store, synthetic, faults):
    assert store.forget("документ-3") == [Forgotten("документ-3", versions=1)]
    assert store.known("документ-3")[-1].verdict == replace(synthetic.verdict(3), terms=None)
    assert store.headlines(3, 4) == [""]
    assert store.text(3) is None
    (forgotten,) = store.documents(3, 4)
    assert [len(v) for v in (forgotten.keys, forgotten.weights, forgotten.targets, forgotten.numbers)] == [0] * 4
    assert (forgotten.text_hash, forgotten.opening_hash) == (b"", b"")
    (known,) = store.known("документ-3")
    assert known.content_hash == synthetic.document(3).content_hash
    assert (faults(store), store.known("документ-4")[-1].verdict) == ([], synthetic.verdict(4))


def test_no_byte_of_it_is_left_in_the_file(filled, store):
    # Of a closed epoch: in the open one its terms go on to be counted, under no name.
    title, text = "Заголовок 71".encode(), "Текст 71".encode()
    packed = store.connection.execute("SELECT packed FROM body WHERE ordinal = 71").fetchone()[0]
    targets = store.connection.execute("SELECT targets FROM signature WHERE ordinal = 71").fetchone()[0]
    assert title in filled.read_bytes()
    store.forget("документ-71")
    assert store.wipe()
    assert all(piece not in filled.read_bytes() for piece in (title, text, packed, targets))
    assert filled.with_name("stream.db-wal").stat().st_size == 0


def test_a_reader_may_keep_the_log_alive(filled, faults):
    with Store.open(filled, busy_seconds=0.01) as store, Store.open(filled, read_only=True) as reader:
        with reader.reading() as connection:
            connection.execute("SELECT count(*) FROM document").fetchone()
            store.forget("документ-99")
            assert not store.wipe()
        assert store.wipe()
        assert faults(store) == []


def test_frequencies_stay(store, synthetic):
    before = store.load()
    # 3 is of a closed epoch; 81, 84 and 85 of the open one.
    for ordinal in (3, 81, 84, 85):
        store.forget(synthetic.name(ordinal))
    after = store.load()
    assert {name: sums.df.tolist() for name, sums in after.frequencies.items()} == {
        name: sums.df.tolist() for name, sums in before.frequencies.items()
    }
    withheld = {one.language: dict(zip(one.terms.tolist(), one.df.tolist(), strict=True)) for one in after.withheld}
    counted = {"uk": {}, "ru": {}}
    for ordinal in (81, 84, 85):
        one = synthetic.document(ordinal)
        for term in one.targets.tolist():
            counted[one.language][term] = counted[one.language].get(term, 0) + 1
    assert withheld == counted
    assert {one.epoch for one in after.withheld} == {4}
    assert after.documents.lengths.tolist() == before.documents.lengths.tolist()


def test_what_was_withheld_goes_when_the_epoch_closes(sound, synthetic):
    sound.forget("документ-85")
    assert sound.load().withheld
    sound.append(synthetic.batch(20))
    assert sound.load().withheld == ()
    assert sound.connection.execute("SELECT count(*) FROM withheld_frequency").fetchone()[0] == 0


def test_all_versions_are_forgotten(new_store, synthetic, faults):
    first = synthetic.document(0)
    later = replace(synthetic.document(1), id=first.id, version=1)
    verdicts = [synthetic.verdict(0), replace(synthetic.verdict(1), id=first.id, group=first.id)]
    new_store.append(Batch("b", b"", Decided(remembered=[first, later], verdicts=verdicts, new_terms=list("abcdef"))))
    assert new_store.forget(first.id) == [Forgotten(first.id, versions=2)]
    assert (new_store.forget(first.id), new_store.headlines(0, 2)) == ([Forgotten(first.id, versions=0)], ["", ""])
    assert faults(new_store) == []


def test_an_engine_that_remembers_it_must_load_again(filled, synthetic):
    with Store.open(filled) as engine, Store.open(filled) as other:
        engine.load()
        other.forget("документ-99")
        assert engine.changed()
        with pytest.raises(StoreChangedError):
            engine.append(synthetic.batch(20))
        assert engine.load().position.forgotten == 1
        engine.append(synthetic.batch(20))


def test_an_unknown_document_is_named(filled):
    with Store.open(filled) as store, pytest.raises(BadDataError, match="no document 'nobody'") as caught:
        store.forget("nobody")
    assert caught.value.code == "E_ID_UNKNOWN"


def test_a_forgotten_document_may_expire(sound):
    sound.forget("документ-3")
    assert sound.expire().documents == 69
