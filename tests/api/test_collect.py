"""Feeds, pages, archives and exports become documents; addresses are opened within limits."""

import gzip
import http.server
import json
import os
import socket
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from infostream_dedup import collect, read_documents
from infostream_dedup.documents import collecting, page_process
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from tests.conftest import failed, succeeded

from .conftest import KEPT

pytest.importorskip("trafilatura")

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Стрічка</title><link>https://www.example.org/</link><language>en-us</language>
<item><guid>n-1</guid><title>Уряд схвалив бюджет &amp; план</title><link>https://www.example.org/1</link>
<pubDate>Tue, 21 Nov 2023 10:05:00 +0200</pubDate>
<description>Коротко.</description>
<content:encoded><![CDATA[<p>Уряд схвалив <b>бюджет</b>.</p><p>Дефіцит&nbsp;&mdash; 20&#37;.</p><script>x</script>]]>
</content:encoded></item>
<item><guid>n-2</guid><title>Порожня</title><link>https://www.example.org/2</link></item>
<item><guid>n-1</guid><title>Уряд схвалив бюджет &amp; план</title><link>https://www.example.org/1</link>
<description>Уряд схвалив бюджет.&lt;br&gt;Дефіцит&#160;— 20%.</description></item>
<item><title>Без ключа</title><description>Текст без адреси й дати.</description></item>
</channel></rss>"""

ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><id>tag:example.net,2024:1</id><title>Budget approved</title><link href="https://example.net/a"/>
<updated>2024-03-05T07:00:00Z</updated><summary>The parliament approved the budget.</summary></entry></feed>"""

PARAGRAPH = "The parliament approved the budget for the next year after a long debate that ended late at night. " * 4
PAGE = f"""<html><head><title>Budget approved | Example</title>
<meta property="og:title" content="Budget approved"><meta property="article:published_time" content="2024-03-05">
<link rel="canonical" href="https://news.example.com/budget"></head>
<body><nav>Home | About | Contact</nav><article><h1>Budget approved</h1><p>{PARAGRAPH}</p></article></body></html>"""


def warc(*records: tuple[str, str, bytes], packed: bool = True) -> bytes:
    found = [record_of(address, kind, f"Content-Length: {len(body)}", body) for address, kind, body in records]
    return b"".join(map(gzip.compress, found) if packed else found)


def record_of(address: str, kind: str, field: str, body: bytes) -> bytes:
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{field}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {address}\r\nWARC-Date: 2024-03-05T07:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789abc>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(answer)}\r\n\r\n"
    )
    return head.encode() + answer + b"\r\n\r\n"


def untimed(source):
    """Rows without the moment at which they were collected."""
    return [{name: value for name, value in row.items() if name != "collected_at"} for row in collect(source)]


def test_a_feed_gives_its_items_once_as_plain_text(tmp_path) -> None:
    file = tmp_path / "feed.xml"
    file.write_text(RSS, encoding="utf-8")
    found = collect(file)
    first, keyless = list(found)
    assert first == {
        "id": "example.org:n-1", "title": "Уряд схвалив бюджет & план",
        "text": "Уряд схвалив бюджет.\nДефіцит\u00a0— 20%.", "published": "2023-11-21T08:05:00+00:00",
        "source": "example.org", "url": "https://www.example.org/1", "item": "example.org:n-1",
        "collected_at": first["collected_at"],
    }  # fmt: skip
    assert set(keyless) == {"id", "title", "text", "source", "item", "collected_at"}
    assert (found.report.read, found.report.used) == (4, 2)
    assert found.report.quarantined_by_code == {"empty": 1, "again": 1}
    assert [one.id for one in read_documents([first, keyless])] == ["example.org:n-1", keyless["id"]]


