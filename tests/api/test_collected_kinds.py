"""``collect``: feeds, pages and exports as sites and programs of our countries write them."""

import http.server
import json
import os
import threading
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from infostream_dedup import collect, ingest
from infostream_dedup.errors import BadDataError

pytest.importorskip("trafilatura")

TEXTS = (
    "Мост через реку закрыли на ремонт до конца лета, объезд открыт по плотине.",
    "Учёные нашли в озере редкий вид рыб, который считали исчезнувшим полвека.",
    "Сборная города выиграла турнир по шахматам среди школьников области.",
)
HEAD = '<?xml version="1.0" encoding="utf-8"?>'


def feed(*items: str, head: str = HEAD, names: str = "") -> str:
    inside = "".join(f"<item>{one}</item>" for one in items)
    return f"{head}<rss version='2.0' {names}><channel><link>https://a.example/</link>{inside}</channel></rss>"


def item(number: int, inside: str | None = None) -> str:
    body = f"<description>{TEXTS[number % 3]}</description>" if inside is None else inside
    return f"<title>Новость {number}</title><link>https://a.example/{number}</link>{body}"


def rows_of(tmp_path, content: str | bytes, name: str = "source") -> list[dict]:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return collect(tmp_path / name).as_rows()


@pytest.mark.parametrize(("names", "element"), [
    ("xmlns:yandex='http://news.yandex.ru'", "yandex:full-text"),
    ("xmlns:turbo='http://turbo.yandex.ru'", "turbo:content"),
    ("xmlns:rambler='http://news.rambler.ru'", "rambler:fulltext"),
    ("xmlns:content='http://purl.org/rss/1.0/modules/content/'", "content:encoded"), ("", "fulltext"),
    ("", "full-text"), ("", "yandex:full-text"),
])  # fmt: skip
@pytest.mark.parametrize("teaser", ["", "<description>Коротко.</description>"])
def test_the_full_text_of_an_item_is_read(tmp_path, names, element, teaser) -> None:
    full = f"<{element}><![CDATA[<p>{TEXTS[0]}</p><p>{TEXTS[1]}</p>]]></{element}>"
    for inside in (full + teaser, teaser + full):
        (row,) = rows_of(tmp_path, feed(item(0, inside), names=names))
        assert row["text"] == f"{TEXTS[0]}\n{TEXTS[1]}"


def test_items_that_share_an_id_are_told_apart_by_their_texts(tmp_path) -> None:
    guid = "<guid isPermaLink='false'>https://a.example/</guid>"
    rows = rows_of(tmp_path, feed(*(item(number) + guid for number in range(3)), item(0) + guid))
    assert ([row["text"] for row in rows], len({row["id"] for row in rows})) == ([*TEXTS], 3)
    assert all(row["item"] == row["id"] for row in rows)
    again = rows_of(tmp_path, feed(*(item(number) + guid for number in (2, 1, 0))))
    assert {row["id"] for row in again} == {row["id"] for row in rows}, "the order of a poll does not matter"


@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "cp866", "iso8859-5", "utf-16"])
@pytest.mark.parametrize("claimed", ["", HEAD, HEAD.replace("utf-8", "iso-8859-1")])
def test_bytes_speak_for_themselves_whatever_a_feed_claims(tmp_path, encoding, claimed) -> None:
    assert rows_of(tmp_path, feed(item(0), head=claimed).encode(encoding))[0]["text"] == TEXTS[0]


def test_an_encoding_that_nothing_gives_away_is_believed(tmp_path) -> None:
    head = '<?xml version="1.0" encoding="koi8-r"?>'
    short = feed("<description>ПРИКАЗ</description>", head=head).encode("koi8-r")
    assert rows_of(tmp_path, short)[0]["text"] == "ПРИКАЗ"
    japanese = feed("<description>東京で会議が開かれた。</description>", head=head.replace("koi8-r", "euc-jp"))
    assert rows_of(tmp_path, japanese.encode("euc-jp"))[0]["text"] == "東京で会議が開かれた。"


def test_another_alphabet_is_not_taken_for_a_cyrillic_one(tmp_path) -> None:
    text = "הגשר על הנהר נסגר לשיפוצים עד סוף הקיץ, ואפשר לעבור דרך הסכר, כך נמסר מן העירייה ביום שני."
    content = f"<title>1</title><link>https://a.example/1</link><description>{text}</description>"
    (row,) = rows_of(tmp_path, feed(content, head="").encode("cp1255"))
    assert not any("а" <= letter <= "я" for letter in row["text"])


