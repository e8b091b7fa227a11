"""A service over the bundled sample, called without a network."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

import httpx
import orjson
import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.routing import Match

from infostream_dedup.service.application import _ROUTERS, application
from infostream_dedup.service.settings import ServiceSettings

HOST = "127.0.0.1:8600"
Serve = Callable[..., "ServiceClient"]


def sample_documents() -> list[dict[str, Any]]:
    lines = (resources.files("infostream_dedup.sample") / "stream.jsonl").read_bytes().splitlines()
    return [orjson.loads(line) for line in lines]


def settings_of(settings: ServiceSettings, **limits: Any) -> ServiceSettings:
    """Settings with other limits."""
    return replace(settings, limits=replace(settings.limits, **limits))


@cache
def form_of(model: Any) -> TypeAdapter[Any]:
    return TypeAdapter(model)


class ServiceClient:
    """Calls a service in this process, one request after another."""

    def __init__(self, folder: Path, limits: Mapping[str, Any] = MappingProxyType({}), **settings: Any) -> None:
        # Nobody gets the figures of a moment before, however slow the machine.
        limits = {"figures_wait_seconds": 60.0, **limits}
        self.settings = settings_of(ServiceSettings(store=folder / "news.db", **settings), **limits)
        self._loop = asyncio.new_event_loop()
        guard = application(self.settings)
        self._alive = guard.alive()
        self.running = self._do(self._alive.__aenter__())
        self._http = httpx.AsyncClient(transport=httpx.ASGITransport(app=guard), base_url=f"http://{HOST}")

    def __call__(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self._do(self._http.request(method, path, **options))
        if answer.is_success and answer.content and answer.headers.get("content-type") == "application/json":
            asked = {"type": "http", "method": answer.request.method, "path": unquote(answer.url.path)}
            asked |= {"raw_path": answer.url.raw_path.partition(b"?")[0], "headers": [], "root_path": ""}
            routes = (route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute))
            route = next(route for route in routes if route.matches(asked)[0] is Match.FULL)
            model = route.responses.get(answer.status_code, {}).get("model", route.response_model)
            if model is not None:
                form_of(model).validate_json(answer.content, strict=True)
        return answer

    def limit(self, **limits: Any) -> None:
        """Change limits of the running service."""
        self.running.settings = settings_of(self.running.settings, **limits)

    def forget_cookies(self) -> None:
        self._http.cookies.clear()

    def together(self, *calls: tuple[str, str, dict[str, Any]]) -> list[httpx.Response]:
        async def all_of_them() -> list[httpx.Response]:
            return await asyncio.gather(*(self._http.request(method, path, **more) for method, path, more in calls))

        return self._do(all_of_them())

    def close(self) -> None:
        self._do(self._http.aclose())
        self._do(self._alive.__aexit__(None, None, None))
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)


def ended(client: ServiceClient, number: int) -> dict[str, Any]:
    for _ in range(1200):
        job: dict[str, Any] = client("GET", f"/v1/jobs/{number}").json()
        if job["state"] not in ("waiting", "running"):
            return job
        time.sleep(0.1)
    pytest.fail("the job does not end")


KEEPS: Mapping[str, Any] = {"stream": {"keep_text": True}}


@contextmanager
def serving(folder: Path, **given: Any) -> Iterator[ServiceClient]:
    """A service over a new store, once it is ready."""
    client = ServiceClient(folder, **given)
    client.running.writer.wait()
    assert client("GET", "/ready").status_code == 200
    yield client
    client.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    """The sample in one batch, with texts. Tests do not add to it."""
    with serving(tmp_path_factory.mktemp("service"), **KEEPS) as client:
        answer = client("POST", "/v1/batches", json={"batch_id": "sample", "documents": sample_documents()})
        assert answer.status_code == 200, answer.text
        yield client


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start a service over a new store; it ends with the test."""
    with ExitStack() as stack:
        yield lambda **given: stack.enter_context(serving(tmp_path, **given))


@pytest.fixture
def fresh(serve: Serve) -> ServiceClient:
    """A service over a new store."""
    return serve()


@pytest.fixture
def keeping(serve: Serve) -> ServiceClient:
    """A service over a new store that keeps texts."""
    return serve(**KEEPS)
