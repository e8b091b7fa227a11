"""A page for each document, one search box, and sentences for problems."""

import json
import re
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
    similar = three("GET", f"/search?q={quote(TEXT)}&ui=en", headers=HTML).text
    assert "Similar texts" in similar
    assert "Similar texts" in three("GET", "/search?id=b&ui=en", headers=HTML).text
    assert three("GET", "/search?id=none&ui=en", headers=HTML).status_code == 404


def test_members_of_a_group_are_links(three: ServiceClient) -> None:
    page = three("GET", f"/groups?id={quote('а/1 ?', safe='')}&ui=en", headers=HTML).text
    assert '<a href="/documents/b"' in page


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
def test_every_problem_has_a_sentence(three: ServiceClient, language: str) -> None:
    words = json.loads((resources.files("infostream_dedup.service") / "locale" / f"{language}.json").read_bytes())
    assert {f"problem_{code}" for code in CODES} <= words.keys()
    page = three("GET", f"/judge?queue=nope&ui={language}", headers=HTML).text
    assert words["problem_invalid"] in page
