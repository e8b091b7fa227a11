"""Who may call, from where, how much and how often."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.service.application import routes
from infostream_dedup.service.guard import Guard
from infostream_dedup.service.logs import Metrics
from infostream_dedup.service.problems import CODES, ProblemError
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import ROLES, Caller, Rates, Sessions, Tokens, add_token

from .conftest import ServiceClient, wait_until_ready


def test_every_answer_has_the_headers_of_safety(filled: ServiceClient) -> None:
    for path in ("/health", "/v1/groups", "/nowhere"):
        headers = filled("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(("method", "headers", "status", "code"), [
    ("GET", {"host": "elsewhere.example"}, 400, "host"), ("GET", {"host": "127.0.0.1:8601"}, 400, "host"),
    ("GET", {"host": "LOCALHOST:8600"}, 200, None), ("GET", {"x-long": "a" * 17_000}, 431, "headers-too-large"),
    ("POST", {"origin": "http://elsewhere.example"}, 403, "cross-site"),
    ("POST", {"origin": "null"}, 403, "cross-site"), ("POST", {"sec-fetch-site": "cross-site"}, 403, "cross-site"),
    ("POST", {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8600"}, 405, "method"),
])  # fmt: skip
def test_hosts_and_sites(
    filled: ServiceClient, method: str, headers: dict[str, str], status: int, code: str | None
) -> None:
    answer = filled(method, "/health", headers=headers)
    assert answer.status_code == status
    assert code is None or answer.json()["code"] == code


def test_clients_leave_out_the_usual_port(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db", port=80, hosts=("news.example",))
    assert {"localhost", "localhost:80", "127.0.0.1", "[::1]", "news.example"} <= settings.known_hosts
    assert "localhost" not in ServiceSettings(store=tmp_path / "news.db").known_hosts


def test_a_method_that_is_not_supported_is_answered_with_those_that_are(filled: ServiceClient) -> None:
    answer = filled("DELETE", "/v1/groups")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    answer = filled("DELETE", "/groups")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")


def lasting(headers: Any) -> dict[str, str]:
    """The headers of an answer but those of its moment."""
    return {
        name: value for name, value in headers.items() if name not in ("date", "etag", "traceparent", "x-request-id")
    }


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
@pytest.mark.parametrize(
    "path",
    ["/", "/groups", "/sign-in", "/explore", "/static/app.css", "/health", "/ready", "/nowhere", "/static/no.css"],
)
def test_pages_files_and_health_answer_head_as_get_without_a_body(
    filled: ServiceClient, path: str, accept: str
) -> None:
    asked, got = (filled(method, path, headers={"accept": accept}) for method in ("HEAD", "GET"))
    assert asked.status_code == got.status_code == (404 if "no" in path.split("/")[-1] else 200)
    assert lasting(asked.headers) == lasting(got.headers)
    assert int(asked.headers["content-length"]) == len(got.content) > 0
    assert asked.content == b""


@pytest.mark.parametrize("path", ["/v1/verdicts/events", "/v1/jobs", "/v1/jobs/1", "/v1/export/groups.csv"])
def test_streams_jobs_and_lists_do_not_answer_head(filled: ServiceClient, path: str) -> None:
    answer = filled("HEAD", path)
    assert (answer.status_code, answer.content) == (405, b"")
    assert "HEAD" not in answer.headers["allow"]


def test_head_needs_a_token_where_get_does(tmp_path: Path) -> None:
    add_token(tmp_path / "tokens", "anna", "reader")
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", token_file=tmp_path / "tokens"))
    wait_until_ready(client)
    assert [client("HEAD", path).status_code for path in ("/health", "/sign-in", "/groups")] == [200, 200, 401]
    assert client("HEAD", "/groups", headers={"accept": "text/html"}).headers["location"] == "/sign-in?to=%2Fgroups"
    client.close()


def test_each_role_may_do_what_is_its_own(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    tokens = {role: add_token(file, f"the-{role}", role) for role in ROLES}
    assert not any(token in file.read_text() for token in tokens.values())
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", token_file=file))
    wait_until_ready(client)

    def status(role: str, method: str, path: str, **options: Any) -> int:
        return client(method, path, headers={"authorization": f"Bearer {tokens[role]}"}, **options).status_code

    batch = {"json": {"documents": [{"id": "a", "text": "Снег."}]}}
    assert [status(role, "GET", "/v1/groups") for role in ROLES] == [200] * 4
    assert [status(role, "POST", "/v1/batches", **batch) for role in ROLES] == [403, 403, 200, 200]
    assert [status(role, "DELETE", "/v1/documents/b") for role in ROLES] == [403, 403, 403, 404]
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {tokens['admin']}"}):
        answer = client("GET", "/v1/groups", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (401, "token")
    assert client("GET", "/health").status_code == 200
    client.close()


def test_token_files_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("desk reader abc\n")
    file.chmod(0o600)
    with pytest.raises(BadDataError, match=r"tokens:1: expected a name, a role .* \[E_TOKEN\]"):
        Tokens(file)
    file.write_text("# nobody\n")
    with pytest.raises(ConfigurationError, match="nobody has a token"):
        Tokens(file)
    file.chmod(0o666)
    with pytest.raises(ConfigurationError, match="others can write this file"):
        Tokens(file)
    with pytest.raises(ConfigurationError, match="cannot name a token"):
        add_token(file, "a b", "reader")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "news.example"])  # noqa: S104
def test_other_machines_need_tokens(host: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="token_file"):
        ServiceSettings(store=tmp_path / "news.db", host=host)


def test_reads_fill_a_bucket() -> None:
    now = 0.0
    rates = Rates(2, clock=lambda: now)
    for _ in range(20):
        rates.check("a")
    with pytest.raises(ProblemError, match="Too many"):
        rates.check("a")
    rates.check("b")
    now = 0.5
    rates.check("a")
    with pytest.raises(ProblemError):
        rates.check("a")


def test_a_body_that_never_ends_is_cut_off(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db")
    settings = replace(settings, limits=replace(settings.limits, body_seconds=0.05))
    guard = Guard(routes(), settings, None, Sessions(), Metrics())
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1:8600"), (b"content-type", b"application/json"), (b"content-length", b"9")]
    asyncio.run(guard({"type": "http", "method": "POST", "path": "/v1/search", "headers": headers}, receive, send))
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


def test_every_problem_has_a_title() -> None:
    for code in CODES:
        assert ProblemError(400, code).body()
    assert Caller("a", "reader").may("reader")
    assert not Caller("a", "reader").may("writer")


PERSON = {"accept": "text/html,application/xhtml+xml"}


@pytest.mark.parametrize(("method", "options", "status", "code"), [
    ("GET", {"headers": PERSON | {"host": "elsewhere.example"}}, 400, "host"),
    ("GET", {"headers": PERSON | {"host": "[elsewhere"}}, 400, "host"),
    ("GET", {"headers": PERSON | {"x-long": "a" * 17_000}}, 431, "headers-too-large"),
    ("POST", {"headers": PERSON | {"origin": "http://elsewhere.example"}}, 403, "cross-site"),
    ("POST", {"headers": PERSON, "data": {"token": "a" * 70_000}}, 413, "too-large"),
    ("POST", {"headers": PERSON, "json": {}}, 415, "content-type"),
])  # fmt: skip
def test_people_get_a_page_when_they_are_refused(
    filled: ServiceClient, method: str, options: dict[str, Any], status: int, code: str
) -> None:
    answer = filled(method, "/sign-in", **options)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert code in answer.text
    assert answer.headers.get("connection") == ("close" if status in (413, 415) else None)
    assert filled(method, "/v1/search", **options).headers["content-type"] == "application/problem+json"


def test_people_who_read_too_much_learn_when_to_come_back(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db")
    client = ServiceClient(replace(settings, limits=replace(settings.limits, reads_per_second=1)))
    wait_until_ready(client)
    answers = [client("GET", "/groups", headers=PERSON) for _ in range(12)]
    client.close()
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.headers["retry-after"] == "1"
    assert "too-many" in refused.text
    assert refused.headers["content-type"] == "text/html; charset=utf-8"
