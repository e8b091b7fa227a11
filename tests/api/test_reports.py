"""Results carry the report of what was read; iterators give each row once."""

import json

import pytest

from infostream_dedup import api
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.sample import documents_path, labels_path

TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим. Приїхали сто гостей."
DOCUMENTS = [
    {"id": "1", "text": TEXT, "group": "1"}, {"id": "2", "text": f"{TEXT} Грав оркестр.", "group": "1"},
    {"id": "2", "text": "again"}, {"id": "3", "text": "Погода"},
]  # fmt: skip


@pytest.fixture
def skipping(tmp_path):
    """Reading options that set the second document 2 aside."""
    return api.Reading(on_error="skip", quarantine=tmp_path / "bad.jsonl")


@pytest.mark.parametrize("call", [
    lambda reading, folder: api.sweep(DOCUMENTS, representations=["stem"], reading=reading),
    lambda reading, folder: api.pairs(DOCUMENTS, representation="stem", reading=reading),
    lambda reading, folder: api.dedup(DOCUMENTS, folder / "out.jsonl", representation="stem", reading=reading),
    lambda reading, folder: api.compare(DOCUMENTS, methods=["md5"], pool="all", reading=reading),
    lambda reading, folder: api.passages.find(DOCUMENTS, reading=reading),
    lambda reading, folder: api.passages.find_novel(DOCUMENTS, reading=reading),
    lambda reading, folder: api.passages.find_digests(DOCUMENTS, reading=reading),
    lambda reading, folder: api.boilerplate(DOCUMENTS, reading=reading),
    lambda reading, folder: api.provenance(DOCUMENTS, reading=reading),
])  # fmt: skip
def test_results_carry_what_was_read(call, skipping, tmp_path):
    report = call(skipping, tmp_path).report
    assert (report.read, report.used, report.quarantined) == (4, 3, 1)


def test_an_evaluation_carries_what_was_read():
    found = api.evaluate(str(documents_path()), labels_path(), representation="stem")
    assert found.report.used == 199
    assert "report" not in found.as_dict()


def test_an_ingestion_gives_verdicts_and_counts(tmp_path, skipping):
    with api.ingest(DOCUMENTS, tmp_path / "stream.db", batch_size=1, reading=skipping, window_days=None) as found:
        assert found.report.read == 0
        assert [verdict.status for verdict in found] == ["new", "duplicate", "insufficient_text"]
    assert (found.report.used, found.report.quarantined) == (3, 1)
    assert list(found) == []
    again = api.ingest(DOCUMENTS[:1], tmp_path / "stream.db")
    assert [verdict.status for verdict in again] == ["new"]


def test_an_ingestion_that_is_left_keeps_what_it_gave(tmp_path):
    with api.ingest(DOCUMENTS[:2], tmp_path / "stream.db", batch_size=1) as found:
        next(found)
    assert {row["what"]: row["value"] for row in api.store.stats(tmp_path / "stream.db")}["documents"] == 1


def test_single_settings_of_a_stream_complete_those_of_its_store(tmp_path):
    store = tmp_path / "stream.db"
    list(api.ingest(DOCUMENTS[:1], store, k_duplicate=7, n=14))
    list(api.ingest(DOCUMENTS[1:2], store, n=14))
    with pytest.raises(ConfigurationError, match="k_duplicate"):
        list(api.ingest(DOCUMENTS[1:2], store, k_duplicate=6))


def test_pairs_name_their_columns():
    found = api.pairs(DOCUMENTS[:2], representation="stem", terms=False)
    assert [list(row.as_dict()) for row in found] == [list(found.columns)]
    table = api.pairs(DOCUMENTS[:2], representation="stem").to_arrow()
    assert table.column("a").to_pylist() == ["1"]


def test_rows_as_dicts_serialise():
    rows = list(api.passages.find(DOCUMENTS[:2]).as_dicts())
    assert json.loads(json.dumps(rows))[0]["a"] == "1"
