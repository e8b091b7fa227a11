"""A collection read once: what later steps need of every document, without its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from infostream_dedup.model import Document, Language, full_text
from infostream_dedup.terms.surfaces import SurfaceCounter, SurfaceCounts
from infostream_dedup.text.fingerprint import text_hash
from infostream_dedup.text.language import detect

__all__ = ["Collection", "Progress", "collect"]

Progress = Callable[[str, int, int | None], None]
"""Told the name of a step, how much of it is done, and how much there is (``None``: not known)."""


@dataclass(frozen=True, slots=True)
class Collection:
    """All documents of a collection, in input order.

    Attributes:
        documents: as read, with ``text`` left empty.
        languages: language of each document, given or detected.
        surfaces: counts of surfaces.
        text_hashes: checksum of each body, ``b""`` for an empty one.
        text_lengths: characters of each body.
    """

    documents: list[Document]
    languages: list[Language]
    surfaces: SurfaceCounts
    text_hashes: list[bytes]
    text_lengths: list[int]

    def __len__(self) -> int:
        return len(self.documents)


def collect(documents: Iterable[Document], progress: Progress | None = None) -> Collection:
    """Read a collection through, keeping counts and leaving texts behind."""
    kept: list[Document] = []
    languages: list[Language] = []
    hashes: list[bytes] = []
    lengths: list[int] = []
    counter = SurfaceCounter()
    for document in documents:
        text = full_text(document)
        language = document.lang or detect(text)
        counter.add(text, language)
        kept.append(replace(document, text=""))
        languages.append(language)
        hashes.append(text_hash(document.text))
        lengths.append(len(document.text))
        if progress is not None and len(kept) % 500 == 0:
            progress("reading", len(kept), None)
    if progress is not None:
        progress("reading", len(kept), len(kept))
    return Collection(kept, languages, counter.finish(), hashes, lengths)
