"""Audits on the desk: only judgements on the pairs that an audit drew count."""

import json
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.api import audit, desk
from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.judgements.judgements import asked_pairs
from infostream_dedup.service.job_process import labels_file

from .conftest import ServiceClient, ended, sample_documents


def run_job(client: ServiceClient, **parameters: Any) -> dict[str, Any]:
    return ended(client, client("POST", "/v1/jobs", json={"kind": "audit", **parameters}).json()["number"])


def audited(job: dict[str, Any]) -> dict[str, Any]:
    (row,) = (row for row in job["result"]["rows"] if row["source"] == "audited")
    return row


def judge(client: ServiceClient, a: str, b: str, queue: str, label: str) -> None:
    body = {"a": a, "b": b, "label": label, "queue": queue}
    assert client("POST", "/v1/judgements", json=body, headers={"idempotency-key": f"{a} {b}"}).status_code == 201


def test_pairs_of_other_queues_are_left_out(tmp_path: Path, keeping: ServiceClient) -> None:
    client = keeping
    client("POST", "/v1/batches", json={"documents": sample_documents()})
    refused = run_job(client, judged=True)
    assert (refused["state"], refused["result"]) == ("failed", None)
    assert "nobody has judged a pair that an audit asked for" in refused["message"]
    asked = run_job(client)
    assert (asked["state"], "--" in asked["result"]["notes"][0]) == ("done", False)
    with Desk.open(desk_path(tmp_path / "news.db"), create=False) as opened, opened.reading() as connection:
        drawn = asked_pairs(connection, "audit")
    for a, b in drawn[:20]:
        judge(client, a, b, "audit", "dup")
    before = audited(run_job(client, judged=True))
    assert before["pairs"] == 20
    links = client("GET", "/v1/pairs/next", params={"queue": "boundary", "n": 5}).json()["items"]
    others = {tuple(sorted((pair["a"]["id"], pair["b"]["id"]))) for pair in links} - set(drawn)
    assert others
    for a, b in others:
        judge(client, a, b, "boundary", "different")
    assert audited(run_job(client, judged=True)) == before
    # The export, whole or as the service gives it, leads to the same figures.
    exported = tmp_path / "labels.jsonl"
    exported.write_bytes(client("GET", "/v1/judgements").content)
    rows = desk.export_labels(tmp_path / "news.db")
    assert (rows, len(rows)) == ([json.loads(line) for line in exported.read_bytes().splitlines()], 20 + len(others))
    assert {(row["a"], row["b"]) for row in rows if "asked" in row} == set(drawn[:20])
    found = audit(sample_documents(), judged=exported)
    assert found.rows[-1] == before
    assert found.notes == [f"{len(others)} judged pairs were not chosen by an audit and do not count"]


def test_messages_do_not_quote_the_name_of_a_temporary_file() -> None:
    with pytest.raises(BadDataError) as caught, labels_file([{"a": "1", "b": "2", "label": "dup"}]) as name:
        raise BadDataError("nothing was asked", code="E_NOT_ASKED", source=name)
    assert str(caught.value) == "labels: nothing was asked [E_NOT_ASKED]"
