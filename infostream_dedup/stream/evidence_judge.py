"""Judges by evidence the candidates that key terms have found: preset ``judged`` in a stream."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.facts import CIRCUMSTANCES, DocumentFacts, circumstances, told_anew
from infostream_dedup.judging.evidence.judging import (
    DocumentStatus,
    JudgedCandidates,
    TripleSource,
    best_pairs,
    crowded,
    deciding_pairs,
    judge_pairs,
    passes_filter,
    tell_one_story,
    yield_to_differing,
)
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel
from infostream_dedup.judging.evidence.policies import Policy
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.links.pair_rules import need, relation_of
from infostream_dedup.model.constants import CANDIDATE_TERMS, SHOWN_DECIMALS
from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.decisions import NO_ORDINALS, BestCandidate
from infostream_dedup.stream.kernels.judging import NO_SOURCE
from infostream_dedup.stream.recent_documents import EqualEvidence, RecentDocuments, WordingSource
from infostream_dedup.stream.window import ComparedDocuments, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
    from infostream_dedup.judging.evidence.records import EvidenceRecords
    from infostream_dedup.links.window.window_index import CandidateRows
    from infostream_dedup.model.stream_records import Remembered
    from infostream_dedup.stream.settings import StreamSettings


# Pairs of a story that fills a stream: each is judged once, however often its texts are repeated

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
    """
    met = np.zeros((2, window.end - window.first), dtype=np.bool_)
    met[recent.astype(np.int64), earlier - window.first] = True
    if np.count_nonzero(met[0]) > _GATHERED_AGAIN * documents:
        return True
    rows = np.flatnonzero(met.any(axis=0)).tolist()
    return len({window.hashes[row][0] for row in rows}) < _ALL_DIFFERENT * len(rows)


class ToJudge(NamedTuple):
    """Pairs that must be judged, and the judged pair that decides each of all pairs."""

    places: NDArray[np.int64]  # int64, indexes of these pairs among all pairs, ascending
    a: NDArray[np.int64]  # int64, evidence number of the earlier document of each
    b: NDArray[np.int64]  # int64, evidence number of the later document
    facts: tuple[DocumentFacts, DocumentFacts]  # facts of the earlier and of the later documents


@dataclass(slots=True)
class _Known:
    """For one text as the later document in given circumstances: evidence numbers it was compared with, and repeats."""

    asked: NDArray[np.uint8]  # uint8, bits by number
    repeats: NDArray[np.uint8]  # uint8, bits by number

    @property
    def nbytes(self) -> int:
        return self.asked.nbytes + self.repeats.nbytes


class _Part(NamedTuple):
    """Pairs of one later document in the same circumstances."""

    pairs: NDArray[np.int64]  # int64, their indexes among all pairs
    key: tuple[int, int]  # key under which they are remembered


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
        self, earlier: NDArray[np.int64], later: NDArray[np.int64], facts: tuple[DocumentFacts, DocumentFacts]
    ) -> ToJudge:
        """Choose the pairs that must be judged.

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
            equal = (texts[begin:end] == text) & (text >= 0)
            if equal.any():
                # A text told anew takes no status from an equal one.
                some = begin + np.flatnonzero(equal)
                pair = [_with_texts(facts[side].at(some), own[some]) for side, own in ((0, texts), (1, texts))]
                equal[some - begin] &= ~told_anew(
                    a[some], np.full(len(some), number), (pair[0], pair[1]), self.evidence.records
                )
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


# Leaves out candidates that certainly decide nothing


@dataclass(frozen=True, slots=True)
class Undecided:
    """Pairs that may give a document its status, as far as a screen can tell; verdicts are the same without it."""

    places: NDArray[np.int64]  # int64, their indexes among all pairs, ascending
    bounds: NDArray[np.float64]  # float64, what `Screen.bounds` returned for each of them
    screen: Screen  # the screen

    @classmethod
    def among(cls, a: NDArray[np.int64], b: NDArray[np.int64], screen: Screen, texts: NDArray[np.int64]) -> Undecided:
        """Look at pairs; arguments as in ``Screen.bounds``."""
        bounds = screen.bounds(a, b, texts)
        places = np.flatnonzero(bounds > -np.inf)
        return cls(places, bounds[places], screen)

    def may_decide(self, shares: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of them still may, given the shares of their key terms; argument as in ``Screen.may_decide``."""
        return self.screen.may_decide(self.bounds, shares)


