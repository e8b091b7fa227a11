"""Who may call, from where, how much and how often."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from infostream_dedup.cli import cli
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.service.application import routes
from infostream_dedup.service.guard import Guard
from infostream_dedup.service.logs import Metrics, failure_of
from infostream_dedup.service.problems import CODES, ProblemError, problem_of
from infostream_dedup.service.running import Readers
from infostream_dedup.service.settings import ServiceSettings, client_address, network_of
from infostream_dedup.service.tokens import LOCAL, ROLES, Caller, Rates, Sessions, Tokens, add_token

from .conftest import HOST, Serve, ServiceClient, sample_documents, settings_of


def test_every_answer_has_the_headers_of_safety(filled: ServiceClient) -> None:
    for path in ("/health", "/v1/groups", "/nowhere"):
        headers = filled("GET", path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


@pytest.mark.parametrize(("method", "headers", "status", "code"), [
    ("GET", {"host": "elsewhere.example"}, 400, "host"), ("GET", {"host": "127.0.0.1:8601"}, 400, "host"),
    ("GET", {"host": "LOCALHOST:8600"}, 200, None), ("GET", {"x-long": "a" * 17_000}, 431, "headers-too-large"),
    ("POST", {"origin": "http://elsewhere.example"}, 403, "cross-site"),
    ("POST", {"origin": "null"}, 403, "cross-site"), ("POST", {"sec-fetch-site": "cross-site"}, 403, "cross-site"),
    ("POST", {"sec-fetch-site": "same-origin", "origin": "http://127.0.0.1:8600"}, 405, "method"),
])  # fmt: skip
def test_hosts_and_sites(filled: ServiceClient, method: str, headers: dict[str, str], status: int, code: str | None):
    answer = filled(method, "/health", headers=headers)
    assert answer.status_code == status
    assert code is None or answer.json()["code"] == code


def test_clients_leave_out_the_usual_port(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db", port=80, hosts=("news.example",))
    assert {"localhost", "localhost:80", "127.0.0.1", "[::1]", "news.example"} <= settings.known_hosts
    assert "localhost" not in ServiceSettings(store=tmp_path / "news.db").known_hosts


def test_a_method_that_is_not_supported_is_answered_with_those_that_are(filled: ServiceClient) -> None:
    for path, methods in (
        ("/v1/groups", "GET"), ("/groups", "GET, HEAD"), ("/v1/documents", "DELETE, GET, POST"),
        ("/v1/documents/a%2Fb", "DELETE, GET"), ("/v1/judgements", "GET, POST"), ("/sign-in", "GET, HEAD, POST"),
    ):  # fmt: skip
        answer = filled("PATCH", path)
        assert (answer.status_code, answer.headers["allow"]) == (405, methods)


def lasting(headers: Any) -> dict[str, str]:
    """The headers of an answer but those of its moment."""
    return {key: value for key, value in headers.items() if key not in ("date", "etag", "traceparent", "x-request-id")}


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
@pytest.mark.parametrize(
    "path",
    ["/", "/groups", "/sign-in", "/explore", "/static/app.css", "/health", "/ready", "/nowhere", "/static/no.css"],
)
def test_pages_files_and_health_answer_head_as_get_without_a_body(filled: ServiceClient, path: str, accept: str):
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


def test_head_needs_a_token_where_get_does(serve: Serve, tmp_path: Path) -> None:
    add_token(tmp_path / "tokens", "anna", "reader")
    client = serve(token_file=tmp_path / "tokens")
    assert [client("HEAD", path).status_code for path in ("/health", "/sign-in", "/groups")] == [200, 200, 401]
    assert client("HEAD", "/groups", headers={"accept": "text/html"}).headers["location"] == "/sign-in?to=%2Fgroups"


def test_each_role_may_do_what_is_its_own(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    tokens = {role: add_token(file, f"the-{role}", role) for role in ROLES}
    assert not any(token in file.read_text() for token in tokens.values())
    client = serve(token_file=file)

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
    settings = settings_of(ServiceSettings(store=tmp_path / "news.db"), body_seconds=0.05)
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
def test_people_get_a_page_when_they_are_refused(filled, method, options, status, code):
    answer = filled(method, "/sign-in", **options)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert code in answer.text
    assert answer.headers.get("connection") == ("close" if status in (413, 415) else None)
    assert filled(method, "/v1/search", **options).headers["content-type"] == "application/problem+json"


LONG = "9" * 5_000


@pytest.mark.parametrize("path", ["/v1/groups?min=", "/v1/export/groups.csv?min=", "/v1/export/verdicts.jsonl?after="])
@pytest.mark.parametrize("number", ["9" * 23, "-" + "9" * 23])
def test_numbers_of_any_size_are_answered(filled: ServiceClient, path: str, number: str) -> None:
    assert filled("GET", path + number).status_code == 200


@pytest.mark.parametrize(("headers", "status"), [
    ({"origin": "http://["}, 403), ({"origin": "null"}, 403), ({"origin": f"http://{HOST}"}, 404),
    ({"content-length": LONG, "content-type": "application/json"}, 404),
])  # fmt: skip
def test_odd_headers_are_no_failure(fresh: ServiceClient, headers: dict[str, str], status: int) -> None:
    headers = {"idempotency-key": "a", **headers}
    assert fresh("POST", "/v1/judgements/1/undo", headers=headers).status_code == status


def test_two_hosts_are_refused(fresh: ServiceClient) -> None:
    answer = fresh("GET", "/v1/groups", headers=[("host", HOST), ("host", "evil.example")])
    assert (answer.status_code, answer.json()["code"]) == (400, "host")


@pytest.mark.parametrize("path", ["//evil.example/x", "/%5Cevil.example", "///evil.example"])
def test_links_of_a_missing_page_stay_here(fresh: ServiceClient, path: str) -> None:
    page = fresh("GET", f"http://{HOST}{path}", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert 'href="//' not in page.text
    assert 'href="/\\' not in page.text
    assert 'href="/evil.example' in page.text


def test_an_address_with_a_sharp_sign_keeps_it_in_links(filled: ServiceClient) -> None:
    page = filled("GET", "/stories/a%23b%3F", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert 'href="/stories/a%23b%3F?ui=uk"' in page.text


def test_a_long_title_is_not_searched_for(filled: ServiceClient) -> None:
    answer = filled("POST", "/v1/search", json={"text": "мост", "title": "я" * 60_000})
    assert (answer.status_code, answer.json()["field"]) == (413, "title")


def test_searches_count_as_reads_and_files_of_pages_do_not(tmp_path: Path) -> None:
    client = ServiceClient(tmp_path, {"reads_per_second": 1})
    statuses = [client("GET", "/static/icon.svg").status_code for _ in range(12)]
    asked = [client("POST", "/v1/search", json={"text": ""}).status_code for _ in range(60)]
    client.close()
    assert (set(statuses), set(asked)) == ({200}, {422, 429})


def test_wrong_tokens_lock_out_their_own_address_only() -> None:
    now = 0.0
    sessions = Sessions(lambda: now)
    for _ in range(5):
        assert sessions.may_try("10.0.0.1")
        sessions.failed("10.0.0.1")
    assert not sessions.may_try("10.0.0.1")
    assert sessions.may_try("10.0.0.2")
    now = 61.0
    assert sessions.may_try("10.0.0.1")


def test_sessions_that_ended_are_dropped_when_one_begins() -> None:
    now = 0.0
    sessions = Sessions(lambda: now)
    old = sessions.begin(LOCAL)
    now = 13 * 3600.0
    new = sessions.begin(LOCAL)
    now = 0.0
    assert sessions.caller(old) is None
    assert sessions.caller(new) == LOCAL


def test_searches_that_cannot_be_answered_soon_are_sent_away(filled: ServiceClient) -> None:
    filled.running.searched._most = 1
    answers = filled.together(*[("POST", "/v1/search", {"json": {"text": "мост через реку"}})] * 8)
    filled.running.searched._most = 16
    assert [answer.json().get("code") for answer in answers].count("queue-full") == 6
    assert {answer.headers.get("retry-after") for answer in answers} == {None, "2"}


def test_questions_that_cannot_be_answered_soon_are_sent_away(tmp_path: Path) -> None:
    readers = Readers(tmp_path / "nothing.db", threads=1, seconds=1.0, most=0)
    with pytest.raises(ProblemError) as refused:
        readers.ask(lambda _: None)
    assert refused.value.code == "queue-full"
    readers.close()


def test_figures_of_a_moment_before_are_shown_while_new_ones_are_counted(fresh: ServiceClient) -> None:
    documents = sample_documents()
    fresh("POST", "/v1/batches", json={"documents": documents[:10]})
    assert fresh("GET", "/v1/stats").json()["documents"] == 10
    fresh.limit(figures_wait_seconds=0.0, figures_pause_seconds=600.0)
    fresh("POST", "/v1/batches", json={"documents": documents[10:20]})
    assert fresh("GET", "/v1/stats").json()["documents"] == 10
    # Too old: the question waits.
    fresh.limit(figures_age_seconds=0.0)
    assert fresh("GET", "/v1/stats").json()["documents"] == 20


def test_figures_are_counted_after_a_batch_even_if_nobody_asks(fresh: ServiceClient) -> None:
    running = fresh.running
    fresh("GET", "/v1/stats")
    fresh.limit(figures_pause_seconds=0.0)
    fresh("POST", "/v1/batches", json={"documents": sample_documents()[:10]})
    end = time.monotonic() + 30
    while running.figures["activity"].value["documents"] != 10 and time.monotonic() < end:
        fresh("GET", "/health")
    assert running.figures["activity"].value["documents"] == 10


def test_streams_of_events_are_counted_before_they_are_answered(fresh: ServiceClient) -> None:
    running = fresh.running
    fresh.limit(streams=0)
    answer = fresh("GET", "/v1/verdicts/events", headers={"last-event-id": LONG})
    assert (answer.status_code, answer.json()["code"]) == (429, "too-many")
    fresh.limit(streams=1)
    running.ended.set()
    answer = fresh("GET", "/v1/verdicts/events", headers={"last-event-id": LONG})
    assert (answer.status_code, answer.content) == (200, b": verdicts\n\n")
    assert running.streams == 0


def test_no_caller_takes_all_streams_of_events(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    tokens = [add_token(file, name, "reader") for name in ("one", "two")]
    client = serve(token_file=file, limits={"streams": 3, "streams_of_caller": 2})
    client.running.streams_of["one"], client.running.streams = 2, 2
    answers = [client("GET", "/v1/verdicts/events", headers={"authorization": f"Bearer {tokens[0]}"})]
    client.running.ended.set()  # a stream that is let in ends at once
    answers.append(client("GET", "/v1/verdicts/events", headers={"authorization": f"Bearer {tokens[1]}"}))
    assert [answer.status_code for answer in answers] == [429, 200]
    assert client.running.streams_of["two"] == 0


def test_the_log_of_a_failure_says_where_and_quotes_nothing() -> None:
    try:
        raise ValueError("the text of a document")
    except ValueError as error:
        told = failure_of(error)
    assert told["failure"] == "ValueError"
    assert told["message"] is None
    assert told["places"][-1].startswith("test_guard.py:")


CONTRACT = Path(__file__).resolve().parents[2] / "infostream_dedup" / "service" / "openapi.json"


def written() -> str:
    description = routes().openapi()
    description["info"]["version"] = "1"
    return json.dumps(description, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def test_the_description_is_that_of_the_routes() -> None:
    """``python -m tests.service.test_guard`` writes it anew."""
    assert CONTRACT.read_text(encoding="utf-8") == written()


@pytest.mark.parametrize("code", ["E_STORE_DAMAGED", "E_STORE_FOREIGN", "E_STORE_NEWER", "E_DESK_DAMAGED"])
def test_a_fault_of_a_file_of_ours_is_not_blamed_on_the_request(code: str) -> None:
    assert problem_of(BadDataError("the store has schema 13", code=code, source="news.db")).status == 500


def test_every_path_but_those_of_operations_has_a_version() -> None:
    operations = {"/health", "/ready", "/metrics"}
    paths = json.loads(CONTRACT.read_text(encoding="utf-8"))["paths"]
    assert {path for path in paths if not path.startswith("/v1/")} == operations


def test_every_route_names_its_problems_and_those_that_read_a_body_its_form() -> None:
    description = json.loads(CONTRACT.read_text(encoding="utf-8"))
    assert set(description["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]) == set(CODES)
    without = set()
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            assert {"4XX", "503", "507"} <= set(route["responses"]), path
            for answer in route["responses"].values():
                assert answer.get("content", {}).get("application/json", {}).get("schema") != {"type": "string"}, path
            if method in ("post", "put") and "requestBody" not in route:
                without.add(path)
    # It needs a key only.
    assert without == {"/v1/judgements/{number}/undo"}


if __name__ == "__main__":
    CONTRACT.write_text(written(), encoding="utf-8")


# Who the client is behind a proxy, and what nobody can pretend.
PROXIES = tuple(map(network_of, ("127.0.0.1", "10.0.0.0/8", "fd00::/8")))


@pytest.mark.parametrize(("peer", "forwarded", "client"), [
    ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
    # What stands before the address that the proxy added is the client's own invention.
    ("127.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["198.51.100.1", "203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["nonsense, 203.0.113.7"], "203.0.113.7"),
    ("127.0.0.1", ["198.51.100.1, 203.0.113.7, 10.1.2.3"], "203.0.113.7"),
    ("::ffff:127.0.0.1", ["203.0.113.7:4711, ::ffff:10.1.2.3"], "203.0.113.7"),
    ("fd00::1", ["[2001:db8::7]:4711"], "2001:db8::7"), ("fd00::1", ["[2001:0DB8::7]"], "2001:db8::7"),
    # All of them are proxies: the first is the client of the others.
    ("127.0.0.1", ["10.1.2.3, 10.1.2.4"], "10.1.2.3"), ("127.0.0.1", [], "127.0.0.1"),
    ("127.0.0.1", [""], "127.0.0.1"), ("127.0.0.1", ["203.0.113.7,"], "127.0.0.1"),
    ("127.0.0.1", ["203.0.113.7, unknown"], "127.0.0.1"),
    ("127.0.0.1", ["203.0.113.7, unknown, 10.1.2.3"], "127.0.0.1"), ("127.0.0.1", ["203.0.113.07"], "127.0.0.1"),
    ("203.0.113.9", ["203.0.113.7"], "203.0.113.9"), ("203.0.113.9", ["203.0.113.7, 127.0.0.1"], "203.0.113.9"),
    ("", ["203.0.113.7"], ""),
])  # fmt: skip
def test_the_client_is_the_last_address_that_is_no_proxy(peer: str, forwarded: list[str], client: str) -> None:
    assert (client_address(peer, forwarded, PROXIES), client_address(peer, forwarded, ())) == (client, peer)


def tries(client: ServiceClient, forwarded: str, token: str = "wrong") -> int:  # noqa: S107 - no secret
    return client("POST", "/sign-in", data={"token": token}, headers={"x-forwarded-for": forwarded}).status_code


def test_wrong_tokens_behind_a_trusted_proxy_count_for_their_client_only(serve: Serve, tmp_path: Path) -> None:
    token = add_token(tmp_path / "tokens", "desk", "reader")
    client = serve(token_file=tmp_path / "tokens", proxies=PROXIES)
    # A client that invents addresses gains nothing: the proxy adds the true one after them.
    assert [tries(client, f"192.0.2.{number}, 203.0.113.7") for number in range(6)] == [401] * 5 + [429]
    assert (tries(client, "203.0.113.7", token), tries(client, "203.0.113.8", token)) == (429, 303)


@pytest.mark.parametrize("given", ["news.example", "10.0.0.1/8", "10.0.0.0/40", "*"])
def test_what_is_no_address_is_refused(tmp_path: Path, given: str) -> None:
    answer = CliRunner().invoke(cli, ["serve", "--store", str(tmp_path / "news.db"), "--proxies", f"10.0.0.1, {given}"])
    assert "give addresses or networks, such as 10.0.0.0/8" in str(answer.exception)
    assert not (tmp_path / "news.db").exists()
