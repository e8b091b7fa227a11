"""Corrections over HTTP: a known id with other content, and what the log of verdicts tells about it."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup import ingest
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

from .conftest import ServiceClient, sample_documents

FIRST = {"id": "https://news.example/1", "text": "Мэр Харькова открыл новый мост через реку. Строили его три года."}
SECOND = FIRST | {"text": f"{FIRST['text']} Уточнение: два года."}


def batch(*documents: dict[str, Any], **others: object) -> dict[str, Any]:
    return {"json": {"documents": list(documents), **others}}


@pytest.fixture
def kept(tmp_path: Path) -> Any:
    from infostream_dedup.service.settings import ServiceSettings

    client = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream={"keep_text": True}))
    assert client.running.writer is not None
    client.running.writer.wait()
    yield client
    client.close()


def test_a_correction_is_refused_until_it_is_called_one(kept: ServiceClient, tmp_path: Path) -> None:
    kept("POST", "/v1/batches", **batch(FIRST))
    assert kept("POST", "/v1/batches", **batch(SECOND)).status_code == 409
    assert kept("POST", "/v1/batches", **batch(SECOND, on_conflict="error")).status_code == 409
    taken = kept("POST", "/v1/batches", **batch(SECOND, on_conflict="version", batch_id="2")).json()
    again = kept("POST", "/v1/batches", **batch(SECOND, on_conflict="version", batch_id="2")).json()
    assert (taken["replayed"], again["replayed"]) == (False, True)
    assert taken["verdicts"] == again["verdicts"]
    assert taken["position"] == again["position"] == {"batches": 2, "documents": 2}
    # The same content is no further version, whatever it is called.
    older = kept("POST", "/v1/batches", **batch(FIRST, on_conflict="version", batch_id="3")).json()
    assert older["position"]["documents"] == 2
    with ingest([FIRST, SECOND], tmp_path / "other.db", keep_text=True, on_conflict="version") as found:
        expected = [row for one in found.batches() for row in one.rows()]
    assert orjson.dumps(taken["verdicts"]) == orjson.dumps(expected[1:])


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_an_item_of_a_feed_may_be_corrected(kept: ServiceClient, on_error: str) -> None:
    first, second = ({**one, "item": "guid-1"} for one in (FIRST, SECOND))
    kept("POST", "/v1/batches", **batch(first))
    answer = kept("POST", "/v1/batches", **batch(second, on_error=on_error)).json()
    assert ([row["id"] for row in answer["verdicts"]], answer["quarantined"]) == ([FIRST["id"]], [])
    assert kept("POST", "/v1/batches", **batch({**second, "text": "Иначе."}, on_conflict="error")).status_code == 409


def test_corrections_are_not_set_aside(kept: ServiceClient) -> None:
    kept("POST", "/v1/batches", **batch(FIRST))
    answer = kept("POST", "/v1/batches", **batch(SECOND, {"id": "b"}, on_conflict="version", on_error="skip")).json()
    assert [row["id"] for row in answer["verdicts"]] == [FIRST["id"]]
    assert [(one["index"], one["code"]) for one in answer["quarantined"]] == [(1, "E_MISSING")]


@pytest.mark.parametrize("path", ["/v1/batches", "/v1/check"])
@pytest.mark.parametrize("value", ["newest", None, 1, ["version"]])
def test_what_else_is_asked_for_a_conflict_is_refused(kept: ServiceClient, path: str, value: object) -> None:
    answer = kept("POST", path, **batch(FIRST, on_conflict=value))
    assert (answer.status_code, answer.json()["field"]) == (422, "on_conflict")


def test_a_check_foretells_the_verdict_on_a_correction(kept: ServiceClient) -> None:
    kept("POST", "/v1/batches", **batch(FIRST))
    assert kept("POST", "/v1/check", **batch(SECOND)).status_code == 409
    foretold = kept("POST", "/v1/check", **batch(SECOND, on_conflict="version")).json()["verdicts"]
    assert foretold == kept("POST", "/v1/batches", **batch(SECOND, on_conflict="version")).json()["verdicts"]


def test_a_document_compared_with_itself_shows_its_last_correction(kept: ServiceClient) -> None:
    name = {"a": FIRST["id"], "b": FIRST["id"]}
    kept("POST", "/v1/batches", **batch(FIRST))
    alone = kept("GET", "/v1/compare", params=name).json()
    assert [alone[side]["version"] for side in "ab"] == [0, 0]
    third = SECOND | {"text": f"{SECOND['text']} Ещё одно уточнение."}
    for one in (SECOND, third):
        kept("POST", "/v1/batches", **batch(one, on_conflict="version"))
    shown = kept("GET", "/v1/compare", params=name).json()
    assert [shown[side]["version"] for side in "ab"] == [1, 2]
    assert ["".join(piece["text"] for piece in shown[side]["pieces"]) for side in "ab"] == [
        SECOND["text"],
        third["text"],
    ]
    page = kept("GET", "/compare", params=name)
    assert page.status_code == 200
    assert page.text.count("Ещё одно уточнение") == 1
    # There is no pair to judge.
    assert "/judge?" not in page.text


def test_the_log_tells_what_the_answer_told(filled: ServiceClient) -> None:
    answered = filled("GET", "/v1/batches/sample").json()["verdicts"]
    logged: list[dict[str, Any]] = []
    path = "/v1/verdicts?limit=200"
    while path:
        page = filled("GET", path).json()
        logged += page["items"]
        path = page["next"] and f"/v1/verdicts?limit=200&after={page['next']}"
    names = {name: name for name in answered[0]} | {"group": "group_then", "story": "story_then"}
    assert [{name: row[given] for name, given in names.items()} for row in logged] == answered
    assert any(row["kind"] == "template" for row in logged)
    assert any(row["translation"] for row in logged)
    exported = [orjson.loads(line) for line in filled("GET", "/v1/export/verdicts.jsonl").content.splitlines()]
    assert [(row["kind"], row["probability"]) for row in exported[:-1]] == [
        (row["kind"], row["probability"]) for row in answered
    ]


def test_the_live_stream_tells_of_merged_groups_before_their_verdict(tmp_path: Path) -> None:
    from infostream_dedup.service.routes.batches import _lines_after

    settings = StreamSettings.of({"preset": "faithful", "k_duplicate": 2, "k_similar": 1, "least_shared": 0.0})
    with Deduplicator.open(tmp_path / "news.db", settings) as stream:
        for documents in (sample_documents(),):
            stream.process(documents)
    with Store.open(tmp_path / "news.db", read_only=True) as store:
        merges = store.connection.execute(
            "SELECT ordinal, group_id, other FROM event WHERE kind = 'merge' ORDER BY number"
        ).fetchall()
        assert merges
        lines, place, last = [], -1, -2
        while place > last:
            last = place
            more, place, _ = _lines_after(store, place)
            lines += [part.decode().split("\n") for part in more]
    told, name = [], None
    for line in reversed(lines):
        if line[0].startswith("id: "):
            name = int(line[0].removeprefix("id: "))
        else:
            change = orjson.loads(line[1].removeprefix("data: "))
            # A client that has this verdict has been told of the merge.
            assert change["ordinal"] == name
            if line[0] == "event: merge":
                told.append((change["ordinal"], change["group"], change["other"]))
    assert told[::-1] == merges
    assert len([line for line in lines if line[0].startswith("id: ")]) == len(sample_documents())
