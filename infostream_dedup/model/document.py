"""One item of a stream, the outlet it names, and documents as columns: in a row, and of a whole collection."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload
from urllib.parse import unquote

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Ints, Uint8s, Uint64s


Language = Literal["ru", "uk", "en", "other"]

OUR_LANGUAGES: Final[tuple[Language, ...]] = ("ru", "uk", "en")  # languages with their own dictionaries

LANGUAGES: Final[tuple[Language, ...]] = (*OUR_LANGUAGES, "other")
"""Languages with their own statistics; all further languages share ``other``."""


def language_number(code: str) -> int:
    """Return the index into ``LANGUAGES`` of a language.

    Example:
        >>> language_number("uk"), language_number("de")
        (1, 3)
    """
    return _NUMBERS.get(code, len(OUR_LANGUAGES))


MOST_ID_BYTES: Final = 2048
"""Maximum length of an id in UTF-8; addresses with Cyrillic words in percent signs have a thousand."""

_NUMBERS: Final[dict[str, int]] = {code: number for number, code in enumerate(LANGUAGES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One item of a stream, as given.

    Attributes:
        id: unique within one collection, 1 to 2,048 bytes of UTF-8, no control characters.
        text: body; may be empty.
        title: headline; empty if missing.
        lang: ``ru``, ``uk``, ``en``, or the code of another language (``de``), whose words are stemmed by Snowball;
            ``None`` to let the engine distinguish the first three.
        published: date as given (ISO 8601 text or a number); ``None`` if missing.
        time: ``published`` as an aware UTC time; ``None`` if missing.
        source: site or agency; ``None`` if missing.
        url: address of the item; ``None`` if missing.
        images: addresses of the images, or their number, as given.
        links: addresses of the links, or their number, as given.
        extra: all other fields, passed through unchanged.
    """

    id: str
    text: str
    title: str = ""
    lang: str | None = None
    published: str | int | float | None = None
    time: datetime | None = None
    source: str | None = None
    url: str | None = None
    images: Any = None
    links: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def full_text(document: Document) -> str:
    """Return title and text on separate lines; the text alone if it starts with the title or there is no title."""
    return joined_text(document.title, document.text)


def joined_text(title: str, text: str) -> str:
    """Join a title and a text, see ``full_text``."""
    return text if not title or text.startswith(title) else f"{title}\n{text}"


def heading(document: Document) -> str:
    """The title of a document, or the beginning of its text."""
    return " ".join((document.title or document.text[:300]).split())


def without_text(document: Document) -> Document:
    """Return a copy of the document with an empty body, for callers that keep many documents."""
    return with_texts(document, document.title, "")


def filled(document: Document, text: str) -> Document:
    """Put the body into a document that was just made without one: sooner done than a copy."""
    object.__setattr__(document, "text", text)
    return document


def with_texts(document: Document, title: str, text: str) -> Document:
    """Like ``dataclasses.replace`` with another title and body, but that would take longer than reading the text."""
    return Document(
        id=document.id,
        text=text,
        title=title,
        lang=document.lang,
        published=document.published,
        time=document.time,
        source=document.source,
        url=document.url,
        images=document.images,
        links=document.links,
        extra=document.extra,
    )


# Consecutive documents as columns: texts as bytes, and documents created on demand

NO_TIME: Final = -(2**63)  # marks a missing date among microseconds


