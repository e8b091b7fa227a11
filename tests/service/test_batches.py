"""Batches over HTTP: the same verdicts as `ingest`, each document once, bad ones named."""

import csv
import gzip
import io
import re
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.service.checker import _NothingStored
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

from .conftest import ServiceClient, sample_documents
from .test_reading import everything


def document(name: str, text: str = "Мэр Харькова открыл новый мост через реку.") -> dict[str, str]:
    return {"id": name, "text": text}


def test_verdicts_are_those_of_ingest(filled: ServiceClient, tmp_path: Path) -> None:
    answer = filled("GET", "/v1/batches/sample").json()
    with ingest(sample_documents(), tmp_path / "other.db", keep_text=True) as found:
        expected = [row for batch in found.batches() for row in batch.rows()]
    assert orjson.dumps(answer["verdicts"]) == orjson.dumps(expected)


def test_four_clients_that_send_the_same_batches_thrice_count_each_once(fresh: ServiceClient) -> None:
    bodies = [{"batch_id": str(n), "documents": [document(f"{n}-{i}") for i in range(3)]} for n in range(4)]
    for _ in range(3):
        answers = fresh.together(*(("POST", "/v1/batches", {"json": body}) for body in bodies))
        assert [answer.status_code for answer in answers] == [200] * 4
    assert fresh("GET", "/v1/verdicts?limit=200").json()["items"][-1]["ordinal"] == 11


def test_a_bad_document_stops_the_batch_and_is_named(fresh: ServiceClient) -> None:
    bad = {"id": "b", "text": "Снег.", "published": "30 февраля"}
    answer = fresh("POST", "/v1/batches", json={"documents": [document("a"), bad]})
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["reason"]) == (422, "invalid", "E_DATE")
    assert (problem["document"], problem["field"]) == (1, "published")
    assert "февраля" not in answer.text
    assert fresh("GET", "/v1/documents/a").status_code == 404


def test_bad_documents_are_set_aside_when_asked(fresh: ServiceClient) -> None:
    fresh("POST", "/v1/batches", json={"documents": [document("a")]})
    documents = [document("a", "Снег."), document("b"), {"id": "c"}, 7, document("b", "Дождь.")]
    answer = fresh("POST", "/v1/batches", json={"documents": documents, "on_error": "skip"}).json()
    assert [row["id"] for row in answer["verdicts"]] == ["b"]
    assert [(one["index"], one["code"]) for one in answer["quarantined"]] == [
        (0, "E_ID_CONFLICT"), (2, "E_MISSING"), (3, "E_TYPE"), (4, "E_ID_CONFLICT"),
    ]  # fmt: skip
    # Options of the command line are no advice here.
    assert answer["quarantined"][1]["detail"] == "expected a string"


def test_json_lines_and_gzip(fresh: ServiceClient) -> None:
    lines = b"\n".join(orjson.dumps(document(name)) for name in "ab")
    headers = {"content-type": "application/x-ndjson", "content-encoding": "gzip"}
    answer = fresh("POST", "/v1/batches", content=gzip.compress(lines), headers=headers)
    assert [row["id"] for row in answer.json()["verdicts"]] == ["a", "b"]


def test_a_broken_line_is_named_or_set_aside(fresh: ServiceClient) -> None:
    body = b'{"id": "a", "text": "x"}\n\n{"id": \n{"id": "b", "id": "b"}\n{"id": "c", "text": "y"}'
    lines = {"content": body, "headers": {"content-type": "application/x-ndjson"}}
    for address in ("/v1/batches", "/v1/documents"):
        answer = fresh("POST", address, **lines)
        assert (answer.status_code, answer.json()["code"]) == (400, "json")
        assert re.fullmatch(r"line 3: .* column \d+ \(char \d+\)", answer.json()["detail"])
        answer = fresh("POST", f"{address}?on_error=skip", **lines).json()
        assert [row["id"] for row in answer["verdicts"]] == ["a", "c"]
        aside = [(row["index"], row["code"], row["detail"][:22]) for row in answer["quarantined"]]
        assert aside == [(1, "E_JSON", "expected JSON, line 3:"), (2, "E_JSON", "expected JSON, line 4:")]


