"""A page for each document, one search box, and sentences for problems."""

import json
import re
from collections import Counter
from html import unescape
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import pytest

from infostream_dedup.service.problems import CODES
from infostream_dedup.service.settings import ServiceSettings

from .conftest import ServiceClient, wait_until_ready

HTML = {"accept": "text/html"}
TEXT = "Мэр Харькова открыл новый мост через реку, и горожане пришли посмотреть на салют."


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


def test_lines_that_are_not_compared_are_pale(tmp_path: Path) -> None:
    fresh = ServiceClient(ServiceSettings(store=tmp_path / "news.db", stream={"keep_text": True}))
    wait_until_ready(fresh)
    call = "Підписуйтесь на канал 🔔 | Надіслати новину"
    documents = [
        {"id": "1", "title": "Міст", "text": f"{TEXT}\n\n{call}"},
        {"id": "2", "text": f"{TEXT} Читайте нас в Telegram."},
    ]
    assert fresh("POST", "/v1/batches", json={"documents": documents}).status_code == 200
    page = fresh("GET", "/documents/1?ui=en", headers=HTML).text
    assert '<span class="repeated">Підписуйтесь на канал 🔔 |</span>' in page
    assert '<span class="repeated">Надіслати новину</span>' in page
    assert f'<div class="text">{TEXT}' in page
    assert "they are not compared" in page
    page = fresh("GET", "/compare?a=1&b=2&ui=en", headers=HTML).text
    assert '<span class="repeated">Читайте нас в Telegram.</span>' in page
    assert "they are not compared" in page
    fresh.close()


def test_one_box_leads_to_documents_headlines_and_texts(three: ServiceClient) -> None:
    for question in ("b", "https://e.example/1"):
        found = three("GET", f"/search?q={quote(question, safe='')}", headers=HTML)
        assert found.status_code in (200, 303)
        assert "/documents/" in (found.headers.get("location") or str(found.url))
    assert "Мост открыт" in three("GET", f"/search?q={quote('МОСТ')}&ui=en", headers=HTML).text
    assert "Similar texts" in three("GET", f"/search?q={quote(TEXT)}&ui=en", headers=HTML).text
    assert "Similar texts" in three("GET", "/search?id=b&ui=en", headers=HTML).text
    assert three("GET", "/search?id=none&ui=en", headers=HTML).status_code == 404


def test_members_of_a_group_are_links(three: ServiceClient) -> None:
    assert '<a href="/documents/b"' in three("GET", f"/groups?id={quote('а/1 ?', safe='')}&ui=en", headers=HTML).text


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
def test_every_problem_has_a_sentence(three: ServiceClient, language: str) -> None:
    words = json.loads((resources.files("infostream_dedup.service") / "locale" / f"{language}.json").read_bytes())
    assert {f"problem_{code}" for code in CODES} <= words.keys()
    page = three("GET", f"/judge?queue=nope&ui={language}", headers=HTML).text
    assert words["problem_invalid"] in page


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
    assert file is not None
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
