"""Figures at an address of their own, which needs no token."""

import asyncio
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError, StoreBusyError
from infostream_dedup.service.routes import health
from infostream_dedup.service.server import run
from infostream_dedup.service.settings import ServiceSettings, address_of
from infostream_dedup.service.tokens import add_token

from .conftest import ServiceClient
from .test_server import Served, free_port


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
def test_figures_that_cannot_be_read_are_logged(
    fresh: ServiceClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    reason: str,
) -> None:
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


def test_the_address_of_the_service_by_another_name_is_taken_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Set for the whole process, which here runs other tests.
    monkeypatch.setattr("sys.setswitchinterval", lambda _: None)
    port = free_port()
    settings = ServiceSettings(store=tmp_path / "news.db", port=port, metrics=("localhost", port))
    with pytest.raises(ConfigurationError, match=f"metrics is the address of the service itself, port {port}"):
        run(settings, tell=pytest.fail)
    assert not (tmp_path / "news.db").exists()
