"""Training and comparison by what was judged: jobs, pages, queues."""

import os
import sqlite3
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.errors import CannotCreateError, CannotWriteError, StoreBusyError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.judgements.desk import add_job, end_job, job_shown
from infostream_dedup.judging.criteria.model_file import read_model
from infostream_dedup.service import job_process
from infostream_dedup.service.job_process import JobLock, JobRunner, _documents
from infostream_dedup.service.tokens import add_token
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

from .conftest import Serve, ServiceClient, ended, sample_documents


def judge_sample(client: ServiceClient) -> int:
    """Judge the pairs of the first groups as duplicates, and neighbours of different groups as different."""
    groups = client("GET", "/v1/groups?limit=40").json()["items"]
    firsts, number = [], 0
    for row in groups:
        members = client("GET", f"/v1/groups/{row['group']}").json()["members"]
        firsts.append(members[0]["id"])
        for member in members[1:3]:
            number += 1
            say(client, {"a": members[0]["id"], "b": member["id"], "label": "dup"}, number)
    for one, other in pairwise(firsts):
        number += 1
        say(client, {"a": one, "b": other, "label": "different"}, number)
    return number


def say(client: ServiceClient, body: dict[str, Any], number: int) -> None:
    answer = client("POST", "/v1/judgements", json=body, headers={"idempotency-key": f"learning-{number}"})
    assert answer.status_code == 201, answer.text


def test_pages_before_anything_was_judged(fresh: ServiceClient) -> None:
    assert "50 more judged pairs" in fresh("GET", "/model?ui=en").text
    assert "/judge" in fresh("GET", "/methods?ui=en").text


@pytest.mark.parametrize("body", [
    {"kind": "train", "preset": "other"}, {"kind": "compare", "methods": []},
    {"kind": "compare", "methods": ["guess"]}, {"kind": "compare", "methods": "md5"},
])  # fmt: skip
def test_learning_that_is_refused(fresh: ServiceClient, body: dict[str, Any]) -> None:
    assert fresh("POST", "/v1/jobs", json=body).status_code == 422


def test_a_classifier_and_methods_from_judgements(filled_again: ServiceClient, tmp_path: Any) -> None:
    client = filled_again
    few = client("POST", "/v1/jobs", json={"kind": "train"}).json()["number"]
    assert ended(client, few)["result"] == {"labels": {}, "left_out": 0, "missing": 50}
    judged = judge_sample(client)
    assert judged >= 50
    number = client("POST", "/v1/jobs", json={"kind": "train"}).json()["number"]
    job = ended(client, number)
    assert job["state"] == "done", job["message"]
    result = job["result"]
    assert sum(result["labels"].values()) == result["facts"]["pairs"] == judged
    folds = result["folds"]
    hits, wrong, missed = (folds[name] for name in ("tp", "fp", "fn"))
    assert hits + missed == result["labels"]["dup"]
    assert folds["precision"] == pytest.approx(hits / (hits + wrong))
    assert folds["f1"] == pytest.approx(2 * hits / (2 * hits + wrong + missed))
    assert 0 <= folds["f1_low"] <= folds["f1"] <= folds["f1_high"] <= 1
    assert len(result["confused"]) == wrong + missed
    (tmp_path / "model.json").write_bytes(client("GET", f"/v1/jobs/{number}/model").content)
    assert set(read_model(tmp_path / "model.json").criteria) == {row["criterion"] for row in result["weights"]}
    page = client("GET", "/model?ui=en").text
    assert page.count('<svg class="weight"') == len(result["weights"])
    assert client("GET", f"/v1/jobs/{few}/model").status_code == 404
    teach = {tuple(sorted(pair)) for pair in result["teach"]}
    (pair,) = client("GET", "/v1/pairs/next?queue=learning").json()["items"]
    assert tuple(sorted((pair["a"]["id"], pair["b"]["id"]))) in teach
    methods = ["md5", "shingles", "key-terms-stem"]
    number = client("POST", "/v1/jobs", json={"kind": "compare", "methods": methods, "documents": 60}).json()["number"]
    job = ended(client, number)
    assert job["state"] == "done", job["message"]
    rows = {row["method"]: row for row in job["result"]["rows"]}
    assert (list(rows), rows["md5"]["tp"] + rows["md5"]["fn"]) == (methods, job["result"]["labels"]["dup"])
    assert len(job["result"]["dice"]["values"]) == 3
    page = client("GET", "/methods?ui=en").text
    assert all(f"<td>{name}</td>" in page for name in methods)
    disputed = {tuple(sorted((row["a"], row["b"]))) for row in job["result"]["disputed"]}
    assert client("GET", "/v1/pairs/next?queue=methods").status_code == (200 if disputed else 204)