@dataclass(slots=True)
class NotCompared:
    """What is left out of documents before they are compared."""

    hashes: Uint64s  # uint64 (documents,), hash of all that is left out, 0 for nothing
    halves: dict[int, bytes] = field(default_factory=dict)  # checksum of the half in another language, by document

    def add_to(self, text_hashes: list[bytes]) -> list[bytes]:
        """Add it to checksums: two texts are equal as given if these are equal, too."""
        for number in self.hashes.nonzero()[0].tolist():
            if text_hashes[number]:
                text_hashes[number] += self.hashes[number].tobytes() + self.halves.get(number, b"")
        return text_hashes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DocumentBlock(Sequence[Document]):
    """Consecutive documents; as a sequence it makes each when it is asked for."""

    ids: Sequence[str]  # as ``Document.id``
    languages: Sequence[str | None]  # as ``Document.lang``
    sources: Sequence[str | None]  # as ``Document.source``
    urls: Sequence[str | None]  # as ``Document.url``
    times: Ints  # int64 (documents,), ``Document.time`` in microseconds since 1970, or ``NO_TIME``
    # uint8, ``full_text`` of each document in UTF-8, without surrogates, followed by 66 more readable bytes
    data: Uint8s
    offsets: Ints  # int64 (documents + 1,), bounds of the documents in ``data``
    # int64 (documents,), end of each title in ``data``; a title begins where its document begins
    titles: Ints
    bodies: Ints  # int64 (documents,), start of each text in ``data``
    characters: Ints  # int64 (documents, 2), length of each title and each text in characters
    without_text: Callable[[int], Document]  # creates document i with an empty ``text``
    not_compared: NotCompared | None = None  # what was left out of the texts; `None` if they are as given
    openings: Ints | None = None  # `openings_of` the documents, if they were read
    given: Sequence[str] | None = None  # text of each document, if its string is in memory anyway
    # return, of document i: itself if the columns were made of it, which may hold what UTF-8 cannot encode; its record,
    # with a text in JSON that is not written again; and where it was read; `None` for what is not at hand
    whole: Callable[[int], Document | None] = lambda _: None
    record: Callable[[int], dict[str, Any] | None] = lambda _: None
    place: Callable[[int], Any] = lambda _: None

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, number: int) -> Document: ...
    @overload
    def __getitem__(self, number: slice) -> list[Document]: ...
    def __getitem__(self, number: int | slice) -> Document | list[Document]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        return self.whole(number) or filled(self.without_text(number), self.text(number))

    def title(self, number: int) -> str:
        """Title of a document."""
        return self.data[self.offsets[number] : self.titles[number]].tobytes().decode()

    def text(self, number: int) -> str:
        """Text of a document."""
        if self.given:
            return self.given[number]
        return self.data[self.bodies[number] : self.offsets[number + 1]].tobytes().decode()

    def listed_titles(self) -> list[str]:
        """Title of every document."""
        whole, bounds = self.data.data, zip(self.offsets.tolist(), self.titles.tolist(), strict=False)
        return [str(whole[begin:end], "utf-8") for begin, end in bounds]

    def __iter__(self) -> Iterator[Document]:
        """The documents, texts included."""
        return map(self.__getitem__, range(len(self)))

    def part(self, begin: int, end: int) -> DocumentBlock:
        """Some consecutive ones of the documents, as they were given; texts are a view."""
        columns: dict[str, Any] = {name: getattr(self, name)[begin:end] for name in ALIGNED}
        columns |= {name: partial(_later, getattr(self, name), begin) for name in MADE}
        given = self.given and self.given[begin:end]
        return replace(self, offsets=self.offsets[begin : end + 1], given=given, **columns)


ALIGNED: Final = ("ids", "languages", "sources", "urls", "times", "titles", "bodies", "characters")
MADE: Final = ("without_text", "whole", "record", "place")
"""Columns with an entry for each document, and functions of its number."""


def _later(made: Callable[[int], Any], begin: int, number: int) -> Any:
    return made(begin + number)


def single_documents(one: Document | DocumentBlock) -> Iterable[Document]:
    """The documents of a block, or a single one."""
    return (one,) if isinstance(one, Document) else one


# The documents of a whole collection, mostly as columns

_BEGINNING: Final = 160  # bytes
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class DocumentFields(NamedTuple):
    """Fields that are read for whole collections; entry i belongs to document i."""

    ids: list[str]  # as ``Document.id``
    sources: list[str | None]  # as ``Document.source``
    times: list[int | None]  # ``Document.time`` in microseconds since 1970; None without a date
    urls: list[str | None]  # as ``Document.url``


def moment_of(time: int) -> datetime:
    """Convert microseconds since 1970 to a moment.

    Example:
        >>> moment_of(1_500_000).isoformat()
        '1970-01-01T00:00:01.500000+00:00'
    """
    return _START + timedelta(microseconds=time)


def microseconds_of(moment: datetime) -> int:
    """Convert a moment to microseconds since 1970, the inverse of ``moment_of``."""
    return (moment - _START) // _MICROSECOND


class _KeptBlock(NamedTuple):
    """What is kept of a block, as there."""

    ids: Sequence[str]
    sources: Sequence[str | None]
    urls: Sequence[str | None]
    times: Ints
    without_text: Callable[[int], Document]
    beginnings: Sequence[bytes]  # of each text that has no title, if they are kept


