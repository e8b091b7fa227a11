"""Judging in a browser when answers are lost, keys are held, buttons are clicked twice, or a session ends."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .conftest import until

pytestmark = pytest.mark.slow
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
    pair = ids_of(page)
    page.keyboard.press("Digit1")
    until(page, "document.getElementById('judged').textContent === '1'")
    page.keyboard.press("Backspace")
    until(page, f"{SAID} === 'Undone.'")
    assert page.inner_text("#judged") == "0"
    # The pair is asked for once the judgement is taken back.
    until(page, f"{SHOWN} === {' '.join(pair)!r}")


def test_another_choice_after_lost_answers_is_stored(address: str, page: Any) -> None:
    def lose(route: Any) -> None:
        route.fetch()
        route.abort("connectionreset")

    pair = ids_of(page)
    page.route("**/v1/judgements", lose)
    page.keyboard.press("Digit1")
    until(page, f"{SAID}.includes('not saved')")
    page.unroute("**/v1/judgements")
    assert ids_of(page) == pair
    page.keyboard.press("Digit5")
    until(page, "document.getElementById('judged').textContent === '1'")
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
