"""Batches over HTTP: the same verdicts as `ingest`, each document once, bad ones named."""

import gzip
import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest

from .conftest import ServiceClient, sample_documents


def document(name: str, text: str = "Мэр Харькова открыл новый мост через реку.") -> dict[str, str]:
    return {"id": name, "text": text}


def test_verdicts_are_those_of_ingest(filled: ServiceClient, tmp_path: Path) -> None:
    answer = filled("GET", "/v1/batches/sample").json()
    with ingest(sample_documents(), tmp_path / "other.db", keep_text=True) as found:
        expected = [row for batch in found.batches() for row in batch.rows()]
    assert orjson.dumps(answer["verdicts"]) == orjson.dumps(expected)


def test_a_batch_that_comes_again_is_replayed(fresh: ServiceClient) -> None:
    body = {"batch_id": "one", "documents": [document("a"), document("b")]}
    first, again = (fresh("POST", "/v1/batches", json=body).json() for _ in range(2))
    assert (first["replayed"], again["replayed"]) == (False, True)
    assert first["verdicts"] == again["verdicts"]
    assert again["position"] == {"batches": 1, "documents": 2}
    assert [row["status"] for row in first["verdicts"]] == ["new", "exact"]


def test_another_batch_under_the_same_id_is_refused(fresh: ServiceClient) -> None:
    fresh("POST", "/v1/batches", json={"batch_id": "one", "documents": [document("a")]})
    answer = fresh("POST", "/v1/batches", json={"batch_id": "one", "documents": [document("b")]})
    assert (answer.status_code, answer.json()["code"]) == (409, "batch-conflict")
    assert fresh("GET", "/v1/documents/b").status_code == 404


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
    (gzip.compress(b" " * 30_000_000, mtime=0), {"content-encoding": "gzip"}, 413, "too-large"),
    (b" " * (16 * 1024 * 1024 + 1), {}, 413, "too-large"),
])  # fmt: skip
def test_bodies_that_are_refused(
    filled: ServiceClient, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
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


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ("/v1/batches?batchid=1", "batchid"),
        ("/v1/batches?batch_id=other", "batch_id"),
        ("/v1/documents?limt=2", "limt"),
    ],
)
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
    found, address = [], f"/v1/documents?source={source}&status=duplicate&limit=2"
    after = ""
    while after is not None:
        answer = fresh("GET", f"{address}&after={after}" if after else address).json()
        found += [row["id"] for row in answer["items"]]
        after = answer["next"]
    assert found == expected
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
