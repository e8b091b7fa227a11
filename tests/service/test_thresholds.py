"""New thresholds over HTTP, for the role admin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import ServiceClient, sample_documents

MEASURED = {"n": 12, "score": "count", "target": "text", "complete": True}


@pytest.fixture
def faithful(tmp_path: Path) -> Any:
    """A service over a new store of preset faithful."""
    from infostream_dedup.service.settings import ServiceSettings

    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream={"preset": "faithful"}))
    assert client.running.writer is not None
    client.running.writer.wait()
    yield client
    client.close()


def test_a_running_stream_takes_new_thresholds(faithful: ServiceClient) -> None:
    documents = sample_documents()
    faithful("POST", "/v1/batches", json={"documents": documents[:90]})
    given = {"thresholds": {"morph": {"k": 10}}, "measured": MEASURED}
    taken = faithful("POST", "/v1/thresholds", json=given)
    assert (taken.status_code, taken.json()) == (200, {"first": 90, "changes": {"k_duplicate": 10}, "left": []})
    rest = faithful("POST", "/v1/batches", json={"documents": documents[90:]}).json()["verdicts"]
    linked = [one for one in rest if one["status"] == "duplicate"]
    assert linked
    assert min(min(one["forward"], one["backward"]) for one in linked) >= 10
    for wrong in (
        given | {"measured": MEASURED | {"n": 8}},
        given | {"measured": MEASURED | {"complete": False}},
        given | {"thresholds": {"stem": {"k": 7}}},
        given | {"first": 3},
    ):
        assert faithful("POST", "/v1/thresholds", json=wrong).status_code in (400, 422)
    assert faithful("POST", "/v1/thresholds", json=given).json()["changes"] == {}