@pytest.mark.parametrize("broken", [b"\xd0", b"\xff", b"\xe2\x80"])
def test_a_broken_letter_spoils_nothing_else(tmp_path, broken) -> None:
    content = feed(*map(item, range(3))).encode().replace("редкий".encode(), "редки".encode() + broken, 1)
    rows = rows_of(tmp_path, content)
    assert (rows[0]["text"], rows[2]["text"]) == (TEXTS[0], TEXTS[2])
    assert rows[1]["text"].startswith("Учёные нашли в озере редки")


@pytest.mark.parametrize("before", [f"<!-- {'лицензия ' * 900}-->", "<?xml-stylesheet href='" + "x" * 5000 + "'?>"])
def test_what_stands_before_a_feed_may_be_long(tmp_path, before) -> None:
    assert [row["text"] for row in rows_of(tmp_path, feed(item(0), head=HEAD + before))] == [TEXTS[0]]


SITEMAP = "<{0} xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{1}</{0}>"
LISTS = [
    (SITEMAP.format("urlset", "<url><loc>https://a.example/1</loc></url>" * 3), "a sitemap, which names 3 pages"),
    (SITEMAP.format("sitemapindex", "<sitemap><loc>https://a.example/1</loc></sitemap>"), "a list of 1 sitemaps"),
    ("<opml version='2.0'><body><outline xmlUrl='https://a.example/rss'/></body></opml>", "a list of feeds .OPML."),
]


@pytest.mark.parametrize(("content", "message"), LISTS)
@pytest.mark.parametrize("head", ["", HEAD, HEAD + "<!-- made by a program -->"])
def test_lists_of_addresses_are_refused_by_name(tmp_path, content, message, head) -> None:
    with pytest.raises(BadDataError, match=message):
        rows_of(tmp_path, head + content)


@pytest.mark.parametrize("content", [
    "<title>Just a moment...</title><body>Enable JavaScript and cookies to continue</body>",
    "<title>a.example</title><script src='/cdn-cgi/challenge-platform/h/b/x'></script><body>Проверка</body>",
    "<title>DDoS-Guard</title><body>Проверка браузера перед переходом на сайт</body>",
    "<title>Before you continue</title><body>We and our 842 partners use cookies.</body>",
])  # fmt: skip
def test_a_challenge_is_not_a_page(tmp_path, content) -> None:
    with pytest.raises(BadDataError, match="proof that no program is asking, or for consent"):
        rows_of(tmp_path, f"<!DOCTYPE html><html><head><meta charset='utf-8'>{content}</html>")


def test_publishers_that_an_aggregator_names(tmp_path) -> None:
    sources = ["<source url='https://www.primorsk.example/rss'>Приморск</source>", "<source>Без адреса</source>", ""]
    rows = rows_of(tmp_path, feed(*(item(number) + source for number, source in enumerate(sources))))
    assert [row["source"] for row in rows] == ["primorsk.example", "a.example", "a.example"]
    link = "<feedburner:origLink>https://b.example/7</feedburner:origLink>"
    names = "xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'"
    (row,) = rows_of(tmp_path, feed(item(0) + link, names=names))
    assert (row["url"], row["source"]) == ("https://b.example/7", "b.example")


def test_an_item_whose_address_names_no_outlet_has_that_of_its_feed(tmp_path) -> None:
    (row,) = rows_of(tmp_path, feed(f"<guid>7</guid><description>{TEXTS[0]}</description>"))
    assert (row["id"], row["source"]) == ("a.example:7", "a.example")
    video = item(0).replace("https://a.example/0", "https://www.youtube.com/watch?v=1")
    link = "https://www.youtube.com/channel/UCx"
    (row,) = rows_of(tmp_path, feed(video).replace("https://a.example/", link))
    assert row["source"] == "youtube.com/channel/UCx"


def test_a_json_feed_gives_its_items(tmp_path) -> None:
    items = [
        {"id": 7, "url": "/7", "title": "Мост", "content_html": f"<p>{TEXTS[0]}", "date_published": "2024-05-01"},
        {"id": "8", "external_url": "https://b.example/8", "content_text": "5 < 6", "date_modified": "2024-05-02"},
        {"id": "9", "url": "https://a.example/9"},
    ]
    content = {"version": "https://jsonfeed.org/version/1.1", "home_page_url": "https://a.example/", "items": items}
    first, second = rows_of(tmp_path, json.dumps(content), "feed.json")
    names = ("id", "url", "source", "text", "published")
    assert [first[name] for name in names] == [
        "a.example:7",
        "https://a.example/7",
        "a.example",
        TEXTS[0],
        "2024-05-01",
    ]
    assert [second[name] for name in names[3:]] == ["5 < 6", "2024-05-02"]


