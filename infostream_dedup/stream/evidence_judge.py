"""Judges by evidence the candidates that key terms have found: preset ``judged`` in a stream."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.evidence.facts import DocumentFacts
from infostream_dedup.evidence.judging import TripleSource, judge_pairs, passes_filter
from infostream_dedup.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.evidence.pair_evidence import TripleRows, shares_of_pairs
from infostream_dedup.evidence.pair_model import DECIMALS, PairModel
from infostream_dedup.evidence.records import EvidenceRecords
from infostream_dedup.evidence.status import DocumentStatus, best_pairs, joined_kinds
from infostream_dedup.links.pair_rules import need
from infostream_dedup.stream.decisions import NO_ORDINALS, BestCandidate
from infostream_dedup.stream.equal_evidence import EqualEvidence
from infostream_dedup.stream.screened_pairs import is_worth_screening, undecided
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.story_pairs import MANY_CANDIDATES, StoryPairs, worth_keeping
from infostream_dedup.stream.window import NO_SOURCE, Window

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.model.stream_records import Remembered
    from infostream_dedup.window.window_index import CandidateRows

__all__ = ["CANDIDATE_TERMS", "ComparedDocuments", "EvidenceJudge", "WordingSource", "verdict_probability"]

CANDIDATE_TERMS: Final = 3
"""Number of key terms that must match in one direction."""

_LEAST_TERMS: Final = 3
"""A document with fewer key terms is linked only to equal texts."""

_RECENT_BYTES: Final = 32 << 20
"""Word triples of the latest documents that are kept in memory, some 12,000 news items: most candidates are recent, and
reading their triples from the store takes longer than comparing them."""

_RELATIONS: Final = (None, "contained", "contains", "equal")
_VERDICT_DECIMALS: Final = 6

_SPARSE: Final = 20
"""Ratio of the range of ordinals to their number above which sorting is faster than marking."""

WordingSource = Callable[[Sequence[int]], Sequence[bytes]]
"""Returns the word triples of earlier documents by ordinal, as ``KeptEvidence.triples``; empty for a forgotten one."""


def verdict_probability(probability: float) -> float:
    """Round a probability as verdicts show it."""
    return round(probability, _VERDICT_DECIMALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDocuments:
    """Documents, numbered from 0, with everything that a comparison needs.

    Attributes:
        keys: their key terms and terms.
        records: their evidence.
        facts: sources, times, texts and addresses.
    """

    keys: ComparedKeys
    records: EvidenceRecords
    facts: DocumentFacts

    @classmethod
    def of_window(cls, window: Window, rows: NDArray[np.int64]) -> ComparedDocuments:
        """Take documents out of the window.

        Args:
            window: with evidence.
            rows: int64 (documents,).
        """
        evidence = window.evidence_columns
        numbered: dict[bytes, int] = {}
        texts = [window.hashes[row][0] for row in rows.tolist()]
        facts = DocumentFacts(
            window.sources[rows].astype(np.int64),
            evidence.published[rows],
            np.array([numbered.setdefault(text, len(numbered)) if text else -1 for text in texts], dtype=np.int64),
            evidence.addresses[rows],
        )
        return cls(keys=evidence.keys_of(rows, window), records=evidence.records_of(rows), facts=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """Judged candidates, in the order of the later documents.

    Attributes:
        finds: int64 (pairs,), index of the pair among the candidates found.
        later: int64 (pairs,), number of the later document among the documents being judged.
        ordinals: int64 (pairs,), the earlier document.
        status: int8 (pairs,), ``DocumentStatus``.
        kinds: int8 (pairs,), ``Kind``.
        probability: float64 (pairs,).
        shares: float64 (pairs, 2), not rounded.
    """

    finds: NDArray[np.int64]
    later: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    status: NDArray[np.int8]
    kinds: NDArray[np.int8]
    probability: NDArray[np.float64]
    shares: NDArray[np.float64]


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
        self._settings = settings
        self._window = window
        self._wording = wording
        self._model = model
        self._joined = joined_kinds(settings.join)
        self._recent: OrderedDict[int, bytes] = OrderedDict()
        self._recent_bytes = 0
        self._story: StoryPairs | None = None
        self.needs = np.full(1, CANDIDATE_TERMS, dtype=np.int64)

    def begin_batch(self) -> None:
        """Begin a batch; the triples of older documents now come from the store."""
        while self._recent_bytes > _RECENT_BYTES:
            _, triples = self._recent.popitem(last=False)
            self._recent_bytes -= len(triples)
        if self._story is not None and self._story.outdated(self._window.end):
            self._story = None

    def read(self, documents: Sequence[Remembered]) -> None:
        """Take the triples of the next documents of the batch."""
        for one in documents:
            if one.evidence is not None:
                self._recent[one.ordinal] = one.evidence.triples
                self._recent_bytes += len(one.evidence.triples)

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
        pairs, repeats = self._judged(candidates, documents[0].ordinal)
        # The strongest status wins, so pairs without a status matter only if a document has no others.
        decided = np.flatnonzero(pairs.status > DocumentStatus.NEW)
        if not len(decided):
            return found
        repeated_ends = np.searchsorted(repeats.later, np.arange(len(documents) + 1)).tolist()
        repeated = repeats.ordinals
        best = best_pairs(
            pairs.ordinals[decided],
            pairs.later[decided],
            pairs.status[decided],
            pairs.probability[decided],
            np.round(pairs.shares[decided], DECIMALS),
        )
        for place in decided[best].tolist():
            number, status = int(pairs.later[place]), int(pairs.status[place])
            found[number] = BestCandidate(
                of=int(pairs.ordinals[place]),
                duplicate=status >= DocumentStatus.DUPLICATE,
                relation=self._relation(candidates, int(pairs.finds[place]), documents[number]),
                repeated=repeated[repeated_ends[number] : repeated_ends[number + 1]],
                probability=verdict_probability(float(pairs.probability[place])),
                kind=KIND_NAMES[seen_from_later(Kind(pairs.kinds[place]))],
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
            triples=lambda asked: self._triples(rows[asked]),
            documents=documents.facts,
            model=self._model,
        )
        return judged.one_text

    def _judged(self, candidates: CandidateRows, first: int) -> tuple[_Pairs, _Repeated]:
        """Judge the candidates of consecutive documents; ``first`` is the ordinal of the first document."""
        later = np.repeat(np.arange(len(candidates), dtype=np.int64), np.diff(candidates.ends))
        finds = self._comparable(candidates, later, first)
        later, earlier = later[finds], candidates.ordinals[finds]
        many = len(finds) >= max(1, MANY_CANDIDATES * len(candidates))
        if many and worth_keeping(earlier, len(candidates), self._window):
            return self._judged_as_story(finds, later, earlier, first)
        rows, numbers = _distinct(np.concatenate([earlier, later + first]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        a, b = numbers[: len(finds)], numbers[len(finds) :]
        triples: TripleRows | TripleSource = lambda asked: self._triples(rows[asked])  # noqa: E731
        if is_worth_screening(len(a), len(rows)):
            triples = self._triples(rows)
            left = undecided(a, b, documents, triples, self._model)
            finds, later, earlier, a, b = finds[left], later[left], earlier[left], a[left], b[left]
        status, kinds, probability, shares = self._judge(
            a,
            b,
            (documents.facts.at(a), documents.facts.at(b)),
            keys=documents.keys,
            records=documents.records,
            triples=triples,
        )
        repeats = status >= DocumentStatus.DUPLICATE
        pairs = _Pairs(
            finds=finds,
            later=later,
            ordinals=earlier,
            status=status,
            kinds=kinds,
            probability=probability,
            shares=shares,
        )
        return pairs, _Repeated(later[repeats], earlier[repeats])

    def _judged_as_story(
        self, finds: NDArray[np.int64], later: NDArray[np.int64], earlier: NDArray[np.int64], first: int
    ) -> tuple[_Pairs, _Repeated]:
        """Judge candidates many of which are alike: of several like pairs, only one is judged and returned."""
        window = self._window
        if self._story is None or self._story.outdated(first):
            self._story = StoryPairs(EqualEvidence(window, self._triples), first)
        story, evidence = self._story, self._story.evidence
        chosen = story.choose(earlier, later + first, (self._facts(earlier), self._facts(later + first)))
        status, kinds, probability, shares = self._judge(
            chosen.a,
            chosen.b,
            chosen.facts,
            keys=evidence.keys,
            records=evidence.records,
            triples=evidence.triples,
        )
        repeats = story.repeats(chosen, status >= DocumentStatus.DUPLICATE)
        pairs = _Pairs(
            finds=finds[chosen.places],
            later=later[chosen.places],
            ordinals=earlier[chosen.places],
            status=status,
            kinds=kinds,
            probability=probability,
            shares=shares,
        )
        return pairs, _Repeated(later[repeats], earlier[repeats])

    def _judge(
        self,
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        facts: tuple[DocumentFacts, DocumentFacts],
        *,
        keys: ComparedKeys,
        records: EvidenceRecords,
        triples: TripleRows | TripleSource,
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]:
        """Status, kind, probability and shares of pairs; arguments as in ``judge_pairs``."""
        earlier, later = facts
        same = (earlier.texts == later.texts) & (earlier.texts >= 0)
        evidence = shares_of_pairs(a, b, keys)
        # Equal texts are exact whatever a comparison would say, and a text that fills a stream has thousands of them.
        # Pairs that do not pass the filter have no status, and half of the candidates do not.
        status = np.where(same, DocumentStatus.EXACT, DocumentStatus.NEW).astype(np.int8)
        kinds, probability = np.where(same, Kind.COPY, Kind.RELATED).astype(np.int8), same.astype(np.float64)
        other = np.flatnonzero(~same & passes_filter(evidence))
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
        status[other], kinds[other], probability[other] = (
            judged.statuses(self._joined),
            judged.kinds,
            judged.probability,
        )
        return status, kinds, probability, evidence[:, :2]

    def _facts(self, ordinals: NDArray[np.int64]) -> DocumentFacts:
        """Facts of documents of the window, except their texts."""
        window, rows = self._window, ordinals - self._window.first
        evidence, texts = window.evidence_columns, np.full(len(rows), -1, dtype=np.int64)
        return DocumentFacts(
            window.sources[rows].astype(np.int64), evidence.published[rows], texts, evidence.addresses[rows]
        )

    def _comparable(self, candidates: CandidateRows, later: NDArray[np.int64], first: int) -> NDArray[np.int64]:
        """Indices of candidates that may be linked: long enough, same language or same text, and a permitted source.

        Args:
            candidates: candidates found.
            later: int64 (finds,), number of the document that found each.
            first: ordinal of the first document.
        """
        window, languages = self._window, self._window.evidence_columns.languages
        a, b = candidates.ordinals - window.first, later + (first - window.first)
        kept = (languages[a] == languages[b]) & (window.sizes[a] >= _LEAST_TERMS)
        for place in np.flatnonzero(~kept).tolist():
            kept[place] = window.hashes[a[place]][0] == window.hashes[b[place]][0] != b""
        rule = self._settings.same_source
        if rule != "ignore":
            same = (window.sources[a] == window.sources[b]) & (window.sources[a] != NO_SOURCE)
            kept &= same == (rule == "require")
        return np.flatnonzero(kept)

    def _triples(self, ordinals: NDArray[np.int64]) -> TripleRows:
        asked = ordinals.tolist()
        known = self._recent
        stored = [ordinal for ordinal in asked if ordinal not in known]
        from_store = dict(zip(stored, self._wording(stored), strict=True)) if stored else {}
        return triple_rows([from_store[ordinal] if ordinal in from_store else known[ordinal] for ordinal in asked])

    def _relation(self, candidates: CandidateRows, find: int, document: Remembered) -> str | None:
        """Relation by key terms, as in ``pairs``."""
        settings = self._settings
        row = int(candidates.ordinals[find]) - self._window.first
        sizes = np.array([len(document.keys), int(self._window.sizes[row])], dtype=np.int64)
        least = need(settings.k_duplicate, sizes[:1], sizes[1:], n=settings.terms.n, short=settings.terms.short)[0]
        forward, backward = int(candidates.forward[find]), int(candidates.backward[find])
        return _RELATIONS[int(forward >= least) + 2 * int(backward >= least)]


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


def triple_rows(blobs: Sequence[bytes]) -> TripleRows:
    """Word triples of documents from a store."""
    begins = np.zeros(len(blobs) + 1, dtype=np.int64)
    np.cumsum([len(blob) // 8 for blob in blobs], out=begins[1:])
    # Not bytes: loops would be compiled again for arrays that cannot be changed.
    return TripleRows(np.frombuffer(bytearray().join(blobs), dtype="<u8").astype(np.uint64, copy=False), begins)