_LEAST_TERMS: Final = 3
"""A document with fewer key terms is linked only to equal texts."""

_SPARSE: Final = 20
"""Ratio of the range of ordinals to their number above which sorting is faster than marking."""

_MANY_PAIRS: Final = 4
"""Pairs per older document from which preparing it for a screen, with its triples, takes less time than it saves."""


def verdict_probability(probability: float) -> float:
    """Round a probability as verdicts show it."""
    return round(probability, SHOWN_DECIMALS)


class _Asked(NamedTuple):
    """Candidates to be judged, in the order of the later documents."""

    finds: NDArray[np.int64]  # int64 (pairs,), index of the pair among the candidates found
    later: NDArray[np.int64]  # int64 (pairs,), ordinal of the later document
    earlier: NDArray[np.int64]  # int64 (pairs,), ordinal of the earlier document

    def at(self, places: NDArray[Any]) -> _Asked:
        """Some of the pairs."""
        return _Asked(*(column[places] for column in self))


class _Judged(NamedTuple):
    """What was found about pairs."""

    status: NDArray[np.int8]  # int8 (pairs,), `DocumentStatus`
    kinds: NDArray[np.int8]  # int8 (pairs,), `Kind`
    probability: NDArray[np.float64]  # float64 (pairs,)
    shares: NDArray[np.float64]  # float64 (pairs, 2), not rounded
    differing: NDArray[np.object_]  # `WordDifference` or `None`
    wording: NDArray[np.float64]  # float64 (pairs,), smaller direction of wording
    forms: NDArray[np.bool_]  # bool (pairs,), whether they may be copies of one form


_NONE_JUDGED: Final = _Judged(
    *(np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.float64), np.zeros((0, 2))),
    np.zeros(0, dtype=np.object_),
    np.zeros(0, dtype=np.float64),
    np.zeros(0, dtype=np.bool_),
)


_ALIKE: Final = 16
"""Latest documents among which a form looks for two others."""


class _Pairs(NamedTuple):
    """Judged candidates."""

    asked: _Asked  # the candidates
    judged: _Judged  # what was found about each


class _Repeated(NamedTuple):
    """Documents that later ones repeat, in the order of the later ones."""

    later: NDArray[np.int64]  # int64 (pairs,), number of the later document among those that ask
    ordinals: NDArray[np.int64]  # int64 (pairs,), the earlier document


class _Crowd(NamedTuple):
    """The candidates of documents that resemble very many."""

    asked: _Asked  # the candidates
    wording: NDArray[np.float64]  # float64 (pairs,), smaller direction of wording; 0 if small
    left_out: NDArray[np.bool_]  # bool (pairs,), not judged

    def repeats(self, judged: _Repeated) -> _Repeated:
        """Add those that have as much wording as one that the document repeats."""
        one, other = (both[0] << 32 | both[1] for both in (self.asked[1:], judged))
        repeated = np.isin(one, other)
        numbers = np.unique(self.asked.later, return_inverse=True)[1]
        least = np.full(len(numbers), np.inf)
        np.minimum.at(least, numbers[repeated], self.wording[repeated])
        more = self.asked.at(self.left_out & (self.wording >= least[numbers]))
        later, earlier = np.concatenate([judged.later, more.later]), np.concatenate([judged.ordinals, more.earlier])
        order = np.lexsort((earlier, later))
        return _Repeated(later[order], earlier[order])