def test_articles_below_that_of_the_page_are_left_out(tmp_path) -> None:
    below = f"<article><h1>Рыбы</h1><time>2020-01-01</time><p>{TEXTS[1] * 3}</p></article>"
    (row,) = rows_of(tmp_path, page(body="<time>2024-05-01</time>", foot=below * 3), "page.html")
    assert row["text"].endswith(TEXTS[2])
    assert row["published"] == "2024-05-01"


def test_polls_and_posts_of_deleted_accounts(tmp_path) -> None:
    poll = {"question": "Кто победит?", "answers": [{"text": "Иванов", "voters": 1}, {"text": "Петров"}]}
    posts = [{"id": 1, "type": "message", "date": "2024-05-01T10:00:00", "from": "Вести", "text": "", "poll": poll}]
    posts.append({**posts[0], "id": 2, "text": TEXTS[0], "poll": None, "forwarded_from": None})
    first, second = rows_of(tmp_path, json.dumps({**CHAT, "messages": posts}), "result.json")
    assert first["text"] == "Кто победит?\nИванов\nПетров"
    assert (second.get("source"), second["relation"], second["forwarded_by"]) == (None, "forwarded", "Вести")
    marked = '<div class="question bold">Кто победит?</div><div class="answer">- Иванов <span>1</span></div>'
    (first, _) = rows_of(tmp_path, HISTORY.format(f"</div>{marked}<div>", TEXTS[1]), "messages.html")
    assert first["text"] == "Кто победит?\nИванов"
    option = "<div class='tgme_widget_message_poll_option_text'>Иванов</div>"
    shown = f"<div class='tgme_widget_message_poll_question'>Кто победит?</div>{option}"
    *_, last = rows_of(tmp_path, PREVIEW.replace("<i></i>", shown).format(*TEXTS), "s.html")
    assert last["text"] == "Кто победит?\nИванов"


DATED = json.dumps({"@graph": [{"@type": "NewsArticle", "datePublished": "2023-11-21T10:05:00Z"}]})


def page(head: str = "", body: str = "", foot: str = "") -> str:
    article = "".join(f"<p>{one}</p>" for one in TEXTS)
    return (
        f"<!DOCTYPE html><html lang='ru'><head><meta charset='utf-8'><title>Мост</title>{head}</head><body><article>"
        f"<h1>Мост</h1>{body}{article}</article>{foot}</body></html>"
    )


@pytest.mark.parametrize(
    ("parts", "published"),
    [
        ({"foot": "<footer>© 1998—2024 Издание. Все права защищены.</footer>"}, None),
        ({"foot": "<p class='copyright'>© 2009 «Маяк»</p>"}, None),
        ({"foot": "<aside><time datetime='2020-01-02T10:00Z'>вчера</time> Другая новость</aside>"}, None),
        ({"foot": "<div class='related-news'><span class='date'>1 мая 2020</span> Другая</div>"}, None),
        (
            {"head": "<meta property='article:published_time' content='2023-11-21T10:05:00+03:00'>"},
            "2023-11-21T07:05:00+00:00",
        ),
        ({"head": "<meta itemprop='datePublished' content='2023-11-21'>"}, "2023-11-21"),
        ({"body": "<time datetime='2023-11-21T10:05:00+02:00'>21 ноября</time>"}, "2023-11-21T08:05:00+00:00"),
        ({"body": "<span class='article-date'>21 ноября 2023, 10:05</span>"}, "2023-11-21T10:05:00"),
        ({"body": "<div class='b-time'>10:05, 21 листопада 2023</div>"}, "2023-11-21T10:05:00"),
        ({"head": "<link rel='canonical' href='https://a.example/2023/11/21/most'>"}, "2023-11-21"),
        ({"head": "<meta name='date' content='2099-01-01'>", "body": "<time>21.11.2023</time>"}, "2023-11-21"),
        ({"head": f"<script type='application/ld+json'>{DATED}</script>"}, "2023-11-21T10:05:00+00:00"),
        ({"head": "<script type='application/ld+json'>{broken</script>"}, None),
    ],
)
def test_a_page_says_when_it_was_published(tmp_path, parts, published) -> None:
    (row,) = rows_of(tmp_path, page(**parts), "page.html")
    assert (row.get("published"), row["collected_at"][:2]) == (published, "20")


