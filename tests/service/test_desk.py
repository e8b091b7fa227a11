"""Judging over HTTP and by page: nothing lost, nothing double, no verdict shown before it is asked for."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup.judgements.judgements import QUEUES, linked_pairs
from infostream_dedup.lab.labels import labels_of
from infostream_dedup.service.tokens import add_token

from .conftest import KEEPS, sample_documents, serving


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two analysts and a reader over the sample with texts."""
    folder = tmp_path_factory.mktemp("desk")
    tokens = {
        name: add_token(folder / "tokens", name, role)
        for name, role in (("oksana", "analyst"), ("taras", "analyst"), ("guest", "reader"), ("feed", "admin"))
    }
    with serving(folder, token_file=folder / "tokens", **KEEPS) as client:

        def call(person: str, method: str, path: str, **options: Any) -> Any:
            headers = {"authorization": f"Bearer {tokens[person]}", **options.pop("headers", {})}
            return client(method, path, headers=headers, **options)

        assert call("feed", "POST", "/v1/batches", json={"documents": sample_documents()}).status_code == 200
        yield call


def judge(desk: Any, person: str, pair: dict[str, Any], label: str | None, key: str, **further: Any) -> Any:
    body = {"a": pair["a"]["id"], "b": pair["b"]["id"], "label": label, **further}
    return desk(person, "POST", "/v1/judgements", json=body, headers={"idempotency-key": key})


def next_pair(desk: Any, person: str, queue: str = "boundary", n: int = 1) -> list[dict[str, Any]]:
    answer = desk(person, "GET", "/v1/pairs/next", params={"queue": queue, "n": n})
    return [] if answer.status_code == 204 else answer.json()["items"]


def test_a_pair_comes_without_the_verdict_and_the_earlier_document_first(desk: Any) -> None:
    (pair,) = next_pair(desk, "oksana")
    assert not {"status", "probability", "kind", "relation"} & {*pair, *pair["a"], *pair["b"]}
    assert pair["a"]["ordinal"] < pair["b"]["ordinal"]
    texts = {document["id"]: document["text"] for document in sample_documents()}
    for side in (pair["a"], pair["b"]):
        assert "".join(piece["text"] for piece in side["pieces"]) == texts[side["id"]]
    params = {"a": pair["a"]["id"], "b": pair["b"]["id"]}
    found = desk("oksana", "GET", "/v1/compare", params=params).json()
    assert [pair[side]["pieces"] for side in "ab"] == [found[side]["pieces"] for side in "ab"]
    verdict = desk("oksana", "GET", "/v1/pairs/verdict", params=params).json()
    assert verdict["status"] in ("duplicate", "similar")
    assert verdict == desk("oksana", "GET", "/v1/pairs/verdict", params={"a": params["b"], "b": params["a"]}).json()


def test_two_people_get_different_pairs(desk: Any) -> None:
    mine, theirs = (next_pair(desk, person, "random", 3) for person in ("oksana", "taras"))
    keys = [(pair["a"]["id"], pair["b"]["id"]) for pair in (*mine, *theirs)]
    assert len(keys) == len(set(keys)) == 6
    assert next_pair(desk, "oksana", "random", 3) == mine


