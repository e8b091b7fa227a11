"""``collect``: ids, addresses, dates and texts of the items of feeds."""

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


@pytest.mark.parametrize(
    ("given", "published"),
    [
        ("Sat, 21 Nov 2026 10:05:00 EET", "2026-11-21T08:05:00+00:00"),
        ("Sat, 20 Jun 2026 10:05:00 EEST", "2026-06-20T07:05:00+00:00"),
        ("Sat, 21 Nov 2026 10:05:00 MSK", "2026-11-21T07:05:00+00:00"),
        ("Sat, 21 Nov 2026 10:05:00 GMT", "2026-11-21T10:05:00+00:00"),
        ("Sat, 21 Nov 2026 10:05:00 +0200", "2026-11-21T08:05:00+00:00"),
        ("20261121", "2026-11-21"),
        ("1795255500", "2026-11-21T10:05:00+00:00"),
        ("21.11.2026 10:05", "2026-11-21T10:05:00"),
        ("2026/11/21 10:05", "2026-11-21T10:05:00"),
        ("20261121T100500+0300", "2026-11-21T07:05:00+00:00"),
        ("Сб, 21 ноя 2026 10:05:00 +0300", "2026-11-21T07:05:00+00:00"),
        ("21 листопада 2026, 10:05", "2026-11-21T10:05:00"),
        ("Sat, 21 Nov 2026 10:05:00 GMT+3", "2026-11-21T07:05:00+00:00"),
        ("Sat,21 Nov 2026 10:05:00 Europe/Kyiv", "2026-11-21T08:05:00+00:00"),
        # Dates that cannot be.
        ("Sat, 21 Nov 2626 10:05:00 GMT", None),
        ("01 Jan 0001 00:00:00 GMT", None),
        ("0", None),
        ("soon", None),
    ],
)
def test_dates_of_items(tmp_path, given, published) -> None:
    date = f"<pubDate>{given}</pubDate>"
    item = f"<item><link>https://a.example/1</link>{date}<description>Мост открыт.</description></item>"
    (tmp_path / "feed").write_text(feed_of("a.example", item))
    assert [row.get("published") for row in collect(tmp_path / "feed")] == [published]


def test_words_of_cells_and_blocks_do_not_run_together(tmp_path) -> None:
    table = "<table><tr><th>Курс</th><td>41,5</td></tr></table>"
    markup = f"{table}<figure><figcaption>Фото</figcaption></figure>Мост<hr>открыт."
    item = f"<item><link>https://a.example/1</link><description><![CDATA[{markup}]]></description></item>"
    (tmp_path / "feed").write_text(feed_of("a.example", item))
    assert [row["text"] for row in collect(tmp_path / "feed")] == ["Курс\n41,5\nФото\nМост\nоткрыт."]


def test_a_text_given_with_and_without_markup_is_one_text(tmp_path) -> None:
    contents = '<content type="html">&lt;p&gt;Мост открыт.&lt;/p&gt;</content><content>Мост открыт.</content>'
    entry = f'<entry><id>urn:1</id><link href="https://a.example/1"/>{contents}</entry>'
    (tmp_path / "feed").write_text(f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>')
    assert [row["text"] for row in collect(tmp_path / "feed")] == ["Мост открыт."]
