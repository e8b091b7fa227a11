"""The pages in headless Chromium: nothing from elsewhere, nothing too wide, everything by keyboard."""

import itertools
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from infostream_dedup.sample import documents_path

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


# Judging in a browser while the connection is cut: nothing lost, nothing double, the count never ahead of the file.
KEYS = ("Digit1", "Digit2", "Digit5", "KeyQ", "Digit3", "Digit4", "Digit0")


def on_file(address: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after = None
    while True:
        page = httpx.get(f"{address}/v1/judgements/log", params={"limit": 200, **({"after": after} if after else {})})
        rows += page.json()["items"]
        after = page.json()["next"]
        if after is None:
            return rows[::-1]


def test_two_hundred_judgements_with_cut_connections(address: str, browser: Any) -> None:
    number = itertools.count(1)
    cut = 0
    # Other tests judge at the same desk.
    earlier, labels = len(on_file(address)), httpx.get(f"{address}/v1/judgements").content

    def cutting(route: Any) -> None:
        nonlocal cut
        turn = next(number)
        if turn % 10:
            route.continue_()
            return
        cut += 1
        if turn % 20:
            # The request never arrives.
            route.abort("connectionreset")
        else:
            # It arrives and is stored; its answer is lost.
            route.fetch()
            route.abort("connectionreset")

    page = browser.new_context().new_page()
    page.goto(f"{address}/judge?queue=random")
    counted = int(page.inner_text("#judged"))
    page.route("**/v1/judgements", cutting)
    queues = [
        *(f"group:{row['group']}" for row in httpx.get(f"{address}/v1/groups?limit=200").json()["items"]),
        "random",
    ]
    judged: list[tuple[str, str]] = []
    waits: list[float] = []
    for queue in queues:
        page.goto(f"{address}/judge?queue={queue}")
        while page.locator(".pair").count() and len(judged) < 200:
            pair = page.locator(".pair")
            judged.append((str(pair.get_attribute("data-a")), str(pair.get_attribute("data-b"))))
            key = page.locator(".pair").get_attribute("data-key")
            waits.append(
                page.evaluate(
                    """async ([code, key]) => {
                        const begin = performance.now();
                        document.body.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true }));
                        const same = () => document.querySelector(".pair")?.dataset.key === key;
                        while (same() && performance.now() - begin < 20000)
                            await new Promise((wake) => setTimeout(wake, 2));
                        return performance.now() - begin;
                    }""",
                    [KEYS[len(judged) % len(KEYS)], key],
                )
            )
            # A fast hand meets a slow network: wait for it once in a while only.
            if len(judged) % 7 == 0:
                page.wait_for_timeout(100)
        if len(judged) == 200:
            break
    assert len(judged) == 200
    wanted = {tuple(sorted(pair)) for pair in judged}
    for _ in range(100):
        rows = on_file(address)[earlier:]
        if len(rows) >= 200:
            break
        page.wait_for_timeout(100)
    assert cut >= 20
    assert len(rows) == len({row["number"] for row in rows}) == 200
    assert {(row["a"], row["b"]) for row in rows} == wanted
    assert len(wanted) == 200
    counted += sum(row["label"] is not None for row in rows)
    until(page, f"document.getElementById('judged').textContent === '{counted}'")
    print(f"key to next pair: median {statistics.median(waits):.0f} ms")
    for left in range(200, 0, -1):
        page.keyboard.press("Backspace")
        until(page, "document.getElementById('said').textContent !== ''")
        page.evaluate("document.getElementById('said').textContent = ''")
        if left % 50 == 0:
            page.reload()
    rows = on_file(address)[earlier:]
    assert len(rows) == 400
    assert sum(row["undone"] for row in rows) == 200
    assert httpx.get(f"{address}/v1/judgements").content == labels


def test_a_judgement_that_cannot_be_saved_comes_back(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}/judge?queue=boundary&ui=en")
    page.route("**/v1/judgements", lambda route: route.abort("connectionreset"))
    pair = page.locator(".pair").get_attribute("data-key")
    before = page.inner_text("#judged")
    page.keyboard.press("Digit1")
    until(page, "document.getElementById('said').textContent.includes('not saved')")
    assert page.locator(".pair").get_attribute("data-key") == pair
    assert page.inner_text("#judged") == before
    page.context.close()


def test_the_verdict_is_shown_only_when_asked_for(address: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{address}/judge?queue=random&ui=en")
    assert "The stream says" not in page.inner_text("main")
    page.keyboard.press("Shift+Slash")
    until(page, "document.getElementById('said').textContent.startsWith('The stream says')")
    page.context.close()


# Judging in a browser when answers are lost, keys are held, buttons are clicked twice, or a session ends.
SHOWN = "(({a, b}) => [a, b].sort().join(' '))(document.querySelector('.pair').dataset)"
SAID = "document.getElementById('said').textContent"


def latest(address: str, number: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = httpx.get(f"{address}/v1/judgements/log", params={"limit": number}).json()["items"]
    return rows


def ids_of(page: Any) -> tuple[str, ...]:
    pair = page.locator(".pair")
    return tuple(sorted(str(pair.get_attribute(name)) for name in ("data-a", "data-b")))


@pytest.fixture
def page(address: str, browser: Any) -> Iterator[Any]:
    opened = browser.new_context().new_page()
    # As on any address that is neither HTTPS nor localhost.
    opened.add_init_script("Object.defineProperty(crypto, 'randomUUID', { value: undefined })")
    with opened.expect_response("**/judge/pair*"):
        opened.goto(f"{address}/judge?queue=random&ui=en")
    yield opened
    opened.context.close()


def test_undo_needs_no_secure_context(address: str, page: Any) -> None:
    pair, before = ids_of(page), int(page.inner_text("#judged"))
    page.keyboard.press("Digit1")
    until(page, f"document.getElementById('judged').textContent === '{before + 1}'")
    page.keyboard.press("Backspace")
    until(page, f"{SAID} === 'Undone.'")
    assert page.inner_text("#judged") == str(before)
    # The pair is asked for once the judgement is taken back.
    until(page, f"{SHOWN} === {' '.join(pair)!r}")


def test_another_choice_after_lost_answers_is_stored(address: str, page: Any) -> None:
    def lose(route: Any) -> None:
        route.fetch()
        route.abort("connectionreset")

    pair, before = ids_of(page), int(page.inner_text("#judged"))
    page.route("**/v1/judgements", lose)
    page.keyboard.press("Digit1")
    until(page, f"{SAID}.includes('not saved')")
    page.unroute("**/v1/judgements")
    assert ids_of(page) == pair
    page.keyboard.press("Digit5")
    until(page, f"document.getElementById('judged').textContent === '{before + 1}'")
    assert [(row["a"], row["b"], row["label"]) for row in latest(address, 2)] == [(*pair, "different"), (*pair, "dup")]
    page.keyboard.press("Backspace")
    until(page, f"{SAID} === 'Undone.'")


def test_a_held_key_and_a_double_click_make_one_judgement_each(address: str, page: Any) -> None:
    before = latest(address, 1)[0]["number"]
    with page.expect_response("**/v1/judgements"):
        page.keyboard.down("Digit5")
    for _ in range(4):
        page.keyboard.down("Digit5")
        page.wait_for_timeout(40)
    page.keyboard.up("Digit5")
    with page.expect_response("**/v1/judgements"):
        page.dblclick(".choices .similar")
    page.wait_for_timeout(500)
    assert [row["label"] for row in latest(address, 50) if row["number"] > before] == ["similar", "different"]


def test_two_quick_undos_show_each_pair_once(address: str, page: Any) -> None:
    judged = []
    for number in (1, 2):
        judged.append(ids_of(page))
        with page.expect_response("**/v1/judgements"):
            page.keyboard.press(f"Digit{number}")
    waiting = ids_of(page)
    # The pairs come back slowly, and the second undo is asked for meanwhile.
    page.route("**/judge/pair?*a=*", lambda route: (page.wait_for_timeout(200), route.continue_()))
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    until(page, f"document.querySelector('.pair').dataset.a && {SAID} === 'Undone.'")
    page.wait_for_timeout(1500)
    shown = []
    for _ in range(4):
        shown.append(ids_of(page))
        with page.expect_response("**/v1/judgements"):
            page.keyboard.press("Digit5")
        page.wait_for_timeout(100)
    assert shown[:3] == [*judged, waiting]
    assert len(set(shown)) == 4


def test_a_verdict_opened_by_its_link_is_on_record(address: str, page: Any) -> None:
    page.click("a.reveal")
    until(page, f"{SAID}.startsWith('The stream says')")
    page.keyboard.press("Digit3")
    until(page, f"{SAID} === ''")
    page.wait_for_timeout(300)
    assert latest(address, 1)[0]["seen_verdict"] is True
    page.goto(f"{address}/judge?queue=random&reveal=true&ui=en")
    with page.expect_response("**/v1/judgements"):
        page.keyboard.press("Digit3")
    assert latest(address, 1)[0]["seen_verdict"] is True


def test_people_learn_that_their_session_ended(address: str, page: Any) -> None:
    page.route("**/v1/judgements", lambda route: route.fulfill(status=401, body="{}"))
    pair = ids_of(page)
    page.keyboard.press("Digit1")
    until(page, f"{SAID}.startsWith('Your session has ended')")
    assert ids_of(page) == pair


# Pages of documents with endless words, odd ids and markup: nothing too wide, no script run.
IDS = ("new/часть?a=1&b=2#c", "х" * 150, "<script>alert(1)</script>")


@pytest.fixture(scope="module")
def odd(address: str) -> str:
    endless = "Сверхдлинноеслово" * 15
    text = f"Завод {endless} объявил тендер на поставку станков в город Глухов, сумма контракта 340 тысяч. <img src=x>"
    documents = [
        {"id": name, "title": f"{endless} {number}", "source": "t.me/" + "source" * 25, "text": f"{text} {number}"}
        for number, name in enumerate(IDS)
    ]
    assert httpx.post(f"{address}/v1/batches", json={"documents": documents}, timeout=60).status_code == 200
    return address


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_endless_words_are_broken(odd: str, browser: Any, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    pair = urlencode({"a": IDS[0], "b": IDS[1]})
    group = urlencode({"id": IDS[0]})
    for path in (f"/groups?{group}", f"/compare?{pair}", f"/judge?{pair}", "/", "/sources", "/labels"):
        assert page.goto(f"{odd}{path}").status == 200
        assert page.evaluate("document.documentElement.scrollWidth") == width, path
    page.goto(f"{odd}/groups?{group}")
    for name in ("provenance", "compare"):
        href = page.get_attribute(f"a.{name}", "href")
        assert page.goto(f"{odd}{href}").status == 200
        assert page.evaluate("document.documentElement.scrollWidth") == width, href
        page.go_back()
    assert asked == []
    page.context.close()


def test_the_longest_text_of_the_form_can_be_searched_for(odd: str, browser: Any) -> None:
    page = browser.new_context().new_page()
    page.goto(f"{odd}/search")
    # Three bytes in UTF-8, nine in an address.
    page.fill("#q", "€" * int(page.get_attribute("#q", "maxlength")))
    with page.expect_navigation() as found:
        page.click("form.ask button")
    assert found.value.status == 200
    page.context.close()


# Report pages in headless Chromium: one file, nothing from elsewhere, nothing too wide, WCAG 2.1 AA where axe is.
LANGUAGES = ("uk", "ru", "en")
PAGES = [(name, language) for name in ("sweep", "parts") for language in LANGUAGES]
PAGES += [(name, "en") for name in ("compare", "passages", "provenance")]


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", "infostream_dedup", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """Makes a report page of the sample in a language."""
    folder = tmp_path_factory.mktemp("reports")
    sample = str(documents_path())
    rows = [json.loads(line) for line in documents_path().read_text("utf-8").splitlines()]
    for name, row in zip("ab", [row for row in rows if row.get("lang") == "ru"], strict=False):
        (folder / f"{name}.txt").write_text(row["text"], encoding="utf-8")
    grouped = folder / "grouped.jsonl"
    texts = [str(folder / f"{name}.txt") for name in "ab"]

    def make(name: str, language: str) -> Path:
        out, page = folder / f"{name}-{language}", folder / f"{name}.html"
        spoken = ["--ui-language", language, "--out", str(out)]
        commands = {
            "sweep": ["sweep", sample, *spoken, "--made", "2026-05-01"],
            "parts": ["sweep", sample, "--by", "day", "--representation", "stem", *spoken],
            "compare": ["compare", sample, "--methods", "simhash,minhash", "--out", str(out)],
            "passages": ["passages", "compare", *texts, "--html", str(page)],
            "provenance": ["passages", "provenance", str(grouped), "--html", str(page)],
        }
        if name == "provenance":
            run("dedup", sample, "--annotate", "--out", str(grouped))
        run(*commands[name])
        return page if page.exists() else out / "report.html"

    return make


@pytest.mark.parametrize(("name", "language"), PAGES)
def test_reports_are_quiet_narrow_and_alone(browser: Any, made: Callable[[str, str], Path], name: str, language: str):
    said: list[str] = []
    asked: set[str] = set()
    address = made(name, language).as_uri()
    for scheme in ("light", "dark"):
        for width in (390, 1000, 1600):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: asked.add(request.url))
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (scheme, width)
            assert page.get_attribute("html", "lang") == language
            if width != 1600:
                assert faults(page) == [], (scheme, width)
            context.close()
    assert said == []
    assert asked == {address}
    say_without_axe()
