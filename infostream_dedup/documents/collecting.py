"""Collects pages from addresses: which may be fetched, and what they contain."""

from __future__ import annotations

import io
import re
from calendar import timegm
from datetime import UTC, datetime
from hashlib import blake2b
from html import unescape
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from infostream_dedup.documents.fetching import is_address
from infostream_dedup.errors import BadDataError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_HEAD: Final = 2048
_FEED_OR_PAGE: Final = re.compile(rb"<(?:(?:[\w.-]+:)?(rss|feed|RDF)|!doctype\s+html|html)[\s>]", re.IGNORECASE)
"""What comes first tells feeds from pages, which may show a piece of a feed."""

_FEED_END: Final = re.compile(rb"</(?:[\w.-]+:)?(?:rss|feed|RDF)\s*>", re.IGNORECASE)
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
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

_BLANK_LINES: Final = re.compile(r"(?<![ \t])[ \t]*\n\s*")
_TAG: Final = re.compile(rb"""<[A-Za-z](?:[^=>]+|=\s*"[^"]*"?|=\s*'[^']*'?|=)*""")
_VALUE: Final = re.compile(rb"""=\s*(?:"[^"]*"?|'[^']*'?|[^\s>]*)""")
_MOST_ATTRIBUTES: Final = 2_000
"""Of one tag: parsers compare each with each."""

