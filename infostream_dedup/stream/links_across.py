"""Earlier documents in other languages that have the same text as a new one.

The rule is that of ``links.between_languages``. A translation can only be found in the past: a link is judged by the
documents that came before the later of its two ends, so the answer for a document never changes, and is the same
however the stream was cut into batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.evidence.contradictions import contradict
from infostream_dedup.judging.evidence.kernels.term_places import SLOTS
from infostream_dedup.links.between_languages import LEAST_SHARE, NEAR_BEST, OneText
from infostream_dedup.links.window.window_index import WindowIndex
from infostream_dedup.model import LANGUAGES
from infostream_dedup.stream.compared_documents import ComparedDocuments
from infostream_dedup.stream.kernels.pivot_sharing import PivotDocuments, PivotScratch, SharedKeys, share_pivot
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.window.window_index import CandidateRows


KEY_TERMS: Final = 30
"""Number of key terms in the pivot language by which documents are compared."""

_LEAST_TERMS: Final = 3
_LEAST_ROOM: Final = 4
_UNIT: Final = 1_000_000_000
"""Shares are compared as integers in units of 1e-9, as they are stored."""

_TOO_SMALL: Final = LEAST_SHARE - 1e-6
"""Below this share in one direction, the other need not be known; the rest is more than any rounding."""


def candidate_needs() -> NDArray[np.int64]:
    """Canonical key terms that must match in one direction, by the number of key terms of the shorter document.

    A third of them, at least three: documents that share 0.4 of the weight of their key terms in both directions share
    more. Int64 (KEY_TERMS + 1,).
    """
    return np.maximum(_LEAST_TERMS, -(-np.arange(KEY_TERMS + 1) // 3)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class LinkAcross:
    """An earlier document in another language with enough matching key terms in both directions.

    Attributes:
        ordinal: the earlier document.
        forward: share, by weight, of the later document's key terms found in the earlier one, in units of 1e-9.
        backward: share of the earlier document's key terms found in the later one.
    """

    ordinal: int
    forward: int
    backward: int

    @property
    def smaller(self) -> int:
        """The smaller of both shares."""
        return min(self.forward, self.backward)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Sort key: greatest smaller share first, then greatest larger share, then earliest document."""
        return -self.smaller, -max(self.forward, self.backward), self.ordinal


@dataclass(frozen=True, slots=True)
class _Doubt:
    """One end of a link has a better partner; the link stays if that partner has the same text.

    Attributes:
        earlier: one partner.
        later: the other.
    """

    earlier: int
    later: int


class _Partner(NamedTuple):
    """The other end of a link; the smallest is the best.

    Attributes:
        share: the smaller share of the link, negated.
        ordinal: ordinal of the document.
    """

    share: int
    ordinal: int


class _Partners:
    """Partners of a document in one language."""

    __slots__ = ("_all", "_best")

    def __init__(self) -> None:
        self._all: list[_Partner] = []
        self._best: _Partner | None = None

    def add(self, partner: _Partner) -> None:
        """Add a partner."""
        self._all.append(partner)
        self._best = partner if self._best is None else min(self._best, partner)

    def best(self, oldest: int) -> _Partner:
        """The best partner that is not older than ``oldest``; there is at least one."""
        if self._best is None or self._best.ordinal < oldest:
            self._all = [one for one in self._all if one.ordinal >= oldest]
            self._best = min(self._all)
        return self._best


@dataclass(frozen=True, slots=True)
class _PastLinks:
    """Links found before a restart: in arrays, since few of them are ever needed again.

    Attributes:
        ordinals: int64 (links,), one document of each link, ascending; each link occurs twice.
        partners: int64 (links, 2), the other document, and the smaller share.
    """

    ordinals: NDArray[np.int64]
    partners: NDArray[np.int64]

    @classmethod
    def of(cls, links: NDArray[np.int64]) -> _PastLinks:
        """Arrange links, int64 (links, 3): later document, earlier document, smaller share."""
        both = np.concatenate([links, links[:, [1, 0, 2]]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        return cls(np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1:]))

    def of_document(self, ordinal: int) -> list[tuple[int, int]]:
        """The partners of a document, and the smaller shares."""
        begin, end = np.searchsorted(self.ordinals, (ordinal, ordinal + 1)).tolist()
        return [(other, share) for other, share in self.partners[begin:end].tolist()]

    def from_document(self, oldest: int) -> _PastLinks:
        """The links still needed when the window begins with ``oldest``; most links are kept a while longer."""
        begin = int(np.searchsorted(self.ordinals, oldest))
        if 2 * begin <= len(self.ordinals):
            return self
        return _PastLinks(self.ordinals[begin:].copy(), self.partners[begin:].copy())


