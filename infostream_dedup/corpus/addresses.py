"""Opens an address that the user has named, within limits. Only ``collect`` does; nothing else opens a connection."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.model import VERSION

if TYPE_CHECKING:
    from http.client import HTTPMessage

__all__ = ["FetchLimits", "fetch", "is_address"]

_SCHEMES: Final = ("http://", "https://")
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """What an answer may take.

    Attributes:
        max_bytes: longest page or feed, as it came and unpacked.
        timeout: seconds until all of it must be there.
        max_redirects: addresses that may follow on the one that was given.
    """

    max_bytes: int = 20_000_000
    timeout: float = 30.0
    max_redirects: int = 5


def is_address(source: str) -> bool:
    """Whether a source is an address, not a file."""
    return source.lower().startswith(_SCHEMES)


def fetch(address: str, limits: FetchLimits) -> tuple[bytes, str]:
    """Return the content behind an address, and the address that it came from in the end.

    Raises:
        NoInputError: it cannot be reached, answers with an error, or leads elsewhere too often or by another scheme.
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
    request = urllib.request.Request(address, headers={"User-Agent": f"infostream-dedup/{VERSION}"})  # noqa: S310
    try:
        with opener.open(request, timeout=limits.timeout) as answer:
            return _read(answer, address, limits, deadline), answer.url
    except urllib.error.HTTPError as error:
        raise NoInputError(f"{address}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError) as error:
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
            raise NoInputError(f"{address}: not there after {limits.timeout:g} seconds; --timeout allows more")
    return bytes(content)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows so many redirections, to web addresses alone."""

    def __init__(self, most: int) -> None:
        self._left = most

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        self._left -= 1
        if self._left < 0:
            raise NoInputError(f"{req.full_url}: leads on to {newurl}; --max-redirects allows more")
        if not is_address(newurl):
            raise NoInputError(f"{req.full_url}: leads to {newurl}, which is not a web address")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
