"""Figures for Prometheus say what they are named after."""

from __future__ import annotations

import time
from pathlib import Path

from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.stream.deduplicator import Deduplicator

from .conftest import ServiceClient

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
