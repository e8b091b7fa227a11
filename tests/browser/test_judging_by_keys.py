"""Judging in a browser while the connection is cut: nothing lost, nothing double, the count never ahead of the file."""

import itertools
import statistics
from typing import Any

import httpx
import pytest

from .conftest import until

pytestmark = pytest.mark.slow
KEYS = ("Digit1", "Digit2", "Digit5", "KeyQ", "Digit3", "Digit4", "Digit0")


def on_file(address: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    after = None
    while True:
        page = httpx.get(f"{address}/v1/judgements/log", params={"limit": 200, **({"after": after} if after else {})})
        rows += page.json()["items"]
        after = page.json()["next"]
        if after is None:
            return rows


def test_two_hundred_judgements_with_cut_connections(address: str, browser: Any) -> None:
    number = itertools.count(1)
    cut = 0

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
        rows = on_file(address)
        if len(rows) >= 200:
            break
        page.wait_for_timeout(100)
    assert cut >= 20
    assert len(rows) == len({row["number"] for row in rows}) == 200
    assert {(row["a"], row["b"]) for row in rows} == wanted
    assert len(wanted) == 200
    until(page, f"document.getElementById('judged').textContent === '{sum(row['label'] is not None for row in rows)}'")
    print(f"key to next pair: median {statistics.median(waits):.0f} ms")
    undo_all(page, address)


def undo_all(page: Any, address: str) -> None:
    for left in range(200, 0, -1):
        page.keyboard.press("Backspace")
        until(page, "document.getElementById('said').textContent !== ''")
        page.evaluate("document.getElementById('said').textContent = ''")
        if left % 50 == 0:
            page.reload()
    rows = on_file(address)
    assert len(rows) == 400
    assert sum(row["undone"] for row in rows) == 200
    assert httpx.get(f"{address}/v1/judgements").content == b""


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