class EvidenceJudge:
    """Finds, for each document, the earlier one that gives it its status.

    Args:
        settings: settings of the stream.
        window: holds the documents that are candidates, with their evidence.
        wording: returns the word triples of stored documents, which do not include the current batch.
        model: the pair model of the stream.

    Attributes:
        needs: int64, hits in either direction that make a candidate.
    """

    def __init__(self, settings: StreamSettings, window: Window, wording: WordingSource, model: PairModel) -> None:
        self._window = window
        self._model = model
        self.use(settings)
        self._recent = RecentDocuments(window, wording, model)
        self._story: StoryPairs | None = None
        self._corrections: list[int] = []
        self.needs = np.full(1, CANDIDATE_TERMS, dtype=np.int64)

    def use(self, settings: StreamSettings) -> None:
        """Judge further documents by other thresholds."""
        self._settings = settings
        by_kind = settings.identical is None
        self._policy = Policy(join=settings.join if by_kind else None, identical=settings.identical)

    def begin_batch(self) -> None:
        """Begin a batch; the triples of older documents now come from the store."""
        self._recent.tidy()
        if self._story is not None and self._story.outdated(self._window.end):
            self._story = None

    def read(self, documents: Sequence[Remembered]) -> None:
        """Take the triples of the next documents of the batch, which are in the window."""
        triples = [b"" if one.evidence is None else one.evidence.triples for one in documents]
        self._recent.add(documents[0].ordinal, triples)

    def equal_text(self, of: int) -> BestCandidate:
        """Return the candidate for a document of equal text or equal opening."""
        copy = KIND_NAMES[Kind.COPY]
        return BestCandidate(
            of=of, duplicate=True, relation="equal", repeated=NO_ORDINALS, probability=1.0, kind=copy, exact=True
        )

    def found(self, candidates: CandidateRows, documents: Sequence[Remembered]) -> list[BestCandidate | None]:
        """Find the document that gives each document its status; arguments as in ``Judge.found``.

        Candidates rank by status (strongest first), then by probability, by the smaller of the two shares of key terms,
        by the larger one (highest first), and by ordinal (earliest first).
        """
        found: list[BestCandidate | None] = [None] * len(documents)
        first = documents[0].ordinal
        self._corrections = [one.ordinal - self._window.first for one in documents if one.version > 0]
        (asked, judged), repeats = self._judged(candidates, first)
        # The strongest status wins, so pairs without a status matter only if a document has no others.
        decided = np.flatnonzero(judged.status > DocumentStatus.NEW)
        if not len(decided):
            return found
        repeated_ends = np.searchsorted(repeats.later, first + np.arange(len(documents) + 1)).tolist()
        repeated = repeats.ordinals
        best = best_pairs(
            asked.earlier[decided],
            asked.later[decided],
            judged.status[decided],
            judged.probability[decided],
            np.round(judged.shares[decided], DECIMALS),
        )
        told, told_ends = self._told(asked, judged, decided, first, len(documents))
        for place in decided[best].tolist():
            number, status = int(asked.later[place]) - first, int(judged.status[place])
            found[number] = BestCandidate(
                of=int(asked.earlier[place]),
                duplicate=status >= DocumentStatus.DUPLICATE,
                relation=self._relation(candidates, int(asked.finds[place]), documents[number]),
                repeated=repeated[repeated_ends[number] : repeated_ends[number + 1]],
                told=told[told_ends[number] : told_ends[number + 1]],
                probability=verdict_probability(float(judged.probability[place])),
                kind=KIND_NAMES[seen_from_later(Kind(judged.kinds[place]))],
                exact=status == DocumentStatus.EXACT,
                differing=judged.differing[place],
            )
        return found

    def _told(
        self, asked: _Asked, judged: _Judged, decided: NDArray[np.int64], first: int, documents: int
    ) -> tuple[NDArray[np.int64], list[int]]:
        """Ordinals of earlier documents that report the event of each document, int64, and where those of each end."""
        times = self._window.times
        earlier, later, kinds = asked.earlier[decided], asked.later[decided], judged.kinds[decided]
        apart = np.abs(times[earlier - self._window.first] - times[later - self._window.first])
        tells = np.flatnonzero(tell_one_story(kinds, judged.probability[decided], apart / (DAY / 24)))
        tells = tells[np.lexsort((earlier[tells], later[tells]))]
        ends = np.searchsorted(later[tells], first + np.arange(documents + 1))
        return earlier[tells], ends.tolist()

    def one_text(self, earlier: NDArray[np.int64], later: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether documents of one language have the same text, perhaps reworded: bool (pairs,)."""
        return self._judged_again(earlier, later).one_text

    def _judged_again(self, earlier: NDArray[np.int64], later: NDArray[np.int64]) -> JudgedCandidates:
        rows, numbers = _distinct(np.concatenate([earlier, later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        return judge_pairs(
            numbers[: len(earlier)],
            numbers[len(earlier) :],
            keys=documents.keys,
            records=documents.records,
            triples=lambda asked: self._recent.triples_of(rows[asked]),
            documents=documents.facts,
            model=self._model,
        )

    def _find_forms(self, pairs: _Pairs) -> None:
        """Tell copies of one form: a document and two earlier ones, each two of which are one text filled anew."""
        places = np.flatnonzero(pairs.judged.forms)
        later, firsts = np.unique(pairs.asked.later[places], return_index=True)
        undecided = np.isin(later, pairs.asked.later[places[pairs.judged.kinds[places] != Kind.TEMPLATE]])
        alike = [own[-_ALIKE:] for own, left in zip(np.split(places, firsts)[1:], undecided, strict=True) if left]
        if not alike:
            return
        one, other = np.concatenate([own[np.stack(np.triu_indices(len(own), 1))] for own in alike], axis=1)
        # Copies of one form ask about the same earlier ones.
        codes, place = np.unique(pairs.asked.earlier[one] << 32 | pairs.asked.earlier[other], return_inverse=True)
        both = self._judged_again(codes >> 32, codes & 0xFFFFFFFF).forms[place]
        found = np.unique(np.concatenate([one[both], other[both]]))
        pairs.judged.kinds[found], pairs.judged.differing[found] = Kind.TEMPLATE, None
        pairs.judged.status[found] = DocumentStatus.SIMILAR

    def _judged(self, candidates: CandidateRows, first: int) -> tuple[_Pairs, _Repeated]:
        """Judge the candidates of consecutive documents; ``first`` is the ordinal of the first document."""
        later = np.repeat(np.arange(first, first + len(candidates), dtype=np.int64), np.diff(candidates.ends))
        finds = self._comparable(candidates, later)
        asked, crowd = self._deciding(_Asked(finds, later[finds], candidates.ordinals[finds]))
        pairs, repeats = self._judged_asked(asked, candidates, first)
        return pairs, repeats if crowd is None else crowd.repeats(repeats)

    def _deciding(self, asked: _Asked) -> tuple[_Asked, _Crowd | None]:
        """Leave out most of the candidates of a document that resembles very many."""
        many = np.flatnonzero(crowded(asked.later))
        if not len(many):
            return asked, None
        rows, numbers = _distinct(np.concatenate([asked.earlier[many], asked.later[many]]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        a, b = numbers[: len(many)], numbers[len(many) :]
        # The triples of older documents are in the store: only those of candidates that may count are read.
        passed = np.flatnonzero(passes_filter(shares_of_pairs(a, b, documents.keys)))
        passed = passed[crowded(b[passed])]
        if not len(passed):
            return asked, None
        near, places = _distinct(np.concatenate([a[passed], b[passed]]))
        documents = ComparedDocuments.of_window(self._window, rows[near] - self._window.first)
        a, b = places[: len(passed)], places[len(passed) :]
        triples, passed = self._recent.triples_of(rows[near]), many[passed]
        wanted = np.ones(len(asked.finds), dtype=np.bool_)
        wanted[passed], wording = deciding_pairs(a, b, documents.keys, documents.records, triples, self._model)
        return asked.at(wanted), _Crowd(asked.at(passed), wording, ~wanted[passed])

    def _judged_asked(self, asked: _Asked, candidates: CandidateRows, first: int) -> tuple[_Pairs, _Repeated]:
        if not len(asked.finds):
            return _Pairs(asked, _NONE_JUDGED), _Repeated(asked.later, asked.earlier)
        recent = asked.earlier >= self._recent.first
        many = len(asked.finds) >= max(1, MANY_CANDIDATES * len(candidates))
        if many and worth_keeping(asked.earlier, recent, len(candidates), self._window):
            return self._judged_as_story(asked, first)
        if recent.all():
            pairs = self._judged_recent(asked)
        else:
            pairs = _in_order(self._judged_older(asked.at(~recent)), self._judged_recent(asked.at(recent)))
        self._find_forms(pairs)
        yield_to_differing(pairs.asked.later - first, pairs.judged.status, pairs.judged.kinds, pairs.judged.wording)
        repeats = pairs.judged.status >= DocumentStatus.DUPLICATE
        return pairs, _Repeated(pairs.asked.later[repeats], pairs.asked.earlier[repeats])

    def _judged_recent(self, asked: _Asked) -> _Pairs:
        """Judge pairs of recent documents."""
        recent = self._recent
        documents, triples = recent.documents, recent.triples
        a, b = asked.earlier - recent.first, asked.later - recent.first
        return self._judged_screened(asked, a, b, documents, triples, recent.screen(documents, triples))

    def _judged_older(self, asked: _Asked) -> _Pairs:
        """Judge pairs whose earlier documents are older."""
        rows, numbers = _distinct(np.concatenate([asked.earlier, asked.later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        a, b = numbers[: len(asked.finds)], numbers[len(asked.finds) :]
        triples: TripleRows | TripleSource = lambda wanted: self._recent.triples_of(rows[wanted])  # noqa: E731
        screen = None
        if len(a) >= _MANY_PAIRS * len(rows):
            triples = self._recent.triples_of(rows)
            screen = Screen.of(documents.keys, documents.records, triples, self._model)
        return self._judged_screened(asked, a, b, documents, triples, screen)

    def _judged_screened(
        self,
        asked: _Asked,
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        documents: ComparedDocuments,
        triples: TripleRows | TripleSource,
        screen: Screen | None,
    ) -> _Pairs:
        """Judge pairs, given by number, that a screen does not leave out."""
        undecided = None
        if screen is not None:
            undecided = Undecided.among(a, b, screen, documents.facts.texts)
            asked, a, b = asked.at(undecided.places), a[undecided.places], b[undecided.places]
            if not len(a):
                return _Pairs(asked, _NONE_JUDGED)
        facts = documents.facts.at(a), documents.facts.at(b)
        judged = self._judge(
            a, b, facts, keys=documents.keys, records=documents.records, triples=triples, undecided=undecided
        )
        return _Pairs(asked, judged)

    def _judged_as_story(self, asked: _Asked, first: int) -> tuple[_Pairs, _Repeated]:
        """Judge candidates many of which are alike: of several like pairs, only one is judged and returned."""
        if self._story is None or self._story.outdated(first):
            self._story = StoryPairs(EqualEvidence(self._window, self._recent.triples_of), first)
        story, evidence = self._story, self._story.evidence
        chosen = story.choose(asked.earlier, asked.later, (self._facts(asked.earlier), self._facts(asked.later)))
        judged = self._judge(
            chosen.a, chosen.b, chosen.facts, keys=evidence.keys, records=evidence.records, triples=evidence.triples
        )
        yield_to_differing(asked.later[chosen.places] - first, judged.status, judged.kinds, judged.wording)
        repeats = story.repeats(chosen, judged.status >= DocumentStatus.DUPLICATE)
        return _Pairs(asked.at(chosen.places), judged), _Repeated(asked.later[repeats], asked.earlier[repeats])

    def _judge(
        self,
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        facts: tuple[DocumentFacts, DocumentFacts],
        *,
        keys: ComparedKeys,
        records: EvidenceRecords,
        triples: TripleRows | TripleSource,
        undecided: Undecided | None = None,
    ) -> _Judged:
        """Judge pairs; arguments as in ``judge_pairs``."""
        earlier, later = facts
        same = (earlier.texts == later.texts) & (earlier.texts >= 0)
        anew = told_anew(a, b, facts, records)
        evidence = shares_of_pairs(a, b, keys)
        # Equal texts are exact whatever a comparison would say, and a text that fills a stream has thousands of them.
        # Pairs that do not pass the filter have no status, and half of the candidates do not.
        status = np.where(same, DocumentStatus.EXACT, DocumentStatus.NEW).astype(np.int8)
        kinds, probability = np.where(same, Kind.COPY, Kind.RELATED).astype(np.int8), same.astype(np.float64)
        status[anew], kinds[anew] = DocumentStatus.SIMILAR, Kind.TEMPLATE
        differing, wording = np.full(len(a), None, dtype=np.object_), same.astype(np.float64)
        forms = np.zeros(len(a), dtype=np.bool_)
        left = ~same & passes_filter(evidence)
        other = np.flatnonzero(left if undecided is None else left & undecided.may_decide(evidence))
        if len(other):
            judged = judge_pairs(
                a[other],
                b[other],
                keys=keys,
                records=records,
                triples=triples,
                documents=(earlier.at(other), later.at(other)),
                model=self._model,
                shares=evidence[other],
                filtered=False,
            )
            status[other], kinds[other] = self._policy.statuses(judged), judged.kinds
            probability[other], differing[other] = judged.probability, judged.differing
            wording[other], forms[other] = judged.facts.wording_least, judged.forms
        return _Judged(status, kinds, probability, evidence[:, :2], differing, wording, forms)

    def _facts(self, ordinals: NDArray[np.int64]) -> DocumentFacts:
        """Facts of documents of the window, except their texts."""
        window, rows = self._window, ordinals - self._window.first
        evidence, texts = window.evidence_columns, np.full(len(rows), -1, dtype=np.int64)
        return DocumentFacts(
            window.sources[rows].astype(np.int64), evidence.published[rows], texts, evidence.addresses[rows]
        )

    def _comparable(self, candidates: CandidateRows, later: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices of candidates that may be linked: long enough, same language or same text, and a permitted source."""
        window, languages = self._window, self._window.evidence_columns.languages
        a, b = candidates.ordinals - window.first, later - window.first
        kept = (languages[a] == languages[b]) & (window.sizes[a] >= _LEAST_TERMS)
        for place in np.flatnonzero(~kept).tolist():
            kept[place] = window.hashes[a[place]][0] == window.hashes[b[place]][0] != b""
        for row in self._corrections:
            # No version of a document repeats another.
            for place in np.flatnonzero(b == row).tolist():
                kept[place] &= window.ids[a[place]] != window.ids[row]
        rule = self._settings.within
        if rule != "all":
            same = (window.sources[a] == window.sources[b]) & (window.sources[a] != NO_SOURCE)
            kept &= same == (rule == "source")
        return np.flatnonzero(kept)

    def _relation(self, candidates: CandidateRows, find: int, document: Remembered) -> str | None:
        """Relation by key terms, as in ``pairs``."""
        settings = self._settings
        row = int(candidates.ordinals[find]) - self._window.first
        sizes = np.array([len(document.keys), int(self._window.sizes[row])], dtype=np.int64)
        least = need(settings.k_duplicate, sizes[:1], sizes[1:], n=settings.terms.n, short=settings.terms.short)[0]
        forward, backward = int(candidates.forward[find]), int(candidates.backward[find])
        return relation_of(forward, backward, least)


def _in_order(one: _Pairs, other: _Pairs) -> _Pairs:
    """Unite pairs, in the order in which they were found."""
    order = np.argsort(np.concatenate([one.asked.finds, other.asked.finds]), kind="stable")
    asked, judged = (
        [np.concatenate(columns)[order] for columns in zip(*both, strict=True)]
        for both in ((one.asked, other.asked), (one.judged, other.judged))
    )
    return _Pairs(_Asked(*asked), _Judged(*judged))


def _distinct(ordinals: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct ordinals, ascending, and the index of each of the given ones among them: int64."""
    if not len(ordinals):
        return ordinals, ordinals
    first = int(ordinals.min())
    spread = int(ordinals.max()) - first + 1
    if spread > _SPARSE * len(ordinals):
        rows, numbers = np.unique(ordinals, return_inverse=True)
        return rows, numbers.astype(np.int64, copy=False)
    # Marking what occurs is several times as fast as sorting.
    numbers = np.zeros(spread, dtype=np.int64)
    numbers[ordinals - first] = 1
    rows = np.flatnonzero(numbers)
    numbers[rows] = np.arange(len(rows))
    return rows + first, numbers[ordinals - first]
