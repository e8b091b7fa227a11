"""The pages in headless Chromium: nothing from elsewhere, nothing too wide, everything by keyboard."""

import re
from importlib import resources
from typing import Any

import pytest

from .conftest import faults, say_without_axe, until

pytestmark = pytest.mark.slow

LAYOUTS = {"en": "jkcnpqwearz", "ru": "оклтзйцуфкя", "uk": "оклтзйцуфкя"}
"""What the keys J K C N P Q W E A R Z type on each layout."""
CODES = dict(zip("JKCNPQWEARZ", range(11), strict=True))
PATHS = (
    "/", "/groups", "/stories", "/search?q=мост", "/judge", "/labels", "/model", "/explore", "/methods", "/templates",
    "/sources", "/alarms", "/watches", "/settings", "/sign-in", "/documents/ru-002", "/stories?order=size", "/v1/docs",
    "/compare",
)  # fmt: skip


def typed(page: Any, code: str, layout: str) -> None:
    """Press a key as a keyboard of that layout does: the place says which, the sign is another one."""
    letter = code.removeprefix("Key")
    key = LAYOUTS[layout][CODES[letter]] if code.startswith("Key") else code.removeprefix("Digit")
    page.evaluate(
        "([code, key]) => document.body.dispatchEvent(new KeyboardEvent('keydown', {code, key, bubbles: true}))",
        [code, key],
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_pages_are_quiet_narrow_and_alone(address: str, browser: Any, language: str, scheme: str) -> None:
    said, asked = [], set()
    for width in (390, 1000, 1600):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.add(request.url.split("/")[2]))
        page.goto(f"{address}/groups?ui={language}")
        compare, copies = (page.get_attribute(f"a.{name}", "href") for name in ("compare", "provenance"))
        page.goto(f"{address}/stories")
        story = page.get_attribute(".rows a", "href")
        for path in (*PATHS, compare, copies, story):
            page.goto(f"{address}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
            assert page.get_attribute("html", "lang") == language, path
            assert faults(page) == [], path
        context.close()
    assert said == []
    assert asked == {address.removeprefix("http://")}
    say_without_axe()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_keys_work_by_place_on_every_layout(address: str, browser: Any, layout: str) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}/groups?ui={layout}")
    first = page.inner_text("h2 >> nth=0")
    with page.expect_navigation():
        typed(page, "KeyJ", layout)
    assert page.inner_text("h2 >> nth=0") != first
    with page.expect_navigation():
        typed(page, "KeyK", layout)
    assert page.inner_text("h2 >> nth=0") == first
    with page.expect_navigation():
        typed(page, "KeyC", layout)
    typed(page, "KeyN", layout)
    assert page.evaluate("document.activeElement.dataset.passage") == "1"
    page.goto(f"{address}/templates")
    typed(page, "KeyJ", layout)
    with page.expect_navigation():
        typed(page, "KeyA", layout)
    assert page.locator(".rows li:first-child .badge").count() == 1
    page.goto(f"{address}/groups")
    with page.expect_navigation():
        typed(page, "KeyP", layout)
    assert "/provenance" in page.url
    page.keyboard.press("F1")
    assert page.locator("dialog[open]").count() == 1
    page.context.close()


def test_no_two_actions_share_a_key() -> None:
    table = (resources.files("infostream_dedup.service") / "static" / "keys.js").read_text("utf-8")
    pages = re.findall(r"^  (\w+): \{(.*?)\}", table, re.MULTILINE | re.DOTALL)
    assert len(pages) > 10
    for page, keys in pages:
        codes = re.findall(r'["\w+]+(?=: ")', keys)
        actions = re.findall(r': "([\w-]+)"', keys)
        assert len(codes) == len(set(codes)), page
        assert len(actions) == len(set(actions)), page


def test_pages_work_without_script(address: str, browser: Any) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/groups")
    first = page.inner_text("h2 >> nth=0")
    page.click("#groups li:nth-child(2) a")
    assert page.inner_text("h2 >> nth=0") != first
    page.click("a.compare >> nth=0")
    assert page.locator("mark").count() > 0
    page.goto(f"{address}/search")
    page.fill("textarea", first)
    page.click("form.ask button")
    assert page.locator(".members li").count() > 0
    page.goto(f"{address}/judge?queue=random")
    before = page.get_attribute(".pair", "data-key")
    page.click("button.different")
    assert page.get_attribute(".pair", "data-key") != before
    assert page.inner_text("#judged") == "1"
    page.click("#undo button")
    assert page.inner_text("#judged") == "0"
    page.context.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_stranger_judges_the_largest_story_in_five_clicks(address: str, browser: Any, script: bool) -> None:
    page = browser.new_context(java_script_enabled=script, viewport={"width": 400, "height": 800}).new_page()
    page.goto(f"{address}/")
    page.click("a[href^='/stories/'] >> nth=0")
    original = page.inner_text("h1")
    page.click(".columns .rows a >> nth=0")
    assert page.inner_text("h1") == original
    page.click(".rows a.compare >> nth=0")
    assert page.locator("mark").count() > 1
    page.click("a[href^='/judge?']")
    judged = int(page.inner_text("#judged"))
    page.click("button.dup")
    if script:
        until(page, f"document.querySelector('#judged')?.textContent === '{judged + 1}'")
    page.goto(f"{address}/labels")
    assert page.locator(".rows li").count() > 0
    page.context.close()


