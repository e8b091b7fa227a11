"""Documents, verdicts, groups, sources, comparison and search."""

import json
import re
import threading
from urllib.parse import quote

import pytest

from infostream_dedup.sample import labels_path
from infostream_dedup.service.pages import judging_pages
from infostream_dedup.service.pairs import pair_shown
from infostream_dedup.stream.store import Store

from .conftest import ServiceClient, sample_documents


def everything(client: ServiceClient, path: str, limit: int) -> list[dict[str, object]]:
    items: list[dict[str, object]] = []
    after = None
    while True:
        mark = "&" if "?" in path else "?"
        place = "" if after is None else f"&after={after}"
        answer = client("GET", f"{path}{mark}limit={limit}{place}").json()
        items += answer["items"]
        after = answer["next"]
        if after is None:
            return items


def test_a_client_that_knows_the_state_gets_304(filled: ServiceClient) -> None:
    tag = filled("GET", "/v1/verdicts").headers["etag"]
    for known in (tag, f"W/{tag}", f'"0", {tag}', "*"):
        answer = filled("GET", "/v1/verdicts", headers={"if-none-match": known})
        assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "field", "advice"),
    [
        ("/v1/documents?source=a&source=b", "source", "each once"),
        ("/v1/stories?by=size&after=x", "after", "no further page"),
        ("/v1/documents?since=2026-03-01T10:00:00+03:00", "since", "send + as %2B"),
    ],
)
def test_what_a_list_would_not_heed_is_refused(filled: ServiceClient, path: str, field: str, advice: str) -> None:
    told = filled("GET", path).json()
    assert (told["status"], told["field"]) == (422, field)
    assert advice in told["detail"]


@pytest.mark.parametrize("order", ["size", "last"])
def test_pages_of_groups_are_the_whole_list(filled: ServiceClient, order: str) -> None:
    whole = filled("GET", f"/v1/groups?limit=200&order={order}").json()["items"]
    assert everything(filled, f"/v1/groups?order={order}", 7) == whole
    key = "documents" if order == "size" else "last"
    assert [row[key] for row in whole] == sorted((row[key] for row in whole), reverse=True)


def test_filters_of_groups(filled: ServiceClient) -> None:
    whole = filled("GET", "/v1/groups?limit=200").json()["items"]
    ukrainian = filled("GET", "/v1/groups?limit=200&lang=uk").json()["items"]
    assert 0 < len(ukrainian) < len(whole)
    assert all(str(row["group"]).startswith("uk") for row in ukrainian)
    word = str(whole[0]["title"]).split()[0]
    assert whole[0] in filled("GET", "/v1/groups", params={"q": word.upper()}).json()["items"]
    assert filled("GET", "/v1/groups?since=2100-01-01").json()["items"] == []
    assert filled("GET", "/v1/groups?since=soon").json()["field"] == "since"


def test_a_group_and_its_members(filled: ServiceClient) -> None:
    row = filled("GET", "/v1/groups?limit=1").json()["items"][0]
    group = filled("GET", f"/v1/groups/{row['group']}").json()
    assert group["documents"] == row["documents"] == len(group["members"])
    ids = [member["id"] for member in group["members"]]
    assert row["group"] in ids
    assert {member["joined"] for member in group["members"]} <= {"verdict", "merge"}
    provenance = filled("GET", f"/v1/groups/{row['group']}/provenance").json()
    assert provenance["first"] in ids
    assert len(provenance["copies"]) == row["documents"] - 1


def test_two_documents_side_by_side(filled: ServiceClient) -> None:
    row = filled("GET", "/v1/groups?limit=1").json()["items"][0]
    first, *_, last = (member["id"] for member in filled("GET", f"/v1/groups/{row['group']}").json()["members"])
    found = filled("GET", "/v1/compare", params={"a": first, "b": last}).json()
    texts = {document["id"]: document["text"] for document in sample_documents()}
    assert "".join(piece["text"] for piece in found["a"]["pieces"]) == texts[first]
    assert "".join(piece["text"] for piece in found["b"]["pieces"]) == texts[last]
    assert found["sentences"] > 0
    assert filled("GET", "/compare", params={"a": first, "b": last}).text.count('data-passage="1"') >= 2


