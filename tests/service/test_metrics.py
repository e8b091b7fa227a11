"""Figures for Prometheus say what they are named after."""

import asyncio
import json
import time
from pathlib import Path

import httpx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError, CannotWriteError, ConfigurationError, StoreBusyError
from infostream_dedup.service.guard import Trace
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes import health
from infostream_dedup.service.server import run
from infostream_dedup.service.settings import ServiceSettings, address_of
from infostream_dedup.service.tokens import add_token
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.store import Store

from .conftest import Serve, ServiceClient, sample_documents
from .test_server import Served, free_port

NAME = "infostream_dedup_last_batch_timestamp_seconds"


def last_batch(client: ServiceClient) -> float:
    (line,) = (line for line in client("GET", "/metrics").text.splitlines() if line.startswith(f"{NAME} "))
    return float(line.split()[1])


def test_the_time_of_the_last_batch_is_that_of_another_process_too(tmp_path: Path) -> None:
    begin = time.time()
    with Deduplicator.open(tmp_path / "news.db") as stream:
        stream.process([{"id": "a", "text": "Снег."}])
        client = ServiceClient(tmp_path, read_only=True)
        started = last_batch(client)
        assert begin < started < time.time()
        assert last_batch(client) == started
        stream.process([{"id": "b", "text": "Дождь."}])
        assert started < last_batch(client) <= time.time()
        client.close()


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
def test_the_log_says_why_a_request_failed(fresh, monkeypatch, capsys, error, status, code, reason):
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("infostream_dedup.service.routes.batches.decided_batch", fails)
    failures = "infostream_dedup_failures_total 1.0"
    assert fresh("POST", "/v1/batches", json={"documents": []}).status_code == status
    told = capsys.readouterr().err
    line = orjson.loads([one for one in told.splitlines() if one.startswith("{")][-1])
    assert (line["status"], line["code"], line.get("reason")) == (status, code, reason)
    assert line["level"] == ("error" if status in (500, 507) else "info")
    assert "text of a document" not in told
    assert (failures in fresh("GET", "/metrics").text) == (status == 500)


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


def test_the_last_closed_epoch_is_measured_without_naming_sources(serve: Serve) -> None:
    client = serve(stream={"first_epoch": 100, "epoch_documents": 100})
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


# Figures at an address of their own, which needs no token.
def test_figures_need_no_token_there_and_end_with_the_service(tmp_path: Path) -> None:
    tokens, port = tmp_path / "tokens", free_port()
    token = add_token(tokens, "prometheus", "reader")
    served = Served(
        tmp_path / "news.db",
        *("--representation", "stem", "--token-file", str(tokens), "--metrics", f"localhost:{port}"),
    )
    served.start()
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}") as own, httpx.Client(base_url=served.address) as main:
            assert main.get("/metrics").status_code == 401
            with_token = main.get("/metrics", headers={"Authorization": f"Bearer {token}"})
            figures = own.get("/metrics")
            assert (figures.status_code, figures.headers["content-type"]) == (200, with_token.headers["content-type"])
            assert names_of(figures.text) == names_of(with_token.text)
            assert "infostream_dedup_stored_documents 0.0" in figures.text
            # Nothing else is open there.
            for path in ("/", "/health", "/v1/groups", "/v1/openapi.json"):
                assert own.get(path).status_code == 404
            assert own.post("/metrics").status_code == 405
        assert served.end() == 0
        with pytest.raises(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{port}/metrics")
    finally:
        served.process.kill()


def names_of(page: str) -> set[str]:
    return {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE")}


@pytest.mark.parametrize(
    ("error", "reason"),
    [(StoreBusyError("news.db: busy"), "news.db: busy"), (ValueError("the text of a document"), "ValueError")],
)
def test_figures_that_cannot_be_read_are_logged(fresh, monkeypatch, capsys, error, reason):
    async def fails(_: object) -> None:
        raise error

    monkeypatch.setattr(health, "figures_of", fails)
    transport = httpx.ASGITransport(app=health.metrics_application(fresh.running))

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://prometheus") as client:
            return await client.get("/metrics")

    answer = asyncio.run(ask())
    assert (answer.status_code, str(error) in answer.text) == (503, False)
    assert f'"reason":"{reason}"' in capsys.readouterr().err


@given(st.from_regex(r"[a-z0-9.-]{1,20}", fullmatch=True), st.integers(1, 65_535))
def test_an_address_is_a_host_and_a_port(host: str, port: int) -> None:
    assert address_of(f"{host}:{port}") == (host, port)
    assert address_of(f"[fe80::{port:x}]:{port}") == (f"fe80::{port:x}", port)


@pytest.mark.parametrize("text", ["", "9600", ":9600", "host:", "host:0", "host:65536", "::1:9600", "[::1]", "a:٩٦٠٠"])
def test_anything_else_is_no_address(text: str) -> None:
    with pytest.raises(ConfigurationError, match="expected HOST:PORT, such as 127"):
        address_of(text)


def test_the_address_of_the_service_is_taken(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="metrics is the address of the service itself, port 8600"):
        ServiceSettings(store=tmp_path / "news.db", metrics=("127.0.0.1", 8600))
    for everywhere in ("0.0.0.0", "::"):  # noqa: S104 - refused
        with pytest.raises(ConfigurationError, match="metrics is the address of the service itself"):
            ServiceSettings(store=tmp_path / "news.db", metrics=(everywhere, 8600))
    assert ServiceSettings(store=tmp_path / "news.db", metrics=("127.0.0.2", 8600)).port == 8600


def test_the_address_of_the_service_by_another_name_is_taken_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # Set for the whole process, which here runs other tests.
    monkeypatch.setattr("sys.setswitchinterval", lambda _: None)
    port = free_port()
    settings = ServiceSettings(store=tmp_path / "news.db", port=port, metrics=("localhost", port))
    with pytest.raises(ConfigurationError, match=f"metrics is the address of the service itself, port {port}"):
        run(settings, tell=pytest.fail)
    assert not (tmp_path / "news.db").exists()


# Lines of the log and answers name the request, and continue the client's trace.
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_an_answer_and_its_line_continue_the_trace(filled, capfd):
    answer = filled("GET", "/v1/groups", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    line = json.loads([one for one in capfd.readouterr().err.splitlines() if '"request"' in one][-1])
    assert (line["trace"], line["request"]) == (TRACE, answer.headers["x-request-id"])
    assert answer.headers["traceparent"] == f"00-{TRACE}-{line['request']}-01"


@pytest.mark.parametrize("given", ["", "00-0-0-01", f"00-{'0' * 32}-{PARENT}-01", f"ff-{TRACE}-{PARENT}-01", "\u0451"])
def test_a_trace_that_is_none_is_begun_anew(given):
    one, other = (Trace.of([(b"traceparent", given.encode())]) for _ in range(2))
    assert one.parent is None
    assert one.trace != other.trace


def test_opentelemetry_gets_the_request_as_a_span():
    pytest.importorskip("opentelemetry.sdk")
    from opentelemetry import trace as api
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    api.set_tracer_provider(provider)
    Trace.of([(b"traceparent", f"00-{TRACE}-{PARENT}-01".encode())]).export("GET /v1/groups", 0.25, 200)
    span = exporter.get_finished_spans()[0]
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)
    assert (span.end_time - span.start_time) / 1e9 == pytest.approx(0.25, abs=1e-3)