@pytest.mark.parametrize(("change", "status", "code"), [
    ({"label": "same"}, 422, "invalid"), ({"label": ...}, 422, "invalid"), ({"repeats": "c"}, 422, "invalid"),
    ({"seconds": -1}, 422, "invalid"), ({"seconds": True}, 422, "invalid"), ({"seen_verdict": 1}, 422, "invalid"),
    ({"queue": "own idea"}, 422, "invalid"), ({"a": ""}, 422, "invalid"), ({"a": "nobody"}, 404, "not-found"),
    ({"b": "ru-001"}, 422, "invalid"), ({"more": 1}, 422, "invalid"),
])  # fmt: skip
def test_judgements_that_are_refused(desk: Any, change: dict[str, Any], status: int, code: str) -> None:
    body = {"a": "ru-001", "b": "ru-002", "label": "dup", **change}
    body = {name: value for name, value in body.items() if value is not ...}
    answer = desk("oksana", "POST", "/v1/judgements", json=body, headers={"idempotency-key": "refused"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not any(row["a"] == "ru-001" for row in desk("oksana", "GET", "/v1/judgements/log").json()["items"])


def test_a_key_is_needed_and_stands_for_one_judgement(desk: Any) -> None:
    body = {"a": "ru-001", "b": "ru-003", "label": "dup"}
    answer = desk("taras", "POST", "/v1/judgements", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "idempotency-key")
    headers = {"idempotency-key": "once"}
    first, again = (desk("taras", "POST", "/v1/judgements", json=body, headers=headers) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert (first.json()["number"], first.json()["added"]) == (again.json()["number"], True)
    assert again.json()["added"] is False
    other = desk("taras", "POST", "/v1/judgements", json=body | {"label": "different"}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "key-conflict")
    number = first.json()["number"]
    undone = desk("oksana", "POST", f"/v1/judgements/{number}/undo", json={}, headers={"idempotency-key": "u"})
    assert undone.status_code == 404
    for _ in range(2):
        undone = desk("taras", "POST", f"/v1/judgements/{number}/undo", json={}, headers={"idempotency-key": "u"})
        assert (undone.status_code, undone.json()["judged"]) == (201, 0)


def test_a_queue_ends_and_exports_what_was_said(desk: Any) -> None:
    """Both judge all of the boundary queue: what is for two comes to both, the rest to one; labels come out."""
    said: Counter[tuple[str, str]] = Counter()
    for number in range(1000):
        person = ("oksana", "taras")[number % 2]
        found = next_pair(desk, person)
        if not found:
            break
        pair = found[0]
        ids = tuple(sorted((pair["a"]["id"], pair["b"]["id"])))
        said[ids] += 1  # type: ignore[index]
        assert judge(desk, person, pair, "dup" if number % 3 else "different", f"q{number}").status_code == 201
    for person in ("oksana", "taras"):
        while found := next_pair(desk, person):
            pair = found[0]
            said[tuple(sorted((pair["a"]["id"], pair["b"]["id"])))] += 1  # type: ignore[index]
            judge(desk, person, pair, "dup", f"r{person}{sum(said.values())}")
    assert set(said.values()) <= {1, 2}
    rows = [orjson.loads(line) for line in desk("oksana", "GET", "/v1/judgements").content.splitlines()]
    assert {(row["a"], row["b"]) for row in rows} == set(said)
    assert len(labels_of(rows)) == sum(row["label"] is not None for row in rows)
    table = desk("oksana", "GET", "/v1/judgements?format=csv").text.splitlines()
    assert (table[0], len(table)) == ("a,b,label,judges,repeats", len(rows) + 1)
    assert desk("oksana", "GET", "/v1/agreement").json()["pairs"] == sum(times == 2 for times in said.values())
    assert desk("oksana", "GET", "/judge").text.count('class="end"') == 1


def test_labels_files_go_in(desk: Any) -> None:
    rows = [{"a": "uk-001", "b": "uk-002", "label": "template"}, {"a": "ru-001", "b": "uk-001", "label": None}]
    lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    headers = {"content-type": "application/x-ndjson"}
    for expected in ({"judgements": 1, "asked": 1}, {"judgements": 0, "asked": 0}):
        assert desk("taras", "POST", "/v1/judgements/import", content=lines, headers=headers).json() == expected
    (pair,) = next_pair(desk, "oksana", "audit")
    assert {pair["a"]["id"], pair["b"]["id"]} == {"ru-001", "uk-001"}
    bad = desk("taras", "POST", "/v1/judgements/import", content=lines + b'{"a": "x"}\n', headers=headers)
    assert (bad.status_code, bad.json()["document"], bad.json()["field"]) == (422, 2, "b")


def test_pages_of_judging_need_no_script(desk: Any) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    shown = desk("oksana", "GET", "/judge?queue=group:ru-001&ui=en").text
    fields = dict(re.findall(r'name="(a|b|key|queue)" value="([^"]*)"', shown))
    sent = desk("oksana", "POST", "/judge", data={**fields, "choice": "dup-b"}, headers=form)
    assert (sent.status_code, sent.headers["location"]) == (303, "/judge?queue=group%3Aru-001")
    (latest, *_) = desk("oksana", "GET", "/v1/judgements/log").json()["items"]
    assert ({latest["a"], latest["b"]}, latest[latest["repeats"]]) == ({fields["a"], fields["b"]}, fields["b"])
    revealed = desk("oksana", "GET", f"/judge?queue=random&a={fields['a']}&b={fields['b']}&reveal=true&ui=en").text
    assert "The stream says" in revealed
    seen = dict(re.findall(r'name="(a|b|key|queue|seen)" value="([^"]*)"', revealed))
    desk("taras", "POST", "/judge", data={**seen, "choice": "different"}, headers=form)
    assert [row["seen_verdict"] for row in desk("taras", "GET", "/v1/judgements/log?limit=2").json()["items"]] == [
        True,
        False,
    ]
    assert "taken back" not in desk("oksana", "GET", "/labels?ui=en").text
    assert desk("oksana", "POST", f"/judge/undo/{latest['number']}", data={}, headers=form).status_code == 303
    assert "taken back" in desk("oksana", "GET", "/labels?ui=en").text
    assert desk("oksana", "POST", "/judge", data={"choice": "no"}, headers=form).status_code == 422


def test_pages_count_pairs_as_the_labels_file_does(desk: Any) -> None:
    for person in ("oksana", "taras"):
        judge(desk, person, {"a": {"id": "ru-003"}, "b": {"id": "ru-004"}}, "template", f"counted-{person}")
    labels = [orjson.loads(line)["label"] for line in desk("oksana", "GET", "/v1/judgements").content.splitlines()]
    for path in ("/labels", "/model"):
        tiles = re.findall(
            r'<span class="tile"><b>(\d+)</b> ([a-z ]+)</span>', desk("oksana", "GET", f"{path}?ui=en").text
        )
        assert (str(labels.count("template")), "template") in tiles
        assert (str(labels.count("dup")), "duplicate") in tiles


def test_each_group_gives_one_pair_before_any_gives_two(desk: Any, tmp_path: Path) -> None:
    from infostream_dedup import ingest
    from infostream_dedup.stream.store import Store

    with ingest(sample_documents(), tmp_path / "other.db") as found:
        rows = [row for batch in found.batches() for row in batch.rows()]
    group_of = {row["id"]: row["group"] for row in rows}
    later = {row["id"]: row["of"] for row in rows if row["of"]}
    with Store.open(tmp_path / "other.db", read_only=True) as store:
        pairs = linked_pairs(store.connection, "boundary", k_duplicate=6)
        for queue in ("model", "random"):
            assert set(linked_pairs(store.connection, queue, k_duplicate=6)) <= set(pairs)
    groups = [group_of[one if later.get(one) == other else other] for one, other in pairs]
    firsts = len(set(groups))
    assert len(set(groups[:firsts])) == firsts < len(groups)
    for queue in (*QUEUES, "group:", "none"):
        answer = desk("taras", "GET", "/v1/pairs/next", params={"queue": queue})
        assert answer.status_code in ((200, 204) if queue in QUEUES else (422,)), queue


def test_pairs_of_other_collections_do_not_end_a_queue(desk: Any) -> None:
    known = [document["id"] for document in sample_documents()[:300:150]]
    rows = [{"a": f"elsewhere-{place}", "b": known[0], "label": None} for place in range(12)]
    rows.append({"a": known[0], "b": known[1], "label": None})
    assert desk("oksana", "POST", "/v1/judgements/import", json={"documents": rows}).json()["asked"] == 13
    (pair,) = next_pair(desk, "taras", "audit")
    assert [pair["a"]["id"], pair["b"]["id"]] == known


def test_those_who_disagree_learn_where_their_pairs_are(desk: Any) -> None:
    ids = [document["id"] for document in sample_documents()[:3:2]]
    pair = {"a": {"id": ids[0]}, "b": {"id": ids[1]}}
    for person, label in (("oksana", "dup"), ("taras", "different")):
        assert judge(desk, person, pair, label, f"apart-{person}").status_code == 201
    while found := next_pair(desk, "taras", "disagreement"):
        judge(desk, "taras", found[0], "dup", f"third-{found[0]['a']['id']}-{found[0]['b']['id']}")
    assert "“To settle” on the page “Labels”" in desk("taras", "GET", "/judge?queue=disagreement&ui=en").text
    assert f"queue=disagreement&amp;a={min(ids)}&amp;b={max(ids)}" in desk("taras", "GET", "/labels").text
    assert "To settle" not in desk("taras", "GET", "/judge?queue=translation&ui=en").text