@pytest.mark.parametrize(("content", "headers", "status", "code"), [
    (b"{", {}, 400, "json"), (b'{"documents": "\xff"}', {}, 400, "json"),
    (b'{"documents": [{"id": "a", "text": "\\ud800"}]}', {}, 400, "json"), (b"[" * 5000, {}, 400, "json"),
    (b"[]", {}, 422, "invalid"), (b'{"documents": 1}', {}, 422, "invalid"),
    (b'{"documents": [], "other": 1}', {}, 422, "invalid"), (b'{"documents": [], "batch_id": ""}', {}, 422, "invalid"),
    (b'{"documents": [], "on_error": "maybe"}', {}, 422, "invalid"),
    (b'{"documents": [' + b"1," * 5000 + b"1]}", {}, 413, "too-large"),
    (b"{}", {"content-type": "text/plain"}, 415, "content-type"),
    (b"{}", {"content-encoding": "br"}, 415, "content-type"),
    (b"{}", {"content-encoding": "gzip"}, 400, "bad-request"),
    (gzip.compress(b"{}", mtime=0)[:-4], {"content-encoding": "gzip"}, 400, "bad-request"),
    (gzip.compress(b'{"documents": []}', mtime=0) * 2, {"content-encoding": "gzip"}, 400, "bad-request"),
    (gzip.compress(b" " * 30_000_000, mtime=0), {"content-encoding": "gzip"}, 413, "too-large"),
    (b" " * (16 * 1024 * 1024 + 1), {}, 413, "too-large"),
])  # fmt: skip
def test_bodies_that_are_refused(filled, content, headers, status, code):
    answer = filled("POST", "/v1/batches", content=content, headers={"content-type": "application/json", **headers})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


def test_one_document_a_few_or_lines_with_an_id(fresh: ServiceClient) -> None:
    given = [{"id": number, "text": f"Мост номер {number} открыли вечером", "lang": "be"} for number in range(4)]
    one = fresh("POST", "/v1/documents", json=given[0] | {"extra": [1, {"a": None}], "autor": "x"}).json()
    assert [(row["id"], row["extra"]) for row in one["verdicts"]] == [("0", [1, {"a": None}])]
    assert one["ignored"] == ["autor"]
    few = [fresh("POST", "/v1/documents", json=given[1:3], headers={"Idempotency-Key": "few"}).json() for _ in range(2)]
    assert [(answer["batch_id"], answer["replayed"]) for answer in few] == [("few", False), ("few", True)]
    body = b"\n".join(map(orjson.dumps, [*given[3:], {"id": True, "text": "x"}]))
    lines = {"content": body, "headers": {"content-type": "application/x-ndjson"}}
    answer = fresh("POST", "/v1/batches?batch_id=lines&on_error=skip", **lines).json()
    assert (answer["batch_id"], [row["index"] for row in answer["quarantined"]]) == ("lines", [1])
    assert fresh("GET", "/v1/batches/lines/status").json()["state"] == "stored"
    assert fresh("POST", "/v1/documents", **lines).json()["document"] == 1


@pytest.mark.parametrize(("address", "field"), [
    ("/v1/batches?batchid=1", "batchid"), ("/v1/batches?batch_id=other", "batch_id"), ("/v1/documents?limt=2", "limt"),
])  # fmt: skip
def test_a_name_that_nobody_reads_is_refused(fresh: ServiceClient, address: str, field: str) -> None:
    answer = fresh("POST", address, json={"batch_id": "own", "documents": [{"id": "a", "text": "Мост открыли"}]})
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert fresh("GET", "/v1/batches/own").status_code == 404


def test_a_batch_need_not_be_waited_for(fresh: ServiceClient) -> None:
    def state(name: str) -> dict[str, Any]:
        for _ in range(200):
            answer: dict[str, Any] = fresh("GET", f"/v1/batches/{name}/status").json()
            if answer["state"] != "waiting":
                return answer
            time.sleep(0.02)
        pytest.fail("it still waits")

    documents = sample_documents()[:30]
    asked = {"json": {"documents": documents}}
    taken = fresh("POST", "/v1/batches?wait=false", **asked)
    assert taken.status_code == 202
    name = taken.json()["batch_id"]
    assert taken.headers["location"] == f"/v1/batches/{name}/status"
    assert state(name) | {"documents": 30} == {"batch_id": name, "state": "stored", "documents": 30, "problem": None}
    # The same content has the same id, whichever way it comes.
    assert fresh("POST", "/v1/batches", **asked).json()["replayed"] is True
    other = {"batch_id": name, "documents": documents[:2]}
    assert fresh("POST", "/v1/batches?wait=false", json=other).status_code == 202
    assert state(name)["problem"]["code"] == "batch-conflict"
    bad = {"documents": [documents[0], {"id": "x"}]}
    assert fresh("POST", "/v1/batches?wait=false", json=bad).json()["document"] == 1
    assert fresh.running.batches_of == {"local": 0}


