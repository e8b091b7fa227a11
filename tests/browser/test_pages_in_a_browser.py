"""The pages in headless Chromium: nothing from elsewhere, nothing too wide, everything by keyboard."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = os.environ.get("INFOSTREAM_DEDUP_CHROMIUM", "/usr/bin/chromium")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason=f"no Chromium at {CHROMIUM} (INFOSTREAM_DEDUP_CHROMIUM)"),
]

PORT = 8697
HOME = f"http://127.0.0.1:{PORT}"
LAYOUTS = {"en": "j", "ru": "о", "uk": "о"}
"""What the key J types on each layout."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "infostream_dedup", "demo", "--serve", "--port", str(PORT)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    probe = [sys.executable, "-m", "infostream_dedup.service.probe", str(PORT)]
    for _ in range(120):
        if subprocess.run(probe, check=False).returncode == 0:
            break
        time.sleep(0.5)
    yield HOME
    process.terminate()
    assert process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield opened
        opened.close()


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
        compare = page.get_attribute("a.compare", "href")
        for path in ("/groups", compare, "/search?q=мост", "/sign-in"):
            page.goto(f"{address}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
            assert page.get_attribute("html", "lang") == language
        context.close()
    assert said == []
    assert asked == {f"127.0.0.1:{PORT}"}


@pytest.mark.parametrize(("language", "typed"), LAYOUTS.items())
def test_keys_work_by_place_on_every_layout(address: str, browser: Any, language: str, typed: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}/groups?ui={language}")
    first = page.inner_text("h2")
    with page.expect_navigation():
        page.evaluate(
            "key => document.body.dispatchEvent(new KeyboardEvent('keydown', {code: 'KeyJ', key, bubbles: true}))",
            typed,
        )
    assert page.inner_text("h2") != first
    with page.expect_navigation():
        page.keyboard.press("KeyK")
    assert page.inner_text("h2") == first
    with page.expect_navigation():
        page.keyboard.press("KeyC")
    page.keyboard.press("KeyN")
    assert page.evaluate("document.activeElement.dataset.passage") == "1"
    page.close()


def test_pages_work_without_script(address: str, browser: Any) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/groups")
    first = page.inner_text("h2")
    page.click("#groups li:nth-child(2) a")
    assert page.inner_text("h2") != first
    page.click("a.compare >> nth=0")
    assert page.locator("mark").count() > 0
    page.goto(f"{address}/search")
    page.fill("textarea", first)
    page.click("form.ask button")
    assert page.locator(".members li").count() > 0
