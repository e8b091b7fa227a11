"""Batches over HTTP: the same verdicts as `ingest`, each document once, bad ones named."""

import gzip
from pathlib import Path

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