CHAT = {
    "name": "Вести",
    "type": "public_channel",
    "id": 77,
    "messages": [
        {"id": 1, "type": "service", "date": "2024-05-01T09:00:00", "action": "create_channel", "text": ""},
        {"id": 2, "type": "message", "date": "2024-05-01T10:00:00", "date_unixtime": "1714550400", "from": "Вести",
         "text": ["Срочно. ", {"type": "bold", "text": TEXTS[0]}, " ", {"type": "link", "text": "a.example"}]},
        {"id": 3, "type": "message", "date": "2024-05-01T11:00:00", "photo": "a", "from": "Вести", "text": TEXTS[1]},
        {"id": 4, "type": "message", "date": "2024-05-01T11:00:00", "photo": "b.jpg", "from": "Вести", "text": ""},
        {"id": 5, "type": "message", "date": "2024-05-01T12:00:00", "forwarded_from": "Маяк", "from": "Вести",
         "edited": "2024-05-01T12:30:00", "text": TEXTS[2]},
        {"id": 6, "type": "message", "date": "2024-05-01T13:00:00", "from": "Вести", "photo": "c.jpg", "text": ""},
    ],
}  # fmt: skip


@pytest.mark.parametrize("export", [CHAT, {"about": "", "chats": {"about": "", "list": [CHAT]}}])
def test_an_export_of_telegram_gives_its_posts(tmp_path, export) -> None:
    first, album, forwarded = rows_of(tmp_path, json.dumps(export, ensure_ascii=False), "result.json")
    assert (first["id"], first["text"]) == ("telegram:77:2", f"Срочно. {TEXTS[0]} a.example")
    assert (first["published"], first["source"]) == ("2024-05-01T08:00:00+00:00", "Вести")
    assert (album["id"], album["text"], album["published"]) == ("telegram:77:3", TEXTS[1], "2024-05-01T11:00:00")
    assert (forwarded["source"], forwarded["relation"], forwarded["forwarded_by"]) == ("Маяк", "forwarded", "Вести")
    assert forwarded["edited"] == "2024-05-01T12:30:00"


def test_an_edited_post_keeps_its_id(tmp_path) -> None:
    edited = json.loads(json.dumps(CHAT))
    edited["messages"][4]["text"] = f"{TEXTS[2]} Обновлено."
    before, after = (rows_of(tmp_path, json.dumps(one), "result.json") for one in (CHAT, edited))
    assert [row["id"] for row in before] == [row["id"] for row in after]
    assert before[2]["text"] != after[2]["text"]


PREVIEW = """<!DOCTYPE html><html><body><main>
<div class="tgme_widget_message_wrap js-widget_message_wrap"><div
class="tgme_widget_message js-widget_message" data-post="vesti/11">
<a class="tgme_widget_message_reply" href="https://t.me/vesti/3"><div
class="tgme_widget_message_text js-message_reply_text">Старое</div></a>
<div class="tgme_widget_message_text js-message_text" dir="auto">{0}<br/><b>Ещё</b> строка</div>
<a class="tgme_widget_message_date" href="https://t.me/vesti/11"><time
datetime="2024-05-01T10:00:00+03:00">10:00</time></a></div></div>
<div class="tgme_widget_message_wrap"><div class="tgme_widget_message" data-post="vesti/12">
<div class="tgme_widget_message_forwarded_from">Forwarded from
<a class="tgme_widget_message_forwarded_from_name" href="https://t.me/mayak/5"><span>Маяк</span></a></div>
<div class="tgme_widget_message_text js-message_text">{1}</div>
<a class="tgme_widget_message_date" href="https://t.me/vesti/12"><time
datetime="2024-05-01T11:00:00+03:00">11:00</time></a></div></div>
<div class="tgme_widget_message_wrap"><div class="tgme_widget_message" data-post="vesti/13"><i></i></div></div>
</main></body></html>"""


def test_a_preview_page_gives_its_posts(tmp_path) -> None:
    (tmp_path / "s.html").write_text(PREVIEW.format(*TEXTS), encoding="utf-8")
    found = collect(tmp_path / "s.html")
    first, second = found.as_rows()
    assert (first["id"], first["url"]) == ("https://t.me/vesti/11", "https://t.me/vesti/11")
    assert (first["text"], first["source"]) == (f"{TEXTS[0]}\nЕщё строка", "t.me/vesti")
    assert first["published"] == "2024-05-01T07:00:00+00:00"
    assert (second["source"], second["forwarded_by"], second["text"]) == ("t.me/mayak", "t.me/vesti", TEXTS[1])
    assert found.report.quarantined_by_code == {"empty": 1}


