"""Now, stories, provenance, templates, sources, alarms, settings, and jobs."""

import json
import re
import threading
from collections import Counter
from datetime import datetime
from html import unescape
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Any
from urllib.parse import quote, unquote

import pytest

from infostream_dedup.api import watch
from infostream_dedup.service.pages.frame import FILES, PAGE_LANGUAGES, chart_of, plural_form, words_of
from infostream_dedup.service.pages.judging_pages import _split, marked_text
from infostream_dedup.service.problems import CODES, ProblemError
from infostream_dedup.service.tokens import add_token
from infostream_dedup.stream.store.overview import activity, alarm_rows, reprint_counts

from .conftest import Serve, ServiceClient, ended, sample_documents

FORM = {"content-type": "application/x-www-form-urlencoded"}
TEXT = "Мэр Харькова открыл новый мост через реку, и горожане пришли посмотреть на салют."


def test_the_last_hour_against_the_hours_before(filled: ServiceClient) -> None:
    found = filled("GET", "/v1/stats").json()
    assert found["documents"] == len(sample_documents())
    assert (found["clock"], found["batches"]) == ("2026-03-10T13:00:00Z", 1)
    counted = {row["status"]: row for row in found["statuses"]}
    # From 1 March 10:30 to 10 March 12:00 are 217.5 hours.
    statuses = [row["status"] for row in filled("GET", "/v1/batches/sample").json()["verdicts"]]
    new = statuses.count("new") - counted["new"]["last_hour"]
    assert counted["new"]["usual"] == pytest.approx(new / 217.5, abs=0.06)


def test_a_source_that_went_silent_is_named(fresh: ServiceClient) -> None:
    documents = [
        {"id": str(n), "text": f"Слово{n} дело{n}.", "source": "тихий" if n < 6 else "живой",
         "published": f"2026-03-0{1 + hour // 24}T{hour % 24:02}:00:00Z"}
        for n, hour in enumerate([*range(6), 20, 40])
    ]  # fmt: skip
    assert all("curl 127.0.0.1:8600/v1/" in fresh("GET", page).text for page in ("/", "/groups"))
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    (row,) = fresh("GET", "/v1/stats").json()["silent"]
    # Its last document came at 05:00 of the first day; 35 hours have passed, and one was the longest pause.
    assert row == {"source": "тихий", "last": "2026-03-01T05:00:00Z", "pause_hours": 35.0, "usual_hours": 1.0}
    assert "тихий" in fresh("GET", "/").text


def test_reprints_of_sources_worked_by_hand(fresh: ServiceClient) -> None:
    documents = [
        {"id": "a", "text": TEXT, "source": "первый", "published": "2026-03-01T10:00:00Z"},
        {"id": "b", "text": TEXT, "source": "второй", "published": "2026-03-01T12:00:00Z"},
        {"id": "c", "text": TEXT, "source": "второй", "published": "2026-03-01T15:00:00Z"},
    ]
    fresh("POST", "/v1/batches", json={"documents": documents})
    rows = fresh.running.readers.ask(lambda store: reprint_counts(store.connection)).result()
    second = next(row for row in rows if row["source"] == "второй")
    assert (second["documents"], second["originals"], second["repeats"]) == (2, 0, 2)
    assert {one["source"]: one["documents"] for one in second["taken_from"]}.get("первый", 0) + second["own"] == 2
    assert second["delay_hours"] in (2.0, 3.5)


def test_documents_without_a_source_have_no_link_to_all_groups(fresh: ServiceClient) -> None:
    fresh("POST", "/v1/batches", json={"documents": [{"id": "a", "text": TEXT}]})
    assert "unknown source" in fresh("GET", "/sources?ui=en").text
    assert "/groups?source=" not in fresh("GET", "/sources?ui=en").text
    # Without a headline or a kept text either, they are named by their key terms.
    fresh("POST", "/v1/batches", json={"documents": [{"id": "b", "text": TEXT}]})
    assert not any("<bdi>no headline</bdi>" in fresh("GET", page).text for page in ("/?ui=en", "/groups?ui=en"))


