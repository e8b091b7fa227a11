"""Posts of Telegram: exports of the desktop program (JSON, HTML) and saved preview pages of channels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, Final, NamedTuple

_PREVIEW: Final = ("tgme_widget_message ", 'tgme_widget_message"')
_HISTORY: Final = ("message default", "from_name")
BLANK_LINES: Final = re.compile(r"(?<![ \t])[ \t]*\n\s*")
_MEDIA: Final = ("photo", "file", "media_type")


class Post(NamedTuple):
    """A post; ``text`` is empty where there is only a picture."""

    own_id: str  # unique within Telegram, the same in each export
    text: str  # its text or caption
    published: Any  # date as given
    source: str | None  # the channel that it comes from
    url: str | None = None  # its address, if it is public
    forwarded_by: str | None = None  # the channel that forwarded it from `source`
    edited: Any = None  # date of the last edit, as given


def posts_of_export(value: Any) -> Iterator[Post] | None:
    """Read the posts of ``result.json``, an album as one, no service messages; None if this is another kind of JSON."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("messages"), list) and "id" in value:
        chats = [value]
    else:
        parts = [value.get(name) for name in ("chats", "left_chats")]
        chats = [chat for part in parts if isinstance(part, Mapping) for chat in part.get("list") or ()]
        if not chats:
            return None
    return (post for chat in chats for post in _posts_of_chat(chat))


def _posts_of_chat(chat: Mapping[str, Any]) -> Iterator[Post]:
    messages = [one for one in chat.get("messages") or () if isinstance(one, Mapping) and one.get("type") == "message"]
    # The pictures of an album are messages of one moment, and one of them has the caption.
    for _, album in groupby(enumerate(messages), lambda numbered: _album(*numbered)):
        first, texts = None, list[str]()
        for _, message in album:
            first = first or message
            texts.append(_joined(message.get("text")).strip())
            texts.extend(_poll(message.get("poll")))
        assert first is not None  # noqa: S101 - no group is empty
        name, origin = chat.get("name") or first.get("from"), first.get("forwarded_from")
        # Of a deleted account, the export keeps that it was the origin, not its name.
        is_forwarded = "forwarded_from" in first and origin != name
        yield Post(
            own_id=f"telegram:{chat.get('id')}:{first.get('id')}",
            text="\n".join(filter(None, texts)),
            published=first.get("date_unixtime") or first.get("date"),
            source=str(origin or ("" if is_forwarded else name) or "") or None,
            forwarded_by=str(name) if is_forwarded and name else None,
            edited=first.get("edited_unixtime") or first.get("edited"),
        )


def _album(number: int, message: Mapping[str, Any]) -> tuple[Any, ...]:
    if not any(name in message for name in _MEDIA):
        return (number,)
    return message.get("from_id") or message.get("from"), message.get("date"), message.get("forwarded_from")


def _poll(poll: Any) -> Iterator[str]:
    """The question and the answers of a poll."""
    if isinstance(poll, Mapping):
        parts = [poll.get("question"), *(one.get("text") for one in poll.get("answers") or ())]
        yield from (_joined(one).strip() for one in parts)


def _joined(text: Any) -> str:
    if isinstance(text, list):
        return "".join(one if isinstance(one, str) else str(one.get("text", "")) for one in text)
    return text if isinstance(text, str) else ""


def posts_of_page(markup: str, html: Any) -> Iterator[Post] | None:
    """Read the posts of a preview page (``t.me/s/channel``) or of an export in HTML; None if this is another page."""
    if any(sign in markup for sign in _PREVIEW):
        return _posts_of_preview(html.fromstring(markup))
    if all(sign in markup for sign in _HISTORY):
        return _posts_of_history(html.fromstring(markup))
    return None


def _posts_of_preview(page: Any) -> Iterator[Post]:
    for message in _with_class(page, "tgme_widget_message"):
        own = message.get("data-post")
        if not own:
            continue
        found = [one for one in _with_class(message, "tgme_widget_message_text") if not _is_quoted(one, message)]
        # A text is sometimes wrapped in another element of this class.
        texts = [_text(one) for one in found if not any(one in outer.iterdescendants() for outer in found)]
        times = message.xpath(".//a[contains(@class, 'tgme_widget_message_date')]//time/@datetime")
        times = times or message.xpath(".//time/@datetime")
        for name in ("question", "option_text"):
            texts += map(_text, _with_class(message, f"tgme_widget_message_poll_{name}"))
        origin = next(_with_class(message, "tgme_widget_message_forwarded_from_name"), None)
        channel = own.partition("/")[0]
        yield Post(
            own_id=f"https://t.me/{own}",
            text="\n".join(filter(None, texts)),
            published=times[-1] if times else None,
            source=f"t.me/{channel}" if origin is None else _origin(origin),
            url=f"https://t.me/{own}",
            forwarded_by=None if origin is None else f"t.me/{channel}",
        )


def _is_quoted(element: Any, message: Any) -> bool:
    """Whether an element is in the message that this one answers, which the page repeats."""
    while element is not None and element is not message:
        if "tgme_widget_message_reply" in (element.get("class") or "").split():
            return True
        element = element.getparent()
    return False


def _origin(element: Any) -> str | None:
    found = re.match(r"https?://(?:t|telegram)\.me/(?:s/)?([^/?#]+)", element.get("href") or "")
    return f"t.me/{found[1]}" if found else _text(element) or None


def _posts_of_history(page: Any) -> Iterator[Post]:
    header = next(_with_class(page, "page_header"), None)
    chat = _text(header) if header is not None else ""
    sender = None
    for message in _with_class(page, "message"):
        if "default" not in message.get("class").split():
            continue
        forwarded = next(_with_class(message, "forwarded"), None)
        names = [
            one
            for one in _with_class(message, "from_name")
            if forwarded is None or forwarded not in one.iterancestors()
        ]
        sender = _text(names[0]) if names else sender
        origin = None if forwarded is None else next(_with_class(forwarded, "from_name"), None)
        texts = [one for name in ("text", "question") for one in _with_class(message, name)]
        answers = [(one.text or "").strip().removeprefix("- ") for one in _with_class(message, "answer")]
        dates = [one.get("title") for one in _with_class(message, "date") if one.get("title")]
        name = None if origin is None else re.sub(r"(?<!\s)\s+\d\d\.\d\d\.\d{4}.*", "", _text(origin), flags=re.DOTALL)
        yield Post(
            own_id=f"telegram:{chat or sender}:{(message.get('id') or '').removeprefix('message')}",
            text="\n".join(filter(None, (*map(_text, texts), *answers))),
            published=dates[0] if dates else None,
            source=name or chat or sender,
            forwarded_by=(chat or sender) if name else None,
        )


def _with_class(element: Any, name: str) -> Iterator[Any]:
    """Elements inside that have a class, in document order."""
    for one in element.iterdescendants():
        if isinstance(one.tag, str) and name in (one.get("class") or "").split():
            yield one


def _text(element: Any) -> str:
    """Text of an element, with its line breaks."""
    parts = []
    for kind, text in _pieces(element):
        parts.append("\n" if kind == "br" else text)
    return BLANK_LINES.sub("\n", "".join(parts)).strip()


def _pieces(element: Any) -> Iterator[tuple[str, str]]:
    yield "", element.text or ""
    for one in element:
        if isinstance(one.tag, str):
            if one.tag in ("br", "p", "div", "blockquote", "pre"):
                yield "br", ""
            yield from _pieces(one)
        yield "", one.tail or ""
