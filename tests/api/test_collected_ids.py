"""``collect``: ids and addresses of the items of feeds."""

from __future__ import annotations

import pytest

from infostream_dedup import collect

pytest.importorskip("feedparser")


def feed_of(site: str, *items: str) -> str:
    return f"<rss><channel><link>https://{site}/</link>{''.join(items)}</channel></rss>"


def test_sites_that_number_their_items_alike_do_not_lose_them(tmp_path) -> None:
    number = "<guid isPermaLink='false'>12345</guid>"
    for site, text in (("a.example", "Мост открыт."), ("www.b.example", "Театр открыт.")):
        link = f"<link>https://{site}/news</link>"
        items = f"<item>{number}{link}<description>{text}</description></item>", f"<item>{number}{link}</item>"
        (tmp_path / site).write_text(feed_of(site, *items))
    found = collect([tmp_path / "a.example", tmp_path / "www.b.example"])
    assert [(row["id"], row["text"]) for row in found] == [
        ("a.example:12345", "Мост открыт."),
        ("b.example:12345", "Театр открыт."),
    ]


@pytest.mark.parametrize("own", ["https://b.example/1", "tag:b.example,2026:1", "urn:uuid:1", "7 at https://b.example"])
def test_ids_that_no_other_site_has_stay_as_they_are(tmp_path, own) -> None:
    item = f"<item><guid>{own}</guid><link>https://a.example/1</link><description>Мост открыт.</description></item>"
    (tmp_path / "feed").write_text(feed_of("a.example", item))
    assert [row["id"] for row in collect(tmp_path / "feed")] == [own]


def test_an_address_without_a_host_is_one_of_the_site(tmp_path) -> None:
    (tmp_path / "feed").write_text(
        feed_of("a.example", "<item><link>/news/3</link><description>Мост открыт.</description></item>")
    )
    (row,) = collect(tmp_path / "feed")
    assert (row["id"], row["url"], row["source"]) == (*["https://a.example/news/3"] * 2, "a.example")
