"""A store judged anew: by its key terms, or by its texts."""

import pytest

from infostream_dedup import api
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks

from .test_retuning import thresholds

SMALL = {"first_epoch": 40, "epoch_documents": 60}


def ingested(path, documents, size=70, **settings):
    with Deduplicator.open(path, StreamSettings.of({**SMALL, **settings})) as stream:
        return [one for begin in range(0, 199, size) for one in stream.process(documents[begin : begin + size])]


def verdicts(path):
    with Store.open(path, read_only=True) as store:
        assert [one.first for one in checks(store.connection) if one.faults] == []
        return [store.verdict_at(ordinal) for ordinal in range(store.stored_position().documents)]


@pytest.mark.parametrize("preset", ["faithful", "judged"])
def test_key_terms_give_what_the_documents_would(documents, tmp_path, preset):
    ingested(tmp_path / "old.db", documents[:150], preset=preset)
    expected = ingested(
        tmp_path / "new.db", documents, preset="faithful", k_duplicate=9, templates=preset == "faithful"
    )
    found = api.store.fork(tmp_path / "old.db", tmp_path / "fork.db", thresholds=thresholds(9))
    assert (found.documents, found.preset, found.settings["k_duplicate"]) == (150, "faithful", 9)
    assert found.changed > 0
    with Deduplicator.open(tmp_path / "fork.db") as stream:
        stream.process(documents[150:])
    assert verdicts(tmp_path / "fork.db") == expected == verdicts(tmp_path / "new.db")


def test_texts_give_preset_judged(documents, tmp_path):
    ingested(tmp_path / "old.db", documents, preset="faithful", keep_text=True)
    expected = ingested(tmp_path / "new.db", documents, preset="judged", keep_text=True)
    assert api.store.fork(tmp_path / "old.db", tmp_path / "fork.db", preset="judged").preset == "judged"
    assert [(one.id, one.status, one.of, one.kind) for one in verdicts(tmp_path / "fork.db")] == [
        (one.id, one.status, one.of, one.kind) for one in expected
    ]


def test_what_is_missing_is_told(documents, tmp_path):
    ingested(tmp_path / "old.db", documents, preset="faithful", window_documents=20, epoch_documents=40)
    with pytest.raises(ConfigurationError, match="199 documents have no text: preset judged reads texts"):
        api.store.fork(tmp_path / "old.db", tmp_path / "fork.db", preset="judged")
    with pytest.raises(ConfigurationError, match="exists already"):
        api.store.fork(tmp_path / "old.db", tmp_path / "old.db")
    api.store.forget(tmp_path / "old.db", documents[0].id)
    api.store.fork(tmp_path / "old.db", tmp_path / "fork.db")
    with Store.open(tmp_path / "fork.db", read_only=True) as store:
        forgotten = store.connection.execute("SELECT id FROM document WHERE forgotten = 1").fetchall()
    assert forgotten == [(documents[0].id,)]
    assert api.store.expire(tmp_path / "old.db").documents
    with pytest.raises(ConfigurationError, match="documents have no key terms: 'store expire' has deleted them"):
        api.store.fork(tmp_path / "old.db", tmp_path / "third.db")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["fork.db", "old.db"]