def test_atom_pages_and_archives(tmp_path, monkeypatch) -> None:
    (tmp_path / "atom").write_text(ATOM)
    (tmp_path / "page.html").write_text(PAGE)
    picture = ("https://news.example.com/a.png", "image/png", b"\x89PNG")
    feed = ("https://example.net/feed", "application/atom+xml", ATOM.encode())
    page = ("https://news.example.com/budget", "text/html; charset=utf-8", PAGE.encode())
    for packed in (True, False):
        (tmp_path / f"{packed}.warc").write_bytes(warc(picture, page, feed, packed=packed))
    (atom,), (html,) = list(collect(tmp_path / "atom")), list(collect(tmp_path / "page.html"))
    assert (atom["id"], atom["published"], atom["source"]) == (
        "tag:example.net,2024:1", "2024-03-05T07:00:00+00:00", "example.net",
    )  # fmt: skip
    assert (html["title"], html["published"], html["source"]) == ("Budget approved", "2024-03-05", "news.example.com")
    assert html["text"].strip().endswith(PARAGRAPH.strip())
    assert "About" not in html["text"]
    for name in ("True.warc", "False.warc"):
        assert [row | {"collected_at": atom["collected_at"]} for row in collect(tmp_path / name)] == [html, atom]
        assert {row["collected_at"] for row in collect(tmp_path / name)} == {"2024-03-05T07:00:00+00:00"}
    assert list(collect([tmp_path / "atom", tmp_path / "page.html", tmp_path / "True.warc"])) == [atom, html]


