"""Open addresses given by the user, within limits. Only ``collect`` does so; nothing else opens a connection."""

from __future__ import annotations

import gzip
import http.client
import io
import time
import urllib.error
import urllib.request
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.model import VERSION

if TYPE_CHECKING:
    from http.client import HTTPMessage

__all__ = ["FetchLimits", "Fetched", "fetch", "is_address"]

_SCHEMES: Final = ("http://", "https://")
_CHUNK: Final = 1 << 16
_KEPT: Final = "%/:=&?~+!$,;'@()*[]|"
"""Characters of an address that stay as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of an answer.

    Attributes:
        max_bytes: maximum size of a page or feed, both as received and unpacked.
        timeout: seconds within which all of it must arrive.
        max_redirects: maximum number of redirects from the given address.
    """

    max_bytes: int = 20_000_000
    timeout: float = 30.0
    max_redirects: int = 5


def is_address(source: str) -> bool:
    """Whether a source is an address, not a file."""
    return source.lower().startswith(_SCHEMES)


class Fetched(NamedTuple):
    """What an address delivered.

    Attributes:
        content: its bytes.
        address: the address that finally delivered them.
        charset: the encoding that the server names, if any.
    """

    content: bytes
    address: str
    charset: str | None


def fetch(address: str, limits: FetchLimits) -> Fetched:
    """Return the content at an address.

    Raises:
        NoInputError: it cannot be reached, answers with an error, or redirects too often or to another scheme.
        BadDataError: the answer is longer than allowed (``E_TOO_LARGE``).
    """
    deadline = time.monotonic() + limits.timeout
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(limits.max_redirects),
    ):
        opener.add_handler(handler)
    try:
        request = urllib.request.Request(_in_ascii(address), headers={"User-Agent": f"infostream-dedup/{VERSION}"})  # noqa: S310
        with opener.open(request, timeout=limits.timeout) as answer:
            content = _unpacked(_read(answer, address, limits, deadline), answer.headers, address, limits)
            return Fetched(content, answer.url, answer.headers.get_content_charset())
    except urllib.error.HTTPError as error:
        raise NoInputError(f"{address}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise NoInputError(f"{address}: {reason or type(error).__name__}") from error


def _in_ascii(address: str) -> str:
    """Return an address as servers expect it: other letters by IDNA in the host, percent-encoded elsewhere."""
    if address.isascii():
        return address
    parts = urlsplit(address)
    user, mark, host = parts.netloc.rpartition("@")
    name, colon, port = host.partition(":")
    host = f"{quote(user, _KEPT)}{mark}{name.encode('idna').decode()}{colon}{port}"
    return urlunsplit((parts.scheme, host, quote(parts.path, _KEPT), quote(parts.query, _KEPT), ""))


def _unpacked(content: bytes, headers: HTTPMessage, address: str, limits: FetchLimits) -> bytes:
    """Undo the encoding of an answer; some servers compress what they were not asked to compress."""
    encoding = headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in ("", "identity"):
        return content
    if encoding not in ("gzip", "x-gzip"):
        raise NoInputError(f"{address}: the answer is encoded as {encoding}, which was not asked for")
    try:
        unpacked = gzip.GzipFile(fileobj=io.BytesIO(content)).read(limits.max_bytes + 1)
    except (EOFError, zlib.error) as error:
        raise NoInputError(f"{address}: the answer breaks off; fetch it again") from error
    _check_size(len(unpacked), address, limits)
    return unpacked


def _check_size(size: int, address: str, limits: FetchLimits) -> None:
    if size > limits.max_bytes:
        message = f"longer than {limits.max_bytes:,} bytes; --max-bytes allows more"
        raise BadDataError(message, code="E_TOO_LARGE", source=address)


def _read(answer: Any, address: str, limits: FetchLimits, deadline: float) -> bytes:
    content = bytearray()
    while chunk := answer.read1(_CHUNK):
        content += chunk
        _check_size(len(content), address, limits)
        if time.monotonic() > deadline:
            raise NoInputError(f"{address}: not received after {limits.timeout:g} seconds; --timeout allows more")
    if answer.length:
        raise NoInputError(f"{address}: the answer breaks off; fetch it again")
    return bytes(content)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a limited number of redirects, only to web addresses."""

    def __init__(self, most: int) -> None:
        self._left = most

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        self._left -= 1
        if self._left < 0:
            raise NoInputError(f"{req.full_url}: redirects to {newurl}; --max-redirects allows more")
        if not is_address(newurl):
            raise NoInputError(f"{req.full_url}: redirects to {newurl}, which is not a web address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