class LinksAcross:
    """Finds and keeps the links of the window's documents.

    Documents are added in two steps: first ``find`` for a whole batch, which uses only key terms; then ``kept`` in the
    order of the stream.

    Args:
        window: the documents, with the columns of the pivot language.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        # Documents of one language are never compared here, and most documents that share terms have one language.
        self._indexes = [WindowIndex() for _ in LANGUAGES]
        self._needs = candidate_needs()
        self._links: dict[int, dict[int, _Partners]] = {}
        self._past = _PastLinks.of(np.zeros((0, 3), dtype=np.int64))
        self._known = window.first

    def find(self, first: int, oldest: NDArray[np.int64]) -> list[list[LinkAcross]]:
        """Look up earlier documents for each of the documents whose columns have been added.

        Args:
            oldest: int64 (documents,), first ordinal in the window when each of them arrives.
        """
        columns, row = self._window.pivot_columns, first - self._window.first
        keys, targets = (rows.rows_from(row, row + len(oldest)) for rows in (columns.keys, columns.matched_by))
        languages = self._window.evidence_columns.languages[row : row + len(oldest)]
        links: list[list[LinkAcross]] = [[] for _ in range(len(oldest))]
        for language, index in enumerate(self._indexes):
            enters = languages == language
            if not len(index) and not enters.any():
                continue
            found = index.ask_and_extend(
                np.arange(first, first + len(oldest)),
                keys=keys,
                targets=targets,
                oldest=oldest,
                needs=self._needs,
                least_keys=_LEAST_TERMS,
                enters=enters,
            )
            for candidates in found:
                self._link(candidates, first, links)
        for own in links:
            own.sort(key=lambda one: one.ordinal)
        return links

    def kept(
        self, first: int, links: Sequence[Sequence[LinkAcross]], oldest: Sequence[int], one_text: OneText
    ) -> list[list[LinkAcross]]:
        """The links that the rule keeps, the best of each document first.

        Args:
            one_text: tells which pairs have the same text; called at most once.
        """
        doubts: list[list[list[_Doubt]]] = []
        for ordinal, (own, alive) in enumerate(zip(links, oldest, strict=True), start=first):
            self._forget_before(alive)
            self.take(ordinal, [(one.ordinal, one.smaller) for one in own])
            doubts.append(self._doubts(ordinal, own, alive) if own else [])
        asked = sorted({(one.earlier, one.later) for own in doubts for link in own for one in link})
        pairs = np.array(asked, dtype=np.int64).reshape(-1, 2)
        same = dict(zip(asked, one_text(pairs[:, 0], pairs[:, 1]).tolist(), strict=True)) if asked else {}
        return [
            sorted(
                (
                    one
                    for one, doubtful in zip(own, of_links, strict=True)
                    if all(same[doubt.earlier, doubt.later] for doubt in doubtful)
                ),
                key=lambda one: one.rank,
            )
            for own, of_links in zip(links, doubts, strict=True)
        ]

    def take(self, ordinal: int, links: Sequence[tuple[int, int]]) -> None:
        """Remember the links of a document with earlier ones in the window: ordinal and smaller share."""
        for other, share in links:
            for one, partner in ((ordinal, other), (other, ordinal)):
                by_language = self._links.setdefault(one, {})
                by_language.setdefault(self._language(partner), _Partners()).add(_Partner(-share, partner))

    def resume(self, first: int, links: Ragged) -> None:
        """Index documents whose columns have been added and that were judged earlier or by another process."""
        window, columns = self._window, self._window.pivot_columns
        begin, end = max(first, window.oldest) - window.first, window.end - window.first
        for language, index in enumerate(self._indexes):
            index.expire_before(window.oldest)
            rows = begin + np.flatnonzero(window.evidence_columns.languages[begin:end] == language)
            keys, targets = columns.keys.gathered(rows), columns.matched_by.gathered(rows)
            index.extend(window.first + rows, keys=keys, targets=targets)
        pairs = links.values.reshape(-1, 2)
        later = first + np.repeat(np.arange(len(links), dtype=np.int64), links.sizes // 2)
        if not self._links and not len(self._past.ordinals):
            self._past = _PastLinks.of(np.column_stack([later, pairs]))
        else:
            for ordinal, (other, share) in zip(later.tolist(), pairs.tolist(), strict=True):
                if other >= window.oldest:
                    self.take(ordinal, [(other, share)])
        self._forget_before(window.oldest)

    def _link(self, candidates: CandidateRows, first: int, links: list[list[LinkAcross]]) -> None:
        window = self._window
        later = np.repeat(np.arange(len(candidates), dtype=np.int64) + candidates.first, np.diff(candidates.ends))
        earlier = candidates.ordinals - window.first
        b = later + (first - window.first)
        counts, met, own = _shared(b, earlier, window.pivot_columns.documents)
        shares = np.rint(met / np.maximum(own, 1) * _UNIT).astype(np.int64)
        strong = (counts >= _LEAST_TERMS) & (shares >= round(LEAST_SHARE * _UNIT))
        chosen = np.flatnonzero(strong[:, 0] & strong[:, 1])
        chosen = chosen[~self._contradict(earlier[chosen], b[chosen], shares[chosen])]
        for place in chosen.tolist():
            number, row = int(later[place]), int(earlier[place])
            if not self._same_text(row, number + first - window.first):
                forward, backward = shares[place].tolist()
                links[number].append(LinkAcross(row + window.first, forward, backward))

    def _contradict(
        self, earlier: NDArray[np.int64], later: NDArray[np.int64], shares: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether evidence rules out that the documents in these rows are translations: bool (pairs,)."""
        if not len(earlier):
            return np.zeros(0, dtype=np.bool_)
        rows, numbers = np.unique(np.concatenate([earlier, later]), return_inverse=True)
        documents = ComparedDocuments.of_window(self._window, rows)
        a, b = numbers[: len(earlier)].astype(np.int64), numbers[len(earlier) :].astype(np.int64)
        return contradict(a, b, shares / _UNIT, documents.keys, documents.records)

    def _same_text(self, row: int, other: int) -> bool:
        """Whether two texts are equal, though given or detected as different languages: such documents are copies."""
        hashes = self._window.hashes
        return bool(hashes[row][0]) and hashes[row][0] == hashes[other][0]

    def _doubts(self, ordinal: int, links: Sequence[LinkAcross], oldest: int) -> list[list[_Doubt]]:
        """For each link, the better partners of either end; the link stays only if all of them have the same text."""
        language, theirs = self._language(ordinal), [self._language(one.ordinal) for one in links]
        mine: dict[int, _Partner] = {}
        for link, spoken in zip(links, theirs, strict=True):
            partner = _Partner(-link.smaller, link.ordinal)
            mine[spoken] = min(partner, mine.get(spoken, partner))
        found: list[list[_Doubt]] = []
        for link, spoken in zip(links, theirs, strict=True):
            best = self._best(link.ordinal, language, oldest)
            found.append(
                [
                    _Doubt(min(end, better.ordinal), max(end, better.ordinal))
                    for end, better in ((link.ordinal, mine[spoken]), (ordinal, best))
                    if link.smaller < round(NEAR_BEST * -better.share)
                ]
            )
        return found

    def _best(self, ordinal: int, language: int, oldest: int) -> _Partner:
        """The best partner of a document in a language, within the window; there is at least one."""
        found = self._links[ordinal][language].best(oldest)
        for other, share in self._past.of_document(ordinal):
            if other >= oldest and self._language(other) == language:
                found = min(found, _Partner(-share, other))
        return found

    def _language(self, ordinal: int) -> int:
        language: int = self._window.evidence_columns.languages.item(ordinal - self._window.first)
        return language

    def _forget_before(self, oldest: int) -> None:
        """Forget the links of documents that have left the window."""
        if oldest <= self._known:
            return
        for gone in range(self._known, oldest):
            self._links.pop(gone, None)
        self._known = oldest
        self._past = self._past.from_document(oldest)


def _shared(held: NDArray[np.int64], asking: NDArray[np.int64], documents: PivotDocuments) -> SharedKeys:
    """Key terms that match in both directions; none of the held document if too few of the asking one's match.

    Args:
        held: int64 (pairs,), rows; equal ones are adjacent.
        asking: int64 (pairs,), rows.
    """
    shared = SharedKeys(*np.zeros((3, len(held), 2), dtype=np.int64))
    if len(held):
        rows = np.concatenate([held, asking])
        members, matched_by = (
            max(_LEAST_ROOM, int((begins[rows + 1] - begins[rows]).max()))
            for begins in (documents.member_begins, documents.matched_begins)
        )
        scratch = PivotScratch(
            np.zeros(SLOTS * members, dtype=np.int32),
            np.zeros(SLOTS * matched_by, dtype=np.int32),
            np.zeros(max(members, matched_by) + 1, dtype=np.int64),
        )
        share_pivot(held, asking, documents, scratch, _TOO_SMALL, shared)
    return shared
