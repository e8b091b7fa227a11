"""What a client may send to break the service: numbers, headers and addresses that nothing expects, crowds."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from infostream_dedup.service.logs import failure_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import Readers
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import LOCAL, Sessions, add_token

from .conftest import HOST, ServiceClient, sample_documents, wait_until_ready

LONG = "9" * 5_000


@pytest.mark.parametrize(
    "path",
    ["/v1/groups?min=", "/v1/export/groups.csv?min=", "/v1/export/verdicts.jsonl?after=", "/v1/watches/a?after="],
)
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


def test_forms_are_short(fresh: ServiceClient) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    answer = fresh("POST", "/sign-in", content=b"token=" + b"a" * 70_000, headers=form)
    assert (answer.status_code, answer.json()["limit"]) == (413, 65_536)


def test_a_long_title_is_not_searched_for(filled: ServiceClient) -> None:
    answer = filled("POST", "/v1/search", json={"text": "мост", "title": "я" * 60_000})
    assert (answer.status_code, answer.json()["field"]) == (413, "title")


def test_searches_count_as_reads_and_files_of_pages_do_not(tmp_path: Path) -> None:
    settings = ServiceSettings(store=tmp_path / "news.db")
    client = ServiceClient(replace(settings, limits=replace(settings.limits, reads_per_second=1)))
    statuses = [client("GET", "/static/icon.svg").status_code for _ in range(12)]
    asked = [client("POST", "/v1/search", json={"text": ""}).status_code for _ in range(60)]
    client.close()
    assert set(statuses) == {200}
    assert set(asked) == {422, 429}


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
    running = fresh.running
    assert running.writer is not None
    running.writer.wait()
    documents = sample_documents()
    fresh("POST", "/v1/batches", json={"documents": documents[:10]})
    assert fresh("GET", "/v1/stats").json()["documents"] == 10
    limits = replace(running.settings.limits, figures_wait_seconds=0.0, figures_pause_seconds=600.0)
    running.settings = replace(running.settings, limits=limits)
    fresh("POST", "/v1/batches", json={"documents": documents[10:20]})
    assert fresh("GET", "/v1/stats").json()["documents"] == 10
    # Too old: the question waits.
    running.settings = replace(running.settings, limits=replace(limits, figures_age_seconds=0.0))
    assert fresh("GET", "/v1/stats").json()["documents"] == 20


def test_figures_are_counted_after_a_batch_even_if_nobody_asks(fresh: ServiceClient) -> None:
    running = fresh.running
    assert running.writer is not None
    running.writer.wait()
    fresh("GET", "/v1/stats")
    limits = replace(running.settings.limits, figures_pause_seconds=0.0)
    running.settings = replace(running.settings, limits=limits)
    fresh("POST", "/v1/batches", json={"documents": sample_documents()[:10]})
    end = time.monotonic() + 30
    while running.figures["activity"].value["documents"] != 10 and time.monotonic() < end:
        fresh("GET", "/health")
    assert running.figures["activity"].value["documents"] == 10


def test_streams_of_events_are_counted_before_they_are_answered(fresh: ServiceClient) -> None:
    running = fresh.running
    assert running.writer is not None
    running.writer.wait()
    running.settings = replace(running.settings, limits=replace(running.settings.limits, streams=0))
    answer = fresh("GET", "/v1/verdicts/events", headers={"last-event-id": LONG})
    assert (answer.status_code, answer.json()["code"]) == (429, "too-many")
    running.settings = replace(running.settings, limits=replace(running.settings.limits, streams=1))
    running.ended.set()
    answer = fresh("GET", "/v1/verdicts/events", headers={"last-event-id": LONG})
    assert (answer.status_code, answer.content) == (200, b": verdicts\n\n")
    assert running.streams == 0


def test_no_caller_takes_all_streams_of_events(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    tokens = [add_token(file, name, "reader") for name in ("one", "two")]
    settings = ServiceSettings(store=tmp_path / "news.db", token_file=file)
    client = ServiceClient(replace(settings, limits=replace(settings.limits, streams=3, streams_of_caller=2)))
    wait_until_ready(client)
    client.running.streams_of["one"], client.running.streams = 2, 2
    answers = [client("GET", "/v1/verdicts/events", headers={"authorization": f"Bearer {tokens[0]}"})]
    client.running.ended.set()  # a stream that is let in ends at once
    answers.append(client("GET", "/v1/verdicts/events", headers={"authorization": f"Bearer {tokens[1]}"}))
    assert [answer.status_code for answer in answers] == [429, 200]
    assert client.running.streams_of["two"] == 0
    client.close()


def test_the_log_of_a_failure_says_where_and_quotes_nothing() -> None:
    try:
        raise ValueError("the text of a document")
    except ValueError as error:
        told = failure_of(error)
    assert told["failure"] == "ValueError"
    assert told["message"] is None
    assert told["places"][-1].startswith("test_hostile_requests.py:")
