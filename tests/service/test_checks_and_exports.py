"""Verdicts without storing, documents like a stored one, whole lists as files."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.service.checker import _NothingStored
from infostream_dedup.service.settings import ServiceSettings

from .conftest import ServiceClient, sample_documents, wait_until_ready
from .test_reading import everything


@pytest.fixture
def half(tmp_path: Path) -> Iterator[ServiceClient]:
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream={"keep_text": True}))
    wait_until_ready(client)
    documents = sample_documents()
    assert client("POST", "/v1/batches", json={"documents": documents[: len(documents) // 2]}).status_code == 200
    yield client
    client.close()


def test_a_check_foretells_the_verdicts_and_stores_nothing(half: ServiceClient) -> None:
    documents = sample_documents()
    rest = documents[len(documents) // 2 :]
    before = half("GET", "/v1/stats").json()
    foretold = [half("POST", "/v1/check", json={"documents": rest[:30]}) for _ in range(2)]
    assert [answer.status_code for answer in foretold] == [200, 200]
    assert half("GET", "/v1/stats").json() == before
    stored = half("POST", "/v1/batches", json={"documents": rest[:30]}).json()["verdicts"]
    assert foretold[0].json()["verdicts"] == foretold[1].json()["verdicts"] == stored
    # The checker follows what was stored since.
    foretold = [half("POST", "/v1/check", json={"documents": rest[30:]})]
    stored = half("POST", "/v1/batches", json={"documents": rest[30:]}).json()["verdicts"]
    assert foretold[0].json()["verdicts"] == stored


def test_a_copy_that_waits_reads_the_file_that_is_there_when_it_is_asked(tmp_path: Path) -> None:
    for name in "ab":
        list(ingest([{"id": name, "text": "Мост открыли."}], tmp_path / name))
    waiting = _NothingStored(tmp_path / "a")
    waiting.open_ahead()
    (tmp_path / "b").replace(tmp_path / "a")
    with waiting.transaction():
        assert [bool(waiting.known(name)) for name in "ab"] == [False, True]


def test_checks_that_are_refused(half: ServiceClient) -> None:
    known = sample_documents()[0]
    conflict = half("POST", "/v1/check", json={"documents": [known, known | {"text": "Совсем другой текст."}]})
    sent = half("POST", "/v1/batches", json={"documents": [known, known | {"text": "Совсем другой текст."}]})
    assert (conflict.status_code, conflict.json()) == (sent.status_code, sent.json())
    assert half("POST", "/v1/check", json={"documents": [known] * 101}).status_code == 413
    assert half("POST", "/v1/check", json={"documents": [{"id": 1}]}).status_code == 422
    assert half("POST", "/v1/check", json={"documents": {}}).status_code == 422


def test_documents_like_a_stored_one(filled: ServiceClient) -> None:
    row = filled("GET", "/v1/groups?limit=1").json()["items"][0]
    members = [one["id"] for one in filled("GET", f"/v1/groups/{row['group']}").json()["members"]]
    found = [one["id"] for one in filled("GET", f"/v1/documents/{members[0]}/similar").json()["items"]]
    assert members[0] not in found
    assert found[0] in members
    few = filled("GET", f"/v1/documents/{members[0]}/similar?top=1&across=false").json()["items"]
    assert [one["id"] for one in few] == found[:1]
    assert filled("GET", "/v1/documents/none/similar").status_code == 404
    for query in ("k=0", "k=256", "top=0", "top=201"):
        assert filled("GET", f"/v1/documents/{members[0]}/similar?{query}").status_code == 422


@pytest.mark.parametrize("filters", ["", "?lang=uk", "?order=last", "?q=мост"])
def test_groups_as_files_are_the_whole_list(filled: ServiceClient, filters: str) -> None:
    listed = everything(filled, f"/v1/groups{filters}", 7)
    *rows, last = map(orjson.loads, filled("GET", f"/v1/export/groups.jsonl{filters}").content.splitlines())
    assert last == {"count": len(listed)}
    assert rows == [{name: row[name] for name in rows[0]} for row in listed]
    table = list(csv.DictReader(io.StringIO(filled("GET", f"/v1/export/groups.csv{filters}").text)))
    assert [row["group"] for row in table] == [row["group"] for row in rows]
    assert [row["languages"] for row in table] == [str(row["languages"]) for row in rows]


def test_verdicts_as_files(filled: ServiceClient) -> None:
    *rows, last = map(orjson.loads, filled("GET", "/v1/export/verdicts.jsonl").content.splitlines())
    assert [row["id"] for row in rows] == [document["id"] for document in sample_documents()]
    assert last == {"count": len(rows)}
    assert len(filled("GET", "/v1/export/verdicts.jsonl?after=100").content.splitlines()) == len(rows) - 101 + 1
    table = list(csv.DictReader(io.StringIO(filled("GET", "/v1/export/verdicts.csv").text)))
    assert [row["status"] for row in table] == [row["status"] for row in rows]
    assert filled("GET", "/v1/export/verdicts.txt").status_code == 422


def test_cells_that_a_spreadsheet_would_run_are_guarded(fresh: ServiceClient) -> None:
    text = "Мэр Харькова открыл новый мост через реку, и горожане пришли посмотреть на салют."
    documents = [{"id": f"={n}", "title": "=HYPERLINK(1)", "text": text, "source": "@x"} for n in range(2)]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    (row,) = csv.DictReader(io.StringIO(fresh("GET", "/v1/export/groups.csv").text))
    assert (row["group"], row["title"], row["source"]) == ("'=0", "'=HYPERLINK(1)", "'@x")


def test_the_page_of_groups_offers_what_its_filter_shows(filled: ServiceClient) -> None:
    assert 'href="/v1/export/groups.csv?order=last&amp;lang=uk"' in filled("GET", "/groups?lang=uk&order=last").text
    shown = filled("GET", "/v1/export/groups.jsonl?order=last&lang=uk&source=&q=").content
    assert shown == filled("GET", "/v1/export/groups.jsonl?order=last&lang=uk").content