def test_documents_are_listed_and_forgotten_by_source(fresh: ServiceClient) -> None:
    documents = [one | {"id": f"{number}"} for number, one in enumerate(sample_documents()[:60])]
    verdicts = fresh("POST", "/v1/batches", json={"documents": documents}).json()["verdicts"]
    status = {row["id"]: row["status"] for row in verdicts}
    source = documents[0]["source"]
    expected = [one["id"] for one in documents if one["source"] == source and status[one["id"]] == "duplicate"]
    found = everything(fresh, f"/v1/documents?source={source}&status=duplicate", 2)
    assert [row["id"] for row in found] == expected
    assert len(found) > 2
    late = fresh("GET", "/v1/documents?since=2026-03-02&until=2026-03-03&limit=200").json()["items"]
    days = [str(one["published"])[:10] for one in documents]
    assert {row["id"] for row in late} >= {str(number) for number, day in enumerate(days) if day == "2026-03-02"}
    assert all((row["published"] or row["arrived"]).startswith("2026-03-02") for row in late)
    count = sum(one["source"] == source for one in documents)
    assert fresh("DELETE", f"/v1/documents?source={source}").json() == {"documents": count, "clean": None}
    assert fresh("DELETE", f"/v1/documents?source={source}&wipe=true").json() == {"documents": 0, "clean": True}
    assert fresh("GET", f"/v1/documents?source={source}").json()["items"] == []
    assert fresh("DELETE", "/v1/documents?source=nobody").status_code == 404