HISTORY = """<!DOCTYPE html><html><head><meta charset="utf-8"/><title>Exported Data</title></head><body><div
class="page_wrap">
<div class="page_header"><div class="content"><div class="text bold">Вести</div></div></div><div
class="page_body"><div class="history">
<div class="message service" id="message-1"><div class="body details">1 May 2024</div></div>
<div class="message default clearfix" id="message2"><div class="body"><div
class="pull_right date details" title="01.05.2024 10:00:00 UTC+03:00">10:00</div>
<div class="from_name">Вести</div><div class="text">{0}<br>Ещё строка</div></div></div>
<div class="message default clearfix joined" id="message3"><div class="body"><div
class="pull_right date details" title="01.05.2024 11:00:00 UTC+03:00">11:00</div>
<div class="forwarded body"><div class="from_name">Маяк <span
class="date details" title="30.04.2024 09:00:00 UTC+03:00">30.04.2024 09:00:00</span></div>
<div class="text">{1}</div></div></div></div></div></div></div></body></html>"""


def test_an_export_in_html_gives_its_posts(tmp_path) -> None:
    first, second = rows_of(tmp_path, HISTORY.format(*TEXTS), "messages.html")
    assert (first["id"], first["source"], first["text"]) == ("telegram:Вести:2", "Вести", f"{TEXTS[0]}\nЕщё строка")
    assert (first["published"], second["published"]) == ("2024-05-01T07:00:00+00:00", "2024-05-01T08:00:00+00:00")
    assert (second["source"], second["forwarded_by"], second["text"]) == ("Маяк", "Вести", TEXTS[1])


@contextmanager
def polled(answers: list[str]):
    """A server on loopback that gives the next answer at each request, and the last one again."""

    class Feed(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = answers[min(self.server.asked, len(answers) - 1)].encode()
            self.server.asked += 1
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Feed)
    server.asked = 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/rss"
    finally:
        server.shutdown()
        server.server_close()


def _polls(hours: list[int]) -> list[str]:
    """A feed of the last 30 items, one an hour, which are edited each day."""

    def entry(number: int, hour: int) -> str:
        text = f"{TEXTS[number % 3]} Выпуск {number}, главное за час. {'Обновлено. ' * ((hour - number) // 24)}"
        return item(number, f"<description>{text}</description><guid>https://a.example/{number}</guid>")

    return [feed(*(entry(number, hour) for number in range(hour, max(-1, hour - 30), -1))) for hour in hours]


def test_a_feed_polled_for_a_week_never_stops_at_an_edit(tmp_path) -> None:
    hours = [*range(0, 168, 12), 168]
    verdicts = []
    with polled(_polls(hours)) as address:
        for _ in hours:
            verdicts += ingest(collect(address), tmp_path / "s.db")
    assert {one.id for one in verdicts} == {f"https://a.example/{number}" for number in range(169)}
    assert len(verdicts) == sum(min(hour + 1, 30) for hour in hours), "each item of each poll has a verdict"
    with pytest.raises(BadDataError, match="already exists with different content"):
        list(ingest([{"id": "https://a.example/1", "text": "Другое."}], tmp_path / "s.db"))
    changed = {"id": "https://a.example/1", "text": "Другое.", "item": "1"}
    with pytest.raises(BadDataError, match="already exists with different content"):
        list(ingest([changed], tmp_path / "s.db", on_conflict="error"))


def test_the_commands_of_the_how_to_poll_an_edited_feed(tmp_path, run_command) -> None:
    with polled(_polls([30, 60])) as address:
        for _ in range(2):
            found = run_command(tmp_path, "collect", address)
            answer = run_command(tmp_path, "ingest", "-", "--store", "s.db", stdin=found.stdout)
            assert (found.returncode, answer.returncode) == (0, 0), answer.stderr
            assert len(answer.stdout.splitlines()) == 30


def test_the_moment_of_collection_is_that_of_the_file(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(feed(item(0)), encoding="utf-8")
    os.utime(tmp_path / "a.xml", (1_714_557_600, 1_714_557_600))
    (row,) = collect(tmp_path / "a.xml")
    assert row["collected_at"] == datetime(2024, 5, 1, 10, tzinfo=UTC).isoformat()