def test_a_translation_side_by_side(filled: ServiceClient) -> None:
    labels = map(json.loads, labels_path().read_text(encoding="utf-8").splitlines())
    pair = next({"a": row["a"], "b": row["b"]} for row in labels if row["kind"] == "translation")
    found = filled("GET", "/v1/compare", params=pair).json()
    assert found["languages"] == [found["a"]["language"], found["b"]["language"]]
    assert found["translated_a"] > 0.5
    assert {piece["word"] for piece in found["a"]["pieces"]} >= {0, 1}
    with Store.open(filled.settings.store, read_only=True) as store:
        shown = pair_shown(store, pair["a"], pair["b"])
    by_id = {found[side]["id"]: found[side]["pieces"] for side in "ab"}
    assert {shown[side]["id"]: shown[side]["pieces"] for side in "ab"} == by_id, "words have the same numbers"
    assert set(shown["words"]) == {str(word["number"]) for word in found["met"]}
    page = filled("GET", "/compare", params=pair).text
    word = found["met"][0]
    assert f'<span class="word" title="{word["a"]}=' in page
    assert "of its nouns and names are translated" in page
    desk = filled("GET", "/judge", params=pair | {"queue": "translation"}).text
    assert f'<span class="word" title="{word["a"]}=' in desk
    assert "Underlined: nouns and names" in desk


@pytest.mark.parametrize("path", ["/compare", "/judge", "/judge/pair"])
def test_texts_are_marked_in_a_thread_so_that_other_requests_need_not_wait(filled, monkeypatch, path):
    threads = []
    monkeypatch.setattr(judging_pages, "_split", lambda text, _: threads.append(threading.current_thread()) or [text])
    serving = threading.current_thread()
    assert filled("GET", path, params={"a": "uk-023", "b": "uk-040"}).status_code == 200
    assert threads
    assert serving not in threads


def test_the_page_states_the_shares_that_the_comparison_found(filled: ServiceClient) -> None:
    pair = {"a": "uk-023", "b": "uk-040"}
    found = filled("GET", "/v1/compare", params=pair).json()
    page = filled("GET", "/compare", params=pair).text
    shown = [float(share) for share in re.findall(r"([0-9.]+)\s?% of its words", page)]
    assert sorted(shown) == pytest.approx(sorted(100 * found[name] for name in ("coverage_a", "coverage_b")), abs=0.5)


def test_a_document_with_its_terms(filled: ServiceClient) -> None:
    wanted = sample_documents()[70]
    found = filled("GET", f"/v1/documents/{wanted['id']}").json()
    assert found["text"] == wanted["text"]
    weights = [term["weight"] for term in found["key_terms"]]
    assert len(weights) <= 12
    assert weights == sorted(weights, reverse=True)
    assert filled("GET", f"/v1/documents/{wanted['id']}?version=1").status_code == 404


@pytest.mark.parametrize("number", [0, 70])
def test_search_finds_the_text_itself_first(filled: ServiceClient, number: int) -> None:
    wanted = sample_documents()[number]
    found = filled("POST", "/v1/search", json={"text": wanted["text"], "title": wanted["title"]}).json()["items"]
    assert wanted["id"] in [one["id"] for one in found]
    assert found[0]["group"] == filled("GET", f"/v1/documents/{wanted['id']}").json()["group"]
    assert filled("GET", "/v1/search", params={"q": wanted["text"]}).json()["items"][0]["group"] == found[0]["group"]