@pytest.fixture
def half(keeping: ServiceClient) -> ServiceClient:
    documents = sample_documents()
    assert keeping("POST", "/v1/batches", json={"documents": documents[: len(documents) // 2]}).status_code == 200
    return keeping


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
        assert ["a" in waiting.known_of("a"), "b" in waiting.known_of("b")] == [False, True]


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
    none = filled("GET", f"/v1/documents/{members[0]}/similar?top=0").json()
    assert (none["field"], none["detail"]) == ("top", "ask for one row or more")
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


FIRST = {"id": "https://news.example/1", "text": "Мэр Харькова открыл новый мост через реку. Строили его три года."}
SECOND = FIRST | {"text": f"{FIRST['text']} Уточнение: два года."}


def batch(*documents: dict[str, Any], **others: object) -> dict[str, Any]:
    return {"json": {"documents": list(documents), **others}}


def test_a_correction_is_refused_until_it_is_called_one(keeping: ServiceClient, tmp_path: Path) -> None:
    keeping("POST", "/v1/batches", **batch(FIRST))
    assert keeping("POST", "/v1/batches", **batch(SECOND)).status_code == 409
    refused = keeping("POST", "/v1/batches", **batch(SECOND, on_conflict="error"))
    assert (refused.status_code, "on_conflict=version" in refused.json()["detail"]) == (409, True)
    taken = keeping("POST", "/v1/batches", **batch(SECOND, on_conflict="version", batch_id="2")).json()
    again = keeping("POST", "/v1/batches", **batch(SECOND, on_conflict="version", batch_id="2")).json()
    assert (taken["replayed"], again["replayed"], taken["verdicts"]) == (False, True, again["verdicts"])
    assert taken["position"] == again["position"] == {"batches": 2, "documents": 2}
    # The same content is no further version, whatever it is called.
    older = keeping("POST", "/v1/batches", **batch(FIRST, on_conflict="version", batch_id="3")).json()
    assert older["position"]["documents"] == 2
    with ingest([FIRST, SECOND], tmp_path / "other.db", keep_text=True, on_conflict="version") as found:
        expected = [row for one in found.batches() for row in one.rows()]
    assert orjson.dumps(taken["verdicts"]) == orjson.dumps(expected[1:])


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_an_item_of_a_feed_may_be_corrected(keeping: ServiceClient, on_error: str) -> None:
    first, second = ({**one, "item": "guid-1"} for one in (FIRST, SECOND))
    keeping("POST", "/v1/batches", **batch(first))
    answer = keeping("POST", "/v1/batches", **batch(second, on_error=on_error)).json()
    assert ([row["id"] for row in answer["verdicts"]], answer["quarantined"]) == ([FIRST["id"]], [])
    assert keeping("POST", "/v1/batches", **batch({**second, "text": "Иначе."}, on_conflict="error")).status_code == 409


def test_corrections_are_not_set_aside(keeping: ServiceClient) -> None:
    keeping("POST", "/v1/batches", **batch(FIRST))
    answer = keeping("POST", "/v1/batches", **batch(SECOND, {"id": "b"}, on_conflict="version", on_error="skip")).json()
    assert [row["id"] for row in answer["verdicts"]] == [FIRST["id"]]
    assert [(one["index"], one["code"]) for one in answer["quarantined"]] == [(1, "E_MISSING")]


def test_a_check_foretells_the_verdict_on_a_correction(keeping: ServiceClient) -> None:
    keeping("POST", "/v1/batches", **batch(FIRST))
    assert keeping("POST", "/v1/check", **batch(SECOND)).status_code == 409
    foretold = keeping("POST", "/v1/check", **batch(SECOND, on_conflict="version")).json()["verdicts"]
    assert foretold == keeping("POST", "/v1/batches", **batch(SECOND, on_conflict="version")).json()["verdicts"]


@pytest.mark.parametrize("path", ["/v1/batches", "/v1/check"])
@pytest.mark.parametrize("value", ["newest", None, 1, ["version"]])
def test_what_else_is_asked_for_a_conflict_is_refused(keeping: ServiceClient, path: str, value: object) -> None:
    answer = keeping("POST", path, **batch(FIRST, on_conflict=value))
    assert (answer.status_code, answer.json()["field"]) == (422, "on_conflict")


def test_a_document_compared_with_itself_shows_its_last_correction(keeping: ServiceClient) -> None:
    name = {"a": FIRST["id"], "b": FIRST["id"]}
    keeping("POST", "/v1/batches", **batch(FIRST))
    alone = keeping("GET", "/v1/compare", params=name).json()
    assert [alone[side]["version"] for side in "ab"] == [0, 0]
    third = SECOND | {"text": f"{SECOND['text']} Ещё одно уточнение."}
    for one in (SECOND, third):
        keeping("POST", "/v1/batches", **batch(one, on_conflict="version"))
    shown = keeping("GET", "/v1/compare", params=name).json()
    assert [shown[side]["version"] for side in "ab"] == [1, 2]
    assert ["".join(piece["text"] for piece in shown[s]["pieces"]) for s in "ab"] == [SECOND["text"], third["text"]]
    page = keeping("GET", "/compare", params=name)
    assert page.status_code == 200
    assert [side.count("Ещё одно уточнение") for side in page.text.split("<article")] == [0, 0, 3]
    # There is no pair to judge.
    assert "/judge?" not in page.text


def test_the_log_tells_what_the_answer_told(filled: ServiceClient) -> None:
    answered = filled("GET", "/v1/batches/sample").json()["verdicts"]
    logged = everything(filled, "/v1/verdicts", 40)
    names = {name: name for name in answered[0]} | {"group": "group_then", "story": "story_then"}
    assert [{name: row[given] for name, given in names.items()} for row in logged] == answered
    assert any(row["kind"] == "template" for row in logged)
    assert any(row["translation"] for row in logged)
    exported = [orjson.loads(line) for line in filled("GET", "/v1/export/verdicts.jsonl").content.splitlines()]
    assert [(r["kind"], r["probability"]) for r in exported[:-1]] == [(r["kind"], r["probability"]) for r in answered]


def test_the_live_stream_tells_of_merged_groups_before_their_verdict(tmp_path: Path) -> None:
    from infostream_dedup.service.routes.batches import _lines_after

    settings = StreamSettings.of({"preset": "faithful", "k_duplicate": 2, "k_similar": 1, "least_shared": 0.0})
    with Deduplicator.open(tmp_path / "news.db", settings) as stream:
        stream.process(sample_documents())
    with Store.open(tmp_path / "news.db", read_only=True) as store:
        merges = store.connection.execute(
            "SELECT ordinal, group_id, other FROM event WHERE kind = 'merge' ORDER BY number"
        ).fetchall()
        assert merges
        lines, place, last = [], -1, -2
        while place > last:
            last = place
            more, place, _ = _lines_after(store, place)
            lines += [part.decode().split("\n") for part in more]
    told, name = [], None
    for line in reversed(lines):
        if line[0].startswith("id: "):
            name = int(line[0].removeprefix("id: "))
        else:
            change = orjson.loads(line[1].removeprefix("data: "))
            # A client that has this verdict has been told of the merge.
            assert change["ordinal"] == name
            if line[0] == "event: merge":
                told.append((change["ordinal"], change["group"], change["other"]))
    assert told[::-1] == merges
    assert len([line for line in lines if line[0].startswith("id: ")]) == len(sample_documents())
