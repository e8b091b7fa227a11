"""Pairs of a story that fills a stream: each is judged once, however often its texts are repeated."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.facts import CIRCUMSTANCES, DocumentFacts, circumstances
from infostream_dedup.stream.equal_evidence import EqualEvidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.stream.window import Window


MANY_CANDIDATES: Final = 100
"""Mean number of candidates per document above which their evidence is kept and compared by number."""

_ALL_DIFFERENT: Final = 0.5
"""Share of distinct texts among candidates above which hardly any pair repeats another."""

_GATHERED_AGAIN: Final = 200
"""Candidates per document above which gathering their evidence each time costs more than keeping it."""

_MOST_EVIDENCE: Final = 256 << 20
_MOST_KNOWN: Final = 32 << 20
"""Maximum memory for kept evidence, and for remembered pairs, in bytes."""

_UNUSED: Final = 1000
"""Evidence is forgotten after this number of documents if none of them had many candidates."""

_NOWHERE: Final = -1


def worth_keeping(earlier: NDArray[np.int64], recent: NDArray[np.bool_], documents: int, window: Window) -> bool:
    """Whether it pays to number the evidence of many candidates and keep it; results are the same either way.

    It pays if texts repeat each other, or if few documents have many candidates that are not recent: keeping evidence
    needs the wording of every candidate, whereas judging the pairs directly needs only that of the few that pass the
    filter.

    Args:
        earlier: int64 (pairs,), ordinals of the candidates, repeated or not.
        recent: bool (pairs,), whether their evidence is kept anyway.
    """
    met = np.zeros((2, window.end - window.first), dtype=np.bool_)
    met[recent.astype(np.int64), earlier - window.first] = True
    if np.count_nonzero(met[0]) > _GATHERED_AGAIN * documents:
        return True
    rows = np.flatnonzero(met.any(axis=0)).tolist()
    return len({window.hashes[row][0] for row in rows}) < _ALL_DIFFERENT * len(rows)


class ToJudge(NamedTuple):
    """Pairs that must be judged, and the judged pair that decides each of all pairs.

    Attributes:
        places: int64, indexes of these pairs among all pairs, ascending.
        a: int64, evidence number of the earlier document of each.
        b: int64, evidence number of the later document.
        facts: facts of the earlier and of the later documents.
    """

    places: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    facts: tuple[DocumentFacts, DocumentFacts]


@dataclass(slots=True)
class _Known:
    """For one text as the later document in given circumstances: evidence numbers it was compared with, and repeats.

    Attributes:
        asked: uint8, bits by number.
        repeats: uint8, bits by number.
    """

    asked: NDArray[np.uint8]
    repeats: NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        return self.asked.nbytes + self.repeats.nbytes


class _Part(NamedTuple):
    """Pairs of one later document in the same circumstances.

    Attributes:
        pairs: int64, their indexes among all pairs.
        key: key under which they are remembered.
    """

    pairs: NDArray[np.int64]
    key: tuple[int, int]


class StoryPairs:
    """Chooses the pairs that must be judged. The others are judged like one of them, or only count as repeats.

    Pairs with equal evidence in equal circumstances have the same kind, probability and shares, so only the first is
    judged: among equals, the earliest wins. If a document's text is in the window already, its status comes from an
    equal text. Of its other pairs only one thing matters, whether they are repeats, and the earlier document with that
    text already tells.

    Args:
        evidence: numbers of the window's documents.
        since: ordinal of the first document to be judged.
    """

    def __init__(self, evidence: EqualEvidence, since: int) -> None:
        self.evidence = evidence
        self._known: OrderedDict[tuple[int, int], _Known] = OrderedDict()
        self._known_bytes = 0
        self._used = since
        self._a = np.zeros(0, dtype=np.int64)
        self._parts: list[_Part] = []

    def outdated(self, ordinal: int) -> bool:
        """Whether everything remembered should be forgotten; ``ordinal`` is that of the current document."""
        return ordinal - self._used > _UNUSED or self.evidence.nbytes > _MOST_EVIDENCE

    def choose(
        self,
        earlier: NDArray[np.int64],
        later: NDArray[np.int64],
        facts: tuple[DocumentFacts, DocumentFacts],
    ) -> ToJudge:
        """Choose the pairs that must be judged.

        Args:
            earlier: int64 (pairs,), ordinals, ascending for each later document.
            later: int64 (pairs,), ordinals, ascending.
        """
        self._used = int(later[-1])
        own, begins = np.unique(later, return_index=True)
        numbers_b = self.evidence.numbers(own)
        self._a = a = self.evidence.numbers(earlier)
        around = circumstances(*facts)
        texts, own_texts = self.evidence.texts(a), self.evidence.texts(numbers_b)
        self._parts, chosen = [], []
        ends = [*begins.tolist()[1:], len(later)]
        for number, text, begin, end in zip(numbers_b.tolist(), own_texts.tolist(), begins.tolist(), ends, strict=True):
            equal = texts[begin:end] == text if text >= 0 else np.zeros(end - begin, dtype=np.bool_)
            for around_one in np.flatnonzero(np.bincount(around[begin:end], minlength=CIRCUMSTANCES)).tolist():
                pairs = begin + np.flatnonzero(around[begin:end] == around_one)
                part = _Part(pairs, (number, around_one))
                self._parts.append(part)
                chosen.append(self._firsts(part, equal[pairs - begin], known=bool(equal.any())))
        places = np.concatenate(chosen)
        places.sort()
        b = np.repeat(numbers_b, np.diff([*begins.tolist(), len(later)]))[places]
        a = a[places]
        one, other = (facts[0].at(places), facts[1].at(places))
        return ToJudge(
            places, a, b, (_with_texts(one, self.evidence.texts(a)), _with_texts(other, self.evidence.texts(b)))
        )

    def _firsts(self, part: _Part, equal: NDArray[np.bool_], *, known: bool) -> NDArray[np.int64]:
        """The first pair of each evidence number, without pairs of other texts that were judged before."""
        numbers, count = self._a[part.pairs], len(self.evidence)
        first = np.full(count, _NOWHERE, dtype=np.int64)
        first[numbers[::-1]] = part.pairs[::-1]
        if known and part.key in self._known:
            asked = _bits(self._known[part.key].asked, count)
            asked[numbers[equal]] = False
            first[asked] = _NOWHERE
        found: NDArray[np.int64] = first[first != _NOWHERE]
        return found

    def repeats(self, judged: ToJudge, repeats: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of all pairs are repeats, given which of the judged pairs are: bool (pairs,)."""
        count, found = len(self.evidence), np.zeros(len(self._a), dtype=np.bool_)
        was_judged = np.zeros(len(self._a), dtype=np.bool_)
        was_judged[judged.places] = True
        found[judged.places] = repeats
        for pairs, key in self._parts:
            known = self._known.pop(key, None)
            asked = np.zeros(count, dtype=np.bool_) if known is None else _bits(known.asked, count)
            positive = np.zeros(count, dtype=np.bool_) if known is None else _bits(known.repeats, count)
            own = pairs[was_judged[pairs]]
            asked[self._a[own]] = True
            positive[self._a[own]] = found[own]
            found[pairs] = positive[self._a[pairs]]
            self._remember(key, known, _Known(np.packbits(asked), np.packbits(positive)))
        return found

    def _remember(self, key: tuple[int, int], before: _Known | None, now: _Known) -> None:
        self._known[key] = now
        self._known_bytes += now.nbytes - (0 if before is None else before.nbytes)
        while self._known_bytes > _MOST_KNOWN:
            self._known_bytes -= self._known.popitem(last=False)[1].nbytes


def _bits(packed: NDArray[np.uint8], count: int) -> NDArray[np.bool_]:
    bits = np.zeros(count, dtype=np.bool_)
    held = np.unpackbits(packed)[:count]
    bits[: len(held)] = held
    return bits


def _with_texts(facts: DocumentFacts, texts: NDArray[np.int64]) -> DocumentFacts:
    return DocumentFacts(facts.sources, facts.times, texts, facts.addresses)