@pytest.mark.parametrize(("path", "status", "code"), [
    ("/v1/documents/nobody", 404, "not-found"), ("/v1/groups/nobody", 404, "not-found"),
    ("/v1/groups/nobody/provenance", 404, "not-found"), ("/v1/batches/none", 404, "not-found"),
    ("/v1/compare?a=nobody&b=nobody", 404, "not-found"), ("/v1/compare?a=nobody", 422, "invalid"),
    ("/v1/groups?limit=201", 422, "invalid"), ("/v1/groups?limit=no", 422, "invalid"),
    ("/v1/groups?after=nonsense", 422, "invalid"), ("/v1/verdicts?after=WyJhIl0", 422, "invalid"),
    ("/v1/search?q=%20", 422, "invalid"), ("/nowhere", 404, "not-found"),
])  # fmt: skip
def test_questions_without_an_answer(filled: ServiceClient, path: str, status: int, code: str) -> None:
    answer = filled("GET", path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_search_takes_the_policies_of_the_command_line(fresh: ServiceClient) -> None:
    text = "The council of Exeter has approved the repair of the old bridge over the river before winter."
    rows = [("a", "x", 1, text), ("b", "x", 2, f"{text} Photo: city."), ("c", "y", 9, text.replace("before", "after"))]
    documents = [
        {"id": name, "source": source, "published": f"2024-05-0{day}T10:00:00Z", "text": words}
        for name, source, day, words in rows
    ]
    fresh("POST", "/v1/batches", json={"documents": documents})
    for options, found in (
        ({}, "bc"), ({"within": "source"}, "b"), ({"within": "outlets"}, "c"), ({"within_days": 2}, "b"),
        ({"identical": 0.9}, "b"), ({"identical": 0.9, "within": "outlets"}, ""),
    ):  # fmt: skip
        similar = fresh("GET", "/v1/documents/a/similar", params=options).json()["items"]
        assert "".join(sorted(one["id"] for one in similar)) == found, options
        linked = fresh("GET", "/v1/search", params={"q": "a", **options}).json()["items"]
        asked = fresh("POST", "/v1/search", json={"text": "a", **options}).json()["items"]
        assert linked == asked
        assert set(found) <= {one["id"] for one in asked} <= {*found, "a"}
    for options, status in (({"within": "day"}, 422), ({"identical": 0.1}, 422), ({"within_days": 0}, 422)):
        assert fresh("POST", "/v1/search", json={"text": text, **options}).status_code == status
    answer = fresh("POST", "/v1/search", json={"text": text, "within": "source"})
    assert (answer.status_code, "need an id or url" in answer.text) == (422, True)


def test_a_forgotten_document_is_gone(fresh: ServiceClient) -> None:
    fresh("POST", "/v1/batches", json={"documents": [{"id": "a/b", "text": "Снег в Киеве."}]})
    assert fresh("GET", "/v1/documents/a%2Fb").status_code == 200
    assert fresh("DELETE", "/v1/documents/a%2Fb?wipe=true").status_code == 204
    assert fresh("GET", "/v1/documents/a%2Fb").status_code == 410
    assert fresh("GET", "/v1/documents/a%2Fb/similar").status_code == 410
    assert fresh("GET", "/v1/documents/none/similar").status_code == 404
    assert fresh("DELETE", "/v1/documents/other").status_code == 404


def test_with_wipe_the_log_of_the_desk_is_emptied_too(fresh: ServiceClient) -> None:
    fresh("POST", "/v1/batches", json={"documents": [{"id": name, "text": "Снег в Киеве."} for name in "ab"]})
    body = {"documents": [{"a": "a", "b": "b", "label": None}]}
    assert fresh("POST", "/v1/judgements/import", json=body).json() == {"judgements": 0, "asked": 1}
    (log,) = fresh.settings.store.parent.glob("*.desk-wal")
    assert log.stat().st_size > 0
    assert fresh("DELETE", "/v1/documents/a?wipe=true").status_code == 204
    assert log.stat().st_size == 0


def test_ids_may_end_in_the_words_of_other_addresses(fresh: ServiceClient) -> None:
    text = "Рятувальники знайшли в горах двох туристів, які заблукали через густий туман."
    ids = ["https://news.example/1", "https://news.example/1/similar", "https://news.example/1/provenance"]
    documents = [{"id": name, "text": text} for name in ids]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    for name in ids:
        assert fresh("GET", f"/v1/documents/{quote(name, safe='')}").json()["id"] == name
    first = quote(ids[0], safe="")
    for address in (first, ids[0]):
        hits = fresh("GET", f"/v1/documents/{address}/similar").json()["items"]
        assert [hit["id"] for hit in hits] == ids[1:]
    assert fresh("GET", f"/v1/groups/{first}").json()["documents"] == 3
    assert fresh("GET", f"/v1/groups/{first}/provenance").json()["code"] == "texts-not-kept"
    assert fresh("GET", f"/v1/groups/{first}%2Fprovenance").status_code == 308