_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_FEED_TYPES: Final = ("application/rss+xml", "application/atom+xml", "application/xml", "text/xml")
_PACKED: Final = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""First bytes of gzip and zstandard; only archives are read from packed sources."""

_LONGEST_ID: Final = 512
_DIGITS_OF_DAY: Final = 8
_ZONES: Final = {"CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "MSD": 4}
"""Hours of time zones whose names the parser does not know and takes for UTC."""

_BLANK: Final = b"\xef\xbb\xbf \t\r\n"


def collected(
    stream: IO[bytes], name: str, max_bytes: int, charset: str | None = None
) -> Iterator[dict[str, Any] | None]:
    """Yield the documents of a feed or an archive, or the one document of a page."""
    buffered = io.BufferedReader(_Raw(stream))
    head = buffered.peek(_HEAD)[:_HEAD]
    if head.startswith((b"WARC/", *_PACKED)):
        yield from _archive(buffered, name, max_bytes)
        return
    content = buffered.read(max_bytes + 1)
    if len(content) > max_bytes:
        message = f"longer than {max_bytes:,} bytes; --max-bytes allows more"
        raise BadDataError(message, code="E_TOO_LARGE", source=name)
    if content.startswith(_UTF_16):
        content, charset = content.decode("utf-16", "replace").encode(), "utf-8"
    _check_tags(content, name)
    if _is_feed(content):
        yield from _feed(content, name, charset)
        return
    if content[:_HEAD].lstrip(_BLANK).startswith((b"{", b"[")) and not _FEED_OR_PAGE.search(content[:_HEAD]):
        message = "JSON, expected RSS, Atom, HTML or WARC; other commands read documents in JSON as they are"
        raise BadDataError(message, code="E_FEED", source=name)
    yield _page(content, name)


def _check_tags(content: bytes, name: str) -> None:
    """Refuse a tag of very many attributes, also in the quoted pages of a feed, before any parser sees it."""
    for quoted in (content, unescape(content.decode("latin-1")).encode("latin-1", "ignore")):
        for tag in _TAG.finditer(quoted):
            # Most tags are too short for so many.
            if (
                tag.end() - tag.start() > 2 * _MOST_ATTRIBUTES
                and len(_VALUE.sub(b"", tag[0]).split()) > _MOST_ATTRIBUTES
            ):
                message = f"a tag has more than {_MOST_ATTRIBUTES:,} attributes; no page needs that many"
                raise BadDataError(message, code="E_MARKUP", source=name)


def _is_feed(content: bytes) -> bool:
    found = _FEED_OR_PAGE.search(content[:_HEAD])
    return found is not None and found[1] is not None


class _Raw(io.RawIOBase):
    """A byte stream without its own buffer."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._position = stream, 0

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Return the position, which the reader of archives asks for in this way, also on a pipe."""
        if (offset, whence) not in ((self._position, io.SEEK_SET), (0, io.SEEK_CUR)):
            raise io.UnsupportedOperation("seek")
        return self._position

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._stream.read(len(buffer))
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)


def _feed(content: bytes, name: str, charset: str | None = None) -> Iterator[dict[str, Any] | None]:
    # Pass a stream, never a string, which the parser would take for an address and open.
    headers = {"content-type": f"text/xml; charset={charset}"} if charset else None
    stream = io.BytesIO(_SURROGATES.sub(_joined, content))
    feed = _package("feedparser", "feeds").parse(stream, response_headers=headers)
    if not _FEED_END.search(content):
        raise BadDataError("the feed breaks off; fetch it again", code="E_FEED", source=name)
    base = next(filter(is_address, (feed.feed.get("link") or "", name)), "")
    for entry in feed.entries:
        bodies = [part.get("value", "") for part in entry.get("content", ())] or [entry.get("summary", "")]
        url = _joined_address(base, entry.get("link"))
        yield _document(
            # Some feeds give the same text twice, with and without markup.
            text="\n".join(dict.fromkeys(filter(None, map(_plain, bodies)))),
            title=_plain(entry.get("title", "")),
            url=url,
            published=_published(entry),
            own_id=_own_id(entry.get("id"), _host(url or base)),
        )


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


def _published(entry: Any) -> str | None:
    """Return the time of an entry; ``None`` without one that can be understood."""
    for name in ("published", "updated"):
        # The parser's own ``get`` warns that it answers for the one with the other.
        parsed, given = dict.get(entry, f"{name}_parsed"), str(dict.get(entry, name, "")).strip()
        # The parser takes the first digits of a number of seconds for a year.
        if parsed and not (given.isdigit() and len(given) > _DIGITS_OF_DAY):
            return _moment(parsed, _ZONES.get(given.rpartition(" ")[2].upper(), 0))
    return None


def _moment(parsed: Any, hours: int) -> str | None:
    try:
        return datetime.fromtimestamp(timegm(parsed) - 3600 * hours, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _page(content: bytes, name: str) -> dict[str, Any] | None:
    address = name if is_address(name) else None
    found = _package("trafilatura", "feeds").bare_extraction(
        content, url=address, with_metadata=True, include_comments=False
    )
    if found is None:
        return None
    url = found.url
    if address and (not url or not _path(url)):
        # Some sites name their front page as the proper address of every page.
        url = address
    return _document(
        text=found.text or "",
        title=found.title or "",
        url=url,
        published=found.date,
        own_id=None,
    )


def _archive(stream: IO[bytes], name: str, max_bytes: int) -> Iterator[dict[str, Any] | None]:
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
            _check_tags(content, f"{name}: record {number}")
            if not _is_success(record):
                yield None
            elif _is_feed(content):
                # Many servers call a feed a page.
                yield from _feed(content, address)
            elif kind in _HTML_TYPES or _FEED_OR_PAGE.search(content[:_HEAD]):
                yield _page(content, address)
    except OSError as error:
        advice = "" if number else "; of compressed sources, only web archives are read"
        raise BadDataError(f"record {number + 1}: {error}{advice}", code="E_WARC", source=name) from error
    if number == 0:
        raise BadDataError("not an archive of web pages: it contains no response record", code="E_WARC", source=name)


def _is_success(record: Any) -> bool:
    """Whether a server delivered what it was asked for; the text of its errors and redirects is not news."""
    status = record.http_headers.status_code if record.http_headers is not None else None
    return status is None or 200 <= status < 300


def _is_encoded(record: Any) -> bool:
    """Whether the content of a record has another length than its encoded form, which alone is known."""
    headers = {name.lower() for name, _ in record.http_headers or ()}
    return not headers.isdisjoint(("content-encoding", "transfer-encoding"))


def _document(
    *, text: str, title: str, url: str | None, published: str | None, own_id: str | None
) -> dict[str, Any] | None:
    """Build a document; ``None`` without a text. Its language is left out, as many feeds name a wrong one."""
    if not text.strip():
        return None
    key = own_id or url
    if not key or len(key.encode()) > _LONGEST_ID or not key.isprintable():
        key = blake2b(f"{title}\0{text}\0{published}".encode("utf-8", "replace"), digest_size=8).hexdigest()
    host = _host(url) if url else None
    row = {
        "id": key,
        "title": title,
        "text": text,
        "published": published,
        "source": host,
        "url": url,
    }
    return {name: value for name, value in row.items() if value}


def _host(address: str) -> str | None:
    try:
        return (urlsplit(address).hostname or "").removeprefix("www.") or None
    except ValueError:
        # Not an address, such as one with a single bracket.
        return None


def _path(address: str) -> str:
    """What follows the host."""
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
    return _BLANK_LINES.sub("\n", text).strip()


def _package(name: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(name.split(".")[0], extra, "collecting from feeds, pages and archives") from error