def test_colours_are_chosen_by_hand(address: str, browser: Any) -> None:
    page = browser.new_context(color_scheme="light").new_page()
    page.goto(f"{address}/stories?order=size")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("a.theme")
    assert page.url.startswith(f"{address}/stories?order=size")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.goto(f"{address}/groups")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark != light
    page.click("a.theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light
    page.context.close()


def test_new_verdicts_come_to_the_page_and_wait_while_it_is_paused(address: str, browser: Any) -> None:
    import httpx

    def send(name: str) -> None:
        document = {"id": name, "title": f"Заголовок {name}", "text": f"Город {name} открыл мост {name}."}
        assert httpx.post(f"{address}/v1/batches", json={"documents": [document]}, timeout=60).status_code == 200

    page = browser.new_context().new_page()
    page.goto(address)
    until(page, "document.getElementById('live').textContent !== ''")
    send("live-1")
    page.wait_for_selector("#news >> text=Заголовок live-1")
    page.keyboard.press("Space")
    send("live-2")
    page.wait_for_timeout(1500)
    assert page.locator("#news >> text=Заголовок live-2").count() == 0
    # The pointer passes over the list; the key still holds it.
    page.hover("#news li >> nth=0")
    page.hover("h2 >> nth=0")
    assert page.locator("#news >> text=Заголовок live-2").count() == 0
    page.keyboard.press("Space")
    page.wait_for_selector("#news >> text=Заголовок live-2")
    page.context.close()


def test_new_verdicts_come_again_after_a_proxy_has_answered_for_the_service(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    refused = [502, 503]
    page.route(
        "**/v1/verdicts/events*",
        lambda route: route.fulfill(status=refused.pop(), body="") if refused else route.continue_(),
    )
    page.goto(address)
    until(page, "document.getElementById('live').textContent === document.getElementById('live').dataset.lost")
    until(page, "document.getElementById('live').textContent === document.getElementById('live').dataset.live")
    assert refused == []
    page.context.close()


def test_new_verdicts_lead_to_the_entrance_when_the_session_has_ended(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.route("**/v1/verdicts*", lambda route: route.fulfill(status=401, body="{}"))
    page.route("**/v1/verdicts/events*", lambda route: route.fulfill(status=401, body="{}"))
    page.goto(address)
    with page.expect_navigation():
        pass
    page.context.close()


def test_a_page_that_follows_a_job_leads_to_the_entrance_when_the_session_ends(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.route("**/v1/jobs/*", lambda route: route.fulfill(status=401, body="{}"))
    page.goto(f"{address}/explore")
    # The part of the page that a running job has, without one.
    with page.expect_navigation():
        page.evaluate(
            """() => {
                const part = '<p id="job" data-number="1" data-state="running"><small id="step"></small></p>';
                document.querySelector("main").insertAdjacentHTML("beforeend", part);
                import("/static/jobs.js?again");
            }"""
        )
    page.context.close()


def test_a_page_that_is_told_no_number_of_a_job_asks_for_none(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/explore")
    page.evaluate(
        """() => {
            const part = '<p id="job" data-state="running"><small id="step"></small></p>';
            document.querySelector("main").insertAdjacentHTML("beforeend", part);
            return import("/static/jobs.js?again");
        }"""
    )
    page.wait_for_timeout(300)
    assert any("jobs.js?again" in url for url in asked)
    assert not [url for url in asked if "/v1/jobs" in url]
    page.context.close()


def test_new_verdicts_come_again_when_the_page_comes_back(address: str, browser: Any) -> None:
    import httpx

    page = browser.new_context().new_page()
    opened: list[str] = []
    page.on("request", lambda request: opened.append(request.url) if "/events" in request.url else None)
    page.goto(address)
    until(page, "document.getElementById('live').textContent === document.getElementById('live').dataset.live")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', {persisted: true}))")
    document = {"id": "back-1", "title": "Заголовок back", "text": "Город back открыл мост back."}
    assert httpx.post(f"{address}/v1/batches", json={"documents": [document]}, timeout=60).status_code == 200
    page.wait_for_timeout(1500)
    assert page.locator("#news >> text=Заголовок back").count() == 0
    # Twice: a stream that is asked for again twice must not show each verdict twice.
    for _ in range(2):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    page.wait_for_selector("#news >> text=Заголовок back")
    page.wait_for_timeout(500)
    assert page.locator("#news >> text=Заголовок back").count() == 1
    assert len(opened) == 3
    page.context.close()
