"""A store says by which rules its key terms were made, and a stream that goes on under other ones says so once."""

import json
import sqlite3
from contextlib import closing

import pytest

from infostream_dedup.language.translation.ladder import RULES
from infostream_dedup.stream import settings as term_rules
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.opening import write_settings_checksum

TEXT = "Президент Украины открыл в Харькове новый завод вместе с мэром города номер"


def documents(begin, end):
    return [{"id": str(number), "text": f"{TEXT} {number}", "lang": "ru"} for number in range(begin, end)]


@pytest.fixture
def ingest(tmp_path, monkeypatch, caplog):
    """Ingest documents under rules of a given name; return how many warnings there were."""

    def run(rules, begin, end, **settings):
        monkeypatch.setattr(term_rules, "fingerprint", lambda: rules)
        caplog.clear()
        with Deduplicator.open(tmp_path / "s.db", StreamSettings.of(settings) if begin == 0 else None) as stream:
            stream.process(documents(begin, end))
        return [record.getMessage() for record in caplog.records if "key terms" in record.getMessage()]

    return run


def kept(tmp_path):
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        found = connection.execute("SELECT value FROM state WHERE name = 'term_rules'").fetchone()
    return None if found is None else json.loads(found[0])


def test_other_rules_are_told_once_and_the_store_knows_from_which_document_on(ingest, tmp_path):
    assert (ingest("old", 0, 3, across="none"), ingest("old", 3, 5)) == ([], [])
    assert kept(tmp_path) == [["old", 0]]
    (told,) = ingest("new", 5, 6)
    assert told.startswith(f"{tmp_path / 's.db'}: the key terms of its 5 documents were chosen by other rules")
    assert "ingest them into a new store" in told
    assert ingest("new", 6, 8) == []
    assert kept(tmp_path) == [["old", 0], ["new", 5]]


def test_a_store_that_does_not_say_is_told_too(ingest, tmp_path):
    ingest("old", 0, 3, across="none")
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("DELETE FROM state WHERE name = 'term_rules'")
        write_settings_checksum(connection)
    assert (len(ingest("old", 3, 4)), ingest("old", 4, 5)) == (1, [])
    assert kept(tmp_path) == [["", 0], ["old", 3]]


def test_rules_of_translation_count_across_languages_and_stems_have_none(ingest, tmp_path):
    ingest("old", 0, 2, across="pivot")
    assert kept(tmp_path) == [[f"old {RULES}", 0]]
    (tmp_path / "s.db").unlink()
    ingest("old", 0, 2, representation="stem", across="none")
    assert ingest("new", 2, 3) == []
    assert kept(tmp_path) is None


def test_nothing_is_told_of_an_empty_store(ingest, tmp_path):
    ingest("old", 0, 0, across="none")
    assert ingest("new", 0, 2, across="none") == []


def test_two_processes_of_different_rules_do_not_let_the_store_grow(tmp_path):
    rules = term_rules.TermRules(StreamSettings.of({"across": "none"}))
    for number in range(200):
        rules.resume({"term_rules": [*rules.state().get("term_rules", []), ["other", number]]}, number + 1)
        rules.read_from(number)
    assert len(rules.state()["term_rules"]) == 50
