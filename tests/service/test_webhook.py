"""Events posted to an address: signed, tried again, set aside, and never in the way of a batch."""

import hashlib
import hmac
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.api import watch, webhook
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.stream.brokers import DeadLetters

from .conftest import sample_documents
from .test_server import free_port

SECRET = "a secret of the newsroom"  # noqa: S105


class Receiver(ThreadingHTTPServer):
    """Answers with the given states in turn, then with 204, and keeps what it got."""

    def __init__(self, *states: int, seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.states, self.seconds, self.got = list(states), seconds, list[tuple[str, dict[str, str], bytes]]()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?desk=1"

    def events(self) -> list[dict[str, Any]]:
        return [event for _, _, body in self.got for event in orjson.loads(body)["events"]]


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        time.sleep(self.server.seconds)
        self.send_response(self.server.states.pop(0) if self.server.states else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store with a standing search that the rest of the sample answers."""
    monkeypatch.setattr(webhook, "_PAUSES", (0.01, 0.02, 0.03))
    monkeypatch.setenv(webhook.SECRET, SECRET)
    path = tmp_path / "news.db"
    list(ingest(sample_documents()[:40], path))
    watch.add(path, "war", terms="Харків", languages="uk,ru")
    return path


def rest() -> list[dict[str, Any]]:
    return [
        {"id": f"w{number}", "text": f"У Харкові відкрили міст номер {number}, мер був на святі.", "lang": "uk"}
        for number in range(3)
    ]


def test_hits_are_posted_once_signed_and_tried_again(store: Path) -> None:
    receiver = Receiver(500, 302)
    with ingest(rest(), store, webhook=receiver.address) as found:
        hits = [verdict.id for verdict in found if verdict.watches]
    assert hits
    list(ingest(rest(), store, webhook=receiver.address))  # nothing new
    assert [path for path, _, _ in receiver.got] == ["/hook?desk=1"] * 3  # redirects are not followed
    assert len({body for *_, body in receiver.got}) == 1
    for _, headers, body in receiver.got:
        expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Infostream-Signature"] == f"sha256={expected}"
        assert headers["X-Infostream-Delivery"] == orjson.loads(body)["delivery"]
    events = orjson.loads(receiver.got[-1][2])["events"]
    assert [(one["kind"], one["group"], one["document_id"]) for one in events if one["kind"] == "watch"] == [
        ("watch", "war", name) for name in hits
    ]


def test_what_is_never_accepted_is_set_aside_and_holds_nothing_up(store: Path) -> None:
    said: list[str] = []
    address = f"http://127.0.0.1:{free_port()}/"
    assert len(list(ingest(rest(), store, webhook=address, note=said.append))) == 3
    (line,) = store.with_name("news.db.webhook.jsonl").read_bytes().splitlines()
    dead = orjson.loads(line)
    assert (dead["address"], dead["tries"]) == (address, 4)
    assert "refused" in dead["reason"]
    assert {event["kind"] for event in orjson.loads(dead["body"])["events"]} == {"watch"}
    assert any("1 events" in one or "3 events" in one for one in said)


def test_what_could_not_be_set_aside_is_posted_again(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[bytes] = []

    def add(_: Any, body: bytes, **__: Any) -> None:
        tried.append(body)
        if len(tried) == 1:
            raise OSError("no space left")

    monkeypatch.setattr(DeadLetters, "add", add)
    with webhook.pushed(store, f"http://127.0.0.1:{free_port()}/", None, print) as wake:
        for some in (rest()[:1], rest()[1:]):
            list(ingest(some, store))
            wake()
            while not tried:
                time.sleep(0.01)
    assert [one["document_id"] for body in tried[1:] for one in orjson.loads(body)["events"]] == ["w0", "w1", "w2"]


def test_a_slow_receiver_does_not_hold_up_a_batch_and_gets_the_rest_later(store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webhook, "_LAST", 0.1)
    monkeypatch.setattr(webhook, "_TIMEOUT", 1.0)
    slow, begin = Receiver(seconds=3), time.monotonic()
    list(ingest(rest(), store, webhook=slow.address))
    assert time.monotonic() - begin < 3
    time.sleep(1.5)  # its thread has given up
    quick = Receiver()
    with webhook.pushed(store, quick.address, None, print):
        pass
    assert [one["document_id"] for one in quick.events()] == ["w0", "w1", "w2"]


def test_it_goes_on_where_the_last_run_ended(store: Path) -> None:
    first, second = Receiver(), Receiver()
    list(ingest(rest()[:1], store, webhook=first.address))
    list(ingest(rest()[1:2], store))
    list(ingest(rest()[2:], store, webhook=second.address))
    assert [one["document_id"] for one in first.events()] == ["w0"]
    assert [one["document_id"] for one in second.events()] == ["w1", "w2"]


@pytest.mark.parametrize("address", ["ftp://a/b", "file:///etc/passwd", "http://", "http://me:it@host/", "hook"])
def test_other_addresses_are_refused(address: str, store: Path) -> None:
    with pytest.raises(ConfigurationError, match="webhook"):
        ingest(rest(), store, webhook=address)


def test_a_secret_comes_from_a_file_and_is_not_short(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(webhook.SECRET)
    with pytest.raises(ConfigurationError, match=webhook.SECRET):
        ingest(rest(), store, webhook="http://127.0.0.1/")
    (tmp_path / "secret").write_text("short\n")
    with pytest.raises(ConfigurationError, match="5 bytes; what is posted is signed with a secret of 16 or more"):
        ingest(rest(), store, webhook="http://127.0.0.1/", webhook_secret=tmp_path / "secret")
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    assert webhook.Receiver.of("http://127.0.0.1/", tmp_path / "secret").secret == SECRET.encode()


@pytest.mark.slow
def test_the_service_posts_what_comes_over_http(store: Path) -> None:
    import httpx

    receiver, port = Receiver(), free_port()
    command = [sys.executable, "-m", "infostream_dedup", "serve", "--store", str(store), "--port", str(port)]
    command += ["--webhook", receiver.address]
    with subprocess.Popen(command, env={**os.environ, webhook.SECRET: SECRET}, stderr=subprocess.DEVNULL) as process:
        for _ in range(300):
            time.sleep(0.2)
            try:
                answer = httpx.post(f"http://127.0.0.1:{port}/v1/batches", json={"documents": rest()})
            except httpx.TransportError:
                continue
            if answer.status_code == 200:
                break
        for _ in range(50):
            if len(receiver.events()) == 3:
                break
            time.sleep(0.2)
        process.terminate()
    assert [one["document_id"] for one in receiver.events()] == ["w0", "w1", "w2"]
