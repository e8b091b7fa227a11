"""Collects pages from addresses: which may be fetched, what they contain, and when they were published.

A date is what the page itself says, never a copyright line or the date of another item.
"""

from __future__ import annotations

import codecs
import io
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from html import escape, unescape
from importlib import import_module
from types import ModuleType
from typing import IO, Any, Final
from urllib.parse import urljoin, urlsplit

from infostream_dedup.documents.dates import written_date
from infostream_dedup.documents.fetching import is_address
from infostream_dedup.documents.json_files import parsed_json
from infostream_dedup.documents.lines import ONE_BYTE, is_table, recognised_encoding
from infostream_dedup.documents.messengers import BLANK_LINES, Post, posts_of_export, posts_of_page
from infostream_dedup.errors import BadDataError, MissingExtraError
from infostream_dedup.machine.files import Readable
from infostream_dedup.model.document import MOST_ID_BYTES, outlet_of

Parse = Callable[..., Iterator[dict[str, Any] | None]]  # ``PageProcess.rows``

_NAMES: Final = frozenset(
    "article:published_time og:published_time og:article:published_time article:published published_time datepublished "
    "pubdate publishdate publish_date publish-date published published-date parsely-pub-date sailthru.date "
    "citation_publication_date citation_online_date dc.date dc.date.issued dcterms.date dcterms.created dcterms.issued "
    "datecreated article.published mediator_published_time cxenseparse:recs:publishtime date".split()
)
"""Names of ``meta`` elements, in lower case."""

_MARKED: Final = re.compile(r"(?:^|[\s_-])(?:date|time|datetime|pubdate|published|posted|timestamp)(?:$|[\s_-])")
_ELSEWHERE: Final = re.compile(
    r"(?:^|[\s_-])(?:related|recommend\w*|recent|latest|popular|sidebar|teasers?|similar|more|news-?list|feed|comments?|"
    r"footer|copyright|widget|promo|also|other)(?:$|[\s_-])"
)
_PARTS: Final = ("aside", "footer", "nav")
_LIST_ITEMS: Final = 2
_MOST_LETTERS: Final = 60
_IN_ADDRESS: Final = re.compile(r"/((?:19|20)\d\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_-]|$)")


def page_date(page: Any, address: str | None, latest: datetime) -> str | None:
    """Return the date of publication in ISO 8601; None if the page does not say it."""
    # Looked at in this order: ``meta`` elements, JSON-LD, marked places in the article, the address.
    places = (_of_head(page), _of_data(page), _of_article(page), _of_address(address))
    return next((date for given in places for one in given if (date := written_date(one, latest))), None)


def _of_head(page: Any) -> Iterator[str]:
    for one in page.iter("meta"):
        name = (one.get("property") or one.get("name") or one.get("itemprop") or "").strip().lower()
        if name in _NAMES and not _is_elsewhere(one):
            yield one.get("content") or ""


