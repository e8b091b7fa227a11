"""Clients of a served store: ours, and one that ``openapi-python-client`` makes from the document of the service."""

import asyncio
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from infostream_dedup.client import AsyncClient, Client, ServiceError
from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.service.tokens import add_token

from .conftest import sample_documents
from .test_guard import CONTRACT
from .test_server import Served

pytestmark = pytest.mark.slow
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
DOCUMENTS = sample_documents()


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tokens") / "tokens"


@pytest.fixture(scope="module")
def served(tokens: Path) -> Iterator[Served]:
    one = Served(tokens.with_name("news.db"), "--representation", "stem", "--keep-text", "--token-file", str(tokens))
    one.token = add_token(tokens, "desk", "admin")
    one.start()
    with Client(one.address, one.token) as made:
        assert sum(len(answer["verdicts"]) for answer in made.send_all(DOCUMENTS, size=60)) == len(DOCUMENTS)
    yield one
    one.end(9)


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.address, served.token, patience=60.0) as made:
        yield made


def test_batches_are_stored_once_and_what_was_attached_comes_back(client: Client) -> None:
    given = [one | {"id": number, "extra": {"n": number}, "autor": "x"} for number, one in enumerate(DOCUMENTS[:40])]
    first, again = client.send(given), client.send(given)
    assert (first["replayed"], again["replayed"], first["batch_id"]) == (False, True, again["batch_id"])
    assert [(one["id"], one["extra"]) for one in again["verdicts"]] == [(str(n), {"n": n}) for n in range(40)]
    assert "autor" in first["ignored"]
    with pytest.raises(ServiceError) as refused:
        client.send(DOCUMENTS[40:41], batch_id=first["batch_id"])
    assert refused.value.code == "batch-conflict"
    with pytest.raises(ServiceError) as refused:
        client.send([DOCUMENTS[40], DOCUMENTS[41] | {"id": 1.5}])
    assert (refused.value.status, refused.value.problem["field"], refused.value.problem["document"]) == (422, "id", 1)
    assert "whole number of 64 bits; document 1; id" in str(refused.value)
    assert client.status(first["batch_id"])["state"] == "stored"
    with pytest.raises(ServiceError) as refused:  # the service answers and hangs up before it has read all of it
        client.send({"id": str(n), "text": os.urandom(5000).hex()} for n in range(4200))
    assert refused.value.status == 413


def test_what_cannot_be_sent_is_said_before_it_is(client: Client, served: Served) -> None:
    with Client(served.address, f"{served.token}\n") as made:  # as a file of it ends
        answer = made.send([DOCUMENTS[0] | {"id": np.int64(4242), "published": date(2026, 3, 3)}])
        assert answer["verdicts"][0]["id"] == "4242"
    with pytest.raises(BadDataError, match=r"<documents>:2: .*surrogates"):
        client.send([DOCUMENTS[0], {"id": "half", "text": "\ud83d"}])
    with pytest.raises(ConfigurationError, match="size is 0"):
        list(client.send_all(DOCUMENTS, size=0))
    for address, token in (("http://127.0.0.1:99999", "x"), ("http://[::1", "x"), (served.address, "сек\nрет")):
        with pytest.raises(ConfigurationError) as told:
            Client(address, token)
        assert "рет" not in str(told.value)


def test_a_batch_that_is_handed_over_is_decided_later(client: Client) -> None:
    name = client.submit(DOCUMENTS[40:80], batch_id="later/1")
    assert [one["id"] for one in client.wait(name)["verdicts"]] == [one["id"] for one in DOCUMENTS[40:80]]
    client.submit(DOCUMENTS[80:81], batch_id=name)
    with pytest.raises(ServiceError) as failed:
        client.wait(name)
    assert failed.value.code == "batch-conflict"
    with pytest.raises(ServiceError, match="sent again"):
        client.wait("never sent")


def test_lists_are_read_to_the_end_and_a_source_is_forgotten(client: Client) -> None:
    client.send([one | {"id": f"gone-{n}", "source": "gone.example"} for n, one in enumerate(DOCUMENTS[:3])])
    every = list(client.documents())
    assert {one["id"] for one in DOCUMENTS} <= {one["id"] for one in every}
    chosen = list(client.documents(source="dzvin.example", status="duplicate", since="2026-03-03", limit=3))
    assert [one["id"] for one in chosen] == [
        one["id"]
        for one in every
        if (one["source"], one["status"]) == ("dzvin.example", "duplicate")
        and (one["published"] or one["arrived"]) >= "2026-03-03"
    ]
    assert len(chosen) > 3
    assert client.search(DOCUMENTS[100]["text"])[0]["id"] == DOCUMENTS[100]["id"]
    assert client.forget_source("gone.example")["documents"] == 3
    assert not list(client.documents(source="gone.example"))
    with pytest.raises(ServiceError) as refused:
        list(client.documents(sauce="gone.example"))
    assert refused.value.problem["field"] == "sauce"


