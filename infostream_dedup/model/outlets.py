"""Which outlet a source or an address names."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

_HOST: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:[^/@\s]*@)?(?:www\.)?(?P<host>[^\s/:?#@\[\]()]+\.[^\W\d_][^\s/:?#@.]*)\.?"
    r"(?::[0-9]+)?(?P<rest>[/?#].*)?",
    re.IGNORECASE,
)
_OF_MANY: Final = frozenset(
    "t.me telegram.me vk.com ok.ru facebook.com x.com twitter.com instagram.com threads.net youtube.com tiktok.com "
    "medium.com rutube.ru dzen.ru".split()
)
"""Hosts on which each first part of a path is an outlet of its own."""

_SAME: Final = {"telegram.me": "t.me", "twitter.com": "x.com"}


def outlet_of(source: str | None, url: str | None = None) -> str | None:
    """Name the outlet of a document; the same for all ways of writing a site, None if nothing names one.

    The address of the document counts where no source is given.

    Example:
        >>> {outlet_of(name) for name in ("a.example", "www.A.example", "https://a.example/", " a.example ")}
        {'a.example'}
        >>> outlet_of(None, "https://www.a.example/news/1"), outlet_of("t.me/s/channel"), outlet_of("ТАСС ")
        ('a.example', 't.me/channel', 'тасс')
    """
    name = _named(source) if source else None
    return name if name or not url else _site(url.strip())


@lru_cache(maxsize=65_536)
def _named(source: str) -> str | None:
    name = " ".join(source.split()).casefold()
    return _site(name) or name or None


def _site(address: str) -> str | None:
    """The host, or the part of it that is an outlet of its own; None if this is no address."""
    found = _HOST.fullmatch(address)
    if found is None:
        return None
    host = found["host"].lower()
    if "xn--" in host:
        with suppress(UnicodeError):
            host = host.encode().decode("idna")
    host = _SAME.get(host, host)
    if host in _OF_MANY:
        parts = [unquote(part) for part in re.split("[/?#]", found["rest"] or "") if part and part != "s"]
        return f"{host}/{parts[0].lower()}" if parts else host
    return host