def _of_data(page: Any) -> Iterator[str]:
    for script in page.iter("script"):
        if "ld+json" not in (script.get("type") or ""):
            continue
        try:
            value = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        level = [value]
        while level:
            # An article stands above the items that it mentions.
            found = [one for node in level if isinstance(node, dict) for one in (node.get("datePublished"),)]
            yield from (one for one in found if isinstance(one, str))
            if any(found):
                return
            level = [
                one
                for node in level
                for one in (node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
                if isinstance(one, dict | list)
            ]


def _of_article(page: Any) -> Iterator[str]:
    """Dates in the article, or in the page if it marks none: machine-readable ones first."""
    parts = page.xpath("//article[not(ancestor::article)]") or page.xpath("//main") or [page]
    if len(parts) > _LIST_ITEMS:
        # A list of articles.
        return
    written: list[str] = []
    for part in parts[:1]:
        for one in part.iter():
            if not isinstance(one.tag, str) or _is_elsewhere(one):
                continue
            if one.tag == "time" or (one.get("itemprop") or "").lower() == "datepublished":
                yield one.get("datetime") or one.get("content") or " ".join(one.itertext())
            elif _MARKED.search(f"{one.get('class') or ''} {one.get('id') or ''}".lower()):
                text = " ".join(" ".join(one.itertext()).split())
                if len(text) <= _MOST_LETTERS:
                    written.append(text)
    yield from written


def _of_address(address: str | None) -> Iterator[str]:
    found = _IN_ADDRESS.search(address or "")
    if found is not None:
        yield "-".join(found.groups())


def _is_elsewhere(element: Any) -> bool:
    """Whether an element is in a part of the page that is not about its article."""
    while element is not None and element.tag not in ("article", "main", "body", "head"):
        if element.tag in _PARTS or _ELSEWHERE.search(
            f"{element.get('class') or ''} {element.get('id') or ''}".lower()
        ):
            return True
        element = element.getparent()
    return False


_HEAD: Final = 2048
_FEED_OR_PAGE: Final = re.compile(
    r"<(?:(?:[\w.-]+:)?(rss|feed|RDF)|!doctype\s+html|html|(?:[\w.-]+:)?(urlset|sitemapindex|opml))[\s>]", re.IGNORECASE
)
"""What comes first tells feeds from pages, which may show a piece of a feed."""

_BEFORE: Final = (("<!--", "-->"), ("<?", "?>"))
"""Begin and end of what may stand before the first element, however long."""

_PROLOG: Final = re.compile(r"<\?xml\b[^>]{0,300}\?>")
_FEED_END: Final = re.compile(rb"</(?:[\w.-]+:)?(?:rss|feed|RDF)\s*(?:>|$)", re.IGNORECASE)
_LISTS: Final = {
    "opml": "a list of feeds (OPML), not a feed; collect the {number} addresses that it names",
    "urlset": "a sitemap, which names {number} pages and has no texts; collect the pages themselves",
    "sitemapindex": "a list of {number} sitemaps, which have no texts; collect pages or feeds",
}
_NAMED: Final = re.compile(r"<(?:[\w.-]+:)?loc[\s>]|\bxmlUrl\s*=", re.IGNORECASE)
_FULL_TEXT: Final = re.compile(r"(?:\w+_)?full[-_]?text")
_TAG: Final = re.compile(r"</?(?:p|br|div|a|b|i|strong|em|img|span)\b[^<>]*>", re.IGNORECASE)
_CHALLENGE: Final = re.compile(
    r"cf[-_]chl|cf-browser-verification|/cdn-cgi/challenge-platform|ddos-guard|_Incapsula_Resource|"
    r"<title>\s*(?:Just a moment|Attention Required|Один момент|DDoS-Guard|Checking your browser|Are you a robot|"
    r"Before you continue|Прежде чем (?:перейти|продолжить)|Перш ніж (?:перейти|продовжити)|"
    r"Access denied|Verify you are human|Проверка браузера|Подтвердите, что (?:запросы|вы)|Доступ (?:запрещ|огранич))",
    re.IGNORECASE,
)
"""Pages by which servers ask for a proof that no program asks, or for consent to cookies."""

_PROGRAM: Final = re.compile(r"<(/?)(script|style)\b>?", re.IGNORECASE)
_LONGEST_CHALLENGE: Final = 1500  # characters of text; an article about such pages has more
_SURROGATES: Final = re.compile(
    rb"(?:&(?:amp;)?#(?:x0*d[89a-f][0-9a-f]{2}|0*5(?:529[6-9]|5[3-9]\d\d|6\d{3}|7[0-2]\d\d|73[0-3]\d|734[0-3]));)+",
    re.IGNORECASE,
)
"""References to UTF-16 surrogates, by which some programs write characters such as emoji."""

_REFERENCE: Final = re.compile(rb"#(x?)([0-9a-f]+);", re.IGNORECASE)
_BLOCK_END: Final = re.compile(
    r"(?i)<[bh]r\s*/?>|</(?:p|div|li|h[1-6]|t[dhr]|d[dt]|blockquote|pre|section|article|figure|figcaption|caption)\s*>"
)
"""Where words of two blocks or cells would otherwise run together."""

_DAY_FIRST: Final = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9])|.{3,30}?\b(?:19|20)[0-9]{2}\b")
"""The day with which a date begins."""

