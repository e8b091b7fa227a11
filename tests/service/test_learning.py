"""Training and comparison by what was judged: jobs, pages, queues."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup.judging.criteria.model_file import read_model
from infostream_dedup.service.settings import ServiceSettings

from .conftest import ServiceClient, sample_documents, wait_until_ready
from .test_more_pages import ended


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
    criteria = {row["criterion"] for row in result["weights"]}
    assert set(read_model(tmp_path / "model.json").criteria) == criteria
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
    assert list(rows) == methods
    assert rows["md5"]["tp"] + rows["md5"]["fn"] == job["result"]["labels"]["dup"]
    assert len(job["result"]["dice"]["values"]) == 3
    page = client("GET", "/methods?ui=en").text
    assert all(f"<td>{name}</td>" in page for name in methods)
    disputed = {tuple(sorted((row["a"], row["b"]))) for row in job["result"]["disputed"]}
    assert client("GET", "/v1/pairs/next?queue=methods").status_code == (200 if disputed else 204)


@pytest.fixture
def filled_again(tmp_path: Path) -> Iterator[ServiceClient]:
    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream={"keep_text": True}))
    wait_until_ready(client)
    assert client("POST", "/v1/batches", json={"documents": sample_documents()}).status_code == 200
    yield client
    client.close()