def test_bad_sources_say_what_they_are(tmp_path) -> None:
    (tmp_path / "a.xml").write_text("<rss><channel><item>")
    (tmp_path / "cut.warc.gz").write_bytes(warc(("https://a.example/", "text/html", PAGE.encode()))[:90])
    (tmp_path / "long.html").write_text(PAGE)
    (tmp_path / "menu.html").write_text("<html><body></body></html>")
    (tmp_path / "feed.xml.gz").write_bytes(gzip.compress(b"<rss></rss>"))
    (tmp_path / "news.csv").write_bytes("id,text\n1,Мэр открыл мост\n".encode("cp1251"))
    for name, said in {
        "a.xml": "E_FEED", "cut.warc.gz": "E_WARC", "feed.xml.gz": "of compressed sources, only web archives are read",
        "news.csv": "a table, .* other commands read documents in a table as they are",
    }.items():  # fmt: skip
        with pytest.raises(BadDataError, match=said):
            collect(tmp_path / name).as_rows()
    with pytest.raises(BadDataError, match=r"longer than 100 bytes; max_bytes allows more .*E_TOO_LARGE"):
        collect(tmp_path / "long.html", max_bytes=100).as_rows()
    with pytest.raises(NoInputError, match="No such file"):
        collect(tmp_path / "none.html").as_rows()
    with pytest.raises(ConfigurationError, match="max_bytes"):
        collect("x", max_bytes=0)
    assert collect(tmp_path / "menu.html").as_rows() == [], "a page without a text is passed over"


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.path.startswith("/round"):
            self.send_response(302)
            self.send_header(
                "Location", f"/round{len(self.server.asked)}" if self.path != "/round-file" else "ftp://127.0.0.1/"
            )
            self.end_headers()
            return
        if self.path == "/moved":
            self.send_response(301)
            self.send_header("Location", "/feed")
            self.end_headers()
            return
        if self.path in ODD_ANSWERS:
            self.wfile.write(ODD_ANSWERS[self.path])
            self.close_connection = True
            return
        body = {"/feed": RSS.encode(), LETTERS: RSS.encode(), "/slow": b"x", "/endless": b"x"}.get(self.path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        try:
            for _ in range(200 if self.path == "/slow" else 10_000 if self.path == "/endless" else 1):
                self.wfile.write((body or b"") * (4096 if self.path == "/endless" else 1))
                self.wfile.flush()
                if self.path == "/slow":
                    time.sleep(0.05)
        except OSError:
            pass

    def log_message(self, *_: object) -> None:
        pass


LETTERS = "/%D0%BD%D0%BE%D0%B2%D0%B8%D0%BD%D0%B8%20?%D1%82=%D0%B0%20%D0%B1"
PACKED = b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(RSS.encode())
ODD_ANSWERS = {
    "/packed": PACKED,
    "/packed-cut": PACKED[:-50],
    "/packed-bomb": b"HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(1_000_000)),
    "/br": b"HTTP/1.0 200 OK\r\nContent-Encoding: br\r\n\r\nxx",
    "/cut": b"HTTP/1.0 200 OK\r\nContent-Length: 5000\r\n\r\n" + PAGE.encode()[:400],
    "/cut-chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n400\r\nhalf",
    "/cyrillic": b"HTTP/1.0 200 OK\r\nContent-Type: text/xml; charset=windows-1251\r\n\r\n"
    + RSS.partition("?>")[2].replace("\u00a0", " ").encode("cp1251"),
    "/headers": b"HTTP/1.0 200 OK\r\n" + b"X-More: 1\r\n" * 120 + b"\r\n",
}


@contextmanager
def serving():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server, f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def test_an_address_is_opened_within_limits_and_nothing_that_its_items_name() -> None:
    with serving() as (server, base):
        assert collect(f"{base}/moved").as_rows()[0]["id"] == "example.org:n-1"
        assert server.asked == ["/moved", "/feed"], "the addresses of the items were not opened"
        feed = untimed(f"{base}/feed")
        assert untimed(f"{base}/cyrillic") == feed, "the server names the encoding"
        assert untimed(f"{base}/packed") == feed, "packed unasked"
        assert untimed(f"{base}/новини%20?т=а б#початок") == feed
        assert LETTERS in server.asked
        for path, options, message in (
            ("/gone", {}, "the server answers 404"), ("/moved", {"max_redirects": 0}, "max_redirects allows more"),
            ("/round", {"max_redirects": 3}, "max_redirects allows more"),
            ("/round-file", {}, "redirects to ftp://127.0.0.1/, which is not a web address"),
            ("/slow", {"timeout": 0.3}, "timeout allows more"),
            ("/cut", {}, "the answer breaks off; fetch it again"), ("/cut-chunks", {}, "IncompleteRead"),
            ("/packed-cut", {}, "the answer breaks off; fetch it again"),
            ("/br", {}, "encoded as br, which was not asked for"), ("/headers", {}, "got more than 100 headers"),
            ("/with a space", {}, "control characters"),
        ):  # fmt: skip
            with pytest.raises(NoInputError, match=message):
                collect(f"{base}{path}", **options).as_rows()
        for path in ("/endless", "/packed-bomb"):
            with pytest.raises(BadDataError, match="longer than 50,000 bytes"):
                collect(f"{base}{path}", max_bytes=50_000).as_rows()
    with pytest.raises(NoInputError, match="IPv6"):
        collect("http://[::1").as_rows()
    with pytest.raises(NoInputError, match="refused"):
        collect(f"{base}/feed").as_rows()


def test_hosts_with_other_letters_are_asked_for_by_idna(monkeypatch) -> None:
    asked = []

    def resolve(host: str, *_: object, **__: object) -> None:
        asked.append(host)
        raise OSError("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(NoInputError, match=r"http://президент\.рф:8080/: no such host"):
        collect("http://президент.рф:8080/").as_rows()
    assert asked == ["xn--d1abbgf6aiiy.xn--p1ai"]


def cpu_seconds() -> float:
    """CPU time of this process and of those that it has waited for, that of the parser among them."""
    KEPT.close()
    return sum(os.times()[:4])


def test_no_file_makes_a_connection(tmp_path, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    bomb = RSS.replace('<?xml version="1.0" encoding="utf-8"?>', '<!DOCTYPE r [<!ENTITY a SYSTEM "http://127.0.0.1">]>')
    for name, content in (("feed.xml", RSS), ("page.html", PAGE), ("entity.xml", bomb.replace("Коротко", "&a;"))):
        (tmp_path / name).write_text(content, encoding="utf-8")
        # As the process that parses does.
        assert list(collecting.rows_of_page((tmp_path / name).read_bytes(), name, name, None, datetime.now(UTC)))


def test_the_command_reads_standard_input_and_writes_a_file_whole(run_command, tmp_path) -> None:
    answer = succeeded(run_command(tmp_path, "collect", "-", stdin=RSS.encode(), TZ="UTC"))
    assert json.loads(answer.stdout.splitlines()[0])["id"] == "example.org:n-1"
    assert b"collected 2 documents; 1 repeated; 1 without a text" in answer.stderr
    (tmp_path / "bad.xml").write_text("<rss>", encoding="utf-8")
    failed(run_command(tmp_path, "collect", "bad.xml", "--out", "out.jsonl", TZ="UTC"), 65)
    assert not (tmp_path / "out.jsonl").exists()


def item(number: int, inside: str) -> str:
    return f"<item><guid>o-{number}</guid><description>Текст {number}.</description>{inside}</item>"


def test_one_odd_item_does_not_stop_a_feed(tmp_path) -> None:
    odd = [
        "<title>Смайл &#55357;&#56832; и &#xD83D;&#xDE01;</title>",
        "<title>Пол-смайла &#55357;; &#57343; конец</title>", "<link>http://[::1/x</link>",
        "<pubDate>Fri, 31 Dec 9999 23:59:59 -1200</pubDate>", "<pubDate>0001-01-01T00:00:00+14:00</pubDate>",
        "<title>&amp;#55357;&amp;#56832;</title>",
    ]  # fmt: skip
    items = "".join(item(number, inside) for number, inside in enumerate(odd))
    (tmp_path / "odd.xml").write_text(f"<rss version='2.0'><channel>{items}</channel></rss>", encoding="utf-8")
    rows = list(collect(tmp_path / "odd.xml"))
    assert [row["id"] for row in rows] == [f"o-{number}" for number in range(6)]
    assert rows[0]["title"] == "Смайл \U0001f600 и \U0001f601"
    assert (rows[1]["title"], rows[5]["title"]) == ("Пол-смайла ;  конец", "\U0001f600")
    assert not any("published" in row or "source" in row for row in rows)
    assert rows[2]["url"] == "http://[::1/x"


@pytest.mark.parametrize("packed", [True, False])
def test_archives_are_read_from_pipes_and_addresses(tmp_path, run_command, monkeypatch, packed) -> None:
    content = warc(("https://news.example.com/budget", "text/html", PAGE.encode()), packed=packed)
    (tmp_path / "a.warc").write_bytes(content)
    expected = list(collect(tmp_path / "a.warc"))
    answer = succeeded(run_command(tmp_path, "collect", "-", stdin=content))
    assert [json.loads(line) for line in answer.stdout.splitlines()] == expected
    monkeypatch.setitem(ODD_ANSWERS, "/cut", b"HTTP/1.0 200 OK\r\n\r\n" + content)
    with serving() as (_, base):
        assert list(collect(f"{base}/cut")) == expected


def test_an_archive_that_breaks_off_is_refused(tmp_path) -> None:
    page = ("https://news.example.com/budget", "text/html", PAGE.encode())
    whole = warc(page, page, packed=False)
    for content in (whole[:-200], gzip.compress(whole[:-200])):
        (tmp_path / "cut.warc").write_bytes(content)
        with pytest.raises(BadDataError, match="record 2: the archive breaks off"):
            list(collect(tmp_path / "cut.warc"))
    packed = warc(page, page)
    for left in range(len(packed) // 2 + 1, len(packed), 25):
        (tmp_path / "cut.warc").write_bytes(packed[:left])
        with pytest.raises(BadDataError, match=r"cut\.warc.*E_WARC"):
            list(collect(tmp_path / "cut.warc"))


def test_encoded_records_are_not_taken_for_cut_ones(tmp_path) -> None:
    body = PAGE.encode()
    chunked = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    coded = gzip.compress(body * 9)
    for name, content in (("Transfer-Encoding: chunked", chunked), ("Content-Encoding: gzip", coded)):
        (tmp_path / "a.warc").write_bytes(record_of("https://news.example.com/b", "text/html", name, content))
        (row,) = list(collect(tmp_path / "a.warc"))
        assert row["title"] == "Budget approved"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_feeds_in_utf_16(tmp_path, encoding) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    (tmp_path / "a.xml").write_bytes((mark + RSS.replace("utf-8", "utf-16")).encode(encoding))
    (tmp_path / "b.xml").write_text(RSS, encoding="utf-8")
    assert untimed(tmp_path / "a.xml") == untimed(tmp_path / "b.xml")


def test_a_feed_may_name_its_elements_with_a_prefix(tmp_path) -> None:
    (tmp_path / "a.xml").write_text(ATOM)
    (tmp_path / "b.xml").write_text(
        ATOM.replace("xmlns=", "xmlns:a=").replace("<", "<a:").replace("<a:/", "</a:").replace("<a:?", "<?")
    )
    assert untimed(tmp_path / "b.xml") == untimed(tmp_path / "a.xml")


def test_a_page_that_shows_a_piece_of_a_feed_is_a_page(tmp_path) -> None:
    for number, start in enumerate(("<!DOCTYPE html>", "<HTML>")):
        file = tmp_path / f"{number}.html"
        file.write_text(start + PAGE.removeprefix("<html>").replace("<head>", "<head><!-- <rss version='2.0'> -->"))
        (row,) = collect(file)
        assert row["title"] == "Budget approved"


def test_a_page_in_a_file_is_not_named_after_the_file(tmp_path) -> None:
    for day, subject in (("1", "budget"), ("2", "bridge")):
        (tmp_path / day).mkdir()
        page = PAGE.replace('<link rel="canonical" href="https://news.example.com/budget">', "")
        (tmp_path / day / "page.html").write_text(page.replace("budget", subject))
    rows = [row for day in ("1", "2") for row in collect(tmp_path / day / "page.html")]
    assert len({row["id"] for row in rows}) == 2
    assert not any("page.html" in str(row) or "url" in row for row in rows)


def test_pages_whose_site_names_its_front_page_as_the_address_of_all_keep_their_own(tmp_path) -> None:
    page = PAGE.replace("https://news.example.com/budget", "https://news.example.com/")
    addresses = [f"https://news.example.com/{name}" for name in ("budget", "bridge")]
    (tmp_path / "crawl.warc").write_bytes(
        warc(*((address, "text/html", page.replace("budget", address).encode()) for address in addresses))
    )
    assert [row["id"] for row in collect(tmp_path / "crawl.warc")] == addresses


@pytest.mark.parametrize("start", ["", "\ufeff", "\n  "])
def test_json_is_not_taken_for_a_page(tmp_path, start) -> None:
    content = {"version": "1.1", "items": [{"id": "1", "content_html": f"<p>{PARAGRAPH}"}]}
    (tmp_path / "feed.json").write_text(f"{start}{json.dumps(content)}", encoding="utf-8")
    with pytest.raises(BadDataError, match="JSON, expected RSS, Atom, JSON Feed, HTML, WARC or an export"):
        collect(tmp_path / "feed.json").as_rows()


def test_an_archive_gives_what_servers_delivered_not_their_errors(tmp_path) -> None:
    sitemap = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.example/1</loc></url>"
    records = [("https://a.example/sitemap.xml", "application/xml", sitemap + b"</urlset>")]
    # Many servers call a feed a page.
    records.append(("https://a.example/feed", "text/html; charset=utf-8", ATOM.encode()))
    content = warc(*records, packed=False)
    for status in ("301 Moved Permanently", "403 Forbidden", "404 Not Found", "503 Service Unavailable"):
        page = warc((f"https://a.example/{status[:3]}", "text/html", PAGE.encode()), packed=False)
        # The length of the record is that of a shorter status.
        content += page.replace(b"200 OK", status[:6].encode())
    (tmp_path / "crawl.warc").write_bytes(content)
    found = collect(tmp_path / "crawl.warc")
    assert [row["id"] for row in found] == ["tag:example.net,2024:1"]
    assert found.report.quarantined_by_code == {"empty": 4}


@pytest.mark.parametrize("kind", ["page", "feed", "archive"])
def test_a_tag_of_thousands_of_attributes_is_refused_before_it_is_parsed(kind, tmp_path) -> None:
    attributes = " ".join(f"a{number}=1" for number in range(25_000))
    page = PAGE.replace("<article>", f"<article><p x='>' {attributes}>Snow</p>")
    feed = RSS.replace("Коротко.", f"&lt;p x='>' {attributes}&gt;Сніг&lt;/p&gt;")
    archive = warc(("https://a.example/1", "text/html", page.encode()))
    content = {"page": page.encode(), "feed": feed.encode(), "archive": archive}[kind]
    file = tmp_path / {"page": "a.html", "feed": "a.xml", "archive": "a.warc.gz"}[kind]
    file.write_bytes(content)
    begin = cpu_seconds()
    with pytest.raises(BadDataError, match="more than 2,000 attributes"):
        collect(file).as_rows()
    assert cpu_seconds() - begin < 3


def test_a_long_attribute_and_much_script_are_no_reason_to_refuse(tmp_path) -> None:
    script = "<script>if (a<b) { " + "x = x + 1; y = y > 2; " * 2000 + "}</script>"
    long = '<p data-all="' + "one two " * 3000 + '">Snow</p>'
    (tmp_path / "a.html").write_text(PAGE.replace("<article>", f"{script}<article>{long}"), encoding="utf-8")
    assert "parliament approved" in collect(tmp_path / "a.html").as_rows()[0]["text"]


SLOW = f"<html><body><article><p>Parliament.{'<b>x</b> <i>y</i> ' * 20_000}</article></body></html>"
"""So many marks take the library that looks for the text half a minute."""


def test_blanks_without_a_line_end_take_no_time(tmp_path) -> None:
    body = "a&lt;b&gt;x&lt;/b&gt;" + " " * 200_000 + "y"
    (tmp_path / "a.xml").write_text(RSS.replace("Текст без адреси й дати.", body), encoding="utf-8")
    begin = cpu_seconds()
    collect(tmp_path / "a.xml").as_rows()
    assert cpu_seconds() - begin < 4


@pytest.mark.parametrize("kind", ["pages", pytest.param("archive", marks=pytest.mark.slow)])
def test_a_page_that_no_parser_gets_through_is_named_and_the_rest_goes_on(kind, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(page_process, "SECONDS", 2)
    monkeypatch.setattr(page_process, "SECONDS_OF_MEGABYTE", 1)
    pages = {"good": PAGE, "slow": SLOW, "later": PAGE.replace("parliament approved", "parliament refused")}
    sources = [tmp_path / f"{name}.html" for name in pages]
    if kind == "pages":
        for file, page in zip(sources, pages.values(), strict=True):
            file.write_text(page, encoding="utf-8")
    else:
        sources = [tmp_path / "crawl.warc"]
        records = [(f"https://a.example/{name}", "text/html", page.encode()) for name, page in pages.items()]
        sources[0].write_bytes(warc(*records, packed=False))
    told: list[str] = []
    found = collect(sources, on_failure=lambda error: told.append(str(error)))
    assert ["refused" in row["text"] for row in found] == [False, True]
    [said] = told
    named = "slow.html: " if kind == "pages" else "crawl.warc: record 2: "
    slow = f"parsing {len(SLOW):,} bytes takes more than 2 seconds of CPU time; leave this page out [E_SLOW]"
    assert f"{named}{slow}" in said
    assert found.report.quarantined_by_code == {"unread": 1}


# ``collect``: sources that cannot be read are named, and the others are written.
DEAD_RSS = """<rss version="2.0"><channel><link>https://www.example.{0}/</link>
<item><guid>n-1</guid><description>Уряд схвалив бюджет.</description></item>
<item><guid>n-2</guid><title>Порожня</title></item>
<item><guid>n-1</guid><description>Уряд схвалив бюджет.</description></item></channel></rss>"""
RECORD = """WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://news.example.com/feed\r
WARC-Date: 2024-03-05T07:00:00Z\r\nWARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789abc>\r
Content-Type: application/rss+xml\r\nContent-Length: {}\r\n\r\n"""
# Nothing listens on this port.
DEAD = "http://127.0.0.1:1/feed"


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "good.xml").write_text(DEAD_RSS.format("org"), encoding="utf-8")
    (tmp_path / "also.xml").write_text(DEAD_RSS.format("net"), encoding="utf-8")
    (tmp_path / "bad.xml").write_text("<rss>", encoding="utf-8")
    return ("none.xml", "good.xml", DEAD, "bad.xml", "also.xml")


def test_the_others_are_written(run_command, tmp_path, sources) -> None:
    answer = failed(run_command(tmp_path, "collect", *sources, "--out", "out.jsonl", "--summary", "run.json"), 66)
    missing, dead, bad, *told = answer.stderr.decode().splitlines()
    assert missing == "none.xml: No such file or directory"
    assert dead.startswith(f"{DEAD}: ")
    assert bad == "bad.xml: the feed breaks off; fetch it again [E_FEED]"
    assert told == [
        "collected 2 documents; 2 repeated; 2 without a text",
        "infostream-dedup: 3 could not be read, as said above; the others were written",
    ]
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["example.org:n-1", "example.net:n-1"]
    summary = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (summary["status"], summary["read"], summary["used"]) == ("failed", 9, 2)
    assert summary["quarantined"] == {"again": 2, "empty": 2, "unread": 3}


def test_without_any_source_the_old_file_is_kept(run_command, tmp_path, sources) -> None:
    (tmp_path / "out.jsonl").write_text("old")
    failed(run_command(tmp_path, "collect", "none.xml", "bad.xml", "--out", "out.jsonl"), 65, "none.xml: No such file")
    assert (tmp_path / "out.jsonl").read_text() == "old"


def test_in_python_an_error_is_raised_unless_a_function_takes_it(tmp_path, sources) -> None:
    feed = DEAD_RSS.format("com").encode()
    record = RECORD.format(len(feed)).encode() + feed + b"\r\n\r\n"
    (tmp_path / "cut.warc").write_bytes(record + record[:-40])
    names = [tmp_path / name for name in ("cut.warc", "none.xml", "good.xml")]
    with pytest.raises(BadDataError, match="breaks off"):
        collect(names).as_rows()
    failures = []
    assert len(collect(names, on_failure=failures.append).as_rows()) == 2, "the first record of the archive was whole"
    assert [type(failure) for failure in failures] == [BadDataError, NoInputError]
    with pytest.raises(NoInputError, match="none"):
        collect(names[:2], on_failure=failures.append).as_rows()


# ``collect``: ids, addresses, dates and texts of the items of feeds.
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


@pytest.fixture
def row_of(tmp_path):
    """Gives the row of a feed of one item, of which this stands in the item."""

    def row(inside: str, text: str = "Мост открыт.") -> dict[str, str]:
        item = f"<item>{inside}<description>{text}</description></item>"
        (tmp_path / "feed").write_text(feed_of("a.example", item))
        (found,) = collect(tmp_path / "feed")
        return found

    return row


@pytest.mark.parametrize("own", ["https://b.example/1", "tag:b.example,2026:1", "urn:uuid:1", "7 at https://b.example"])
def test_ids_that_no_other_site_has_stay_as_they_are(row_of, own) -> None:
    assert row_of(f"<guid>{own}</guid><link>https://a.example/1</link>")["id"] == own


def test_an_address_without_a_host_is_one_of_the_site(row_of) -> None:
    row = row_of("<link>/news/3</link>")
    assert (row["id"], row["url"], row["source"]) == (*["https://a.example/news/3"] * 2, "a.example")


@pytest.mark.parametrize(("given", "published"), [
    ("Sat, 21 Nov 2026 10:05:00 EET", "2026-11-21T08:05:00+00:00"),
    ("Sat, 20 Jun 2026 10:05:00 EEST", "2026-06-20T07:05:00+00:00"),
    ("Sat, 21 Nov 2026 10:05:00 MSK", "2026-11-21T07:05:00+00:00"),
    ("Sat, 21 Nov 2026 10:05:00 GMT", "2026-11-21T10:05:00+00:00"),
    ("Sat, 21 Nov 2026 10:05:00 +0200", "2026-11-21T08:05:00+00:00"), ("20261121", "2026-11-21"),
    ("1795255500", "2026-11-21T10:05:00+00:00"), ("21.11.2026 10:05", "2026-11-21T10:05:00"),
    ("2026/11/21 10:05", "2026-11-21T10:05:00"), ("20261121T100500+0300", "2026-11-21T07:05:00+00:00"),
    ("Сб, 21 ноя 2026 10:05:00 +0300", "2026-11-21T07:05:00+00:00"),
    ("21 листопада 2026, 10:05", "2026-11-21T10:05:00"),
    ("Sat, 21 Nov 2026 10:05:00 GMT+3", "2026-11-21T07:05:00+00:00"),
    ("Sat,21 Nov 2026 10:05:00 Europe/Kyiv", "2026-11-21T08:05:00+00:00"),
    # Of a time or zone that cannot be, the day is left.
    ("Sat, 21 Nov 2026 10:05:00 KST", "2026-11-21"), ("2026-11-21 at 10.05", "2026-11-21"),
    ("2026-11-21T10:05:00 +02:00 EET", "2026-11-21"), ("Sat, 21 Nov 2026 25:00:00 MSK", "2026-11-21"),
    # Dates that cannot be.
    ("Sat, 21 Nov 2626 10:05:00 GMT", None), ("01 Jan 0001 00:00:00 GMT", None), ("0", None), ("soon", None),
    ("03-04-2025 10:05", None), ("2026-W47-6", None), ("2026年11月21日", None), ("2026. november 21.", None),
    ("2026-325", None),
])  # fmt: skip
def test_dates_of_items(row_of, given, published) -> None:
    assert row_of(f"<link>https://a.example/1</link><pubDate>{given}</pubDate>").get("published") == published


def test_words_of_cells_and_blocks_do_not_run_together(row_of) -> None:
    table = "<table><tr><th>Курс</th><td>41,5</td></tr></table>"
    markup = f"{table}<figure><figcaption>Фото</figcaption></figure>Мост<hr>открыт."
    row = row_of("<link>https://a.example/1</link>", f"<![CDATA[{markup}]]>")
    assert row["text"] == "Курс\n41,5\nФото\nМост\nоткрыт."


def test_a_text_given_with_and_without_markup_is_one_text(tmp_path) -> None:
    contents = '<content type="html">&lt;p&gt;Мост открыт.&lt;/p&gt;</content><content>Мост открыт.</content>'
    entry = f'<entry><id>urn:1</id><link href="https://a.example/1"/>{contents}</entry>'
    (tmp_path / "feed").write_text(f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>')
    assert [row["text"] for row in collect(tmp_path / "feed")] == ["Мост открыт."]