_OPEN_TAG: Final = re.compile(rb"""<[A-Za-z](?:[^=>]+|=\s*"[^"]*"?|=\s*'[^']*'?|=)*""")
_VALUE: Final = re.compile(rb"""=\s*(?:"[^"]*"?|'[^']*'?|[^\s>]*)""")
_MOST_ATTRIBUTES: Final = 2_000  # of one tag: parsers compare each with each
_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/xml", "text/xml")
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""First bytes of gzip and zstandard; only archives are read from packed sources."""

_GZIP: Final = 31  # the form that zlib is to expect
_BLANK: Final = "\ufeff \t\r\n"


_NOT_COLLECTED: Final = (
    "{0}, expected RSS, Atom, JSON Feed, HTML, WARC or an export of Telegram; other commands read documents in {0} "
    "as they are"
)


def collected(
    file: IO[bytes], name: str, max_bytes: int, parse: Parse, charset: str | None = None, moment: datetime | None = None
) -> Iterator[dict[str, Any] | BadDataError | None]:
    """Yield the documents of a feed, export, archive or page: None without a text, an error for a broken record."""
    if is_table(name, ("csv", "xlsx", "parquet", "arrow")):
        raise BadDataError(_NOT_COLLECTED.format("a table"), code="E_FEED", source=name)
    moment = moment or datetime.now(UTC)
    buffered = io.BufferedReader(raw := _Raw(file))
    head = buffered.peek(_HEAD)[:_HEAD]
    if head.startswith((b"WARC/", *_PACKED)):
        yield from _archive(buffered, name, max_bytes, parse)
        if head.startswith(_PACKED[0]) and raw.breaks_off:
            raise BadDataError("the archive breaks off in its last record", code="E_WARC", source=name)
        return
    content = buffered.read(max_bytes + 1)
    if len(content) > max_bytes:
        message = f"longer than {max_bytes:,} bytes; --max-bytes allows more"
        raise BadDataError(message, code="E_TOO_LARGE", source=name)
    yield from parse(content, name, name, charset, moment)


def rows_of_page(
    content: bytes, label: str, name: str, charset: str | None, moment: datetime, kind: str | None = None
) -> Iterator[dict[str, Any] | None]:
    """Yield the documents of a page, a feed, an export, or a record of an archive that has a type."""
    _check_tags(content, label)
    text = decoded(content, (charset,))
    if kind is not None:
        yield from _of_record(text, kind, name, moment)
        return
    begin = _begin(text)
    found = _kind(begin)
    if found in _LISTS:
        message = _LISTS[found].format(number=len(_NAMED.findall(text)))
        raise BadDataError(message, code="E_FEED", source=name)
    if found == "feed":
        yield from _feed(text, name, moment)
    elif found is None and begin.startswith(("{", "[")):
        yield from _export(content, name, moment)
    elif _is_challenge(text):
        message = "the server asks for a proof that no program is asking, or for consent; this is not the page"
        raise BadDataError(message, code="E_FEED", source=name)
    else:
        yield from _pages(text, name, moment)


def _begin(text: str) -> str:
    """The beginning without comments and instructions, which may be long."""
    place = len(text) - len(text.lstrip(_BLANK))
    while marks := next((marks for marks in _BEFORE if text.startswith(marks[0], place)), None):
        end = text.find(marks[1], place)
        if end < 0:
            break
        place = end + len(marks[1])
        while place < len(text) and text[place] in _BLANK:
            place += 1
    return text[place : place + _HEAD]


def _kind(begin: str) -> str | None:
    """Return ``feed``, ``page``, or the name of a list of addresses; None for anything else."""
    found = _FEED_OR_PAGE.search(begin)
    if found is None:
        return None
    return "feed" if found[1] else found[2].lower() if found[2] else "page"


def _is_challenge(text: str) -> bool:
    return _CHALLENGE.search(text) is not None and len(_plain(_without_programs(text))) < _LONGEST_CHALLENGE


def _without_programs(text: str) -> str:
    """The page without scripts and styles that end."""
    kept, end, within = [], 0, None
    for mark in _PROGRAM.finditer(text):
        if within is None and not mark[1]:
            within = mark
        elif within is not None and mark[1] and mark[2].lower() == within[2].lower():
            kept.append(text[end : within.start()])
            end, within = mark.end(), None
    return "".join((*kept, text[end:]))


def _export(content: bytes, name: str, moment: datetime) -> Iterator[dict[str, Any] | None]:
    """Read an export of Telegram or a JSON Feed; every other JSON is refused."""
    try:
        value = parsed_json(content.removeprefix(b"\xef\xbb\xbf").strip())
    except ValueError:
        value = None
    if isinstance(value, dict) and "//jsonfeed.org/" in str(value.get("version")):
        yield from _json_feed(value, name, moment)
        return
    posts = posts_of_export(value)
    if posts is None:
        raise BadDataError(_NOT_COLLECTED.format("JSON"), code="E_FEED", source=name)
    yield from (_post(post, moment) for post in posts)


def _post(post: Post, moment: datetime) -> dict[str, Any] | None:
    row = _document(
        text=post.text,
        title="",
        url=post.url,
        published=written_date(post.published, moment),
        own_id=post.own_id,
        source=post.source,
    )
    if row is not None and post.forwarded_by:
        row |= {"relation": "forwarded", "forwarded_by": post.forwarded_by}
    if row is not None and (edited := written_date(post.edited, moment)):
        row["edited"] = edited
    return row


def _check_tags(content: bytes, name: str) -> None:
    """Refuse a tag of very many attributes, also in the quoted pages of a feed, before any parser sees it."""
    for quoted in (content, unescape(content.decode("latin-1")).encode("latin-1", "ignore")):
        for tag in _OPEN_TAG.finditer(quoted):
            # Most tags are too short for so many.
            if (
                tag.end() - tag.start() > 2 * _MOST_ATTRIBUTES
                and len(_VALUE.sub(b"", tag[0]).split()) > _MOST_ATTRIBUTES
            ):
                message = f"a tag has more than {_MOST_ATTRIBUTES:,} attributes; no page needs that many"
                raise BadDataError(message, code="E_MARKUP", source=name)


class _Raw(Readable):
    """A byte stream without its own buffer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._position = stream, 0
        self._member: Any = None

    @property
    def breaks_off(self) -> bool:
        """Whether a gzip file ends within a member, of which the reader of archives then says nothing."""
        return self._member is not None

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return the position, which the reader of archives asks for in this way, also on a pipe."""
        if (offset, whence) not in ((self._position, io.SEEK_SET), (0, io.SEEK_CUR)):
            raise io.UnsupportedOperation("seek")
        return self._position

    def made(self, most: int) -> bytes:
        content = self._stream.read(most)
        self._position += len(content)
        rest = content
        while rest:
            member = self._member or zlib.decompressobj(_GZIP)
            try:
                member.decompress(rest)
            except zlib.error:  # what follows the members is none of our business
                member = None
            rest = b"" if member is None else member.unused_data
            self._member = None if member is None or member.eof else member
        return content


def _feed(text: str, name: str, moment: datetime) -> Iterator[dict[str, Any] | None]:
    content = _SURROGATES.sub(_joined, _PROLOG.sub("", text.lstrip(_BLANK), count=1).encode())
    # Pass a stream, never a string, which the parser would take for an address and open.
    headers = {"content-type": "text/xml; charset=utf-8"}
    feed = _package("feedparser", "feeds").parse(io.BytesIO(content), response_headers=headers)
    if not _FEED_END.search(content):
        raise BadDataError("the feed breaks off; fetch it again", code="E_FEED", source=name)
    base = next(filter(is_address, (feed.feed.get("link") or "", name)), "")
    yield from _told_apart([_item(entry, base, moment) for entry in feed.entries])


def _json_feed(feed: dict[str, Any], name: str, moment: datetime) -> Iterator[dict[str, Any] | None]:
    """Read the items of a JSON Feed as those of other feeds."""
    base = next(filter(is_address, (str(feed.get("home_page_url")), str(feed.get("feed_url")), name)), "")
    entries = []
    for one in feed.get("items") or ():
        given = {key: str(value) for key, value in one.items() if isinstance(value, str | int)}
        text = given.get("content_html") or escape(given.get("content_text") or given.get("summary") or "")
        dates = {"published": given.get("date_published"), "updated": given.get("date_modified")}
        link = given.get("url") or given.get("external_url")
        named = {"id": given.get("id"), "title": given.get("title", "")}
        entries.append({**named, "link": link, "summary": text, **dates})
    yield from _told_apart([_item(entry, base, moment) for entry in entries])


def _told_apart(rows: Sequence[dict[str, Any] | None]) -> Iterator[dict[str, Any] | None]:
    """Give items of one id and different contents ids of their own."""
    contents: dict[str, set[str]] = {}
    for found in filter(None, rows):
        contents.setdefault(found["id"], set()).add(content_digest(found))
    for row in rows:
        if row is not None and len(contents[row["id"]]) > 1:
            # The id is that of the site, a rubric or a form, not of the item.
            row["id"] = row["item"] = f"{row['id']}#{content_digest(row)}"
        yield row


def content_digest(row: dict[str, Any]) -> str:
    """Return a digest of the title and text of a row."""
    content = f"{row.get('title', '')}\0{row['text']}"
    return blake2b(content.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _item(entry: Any, base: str, moment: datetime) -> dict[str, Any] | None:
    url = _joined_address(base, entry.get("feedburner_origlink") or entry.get("link"))
    published = (_published(entry, name, moment) for name in ("published", "updated", "created"))
    source = entry.get("source") or {}
    links = [source.get("href"), *(link.get("href") for link in source.get("links", ()))]
    return _document(
        text=_full_text(entry),
        title=_plain(entry.get("title", "")),
        url=url,
        published=next(filter(None, published), None),
        own_id=_own_id(entry.get("id"), _host(url or base)),
        source=next(filter(None, (_host(link) for link in links if link)), None) or _channel(url, base),
    )


def _full_text(entry: Any) -> str:
    """Return the text of an item: its content, the full text of Turbo pages, Yandex or Rambler, or the description."""
    # Some feeds give the same text twice, with and without markup.
    bodies = [part.get("value", "") for part in entry.get("content", ())]
    text = "\n".join(dict.fromkeys(filter(None, map(_plain, bodies))))
    others = [entry.get("turbo_content"), *(entry[name] for name in entry if _FULL_TEXT.fullmatch(name))]
    given = (_plain(one) for one in (*others, entry.get("summary")) if isinstance(one, str))
    text = text or next(filter(None, given), "")
    # Of an element whose prefix is not declared, the parser escapes the markup once more.
    return _plain(text) if _TAG.search(text) else text


def _channel(url: str | None, base: str) -> str | None:
    """Return the outlet of a feed, if the address of an item names none or only the site that shows it."""
    own, channel = _host(url or ""), _host(base)
    return channel if channel and (not own or channel.startswith(f"{own}/")) else own


def _own_id(given: str | None, host: str | None) -> str | None:
    """Return the id of an item; a mere number or name, which other sites may use as well, gets the host before it."""
    return f"{host}:{given}" if given and host and ":" not in given else given


def _joined_address(base: str, link: str | None) -> str | None:
    try:
        return urljoin(base, link) if link else None
    except ValueError:
        # Not an address, such as one with a single bracket.
        return link


def _joined(found: re.Match[bytes]) -> bytes:
    """Turn references to surrogates into references to their characters; a surrogate without its other half is none."""
    references = _REFERENCE.findall(found[0])
    codes = [int(digits, 16 if is_hexadecimal else 10) for is_hexadecimal, digits in references]
    characters = b"".join(code.to_bytes(2, "little") for code in codes).decode("utf-16-le", "ignore")
    mark = b"&amp;#" if found[0].startswith(b"&amp;") else b"&#"
    return b"".join(b"%s%d;" % (mark, ord(one)) for one in characters)


def _published(entry: Any, name: str, moment: datetime) -> str | None:
    """Return one of the times of an entry; ``None`` if it cannot be understood or cannot be."""
    # The parser's own ``get`` warns that it answers for one name with another; its dates have the month and day of
    # today where it does not understand them, and UTC for zones that it does not know. The day is sure then, no more.
    given = str(dict.get(entry, name) or "").strip()
    day = _DAY_FIRST.match(given)
    return written_date(given, moment) or (written_date(day[0], moment) if day else None)


def _pages(text: str, name: str, moment: datetime) -> Iterator[dict[str, Any] | None]:
    """Read the posts of a page of Telegram, or the one document of any other."""
    posts = posts_of_page(text, _package("lxml.html", "feeds"))
    if posts is None:
        yield _page(text, name, moment)
    else:
        yield from (_post(post, moment) for post in posts)


def _page(text: str, name: str, moment: datetime) -> dict[str, Any] | None:
    address = name if is_address(name) else None
    text = _PROLOG.sub("", text.lstrip(_BLANK), count=1)
    html = _package("lxml.html", "feeds")
    root = html.fromstring(text)
    if _without_next_articles(root):
        text = html.tostring(root, encoding="unicode")
    found = _package("trafilatura", "feeds").bare_extraction(
        text,
        url=address,
        with_metadata=True,
        include_comments=False,
        # Its search for dates reads copyright lines, and takes seconds on some pages; we look for the date ourselves.
        date_extraction_params={"extensive_search": False, "original_date": True},
    )
    if found is None:
        return None
    url = found.url
    if address and (not url or not _path(url)):
        # Some sites name their front page as the proper address of every page.
        url = address
    return _document(
        text=found.text or "", title=found.title or "", url=url, published=page_date(root, url, moment), own_id=None
    )


def _without_next_articles(page: Any) -> bool:
    """Remove the articles that a page loads below the one that its title names; return whether there were any."""
    headed = [(one, one.xpath(".//h1")) for one in page.xpath("//article[not(ancestor::article)]")]
    first, *others = [" ".join(heads[0].text_content().split()) if heads else "" for _, heads in headed] or [""]
    title = " ".join(" ".join(page.xpath("//head/title//text()")).split())
    if not first or not title.startswith(first) or not others or not all(others):
        return False
    for one, _ in headed[1:]:
        one.drop_tree()
    return True


def _archive(
    stream: IO[bytes], name: str, max_bytes: int, parse: Parse
) -> Iterator[dict[str, Any] | BadDataError | None]:
    warc = _package("fastwarc.warc", "feeds")
    kinds = warc.WarcRecordType.response | warc.WarcRecordType.resource
    number = 0
    try:
        for record in warc.ArchiveIterator(stream, record_types=kinds, auto_decode="all"):
            number += 1
            address = record.headers.get("WARC-Target-URI") or f"{name}:{number}"
            kind = (record.http_content_type or record.headers.get("Content-Type") or "").split(";")[0].strip().lower()
            if kind not in (*_HTML_TYPES, *_FEED_TYPES):
                continue
            content = record.reader.read(max_bytes + 1)
            if len(content) > max_bytes:
                message = f"record {number}: longer than {max_bytes:,} bytes; --max-bytes allows more"
                raise BadDataError(message, code="E_TOO_LARGE", source=name)
            if len(content) < record.content_length and not _is_encoded(record):
                raise BadDataError(f"record {number}: the archive breaks off", code="E_WARC", source=name)
            status = record.http_headers.status_code if record.http_headers is not None else None
            if not (status is None or 200 <= status < 300):
                yield None
                continue
            charset = record.http_charset if record.http_headers is not None else None
            moment = record.record_date or datetime.now(UTC)
            try:
                for row in parse(content, f"{name}: record {number}", address, charset, moment, kind):
                    yield row and row | {"collected_at": moment.astimezone(UTC).isoformat(timespec="seconds")}
            except BadDataError as error:
                yield error
    except OSError as error:
        advice = "" if number else "; of compressed sources, only web archives are read"
        raise BadDataError(f"record {number + 1}: {error}{advice}", code="E_WARC", source=name) from error
    if number == 0:
        raise BadDataError("not an archive of web pages: it contains no response record", code="E_WARC", source=name)


def _of_record(text: str, kind: str, address: str, moment: datetime) -> Iterator[dict[str, Any] | None]:
    found = _kind(_begin(text))
    if found == "feed":
        # Many servers call a feed a page.
        yield from _feed(text, address, moment)
    elif found == "page" or (found is None and kind in _HTML_TYPES):
        yield from (None,) if _is_challenge(text) else _pages(text, address, moment)


def _is_encoded(record: Any) -> bool:
    """Whether the content of a record has another length than its encoded form, which alone is known."""
    headers = {name.lower() for name, _ in record.http_headers or ()}
    return not headers.isdisjoint(("content-encoding", "transfer-encoding"))


def _document(
    *, text: str, title: str, url: str | None, published: str | None, own_id: str | None, source: str | None = None
) -> dict[str, Any] | None:
    """Build a document; ``None`` without a text. Its language is left out, as many feeds name a wrong one."""
    if not text.strip():
        return None
    key = own_id or url
    if not key or len(key.encode()) > MOST_ID_BYTES or not key.isprintable():
        key = blake2b(f"{title}\0{text}\0{published}".encode("utf-8", "replace"), digest_size=8).hexdigest()
    row = {
        "id": key,
        "title": title,
        "text": text,
        "published": published,
        "source": source or (_host(url) if url else None),
        "url": url,
        "item": key,
    }
    return {name: value for name, value in row.items() if value}


def _host(address: str) -> str | None:
    return outlet_of(None, address)


def _path(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.path.strip('/')}{parts.query}"


def _plain(markup: str) -> str:
    """Return the text of a piece of HTML, one line for each block."""
    if not markup.strip():
        return ""
    if "<" not in markup and "&" not in markup:
        return markup.strip()
    html = _package("lxml.html", "feeds")
    text = html.fromstring(f"<div>{_BLOCK_END.sub(chr(10), markup)}</div>").text_content()
    return BLANK_LINES.sub("\n", text).strip()


def _package(name: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(name.split(".")[0], extra, "collecting from feeds, pages and archives") from error


_CLAIM: Final = re.compile(
    rb"""<(?:\?xml|meta)\b[^>]{0,300}?(?:encoding|charset)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_SEARCHED: Final = 4096
