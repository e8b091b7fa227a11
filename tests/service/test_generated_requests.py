"""Requests made from the contract, and bodies with bytes changed: every answer is declared, none is a fault of ours."""

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

import orjson
import pytest

from infostream_dedup.service.problems import CODES

from .conftest import KEEPS, ServiceClient, sample_documents, serving
from .test_guard import CONTRACT

ENDLESS = "/v1/verdicts/events"
FAULTS = {503, 507}  # answers from 500 on that the contract knows: come again later, the disk is full

WORDS = (
    "ru-001", "uk-002", "nobody", "", "0", "1", "-1", "9" * 25, "1e9", "NaN", "true", "null", "boundary",
    "group:ru-001", "group:", "dup", "jsonl", "csv", "2026-03-01", "30 февраля", "ї" * 400, "' OR 1=1 --", "%00",
    "\x00", "../../etc", "=1+1", "<script>", "‮", "W10", "WzFd", "WyJhIiwxXQ", "sweep",
)  # fmt: skip
NUMBERS = ("0", "1", "-1", "2", "12", "255", str(2**31), str(2**63), str(-(2**64)), "9" * 25, "9" * 5_000, "0" * 400)
VALUES: tuple[Any, ...] = (
    *WORDS, 0, 1, -1, 2**63, -(2**63), 1.5, 1e308, True, False, None, [], {}, [[]], {"a": {}}, [1, "a"], ["ru-001"] * 9,
)  # fmt: skip
MEMBERS = (
    *("a", "b", "label", "repeats", "seconds", "queue", "seen_verdict", "text", "title", "across", "k_min", "top"),
    *("documents", "batch_id", "on_error", "decision", "kind", "judged", "id", "published", "source", "more"),
)


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceClient]:
    """The sample with texts, and no limit on how often one may ask."""
    with serving(tmp_path_factory.mktemp("cases"), limits={"reads_per_second": 1_000_000}, **KEEPS) as client:
        assert client("POST", "/v1/batches", json={"documents": sample_documents()}).status_code == 200
        yield client


def routes() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, described)
        for path, methods in json.loads(CONTRACT.read_text("utf-8"))["paths"].items()
        for method, described in methods.items()
        if path != ENDLESS
    ]


def made(random: Random, method: str, path: str, described: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """A request to a route: its own parameters and members mostly, with values of all kinds."""
    query = []
    for parameter in described.get("parameters", ()):
        kinds = parameter["schema"].get("anyOf", [parameter["schema"]])
        number = any(kind.get("type") == "integer" for kind in kinds)
        value = random.choice(NUMBERS if number and random.random() < 0.8 else WORDS)
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(value or "0", safe=""))
        elif random.random() < 0.5:
            query.append((parameter["name"], value))
    if query:
        path = f"{path}?{urlencode(query)}"
    options: dict[str, Any] = {"headers": {"idempotency-key": random.choice(("k", "", "й", str(random.random())))}}
    options["headers"]["idempotency-key"] = options["headers"]["idempotency-key"].encode("utf-8")
    if method in ("POST", "PUT"):
        chosen = random.sample(MEMBERS, random.randrange(6))
        whole = orjson.dumps({name: random.choice(VALUES) for name in chosen})
        broken = random.choice((b"", b"[]", b"1", b'"a"', b"{", b"\xff", b"[" * 300))
        options["content"] = whole if random.random() < 0.9 else broken
        options["headers"]["content-type"] = random.choice(("application/json",) * 9 + ("text/plain",))
    return method, path, options


def check(answer: Any, asked: object) -> None:
    assert answer.status_code < 500 or answer.status_code in FAULTS, (asked, answer.text[:300])
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json", asked
        problem = answer.json()
        assert problem["code"] in CODES, asked
        assert problem["code"] != "internal", asked
        assert problem["status"] == answer.status_code


@pytest.mark.parametrize("cases", [150, pytest.param(1_000, marks=pytest.mark.slow)])
def test_requests_made_from_the_contract(patient: ServiceClient, cases: int) -> None:
    random, statuses = Random(cases), Counter()  # noqa: S311 - cases to try
    known = routes()
    for number in range(cases):
        method, path, options = made(random, *known[number % len(known)])
        if path == "/v1/jobs" and b'"kind":"sweep"' in options.get("content", b""):
            continue
        answer = patient(method, path, **options)
        statuses[answer.status_code] += 1
        check(answer, (method, path, options))
    assert {200, 404, 422} <= set(statuses)


def mutated(random: Random, body: bytes) -> bytes:
    data = bytearray(body)
    for _ in range(random.randrange(1, 5)):
        place = random.randrange(len(data))
        how = random.randrange(4)
        if how == 0:
            data[place] = random.randrange(256)
        elif how == 1:
            del data[place : place + random.randrange(1, 9)]
        elif how == 2:
            data[place:place] = random.choice((b'"', b"\\ud800", b"null", b"[", b"}", b"1e999", b"\x00", b"-0"))
        else:
            end = place + random.randrange(1, 40)
            data[place:place] = data[place:end]
        if not data:
            data = bytearray(b"{")
    return bytes(data)


@pytest.mark.parametrize("cases", [150, pytest.param(5_000, marks=pytest.mark.slow)])
def test_bodies_with_bytes_changed(patient: ServiceClient, cases: int) -> None:
    """A body that is still whole may do its work; any other is refused by name, and the service lives."""
    random = Random(cases)  # noqa: S311 - cases to try
    document = {"id": "m", "text": "Снег в Киеве.", "title": "Снег", "published": "2026-03-10", "source": "s"}
    bodies: list[tuple[str, str, Any]] = [
        ("POST", "/v1/batches", {"batch_id": "m", "on_error": "fail", "documents": [document, document | {"id": "n"}]}),
        ("POST", "/v1/batches", {"on_error": "skip", "documents": [document]}),
        ("POST", "/v1/search", {"text": "Снег в Киеве", "across": True, "k_min": 3, "top": 5}),
        ("POST", "/v1/judgements", {"a": "ru-001", "b": "ru-002", "label": "dup", "repeats": "a", "seconds": 1.5}),
        ("POST", "/v1/judgements/import", {"documents": [{"a": "ru-001", "b": "ru-002", "label": "dup"}]}),
        ("PUT", "/v1/alarms/1", {"decision": "known"}),
        ("POST", "/v1/jobs", {"kind": "train", "documents": 10}),
    ]
    statuses: Counter[int] = Counter()
    for number in range(cases):
        method, path, body = bodies[number % len(bodies)]
        content = mutated(random, orjson.dumps(body))
        headers = {"content-type": "application/json", "idempotency-key": str(number)}
        answer = patient(method, path, content=content, headers=headers)
        statuses[answer.status_code] += 1
        check(answer, (path, content))
    assert {200, 400, 422} <= set(statuses)
    assert patient("GET", "/ready").status_code == 200