@pytest.fixture
def filled_again(keeping: ServiceClient) -> ServiceClient:
    assert keeping("POST", "/v1/batches", json={"documents": sample_documents()}).status_code == 200
    return keeping


def test_documents_without_text_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    for name, keep in (("a", False), ("b", True), ("c", True)):
        with Deduplicator.open(path, StreamSettings.of({"keep_text": keep})) as stream:
            stream.process([{"id": name, "text": f"Мэр открыл мост, {name}."}])
    with Deduplicator.open(path, StreamSettings.of({"keep_text": True})) as stream:
        stream.process([{"id": "b", "text": "Мэр открыл мост, уточнение."}], on_conflict="version")
    documents, _ = _documents(path, 100, lambda *_: None)
    assert [(d.id, d.text) for d in documents] == [("c", "Мэр открыл мост, c."), ("b", "Мэр открыл мост, уточнение.")]


ALLOWED = ("INDEX document_forgotten",)  # an index of the forgotten documents only


def asked(client: ServiceClient, monkeypatch: pytest.MonkeyPatch, paths: list[str]) -> set[str]:
    said: set[str] = set()
    opened = Store.open

    def listened(*given: Any, **named: Any) -> Store:
        store = opened(*given, **named)
        store.connection.set_trace_callback(said.add)
        return store

    monkeypatch.setattr(Store, "open", listened)
    client.running.readers.close()
    client.running.readers = type(client.running.readers)(client.settings.store, 2, 5.0, 64)
    for path in paths:
        assert client("GET", path).status_code in (200, 204), path
    return {one for one in said if one.lstrip().upper().startswith(("SELECT", "WITH"))}


def scans(connection: sqlite3.Connection, query: str) -> list[str]:
    """Lines of the plan that walk through the documents."""
    plan = [str(row[3]) for row in connection.execute(f"EXPLAIN QUERY PLAN {query}")]
    names = {"document", "latest", "earlier", "named", "first"}
    return [
        line
        for line in plan
        if line.startswith("SCAN ") and line.split()[1] in names and not any(one in line for one in ALLOWED)
    ]


def test_a_scan_would_be_noticed(filled: ServiceClient) -> None:
    with Store.open(filled.settings.store, read_only=True) as store:
        assert scans(store.connection, "SELECT source, count(*) FROM document GROUP BY source")
        assert not scans(store.connection, "SELECT title FROM document WHERE ordinal > 7")


