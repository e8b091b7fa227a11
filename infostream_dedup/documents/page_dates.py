"""When a page was published: what the page itself says, never a copyright line or the date of another item."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from infostream_dedup.documents.dates import written_date

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
    """Return the date of publication in ISO 8601; None if the page does not say it.

    Looked at in this order: ``meta`` elements, JSON-LD, marked places in the article, the address.
    """
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