class KeptDocuments(Sequence[Document]):
    """Documents without texts, or with the first words of untitled ones; those of blocks are made when asked for."""

    def __init__(self, *, headed: bool = False) -> None:
        self._headed = headed
        self._made: list[Document | None] = []
        self._blocks: list[_KeptBlock] = []
        self._begins: list[int] = []

    def append(self, document: Document) -> None:
        """Add a document."""
        self._made.append(document)

    def extend(self, block: DocumentBlock) -> None:
        """Add the documents of a block, without their texts."""
        self._begins.append(len(self._made))
        own = block.ids, block.sources, block.urls, block.times.copy(), block.without_text
        self._blocks.append(_KeptBlock(*own, _beginnings(block) if self._headed else ()))
        self._made.extend([None] * len(block))

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, number: int) -> Document: ...
    @overload
    def __getitem__(self, number: slice) -> list[Document]: ...
    def __getitem__(self, number: int | slice) -> Document | list[Document]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        made = self._made[number]
        if made is None:
            number = range(len(self))[number]
            which = bisect_right(self._begins, number) - 1
            block, place = self._blocks[which], number - self._begins[which]
            made = block.without_text(place)
            if block.beginnings and block.beginnings[place]:
                words = block.beginnings[place].decode(errors="ignore")
                whole = len(block.beginnings[place]) < _BEGINNING
                made = with_texts(made, "", words if whole else f"{words[: words.rfind(' ')]}…")
            self._made[number] = made
        return made

    def fields(self) -> DocumentFields:
        """Return the fields of all documents, without creating documents."""
        found, done = DocumentFields([], [], [], []), 0
        for begin, block in zip(self._begins, self._blocks, strict=True):
            _add(found, self[done:begin])
            found.ids.extend(block.ids)
            found.sources.extend(block.sources)
            found.times.extend(None if time == NO_TIME else time for time in block.times.tolist())
            found.urls.extend(block.urls)
            done = begin + len(block.ids)
        _add(found, self[done:])
        return found


def _beginnings(block: DocumentBlock) -> list[bytes]:
    """Some 80 letters of the texts without a title; empty for the others."""
    ends = block.offsets[1:].clip(max=block.bodies + _BEGINNING)
    ends[block.titles > block.offsets[:-1]] = 0
    whole = block.data.data
    return [bytes(whole[begin:end]) for begin, end in zip(block.bodies.tolist(), ends.tolist(), strict=True)]


def fields_of(documents: Sequence[Document]) -> DocumentFields:
    """Fields of a collection's documents."""
    if isinstance(documents, KeptDocuments):
        return documents.fields()
    found = DocumentFields([], [], [], [])
    _add(found, documents)
    return found


def _add(found: DocumentFields, documents: Sequence[Document]) -> None:
    found.ids.extend(one.id for one in documents)
    found.sources.extend(one.source for one in documents)
    found.times.extend(None if one.time is None else microseconds_of(one.time) for one in documents)
    found.urls.extend(one.url for one in documents)


# Which outlet a source or an address names


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

_KINDS_OF_OUTLETS: Final = frozenset(
    "t.me/c ok.ru/group ok.ru/profile facebook.com/groups facebook.com/people facebook.com/profile.php youtube.com/c "
    "youtube.com/channel youtube.com/user rutube.ru/channel dzen.ru/id".split()
)
"""Beginnings of paths that say what kind of outlet the next part names."""

_NO_OUTLETS: Final = frozenset(
    "x.com/i facebook.com/permalink.php facebook.com/photo.php facebook.com/photo facebook.com/story.php "
    "facebook.com/reel facebook.com/share facebook.com/watch instagram.com/p instagram.com/reel instagram.com/tv "
    "youtube.com/watch youtube.com/shorts youtube.com/live youtube.com/embed youtube.com/playlist rutube.ru/video "
    "dzen.ru/a dzen.ru/video medium.com/p".split()
)
"""Beginnings of paths that say what is shown, not whose it is."""

_POST: Final = re.compile(r"vk\.com/(?:clip|photo|video|wall)(-?[0-9]+)_[0-9]+")
"""A post of VK, by its owner and its number."""

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
        own = f"{host}/{parts[0].lower()}" if parts else host
        if own in _KINDS_OF_OUTLETS and len(parts) > 1:
            return f"{own}/{parts[1]}"
        return host if own in _NO_OUTLETS else _POST.sub(r"vk.com/wall\1", own)
    return host
