"""A collection read once, with what later steps need from every document but without the texts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, Protocol

import numpy as np

from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.repeated.equality import equality_hashes
from infostream_dedup.judging.repeated.lines import fragments_of, openings_of
from infostream_dedup.language.text.surface_pool import Utf8Texts, block_of
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import LANGUAGES, Document, DocumentBlock, KeptDocuments, Language, Settings
from infostream_dedup.terms import compiled
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.statistics import TermCounts, above_df_max, kept_despite_repeats

_AHEAD: Final = 6  # blocks that may wait to be hashed
_CHUNK: Final = 1 << 20  # characters of a block, as many as the compiled reader of texts scans at a time


def in_blocks(documents: Iterable[Document | DocumentBlock], *, chunk: int = _CHUNK) -> Iterator[DocumentBlock]:
    """Yield the same documents in the same order, consecutive single ones as blocks."""
    waiting: list[Document] = []
    characters = 0
    for one in chain(documents, (None,)):
        if isinstance(one, Document):
            waiting.append(one)
            characters += len(one.title) + len(one.text)
        if waiting and (characters >= chunk or not isinstance(one, Document)):
            yield block_of(waiting, without_texts=True)
            waiting, characters = [], 0
        if isinstance(one, DocumentBlock):
            yield one


_REPORTED_EVERY: Final = 500  # documents after which progress is reported

Repeats = Callable[[], "Bools"]  # finds the documents that repeat earlier ones: bool (documents,)


class Weighable(Protocol):
    """Documents that can provide key terms, whatever their origin."""

    @property
    def documents(self) -> Sequence[Document]:
        """Documents in input order; ``text`` may be empty."""

    @property
    def languages(self) -> list[Language]:
        """Language of each document."""

    def __len__(self) -> int: ...

    def key_terms(self, settings: Settings) -> KeyTerms:
        """Key terms of every document, and the terms in which they are looked up."""

    def key_terms_of(self, settings: Settings, documents: Ints, all_terms: KeyTerms, /) -> KeyTerms:
        """Key terms of some documents, the same as in ``key_terms``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """All documents of a collection, in input order."""

    documents: Sequence[Document]  # as read, with `text` left empty, or its first words where there is no title
    languages: list[Language]  # language of each document, given or detected
    surfaces: compiled.SurfaceTokens  # surfaces of each document; forgotten after `only`
    text_hashes: list[bytes]  # `equality_hash` of each document; no entries if they were not requested
    text_lengths: array[int]  # int64, characters of each body
    openings: Ints | None = None  # `openings_of` the documents; `None` if hashes were not requested
    _counted: dict[tuple[str, str], TermCounts] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.documents)

    def key_terms(self, settings: Settings) -> KeyTerms:
        """Key terms by the collection's own statistics; those of one representation in a row are counted once."""
        return compiled.key_terms_of_surfaces(self.surfaces, settings, counts=self._counts(settings))

    def key_terms_of(self, settings: Settings, documents: Ints, all_terms: KeyTerms, /) -> KeyTerms:
        """As ``Weighable.key_terms_of``; without translation, the terms of other documents are not weighed."""
        if all_terms.pivot is not None:
            return self.key_terms(settings).of(documents)
        counts = all_terms.counts.of(documents)
        return compiled.key_terms_of_surfaces(
            self.surfaces, settings, counts=counts, statistics=lambda _: all_terms.statistics
        )

    def key_terms_despite_repeats(self, settings: Settings, repeats: Repeats) -> KeyTerms:
        """As ``key_terms``, with terms above ``df_max`` that only repeats make so frequent, as in a stream."""
        terms = self.key_terms(settings)
        if not any(above_df_max(one.counted, settings).any() for one in terms.statistics):
            return terms
        known = compiled.statistics_of_distinct(terms.counts, terms.statistics, settings, repeats())
        again = [(one.counted, one.distinct) for one in known if one.distinct is not None]
        if not any(kept_despite_repeats(counted, settings, distinct).any() for counted, distinct in again):
            return terms
        counts = self._counts(settings)
        return compiled.key_terms_of_surfaces(self.surfaces, settings, counts=counts, statistics=lambda _: known)

    def only(self, settings: Settings) -> Collection:
        """Return the same documents with the counts of one representation, but without their words."""
        # Frees the words while counting terms, to halve peak memory. Consumes this collection.
        self._counted.clear()
        # Translation sums the counts of terms.
        counts = compiled.count_terms(self.surfaces, settings, consume=settings.representation != "pivot")
        self.surfaces.forget()
        return replace(self, _counted={(settings.representation, settings.morph): counts})

    def _counts(self, settings: Settings) -> TermCounts:
        wanted = (settings.representation, settings.morph)
        if wanted not in self._counted:
            self._counted.clear()
            self._counted[wanted] = compiled.count_terms(self.surfaces, settings)
        return self._counted[wanted]


