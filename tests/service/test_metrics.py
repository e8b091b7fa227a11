"""Figures for Prometheus say what they are named after."""

import time
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup.errors import BadDataError, CannotWriteError, StoreBusyError
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.store import Store

from .conftest import ServiceClient, sample_documents, wait_until_ready

NAME = "infostream_dedup_last_batch_timestamp_seconds"


def last_batch(client: ServiceClient) -> float:
    (line,) = (line for line in client("GET", "/metrics").text.splitlines() if line.startswith(f"{NAME} "))
    return float(line.split()[1])


def test_the_time_of_the_last_batch_is_that_of_another_process_too(tmp_path: Path) -> None:
    begin = time.time()
    with Deduplicator.open(tmp_path / "news.db") as stream:
        stream.process([{"id": "a", "text": "Снег."}])
        client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", read_only=True))
        started = last_batch(client)
        assert begin < started < time.time()
        assert last_batch(client) == started
        stream.process([{"id": "b", "text": "Дождь."}])
        assert started < last_batch(client) <= time.time()
        client.close()


def lines_of(text: str) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.mark.parametrize(("error", "status", "code", "reason"), [
    (CannotWriteError("news.db: database or disk is full"), 507, "disk-full", "news.db: database or disk is full"),
    (StoreBusyError("news.db: busy"), 503, "store-busy", "news.db: busy"),
    (
        BadDataError("batch 3 is damaged", code="E_STORE_DAMAGED", source="news.db"), 500, "internal",
        "news.db: batch 3 is damaged [E_STORE_DAMAGED]",
    ),
    (BadDataError("the text of a document", code="E_TYPE", source="<batch>"), 422, "invalid", None),
    (ProblemError(503, "queue-full", retry_after=1), 503, "queue-full", "Too many requests are waiting"),
    (ValueError("the text of a document"), 500, "internal", "ValueError"),
])  # fmt: skip
def test_the_log_says_why_a_request_failed(
    fresh: ServiceClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    status: int,
    code: str,
    reason: str | None,
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("infostream_dedup.service.routes.batches.decided_batch", fails)
    failures = "infostream_dedup_failures_total 1.0"
    assert fresh("POST", "/v1/batches", json={"documents": []}).status_code == status
    told = capsys.readouterr().err
    line = lines_of(told)[-1]
    assert (line["status"], line["code"], line.get("reason")) == (status, code, reason)
    assert line["level"] == ("error" if status in (500, 507) else "info")
    assert "text of a document" not in told
    assert (failures in fresh("GET", "/metrics").text) == (status == 500)


def test_the_log_of_a_request_that_was_answered_names_no_problem(
    fresh: ServiceClient, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh("GET", "/v1/groups")
    assert not {"code", "reason"} & set(lines_of(capsys.readouterr().err)[-1])


def test_figures_of_groups_alarms_and_the_process(filled: ServiceClient, fresh: ServiceClient) -> None:
    def figures(client: ServiceClient) -> dict[str, float]:
        lines = [line for line in client("GET", "/metrics").text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    told = figures(filled)
    groups = filled("GET", "/v1/groups?limit=200").json()["items"]
    assert told["infostream_dedup_groups"] == len(groups) > 1
    assert told["infostream_dedup_silent_sources"] == len(filled("GET", "/v1/stats").json()["silent"])
    assert told["process_resident_memory_bytes"] > 1e7
    assert told["infostream_dedup_free_bytes"] > 0
    fresh("POST", "/v1/batches", json={"documents": [{"id": str(n), "text": "Снег в горах."} for n in range(4)]})
    assert figures(fresh)["infostream_dedup_open_alarms"] == 0
    with Store.open(fresh.settings.store) as store:
        store.connection.execute(
            "INSERT INTO event (number, batch, ordinal, kind, group_id, value) VALUES (0, 0, 3, 'alarm', '0', 0.1)"
        )
    assert figures(fresh)["infostream_dedup_open_alarms"] == 1
    # To be watched creates no desk.
    assert figures(fresh)["infostream_dedup_desk_bytes"] == 0
    assert not fresh.running.desk.path.exists()
    fresh("PUT", "/v1/alarms/0", json={"decision": "known"})
    assert figures(fresh)["infostream_dedup_open_alarms"] == 0
    assert figures(fresh)["infostream_dedup_desk_bytes"] > 0


def test_the_last_closed_epoch_is_measured_without_naming_sources(tmp_path: Path) -> None:
    stream = {"first_epoch": 100, "epoch_documents": 100}
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream=stream))
    wait_until_ready(client)
    assert "infostream_dedup_epoch{" not in client("GET", "/metrics").text
    assert client("POST", "/v1/batches", json={"documents": sample_documents()}).status_code == 200
    text = client("GET", "/metrics").text
    (row, *others) = client("GET", "/v1/stats").json()["epochs"]
    assert (row["epoch"], row["source"], row["documents"]) == (0, None, 100)
    assert others
    assert all(one["source"] for one in others)
    for name in ("links", "symmetry", "transitivity", "duplicates", "links_across", "symmetry_across"):
        assert f'infostream_dedup_epoch{{measure="{name}"}} {float(row[name])!r}' in text
    assert 'infostream_dedup_epoch_alarms{measure="topics",of="stream"} 0.0' in text
    assert not any(one["source"] in text for one in others)
    page = client("GET", "/alarms").text
    assert "Epochs of the stream" in page
    assert f"<td>{row['links']}</td>" in page
    client.close()