def test_an_empty_store_has_nothing_to_say(fresh: ServiceClient) -> None:
    ask = fresh.running.readers.ask
    assert ask(lambda store: activity(store.connection)).result()["documents"] == 0
    assert ask(lambda store: alarm_rows(store.connection, 9)).result() == []
    for path in "/ /stories /sources /templates /alarms /watches /settings /explore /judge /labels".split():
        assert fresh("GET", path).status_code == 200, path


@pytest.mark.parametrize(
    ("preset", "shown", "hidden"), [("judged", "join", "k_duplicate"), ("faithful", "k_duplicate", "join")]
)
def test_settings_that_do_not_apply_to_the_preset_are_left_out(serve: Serve, preset: str, shown: str, hidden: str):
    page = serve(stream={"preset": preset})("GET", "/settings").text
    assert f"<code>{shown}</code>" in page
    assert f"<code>{hidden}</code>" not in page


def test_stories_with_the_words_that_met(filled: ServiceClient) -> None:
    rows = filled("GET", "/v1/stories").json()["items"]
    assert len(rows) > 3
    assert any(len(row["languages"]) > 1 for row in rows)
    paged = filled("GET", "/v1/stories?limit=2").json()
    assert filled("GET", "/v1/stories", params={"limit": 1, "after": paged["next"]}).json()["items"] == rows[2:3]
    row = next(row for row in rows if len(row["languages"]) > 1)
    found = filled("GET", f"/v1/stories/{row['story']}").json()
    assert found["documents"] == row["documents"]
    assert sorted(column["language"] for column in found["columns"]) == row["languages"]
    covered = filled("GET", f"/v1/stories/{row['story']}/coverage").json()
    assert {name: covered[name] for name in ("story", "outlets", "origins", "echo_share")} == {
        name: row[name] for name in ("story", "outlets", "origins", "echo_share")
    }
    assert len(covered["documents"]) == row["documents"]
    greatest = filled("GET", "/v1/stories?by=size&since=2000-01-01").json()["items"]
    assert [one["documents"] for one in greatest] == sorted((one["documents"] for one in greatest), reverse=True)
    assert [filled("GET", f"/v1/stories?since={day}").status_code for day in ("2000-01-01", "x")] == [422, 422]
    assert filled("GET", "/v1/stories/none/coverage").status_code == 404
    meeting = found["meetings"][0]
    assert meeting["met"][0].keys() == {"word", "pivot", "their_word", "rung"}
    assert meeting["met"][0]["their_word"] in filled("GET", f"/stories/{row['story']}").text
    assert filled("GET", "/stories/none").status_code == filled("GET", "/v1/stories/none").status_code == 404


def test_a_story_shows_copies_in_other_languages(fresh: ServiceClient) -> None:
    documents = []
    for one in sample_documents():
        documents += [one, {**one, "id": f"{one['id']}-copy", "lang": "pl"}]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    stories = [row["story"] for row in fresh("GET", "/v1/stories").json()["items"]]
    pages = [fresh("GET", f"/stories/{story}?ui=en") for story in stories]
    assert {page.status_code for page in pages} == {200}
    assert any("Other languages" in page.text for page in pages)


def test_provenance_on_a_page(filled: ServiceClient, fresh: ServiceClient) -> None:
    group = filled("GET", "/v1/groups?limit=1").json()["items"][0]["group"]
    found = filled("GET", f"/v1/groups/{group}/provenance").json()
    own = filled("GET", f"/v1/groups/{group}").json()["members"]
    assert {(one["id"], one["published"]) for one in found["copies"]} <= {(one["id"], one["published"]) for one in own}
    assert filled("GET", f"/groups/{group}/provenance").text.count('class="kept"') == len(found["copies"])
    assert filled("GET", "/groups/none/provenance").status_code == 404
    fresh("POST", "/v1/batches", json={"documents": [{"id": name, "text": TEXT} for name in "ab"]})
    assert fresh("GET", "/groups/a/provenance").status_code == 409


