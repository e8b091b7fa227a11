"""Pages of documents with endless words, odd ids and markup: nothing too wide, no script run."""

from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

pytestmark = pytest.mark.slow
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