_SAMPLE: Final = 1 << 16
_LATIN: Final = frozenset(("iso8859-1", "cp1252", "ascii", "iso8859-15", "latin-1"))
"""Encodings in which any bytes are a text, and which servers name for want of a better one."""

_REFUSED: Final = frozenset(("utf-7", "hz", "punycode", "idna", "unicode_escape", "raw_unicode_escape"))
_MOST_BAD: Final = 0.01
_WHOLE_LETTERS: Final = 10  # letters beyond ASCII for each broken one in UTF-8 that was cut somewhere
_BY_ESCAPES: Final = "iso2022"


def decoded(content: bytes, claims: Iterable[str | None] = ()) -> str:
    """Decode a feed or page.

    Valid UTF-8 is that whatever is claimed, and so is UTF-8 with a few broken letters, which become U+FFFD. Of other
    bytes, those that look like Russian or Ukrainian are read as such; then the claims count, those of the server before
    those in the content; then what the bytes look like.
    """
    names = [one for claim in (*claims, *_claims_inside(content)) if (one := _known(claim)) is not None]
    escapes = next((one for one in names if one.startswith(_BY_ESCAPES)), None)
    if escapes is not None and b"\x1b" in content:
        return content.decode(escapes, "replace")
    recognised = recognised_encoding(content[:_SAMPLE])
    if recognised is not None:
        return content.decode(recognised, "replace")
    text = content.decode("utf-8-sig", "replace")
    broken = text.count("\ufffd")
    if not broken or sum(one > "\x7f" for one in text) > _WHOLE_LETTERS * broken:
        return text
    for name in names:
        if name not in _LATIN and not name.startswith("utf"):
            claimed = content.decode(name, "replace")
            if claimed.count("\ufffd") <= _MOST_BAD * len(content):
                return claimed
    return content.decode(_guessed(content) or next(iter(names), "utf-8"), "replace")


def _claims_inside(content: bytes) -> list[str]:
    return [one.decode() for one in _CLAIM.findall(content[:_SEARCHED])]


def _known(claim: str | None) -> str | None:
    """Return Python's name of an encoding of texts."""
    try:
        "".encode(claim or "")
        name = codecs.lookup(claim or "").name
    except (LookupError, ValueError, TypeError):
        return None
    return None if name in _REFUSED else name


def _guessed(content: bytes) -> str | None:
    """Return what the bytes look like, if the library that knows is there."""
    try:
        found = import_module("charset_normalizer").from_bytes(content[:_SAMPLE]).best()
    except ImportError:
        return None
    # Of Cyrillic encodings, our own rule has the better knowledge, and has said no.
    return None if found is None or _known(found.encoding) in map(_known, ONE_BYTE) else str(found.encoding)