def collect(
    documents: Iterable[Document | DocumentBlock],
    *,
    hashes: bool = True,
    headed: bool = False,
    evidence: EvidenceReader | None = None,
    progress: Progress | None = None,
) -> Collection:
    """Read a collection once, keeping numbers and dropping texts."""
    reader = CollectionReader(hashes=hashes, headed=headed, evidence=evidence, progress=progress)
    for one in in_blocks(documents):
        reader.take(one)
    return reader.finish()


class CollectionReader:
    """Takes documents, and keeps numbers of them, not their texts.

    ``hashes``: texts that are equal are to be found; ``headed``: documents without titles keep their first words.
    """

    def __init__(
        self, *, hashes: bool, headed: bool, evidence: EvidenceReader | None, progress: Progress | None = None
    ) -> None:
        self._kept, self._lengths = KeptDocuments(headed=headed), array("q")
        self._reader, self._hashed = compiled.SurfaceCounter(), hashes
        self._hashes, self._beside = list[Future[tuple[list[bytes], Ints]]](), ThreadPoolExecutor(1)
        self._evidence, self._progress, self._announced = evidence, progress, 0

    def take(self, one: DocumentBlock) -> None:
        """Add the next documents."""
        if self._evidence is not None:
            self._evidence.take(one)
        self._reader.add_texts(Utf8Texts(one.offsets, one.data), one.languages)
        self._kept.extend(one)
        self._lengths.extend(one.characters[:, 1].tolist())
        if self._hashed:
            self._hashes.append(self._beside.submit(hashes_of_block, one))
            self._hashes[-_AHEAD:][0].result()
        if self._progress is not None and len(self._kept) - self._announced >= _REPORTED_EVERY:
            self._announced = len(self._kept) // _REPORTED_EVERY * _REPORTED_EVERY
            self._progress("reading", self._announced, None)

    def finish(self) -> Collection:
        """Return the collection; the reader must not be used again."""
        hashes, openings = zip(*(one.result() for one in self._hashes), strict=True) if self._hashes else ((), ())
        self._beside.shutdown()
        surfaces = self._reader.finish()
        if self._progress is not None:
            self._progress("reading", len(self._kept), len(self._kept))
        return Collection(
            documents=self._kept,
            languages=[LANGUAGES[number] for number in surfaces.languages.tolist()],
            surfaces=surfaces,
            text_hashes=list(chain.from_iterable(hashes)),
            text_lengths=self._lengths,
            openings=np.concatenate([np.zeros(0, dtype=np.int64), *openings]) if self._hashed else None,
        )


def hashes_of_block(block: DocumentBlock) -> tuple[list[bytes], Ints]:
    """Return ``equality_hashes`` and ``openings_of`` the documents of a block."""
    if block.openings is not None:
        return equality_hashes(block), block.openings
    rows = fragments_of(Utf8Texts(block.offsets, block.data), only_first=True)
    return equality_hashes(block), openings_of(rows, block.sources, block.times)