def test_no_page_walks_through_the_documents(filled: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    group = filled("GET", "/v1/groups?limit=1").json()["items"][0]["group"]
    story = filled("GET", "/v1/stories?limit=1").json()["items"][0]["story"]
    first, second, *_ = (one["id"] for one in filled("GET", f"/v1/groups/{group}").json()["members"])
    paths = [
        *("/", "/groups", "/groups?order=last", "/groups?lang=uk", "/groups?q=мост", f"/groups?id={group}"),
        *(f"/groups/{group}/provenance", "/stories", f"/stories/{story}", f"/compare?a={first}&b={second}"),
        *("/judge", "/judge?queue=random", "/judge?queue=translation", f"/judge?queue=group:{group}", "/labels"),
        *("/model", "/explore", "/methods", "/templates", "/sources", "/alarms", "/settings"),
        *(f"/v1/documents/{first}", "/v1/verdicts", "/v1/groups", "/v1/groups?order=last", "/v1/stats", "/v1/sources"),
        *("/v1/stories", "/v1/templates", "/v1/alarms", "/v1/export/groups.csv", "/v1/export/verdicts.csv"),
    ]
    queries = asked(filled, monkeypatch, paths)
    assert len(queries) > 40
    with Store.open(filled.settings.store, read_only=True) as store:
        store.connection.create_function("folded", 1, str.casefold, deterministic=True)
        found = {query: walked for query in sorted(queries) if (walked := scans(store.connection, query))}
    assert found == {}


MEASURED = {"n": 12, "score": "count", "target": "text", "complete": True}


@pytest.fixture
def faithful(serve: Serve) -> ServiceClient:
    """A service over a new store of preset faithful."""
    return serve(stream={"preset": "faithful"})


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


# Several services over one store: a job belongs to the process that runs it.
pytest.importorskip("fcntl")


@pytest.fixture
def desk_with_job(tmp_path: Path) -> tuple[Path, int]:
    path = tmp_path / "stream.db.desk"
    with Desk.open(path) as desk, desk.writing() as connection:
        number = add_job(connection, "sweep", {}, position="1-3-0", person="local")
    return path, number


def state_of(path: Path, number: int) -> str:
    with Desk.open(path) as desk, desk.reading() as connection:
        job = job_shown(connection, number)
    return str(job["state"])


def test_a_second_service_leaves_a_running_job_alone(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    second = JobRunner(path.with_suffix(""), path)
    second.begin()
    assert state_of(path, number) == "waiting"
    with pytest.raises(StoreBusyError):
        second.claim()
    lock.release()
    second.begin()
    assert state_of(path, number) == "failed"


def test_the_process_holds_the_lock_when_its_service_has_ended(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    lock = JobLock.take(path)
    waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(waits, stdin=subprocess.PIPE, pass_fds=lock.descriptors) as process:
        lock.release()
        assert JobLock.take(path) is None
        JobRunner(path.with_suffix(""), path).begin()
        assert state_of(path, number) == "waiting"
        process.communicate()
    claimed = JobRunner(path.with_suffix(""), path).claim()
    assert state_of(path, number) == "failed"
    claimed.release()


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_the_next_job_need_not_wait_for_the_process_of_the_last(desk_with_job, monkeypatch, state):
    path, number = desk_with_job
    lock = JobLock.take(path)
    monkeypatch.setattr("os.nice", lambda _: 0)
    parent = os.getppid() if state == "failed" else os.getpid()  # the service has ended meanwhile
    job_process.main(path.with_name("missing.db"), path, number, parent, lock)
    assert state_of(path, number) == state
    # This process has not ended, as that of a job may not have when somebody begins the next.
    JobLock.take(path).release()


def test_the_end_of_a_job_is_written_once_the_disk_has_room_again(desk_with_job, monkeypatch):
    path, number = desk_with_job
    failures = [CannotWriteError("no space left")] * 2

    def full(*given: Any, **named: Any) -> None:
        if failures:
            raise failures.pop()
        end_job(*given, **named)

    monkeypatch.setattr(job_process, "end_job", full)
    monkeypatch.setattr(job_process, "_AGAIN_SECONDS", 0.01)
    runner = JobRunner(path.with_suffix(""), path)
    runner._wait(subprocess.Popen([sys.executable, "-c", "raise SystemExit(74)"]), number)
    assert not failures
    assert state_of(path, number) == "failed"


def test_the_log_of_a_job_that_a_full_disk_ended_is_one_line(desk_with_job, monkeypatch, capsys):
    path, number = desk_with_job
    lock = JobLock.take(path)

    def full(*_: Any, **__: Any) -> None:
        raise CannotWriteError(f"{path}: no space left")

    monkeypatch.setattr(job_process, "end_job", full)
    monkeypatch.setattr("os.nice", lambda _: 0)
    with pytest.raises(SystemExit) as left:
        job_process.main(path.with_name("missing.db"), path, number, os.getppid(), lock)
    assert left.value.code == 74
    assert capsys.readouterr().err == f"infostream-dedup: job {number}: {path}: no space left\n"
    JobLock.take(path).release()


def test_a_service_starts_where_the_lock_cannot_be_written(desk_with_job: tuple[Path, int]) -> None:
    path, number = desk_with_job
    # As on a file system that is read-only, which root would not notice from permissions.
    path.with_name(f"{path.name}.job").mkdir()
    runner = JobRunner(path.with_suffix(""), path)
    runner.begin()
    assert state_of(path, number) == "waiting"
    with pytest.raises(CannotCreateError, match=r"stream\.db\.desk\.job: "):
        runner.claim()


def test_only_those_who_may_ask_how_far_a_job_is_are_told_its_number(serve: Serve, tmp_path: Path) -> None:
    tokens = {role: add_token(tmp_path / "tokens", role, role) for role in ("reader", "analyst")}
    client = serve(token_file=tmp_path / "tokens")
    with Desk.open(desk_path(tmp_path / "news.db")) as desk, desk.writing() as connection:
        number = add_job(connection, "sweep", {}, position="0-0-0", person="analyst")
    for role, told in (("reader", False), ("analyst", True)):
        shown = client("GET", "/explore", headers={"authorization": f"Bearer {tokens[role]}"}).text
        assert 'id="job"' in shown
        assert (f'data-number="{number}"' in shown) is told
