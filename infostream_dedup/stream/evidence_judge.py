"""Judges by evidence the candidates that key terms have found: preset ``judged`` in a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.judging import TripleSource, judge_pairs, passes_filter
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.judging.evidence.status import DocumentStatus, best_pairs, joined_kinds
from infostream_dedup.links.pair_rules import need, relation_of
from infostream_dedup.stream.compared_documents import ComparedDocuments
from infostream_dedup.stream.decisions import NO_ORDINALS, BestCandidate
from infostream_dedup.stream.equal_evidence import EqualEvidence
from infostream_dedup.stream.kernels.judging import NO_SOURCE
from infostream_dedup.stream.recent_documents import RecentDocuments, WordingSource
from infostream_dedup.stream.screened_pairs import Undecided
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.story_pairs import MANY_CANDIDATES, StoryPairs, worth_keeping
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.window.window_index import CandidateRows
    from infostream_dedup.model.stream_records import Remembered


CANDIDATE_TERMS: Final = 3
"""Number of key terms that must match in one direction."""

_LEAST_TERMS: Final = 3
"""A document with fewer key terms is linked only to equal texts."""

_VERDICT_DECIMALS: Final = 6

_SPARSE: Final = 20
"""Ratio of the range of ordinals to their number above which sorting is faster than marking."""

_MANY_PAIRS: Final = 4
"""Pairs per older document from which preparing it for a screen, with its triples, takes less time than it saves."""


def verdict_probability(probability: float) -> float:
    """Round a probability as verdicts show it."""
    return round(probability, _VERDICT_DECIMALS)


class _Asked(NamedTuple):
    """Candidates to be judged, in the order of the later documents.

    Attributes:
        finds: int64 (pairs,), index of the pair among the candidates found.
        later: int64 (pairs,), ordinal of the later document.
        earlier: int64 (pairs,), ordinal of the earlier document.
    """

    finds: NDArray[np.int64]
    later: NDArray[np.int64]
    earlier: NDArray[np.int64]

    def at(self, places: NDArray[Any]) -> _Asked:
        """Some of the pairs."""
        return _Asked(*(column[places] for column in self))


class _Judged(NamedTuple):
    """What was found about pairs.

    Attributes:
        status: int8 (pairs,), ``DocumentStatus``.
        kinds: int8 (pairs,), ``Kind``.
        probability: float64 (pairs,).
        shares: float64 (pairs, 2), not rounded.
    """

    status: NDArray[np.int8]
    kinds: NDArray[np.int8]
    probability: NDArray[np.float64]
    shares: NDArray[np.float64]


_NONE_JUDGED: Final = _Judged(
    np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.int8), np.zeros(0, dtype=np.float64), np.zeros((0, 2))
)


class _Pairs(NamedTuple):
    """Judged candidates.

    Attributes:
        asked: the candidates.
        judged: what was found about each.
    """

    asked: _Asked
    judged: _Judged


class _Repeated(NamedTuple):
    """Documents that later ones repeat, in the order of the later ones.

    Attributes:
        later: int64 (pairs,), number of the later document among those that ask.
        ordinals: int64 (pairs,), the earlier document.
    """

    later: NDArray[np.int64]
    ordinals: NDArray[np.int64]


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
        self.needs = np.full(1, CANDIDATE_TERMS, dtype=np.int64)

    def use(self, settings: StreamSettings) -> None:
        """Judge further documents by other thresholds."""
        self._settings = settings
        self._joined = joined_kinds(settings.join)

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
        for place in decided[best].tolist():
            number, status = int(asked.later[place]) - first, int(judged.status[place])
            found[number] = BestCandidate(
                of=int(asked.earlier[place]),
                duplicate=status >= DocumentStatus.DUPLICATE,
                relation=self._relation(candidates, int(asked.finds[place]), documents[number]),
                repeated=repeated[repeated_ends[number] : repeated_ends[number + 1]],
                probability=verdict_probability(float(judged.probability[place])),
                kind=KIND_NAMES[seen_from_later(Kind(judged.kinds[place]))],
                exact=status == DocumentStatus.EXACT,
            )
        return found

    def one_text(self, earlier: NDArray[np.int64], later: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether documents of one language have the same text, perhaps reworded: bool (pairs,).

        Args:
            earlier: int64 (pairs,), ordinals in the window.
            later: int64 (pairs,), ordinals of later documents.
        """
        rows, numbers = _distinct(np.concatenate([earlier, later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        judged = judge_pairs(
            numbers[: len(earlier)],
            numbers[len(earlier) :],
            keys=documents.keys,
            records=documents.records,
            triples=lambda asked: self._recent.triples_of(rows[asked]),
            documents=documents.facts,
            model=self._model,
        )
        return judged.one_text

    def _judged(self, candidates: CandidateRows, first: int) -> tuple[_Pairs, _Repeated]:
        """Judge the candidates of consecutive documents; ``first`` is the ordinal of the first document."""
        later = np.repeat(np.arange(first, first + len(candidates), dtype=np.int64), np.diff(candidates.ends))
        finds = self._comparable(candidates, later)
        asked = _Asked(finds, later[finds], candidates.ordinals[finds])
        if not len(finds):
            return _Pairs(asked, _NONE_JUDGED), _Repeated(asked.later, asked.earlier)
        recent = asked.earlier >= self._recent.first
        many = len(finds) >= max(1, MANY_CANDIDATES * len(candidates))
        if many and worth_keeping(asked.earlier, recent, len(candidates), self._window):
            return self._judged_as_story(asked, first)
        if recent.all():
            pairs = self._judged_recent(asked)
        else:
            pairs = _in_order(self._judged_older(asked.at(~recent)), self._judged_recent(asked.at(recent)))
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
            chosen.a,
            chosen.b,
            chosen.facts,
            keys=evidence.keys,
            records=evidence.records,
            triples=evidence.triples,
        )
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
        evidence = shares_of_pairs(a, b, keys)
        # Equal texts are exact whatever a comparison would say, and a text that fills a stream has thousands of them.
        # Pairs that do not pass the filter have no status, and half of the candidates do not.
        status = np.where(same, DocumentStatus.EXACT, DocumentStatus.NEW).astype(np.int8)
        kinds, probability = np.where(same, Kind.COPY, Kind.RELATED).astype(np.int8), same.astype(np.float64)
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
            status[other], kinds[other] = judged.statuses(self._joined), judged.kinds
            probability[other] = judged.probability
        return _Judged(status, kinds, probability, evidence[:, :2])

    def _facts(self, ordinals: NDArray[np.int64]) -> DocumentFacts:
        """Facts of documents of the window, except their texts."""
        window, rows = self._window, ordinals - self._window.first
        evidence, texts = window.evidence_columns, np.full(len(rows), -1, dtype=np.int64)
        return DocumentFacts(
            window.sources[rows].astype(np.int64), evidence.published[rows], texts, evidence.addresses[rows]
        )

    def _comparable(self, candidates: CandidateRows, later: NDArray[np.int64]) -> NDArray[np.int64]:
        """Indices of candidates that may be linked: long enough, same language or same text, and a permitted source.

        Args:
            later: int64 (finds,), ordinal of the document that found each.
        """
        window, languages = self._window, self._window.evidence_columns.languages
        a, b = candidates.ordinals - window.first, later - window.first
        kept = (languages[a] == languages[b]) & (window.sizes[a] >= _LEAST_TERMS)
        for place in np.flatnonzero(~kept).tolist():
            kept[place] = window.hashes[a[place]][0] == window.hashes[b[place]][0] != b""
        rule = self._settings.same_source
        if rule != "ignore":
            same = (window.sources[a] == window.sources[b]) & (window.sources[a] != NO_SOURCE)
            kept &= same == (rule == "require")
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
