"""Open addresses given by the user, within limits. Only ``collect`` does so; nothing else opens a connection."""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.model import VERSION

if TYPE_CHECKING:
    from http.client import HTTPMessage

__all__ = ["FetchLimits", "Fetched", "fetch", "is_address"]

_SCHEMES: Final = ("http://", "https://")
_CHUNK: Final = 1 << 16


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
        request = urllib.request.Request(address, headers={"User-Agent": f"infostream-dedup/{VERSION}"})  # noqa: S310
        with opener.open(request, timeout=limits.timeout) as answer:
            return Fetched(_read(answer, address, limits, deadline), answer.url, answer.headers.get_content_charset())
    except urllib.error.HTTPError as error:
        raise NoInputError(f"{address}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise NoInputError(f"{address}: {reason or type(error).__name__}") from error


def _read(answer: Any, address: str, limits: FetchLimits, deadline: float) -> bytes:
    content = bytearray()
    while chunk := answer.read1(_CHUNK):
        content += chunk
        if len(content) > limits.max_bytes:
            message = f"longer than {limits.max_bytes:,} bytes; --max-bytes allows more"
            raise BadDataError(message, code="E_TOO_LARGE", source=address)
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