def test_events_go_on_after_the_service_was_killed(served: Served, client: Client) -> None:
    with client.events(after=-1) as events:
        seen = [next(one.id for one in events if one.kind == "verdict") for _ in range(30)]
        again = threading.Thread(target=lambda: (served.end(9), served.start()))
        again.start()
        seen += [next(one.id for one in events if one.kind == "verdict") for _ in range(len(DOCUMENTS) - 30)]
        again.join()
    assert seen == list(range(len(DOCUMENTS)))


def test_what_an_answer_leaves_open_is_asked_again() -> None:
    begin, verdict = (f"id: {n}\nevent: {kind}\ndata: {{}}\n\n" for n, kind in ((41, "begin"), (42, "verdict")))
    answers = iter([(408, "{}"), (507, "{}"), (200, '{"n": 1}'), (200, begin), (200, verdict)])
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            status, told = next(answers)
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(told.encode())

        do_GET = do_POST  # noqa: N815 - the name is the library's

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Client(f"http://127.0.0.1:{server.server_port}") as client, client.events() as events:
            assert client.send([]) == {"n": 1}
            assert (next(events).id, asked[3:]) == (42, ["/v1/verdicts/events", "/v1/verdicts/events?after=41"])
        server.shutdown()


def test_the_same_in_asyncio(served: Served) -> None:
    async def ask() -> tuple[int, int, str]:
        async with AsyncClient(served.address, served.token) as client:
            await client.send(DOCUMENTS[:2])
            answers = await asyncio.gather(*(client.check([one]) for one in DOCUMENTS[:3]))
            rows = [row async for row in client.documents(limit=50)]
            events = client.events(after=-1)
            event = await anext(events)
            await events.aclose()
            return len(answers), len(rows), event.kind

    answers, rows, kind = asyncio.run(ask())
    assert (answers, kind) == (3, "verdict")
    assert rows > 1


def test_a_token_is_replaced_while_the_service_runs(served: Served, tokens: Path, client: Client) -> None:
    new = add_token(tokens, "anna", "reader")
    with Client(served.address, new, patience=5.0) as anna:
        for _ in range(30):
            with suppress(ServiceError):
                anna.search("море")
                break
            threading.Event().wait(0.2)
        else:
            pytest.fail("the new token is not known")
        kept = [line for line in tokens.read_text().splitlines() if not line.startswith("anna ")]
        tokens.write_text("\n".join(kept) + "\n")
        threading.Event().wait(1.5)
        with pytest.raises(ServiceError) as refused:
            anna.search("море")
        assert refused.value.code == "token"
        # A file that cannot be read locks nobody out.
        tokens.write_text("nonsense\n" + "\n".join(kept))
        threading.Event().wait(1.5)
        client.search("море")
        tokens.write_text("\n".join(kept) + "\n")


def test_a_client_made_from_the_document_works(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openapi_python_client", reason="pip install openapi-python-client")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    made = tmp_path / "made"
    subprocess.run(
        [*command, "--path", str(CONTRACT), "--output-path", str(made)], check=True,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
    )  # fmt: skip
    monkeypatch.syspath_prepend(str(tmp_path))
    api, models = importlib.import_module("made"), importlib.import_module("made.models")
    client = api.AuthenticatedClient(base_url=served.address, token=served.token, raise_on_unexpected_status=True)

    def call(part: str, name: str, **given: object) -> object:
        return importlib.import_module(f"made.api.{part}.{name}").sync(client=client, **given)

    body = models.GivenBatch.from_dict(
        {"batch_id": "made", "documents": [DOCUMENTS[0] | {"id": name} for name in ("made-0", "made-1")]}
    )
    answer = call("batches", "take_batch", body=body)
    assert isinstance(answer, models.BatchDecided)
    assert (answer.verdicts[1].id, answer.verdicts[1].status) == ("made-1", "exact")
    shown = call("documents", "show_document", id="made-1")
    assert (shown.text, shown.published.year) == (DOCUMENTS[0]["text"], 2026)
    assert "made-1" in [one.id for one in call("groups", "show_group", id=shown.group).members]
    page = call("documents", "show_documents", source=DOCUMENTS[0]["source"], limit=1)
    assert len(page.items) == 1
    assert page.next_
    call("health", "health")
    refused = call("documents", "show_document", id="nobody")
    assert (refused.status, refused.code) == (404, "not-found")
    client.get_httpx_client().close()


def test_no_answer_is_outside_the_document(served: Served, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis", reason="pip install schemathesis")
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{served.address}/v1/openapi.json"),
            # The first check starts a process, and a machine may be busy.
            *("--url", served.address, "--request-timeout", "120", "--suppress-health-check", "too_slow"),
            *("-H", f"Authorization: Bearer {served.token}", "--seed", "61", "--max-examples", "15"),
            *("--checks", CHECKS, "--exclude-path", "/v1/jobs"),
            *("--exclude-path", "/v1/verdicts/events", "--exclude-method", "DELETE", "--phases", "examples,fuzzing"),
        ],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]