@pytest.mark.parametrize("vague", ["2026", "2026-01", "2026-01-05"])
def test_a_date_without_a_time_is_never_called_the_first(keeping: ServiceClient, vague: str) -> None:
    published = {"vague": vague, "early": "2026-01-05T10:00:00Z", "late": "2026-01-06T12:00:00Z"}
    documents = [{"id": name, "text": TEXT, "source": name, "published": time} for name, time in published.items()]
    assert keeping("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    traced = keeping("GET", "/v1/groups/vague/provenance").json()
    assert (traced["first"], traced["first_by"]) == ("early", "date")
    page = keeping("GET", "/groups/vague/provenance?ui=en").text
    assert "It is not known which of them was first" in page
    assert 'class="badge new">first' not in page
    pair = "a=early&b=late&"
    search = f"/search?q={TEXT}&"
    pages = ("/groups/vague/provenance?", "/stories?", "/stories/vague?", search, f"/compare?{pair}", f"/judge?{pair}")
    for path in pages:
        named = keeping("GET", f"{path}ui=en").text  # a document without a headline by its first words
        assert (f"{TEXT}</b" in named, "no headline" in named) == (True, False), path
    group = keeping("GET", "/groups?id=vague").text
    assert ' first" cx=' not in group
    # Nothing is shown that nobody gave: no time, and no day for a year.
    # January as a month is taken for its year: a store has the moment that both begin with.
    assert f'<time datetime="{vague.removesuffix("-01")}">' in group
    assert '<time datetime="2026-01-01">' not in group
    # A year and a month have no place among days.
    assert group.count(" cx=") == (3 if len(vague) == 10 else 2)


def test_decisions_about_templates(filled: ServiceClient) -> None:
    row = filled("GET", "/v1/templates").json()["items"][0]
    address = f"/v1/templates/{row['template']}"
    for decision in ("accept", "refuse", None):
        assert filled("PUT", address, json={"decision": decision}).status_code == 204
        assert filled("GET", "/v1/templates").json()["items"][0]["decision"] == decision
    sent = filled("POST", "/templates", data={"subject": row["template"], "decision": "accept"}, headers=FORM)
    assert (sent.status_code, sent.headers["location"]) == (303, "/templates")
    later = {"id": "filling-9", "title": row["filling_title"], "source": row["source"]}
    text = filled("GET", f"/v1/documents/{row['filling']}").json()["text"].replace("3", "4")
    assert filled("POST", "/v1/documents", json=later | {"text": text}).json()["verdicts"][0]["kind"] == "template"
    assert "filling-9" in filled("GET", "/").text
    assert filled("PUT", address, json={"decision": "mute"}).status_code == 204
    assert "filling-9" not in filled("GET", "/").text
    assert filled("PUT", address, json={"decision": "perhaps"}).status_code == 422
    assert filled("PUT", "/v1/templates/none", json={"decision": "accept"}).status_code == 404
    assert filled("PUT", "/v1/alarms/7", json={"decision": "known"}).status_code == 404
    untitled = {"id": "filling-10", "source": row["source"], "text": text.replace("5", "6")}
    assert filled("POST", "/v1/documents", json=untitled).json()["verdicts"][0]["kind"] == "template"
    assert f"<bdi>{untitled['text'][:60]}" in filled("GET", "/templates").text


def test_a_snoozed_alarm_opens_again_once_its_group_has_grown_by_half(fresh: ServiceClient) -> None:
    from infostream_dedup.stream.store import Store

    fresh("POST", "/v1/batches", json={"documents": [{"id": str(n), "text": TEXT} for n in range(6)][:4]})
    with Store.open(fresh.settings.store) as store:
        store.connection.execute(
            "INSERT INTO event (number, batch, ordinal, kind, group_id, value) VALUES (0, 0, 3, 'alarm', '0', 0.1)"
        )

    def state() -> str:
        (row,) = fresh("GET", "/v1/alarms").json()["items"]
        return str(row["state"])

    assert state() == "open"
    assert fresh("PUT", "/v1/alarms/0", json={"decision": "snoozed"}).status_code == 204
    assert state() == "snoozed"
    with Store.open(fresh.settings.store) as store:
        store.connection.execute("UPDATE grouping SET documents = 6 WHERE group_id = '0'")
    assert state() == "open"
    assert "/groups?id=0" in fresh("GET", "/").text


def test_the_page_of_alarms_says_that_copies_do_not_drift_or_are_not_counted(fresh: ServiceClient) -> None:
    # On a busy machine the first count, which loads what it needs, takes longer than a question may.
    fresh.limit(query_seconds=60.0)
    assert "store copies --drifts" in fresh("GET", "/alarms?lang=en").text
    fresh("POST", "/v1/documents", json={"id": "1", "text": "Мэр открыл мост", "published": "2026-03-01"})
    assert "store copies --drifts" not in fresh("GET", "/alarms").text


def test_alarms_are_shown_even_if_drifts_take_too_long(filled: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def slow(_: object) -> None:
        asked.append(1)
        raise ProblemError(503, "too-slow")

    monkeypatch.setattr("infostream_dedup.service.figures.latest_drifts", slow)
    monkeypatch.delitem(filled.running.figures, "drifts", raising=False)
    for _ in range(2):
        shown = filled("GET", "/alarms")
        assert shown.status_code == 200
        assert "store copies --drifts" in shown.text
    assert len(asked) == 1
    del filled.running.figures["drifts"]


def test_nobody_waits_long_for_the_count_of_drifts(filled: ServiceClient, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()

    def slow(_: object) -> list[Any]:
        may_end.wait(60)
        return []

    monkeypatch.setattr("infostream_dedup.service.figures.latest_drifts", slow)
    monkeypatch.delitem(filled.running.figures, "drifts", raising=False)
    settings = filled.running.settings
    filled.limit(query_seconds=0.1)
    assert "They are being counted" in filled("GET", "/alarms?ui=en").text
    may_end.set()
    filled.running.settings = settings
    assert "Copies and links are as usual" in filled("GET", "/alarms?ui=en").text
    del filled.running.figures["drifts"]


def test_a_sweep_in_the_background_has_the_numbers_of_the_command(filled: ServiceClient) -> None:
    from infostream_dedup import sweep_store

    assert filled("GET", "/v1/sweep").status_code == 404
    begun = filled("POST", "/v1/jobs", json={"kind": "sweep"})
    assert (begun.status_code, begun.headers["location"]) == (202, f"/v1/jobs/{begun.json()['number']}")
    second = filled("POST", "/v1/jobs", json={"kind": "sweep"})
    assert (second.status_code, second.json()["code"]) == (409, "job-running")
    assert 'id="job"' in filled("GET", "/explore").text
    job = ended(filled, begun.json()["number"])
    assert (job["state"], job["message"]) == ("done", None)
    expected = sweep_store(filled.settings.store)
    assert job["result"]["rows"] == [row.as_dict() for row in expected.rows if row.block == "all"]
    assert filled("GET", "/v1/sweep").json()["result"] == job["result"]
    # S, T, and precision where the estimate is reliable.
    lines = 2 + any(row["precision"] is not None for row in job["result"]["rows"])
    for k in (1, 6, 99):
        assert filled("GET", f"/explore?k={k}").text.count("<polyline") == lines


def test_a_job_is_stopped(filled: ServiceClient) -> None:
    number = filled("POST", "/v1/jobs", json={"kind": "audit"}).json()["number"]
    assert (filled("DELETE", f"/v1/jobs/{number}").status_code, ended(filled, number)["state"]) == (202, "stopped")
    assert filled("DELETE", "/v1/jobs/999").status_code == 404


def test_jobs_that_are_refused(fresh: ServiceClient) -> None:
    for body in ({"kind": "other"}, {"kind": "sweep", "documents": 0}, {"kind": "audit", "judged": 1}, {"more": 1}):
        assert fresh("POST", "/v1/jobs", json=body).status_code == 422
    answer = fresh("POST", "/v1/jobs", json={"kind": "estimate"})
    assert (answer.status_code, answer.json()["code"]) == (409, "texts-not-kept")


def test_a_chart_worked_by_hand() -> None:
    rows = [
        {"k": 1, "symmetry": 1.0, "transitivity": None, "links": 99},
        {"k": 2, "symmetry": 0.5, "transitivity": 0.0, "links": 9},
    ]
    chart = chart_of(rows, 2)
    # 592 wide between the margins, half for each k; 200 high, from 12 down to 212; 100 and 10 on a scale of logarithms.
    assert [mark["x"] for mark in chart["lines"]["symmetry"]["marks"]] == [188.0, 484.0]
    assert [mark["y"] for mark in chart["lines"]["symmetry"]["marks"]] == [12.0, 112.0]
    assert [mark["y"] for mark in chart["lines"]["transitivity"]["marks"]] == [212.0]
    bars = [[bar[name] for name in ("k", "links", "x", "y", "width", "height", "middle")] for bar in chart["bars"]]
    assert bars == [[1, 99, 99.2, 12.0, 177.6, 200.0, 188.0], [2, 9, 395.2, 112.0, 177.6, 100.0, 484.0]]
    assert chart["chosen"] == 484.0


@pytest.mark.parametrize("published", ["0001-01-01T00:00:00Z", "0001-01-01", "0999-05-02", "9999-12-31", "9999"])
def test_the_first_and_the_last_years_are_shown(keeping: ServiceClient, published: str) -> None:
    # Programs write the year 1 where they know no date.
    documents = [
        {"id": f"{published} {name}", "text": TEXT, "published": moment}
        for name, moment in (("a", published), ("b", "2026-03-01T10:00:00Z"))
    ]
    answer = keeping("POST", "/v1/batches", json={"documents": documents})
    assert answer.status_code == 200
    group = answer.json()["verdicts"][0]["group"]
    a, b = (document["id"] for document in documents)
    shown = keeping("GET", f"/v1/documents/{a}").json()["published"]
    assert datetime.fromisoformat(shown).year == int(published[:4])
    for path in (
        "/", f"/groups?id={group}", f"/compare?a={a}&b={b}", f"/judge?a={a}&b={b}", f"/groups/{group}/provenance",
    ):  # fmt: skip
        page = keeping("GET", path)
        assert page.status_code == 200, path
        assert f'datetime="{published[:4]}' in page.text, path


def test_standing_searches_have_a_page_with_their_hits(fresh: ServiceClient) -> None:
    path = fresh.running.settings.store
    fresh("POST", "/v1/batches", json={"documents": [{"id": "a", "text": "Снег идёт в горах второй день подряд."}]})
    watch.add(path, "мости", terms="мост,Харьков")
    rows = [{"id": "b/1", "title": "Новый <мост>", "text": TEXT, "source": "Город"}]
    fresh("POST", "/v1/batches", json={"documents": rows})
    for language, title in (("en", "Standing searches"), ("uk", "Постійні запити"), ("ru", "Постоянные запросы")):
        page = fresh("GET", f"/watches?ui={language}").text
        assert title in page
        assert "мост, Харьков" in page
    page = fresh("GET", "/watches?ui=en&name=мости").text
    assert "Новый &lt;мост&gt;" in page
    assert "1 document found" in page
    (link,) = set(re.findall(r'href="(/documents/[^"]+)"', page))
    assert fresh("GET", link).status_code == 200
    assert fresh("GET", "/watches?name=other").status_code == fresh("GET", "/v1/watches/other").status_code == 404
    assert [row["id"] for row in fresh("GET", "/v1/watches/мости?after=0").json()["items"]] == ["b/1"]
    assert fresh("GET", f"/v1/watches/мости?after={'9' * 23}").json()["items"] == []


HTML = {"accept": "text/html"}


@pytest.fixture
def three(fresh: ServiceClient) -> ServiceClient:
    documents = [
        {"id": "а/1 ?", "text": TEXT, "title": "Мост открыт", "source": "первый", "url": "https://e.example/1"},
        {"id": "b", "text": TEXT, "title": "Мост открыт", "source": "второй", "published": "2026-03-01T12:00:00Z"},
        {"id": "c", "text": "Театр показал премьеру спектакля по роману, режиссёр позвал хор и оркестр из столицы."},
    ]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    return fresh


def test_a_document_has_a_page_with_its_verdict_and_ways_on(three: ServiceClient) -> None:
    page = three("GET", "/documents/b?ui=en", headers=HTML).text
    assert re.search(r'badge exact">exact</span> repeats <a href="/documents/%D0%B0%2F1%20%3F"><bdi>Мост открыт', page)
    for link in ("/groups?id=", "/search?id=b", "/compare?a="):
        assert link in page
    first = three("GET", f"/documents/{quote('а/1 ?', safe='')}?ui=en", headers=HTML).text
    assert 'href="https://e.example/1"' in first
    assert three("GET", "/documents/none?ui=en", headers=HTML).status_code == 404


def test_lines_that_are_not_compared_are_pale(keeping: ServiceClient) -> None:
    call = "Підписуйтесь на канал 🔔 | Надіслати новину"
    documents = [
        {"id": "1", "title": "Міст", "text": f"{TEXT}\n\n{call}"},
        {"id": "2", "text": f"{TEXT} Читайте нас в Telegram."},
    ]
    assert keeping("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    page = keeping("GET", "/documents/1?ui=en", headers=HTML).text
    assert '<span class="repeated">Підписуйтесь на канал 🔔 |</span>' in page
    assert '<span class="repeated">Надіслати новину</span>' in page
    assert f'<div class="text">{TEXT}' in page
    assert "they are not compared" in page
    page = keeping("GET", "/compare?a=1&b=2&ui=en", headers=HTML).text
    assert '<span class="repeated">Читайте нас в Telegram.</span>' in page
    assert "they are not compared" in page


def test_one_box_leads_to_documents_headlines_and_texts(three: ServiceClient) -> None:
    for question in ("b", "https://e.example/1"):
        found = three("GET", f"/search?q={quote(question, safe='')}", headers=HTML)
        assert found.status_code in (200, 303)
        assert "/documents/" in (found.headers.get("location") or str(found.url))
    assert "Мост открыт" in three("GET", f"/search?q={quote('МОСТ')}&ui=en", headers=HTML).text
    assert "Similar texts" in three("GET", f"/search?q={quote(TEXT)}&ui=en", headers=HTML).text
    alike = three("GET", "/search?id=b&ui=en", headers=HTML).text
    assert re.search(r">b</textarea>.*Similar texts", alike, re.DOTALL)
    whole = (
        "Учёные зоопарка сообщили о рождении леопарда. Малыш весит полтора килограмма, имя ему выберут посетители на "
        "сайте. Его родителей привезли из заповедника Приморья в прошлом году. Вольер расширили на средства города, и "
        "осенью там поселят ещё двух тигров. Суд в Одессе отложил дело о контрабанде на февраль. Биржа выросла."
    )
    three("POST", "/v1/batches", json={"documents": [{"id": "d", "text": whole}]})
    part = three("GET", f"/search?q={quote(whole[:100])}&ui=en", headers=HTML).text
    assert (" · contains the other · " in part, "part of the other" in part) == (True, False)
    assert three("GET", "/search?id=none&ui=en", headers=HTML).status_code == 404


def test_members_of_a_group_are_links(three: ServiceClient) -> None:
    assert '<a href="/documents/b"' in three("GET", f"/groups?id={quote('а/1 ?', safe='')}&ui=en", headers=HTML).text


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
def test_every_problem_has_a_sentence(three: ServiceClient, language: str) -> None:
    words = json.loads((resources.files("infostream_dedup.service") / "locale" / f"{language}.json").read_bytes())
    assert {f"problem_{code}" for code in CODES} <= words.keys()
    assert words["problem_invalid"] in three("GET", f"/judge?queue=nope&ui={language}", headers=HTML).text


def test_now_counts_days_and_leads_to_the_largest_stories(filled: ServiceClient) -> None:
    stats = filled("GET", "/v1/stats").json()
    assert [day["day"] for day in stats["days"]] == [f"2026-02-{day}" for day in (25, 26, 27, 28)] + [
        f"2026-03-{day:02}" for day in range(1, 11)
    ]
    assert sum(day["documents"] for day in stats["days"]) == stats["documents"]
    rows = filled("GET", "/v1/verdicts?limit=200").json()["items"]
    repeats = [row["arrived"][:10] for row in rows if row["status"] in ("exact", "duplicate")]
    assert {day["day"]: day["repeats"] for day in stats["days"] if day["repeats"]} == Counter(repeats)
    page = filled("GET", "/?ui=en", headers=HTML).text
    assert page.count('class="all"') == 14
    largest = filled("GET", "/v1/groups?limit=1&since=2026-03-03").json()["items"][0]
    assert f"<bdi>{largest['title']}</bdi></a><small>{largest['documents']} documents" in page


def test_lists_show_how_groups_spread_and_take_days(filled: ServiceClient) -> None:
    listed = filled("GET", "/groups?ui=en&since=2026-03-03&until=2026-03-04&min=4", headers=HTML).text
    expected = filled("GET", "/v1/groups?since=2026-03-03&until=2026-03-05&min=4").json()["items"]
    shown = re.findall(r'<a href="/groups\?[^"]*id=([\w-]+)" ', listed)
    assert shown == [row["group"] for row in expected]
    assert 0 < len(shown) < len(filled("GET", "/v1/groups?limit=200").json()["items"])
    assert listed.count('class="spark"') == len(shown)
    assert '<option value="dzvin.example">' in listed
    # The file has what the page shows.
    file = re.search(r'href="(/v1/export/groups\.jsonl[^"]*)"', listed)
    assert filled("GET", unescape(file[1])).text.count('"group"') == len(shown)
    stories = filled("GET", "/stories?ui=uk&order=size", headers=HTML).text
    first = filled("GET", "/v1/stories?by=size&limit=1").json()["items"][0]["story"]
    assert re.search(r'<li><a href="/stories/([\w-]+)"', stories)[1] == first  # type: ignore[index]


def test_the_routes_are_described_without_anything_from_elsewhere(filled: ServiceClient) -> None:
    page = filled("GET", "/v1/docs", headers=HTML).text
    assert not re.search(r'(?:src|href)="https?:', page)
    for method, path in (("POST", "/v1/documents"), ("GET", "/v1/batches/{batch_id}/status")):
        assert f"<b>{method}</b> <code>{path}</code>" in page
    assert set(re.findall(r'href="#(form-\w+)"', page)) <= set(re.findall(r'id="(form-\w+)"', page))
    assert filled("GET", "/v1").headers["location"] == "/v1/docs"


def piece(text: str, passage: int = 0, word: int = 0) -> dict[str, object]:
    return {"text": text, "passage": passage, "word": word, "repeated": False}


def test_only_the_numbers_that_differ_are_marked() -> None:
    html = marked_text([piece("В 10:30 <7> и 3,5, но не 77.")], ["10:30", "7"], {})
    assert html == ('В <b class="number">10:30</b> &lt;<b class="number">7</b>&gt; и 3,5, но не 77.')
    assert marked_text([piece("В 10:30 & в 7", 2)], [], {}) == (
        '<mark class="p2 passage" data-passage="2" tabindex="-1"><sup>2</sup>В 10:30 &amp; в 7</mark>'
    )


def test_numbers_that_are_not_marked_cost_nothing() -> None:
    # A part for each number took twelve seconds for a document of three megabytes, while nobody else got an answer.
    assert _split("1 2 3 4 " * 1000, {"5"}) == ["1 2 3 4 " * 1000]
    assert _split("1 2 3 4 " * 1000, set()) == ["1 2 3 4 " * 1000]


# The pages: three languages, no script needed, nothing of a document taken for HTML.
FORMS = {"en": {"one", "other"}, "ru": {"one", "few", "many"}, "uk": {"one", "few", "many"}}
HOSTILE = '"><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>'


def fields_of(words: object) -> set[str]:
    texts = words.values() if isinstance(words, dict) else [words]
    return {field for text in texts for _, field, _, _ in Formatter().parse(str(text)) if field}


def test_the_languages_have_the_same_words() -> None:
    english = words_of("en").keys()
    for language in PAGE_LANGUAGES:
        words = words_of(language).keys()
        assert words.keys() == english.keys()
        for key, value in words.items():
            assert fields_of(value) == fields_of(english[key]), key
            if isinstance(value, dict):
                assert set(value) == FORMS[language], key


@pytest.mark.parametrize(("number", "form"), [
    (0, "many"), (1, "one"), (2, "few"), (5, "many"), (11, "many"), (12, "many"), (21, "one"), (104, "few"),
    (111, "many"),
])  # fmt: skip
def test_forms_that_go_with_numbers(number: int, form: str) -> None:
    assert plural_form(number, "ru") == plural_form(number, "uk") == form
    assert plural_form(number, "en") == ("one" if number == 1 else "other")


@pytest.mark.parametrize("language", PAGE_LANGUAGES)
@pytest.mark.parametrize("path", ["/groups", "/groups?order=last&lang=uk", "/search", "/search?q=мост", "/sign-in"])
def test_pages_need_no_script_and_bring_none_of_others(filled: ServiceClient, path: str, language: str) -> None:
    filled.forget_cookies()  # of the language that a page was asked for
    answer = filled("GET", path, headers={"accept-language": language})
    assert answer.status_code == 200
    assert f'<html lang="{language}">' in answer.text
    assert not re.search(
        r"<script(?! type=.module. src=./static/)|\son\w+=|\sstyle=|https?://(?!localhost)", answer.text
    )
    assert answer.text.count("<h1") == 1
    for link in re.findall(r'(?:href|src)="(/static/[^"]+)"', answer.text):
        assert filled("GET", link).status_code == 200


def test_links_of_a_page_lead_somewhere(filled: ServiceClient) -> None:
    for link in set(re.findall(r'href="(/[^"]*)"', filled("GET", "/groups").text)):
        assert filled("GET", link.replace("&amp;", "&")).status_code == 200, link


def test_a_problem_on_a_page_says_what_to_do(fresh: ServiceClient) -> None:
    refused = fresh("POST", "/explore", data={"kind": "estimate"}, headers={"accept": "text/html"})
    assert refused.status_code == 409
    assert "start the service with --keep-text" in refused.text


def test_what_documents_say_is_never_html(fresh: ServiceClient) -> None:
    text = f"Мэр Харькова открыл новый мост через реку. {HOSTILE}"
    documents = [{"id": f"{HOSTILE}{n}", "title": HOSTILE, "text": text, "source": HOSTILE} for n in range(2)]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    pages = [fresh("GET", "/groups").text, fresh("GET", "/search", params={"q": text}).text]
    pages.append(fresh("GET", "/groups", params={"q": HOSTILE, "source": HOSTILE}).text)
    for page in pages:
        assert "alert(1)" in page
        assert "<script>" not in page
        assert "<img" not in page


def test_people_sign_in_with_their_token(serve: Serve, tmp_path: Path) -> None:
    token = add_token(tmp_path / "tokens", "desk", "reader")
    client = serve(token_file=tmp_path / "tokens")
    html = {"accept": "text/html"}
    sent = client("GET", "/groups?q=мост&order=last", headers=html)
    assert sent.status_code == 303
    entrance = client("GET", sent.headers["location"], headers=html).text
    to = unescape(entrance.partition('name="to" value="')[2].partition('"')[0])
    assert unquote(to) == "/groups?q=мост&order=last"
    assert client("POST", "/sign-in", data={"token": "wrong"}, headers=html).status_code == 401
    for elsewhere in ("//e.example", "https://e.example", "/\\e.example", "/\t/e.example", ""):
        assert client("POST", "/sign-in", data={"token": token, "to": elsewhere}).headers["location"] == "/", elsewhere
    signed = client("POST", "/sign-in", data={"token": token, "to": to})
    assert (signed.status_code, unquote(signed.headers["location"])) == (303, "/groups?q=мост&order=last")
    cookie = signed.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert client("GET", "/groups", headers=html).status_code == 200
    assert client("POST", "/v1/batches", json={"documents": []}).status_code == 403
    assert client("POST", "/sign-out", data={}).status_code == 303
    assert client("GET", "/groups", headers=html).status_code == 303
    # A form that was open when the session ended leads to the entrance, too; a program is told what is missing.
    sent = client("POST", "/alarms", data={"subject": "1", "decision": "known"}, headers=html)
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in")
    assert client("POST", "/alarms", data={"subject": "1", "decision": "known"}).status_code == 401
    assert client("POST", "/v1/search", json={"text": "мост"}, headers=html).status_code == 401
    for _ in range(5):
        last = client("POST", "/sign-in", data={"token": "guess"})
    assert last.status_code == 429


def test_nothing_but_the_listed_files_is_served(filled: ServiceClient) -> None:
    for name in ("../application.py", "..%2Fapplication.py", "app.py", "%2e%2e/guard.py"):
        assert filled("GET", f"/static/{name}").status_code == 404
    assert {path.name for path in (resources.files("infostream_dedup.service") / "static").iterdir()} == set(FILES)
