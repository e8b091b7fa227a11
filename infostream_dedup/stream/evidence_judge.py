"""Judges by evidence the candidates that key terms have found: preset ``judged`` in a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence import judging
from infostream_dedup.judging.evidence.facts import told_anew
from infostream_dedup.judging.evidence.kernels.screening import MAY_SHARE
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel
from infostream_dedup.judging.evidence.policies import Policy
from infostream_dedup.judging.evidence.reading import evidence_texts, lent_evidence, read_evidence
from infostream_dedup.judging.evidence.records import EPOCH, Changes, EvidenceFrequencies, changes_of, pack_weighed
from infostream_dedup.judging.evidence.screening import Screen
from infostream_dedup.links.pair_rules import need, relation_of
from infostream_dedup.machine.arrays import Bools, Floats, Int8s, Ints, Uint8s
from infostream_dedup.model import Document, DocumentBlock
from infostream_dedup.model.settings import CANDIDATE_TERMS, SHOWN_DECIMALS
from infostream_dedup.model.stream_records import CountedEvidence, Remembered
from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.decisions import NO_ORDINALS, BestCandidate
from infostream_dedup.stream.kernels.judging import NO_SOURCE
from infostream_dedup.stream.recent_documents import RecentDocuments, WordingSource
from infostream_dedup.stream.window import ComparedDocuments, Window

if TYPE_CHECKING:
    from infostream_dedup.links.compiled.window_index import CandidateRows
    from infostream_dedup.stream.settings import StreamSettings

_CHARACTERS: Final = 1_000_000
"""Characters read at a time; reading takes about 25 bytes of memory for each byte of text."""


@dataclass(slots=True)
class ReadEvidence:
    """Evidence of the documents of a batch."""

    records: list[bytes] = field(default_factory=list)  # packed evidence of each document
    triples: list[bytes] = field(default_factory=list)  # word triples of each, 8 bytes for each triple
    counted: list[CountedEvidence] = field(default_factory=list)  # what the store adds to its counts


class EvidenceCounts:
    """Document frequencies of numbers, names and lead words, frozen for an epoch, and counts of that epoch's documents.

    Epochs of evidence are counted by ordinal and shorter than those of key terms.
    """

    def __init__(self) -> None:
        self.epoch = 0  # the open one
        self._frozen = EvidenceFrequencies()
        self._open: list[Changes] = []
        self._weights: tuple[NDArray[np.float32], Floats] | None = None

    @classmethod
    def of(cls, counted: Iterable[CountedEvidence]) -> EvidenceCounts:
        """Continue with the counts that a store holds."""
        counts = cls()
        for one in counted:
            counts.epoch = one.epoch
            if one.closed:
                counts._frozen = EvidenceFrequencies.of_blob(one.counts)
            else:
                counts._open.append(Changes.of_blob(one.counts))
        return counts

    def read(self, documents: DocumentBlock, languages: Uint8s, first: int) -> ReadEvidence:
        """Read and count the documents of a batch."""
        found = ReadEvidence()
        numbers = languages.astype(np.int8)
        batch: list[Changes] = []
        for begin, end in _cut(documents, first):
            epoch = (first + begin) // EPOCH
            if epoch != self.epoch:
                self._close(epoch, found)
                batch = []
            with lent_evidence(*evidence_texts(documents.part(begin, end))) as raw:
                found.records += pack_weighed(raw, numbers[begin:end], *self.weights()).blobs()
                found.triples += raw.triple_blobs()
                batch.append(changes_of(raw, numbers[begin:end]))
            self._open.append(batch[-1])
        found.counted += [CountedEvidence(self.epoch, closed=False, counts=one.blob()) for one in batch]
        return found

    def weigh(self, document: Document, language: int) -> tuple[bytes, bytes]:
        """Read a document that is not part of the stream, and count nothing."""
        raw = read_evidence(*evidence_texts([document]))
        records = pack_weighed(raw, np.array([language], dtype=np.int8), *self.weights())
        return records.blobs()[0], raw.triple_blobs()[0]

    def weights(self) -> tuple[NDArray[np.float32], Floats]:
        """What `pack_weighed` weighs by in this epoch."""
        if self._weights is None:
            self._weights = self._frozen.filled_up()
        return self._weights

    def _close(self, epoch: int, found: ReadEvidence) -> None:
        for changes in self._open:
            self._frozen.add(changes)
        self.epoch, self._open, self._weights = epoch, [], None
        # Only the last of several epochs that a batch closes is worth keeping.
        found.counted[:] = [CountedEvidence(epoch, closed=True, counts=self._frozen.blob())]


def _cut(documents: DocumentBlock, first: int) -> Iterator[tuple[int, int]]:
    begin, characters = 0, 0
    for number, size in enumerate(documents.characters.sum(axis=1).tolist()):
        if number > begin and ((first + number) % EPOCH == 0 or characters >= _CHARACTERS):
            yield begin, number
            begin, characters = number, 0
        characters += size
    if len(documents):
        yield begin, len(documents)


_LEAST_TERMS: Final = 3  # a document with fewer key terms is linked only to equal texts
_SPARSE: Final = 20  # ratio of the range of ordinals to their number above which sorting is faster than marking

_MANY_PAIRS: Final = 4
"""Pairs per older document from which preparing it for a screen, with its triples, takes less time than it saves."""


def verdict_probability(probability: float) -> float:
    """Round a probability as verdicts show it."""
    return round(probability, SHOWN_DECIMALS)


class _Asked(NamedTuple):
    finds: Ints  # int64 (pairs,), index of the pair among the candidates found
    later: Ints  # int64 (pairs,), ordinal of the later document
    earlier: Ints  # int64 (pairs,), ordinal of the earlier document

    def at(self, places: NDArray[Any]) -> _Asked:
        return _Asked(*(column[places] for column in self))


class _Part(NamedTuple):
    """Candidates, by number among documents with everything that a comparison needs."""

    asked: _Asked
    a: Ints
    b: Ints
    documents: ComparedDocuments
    triples: TripleRows | judging.TripleSource
    screen: Screen | None = None  # left out pairs that certainly decide nothing; verdicts are the same without it
    bounds: Floats = np.zeros(0)  # float64 (pairs,), `Screen.bounds`; empty without a screen

    def screened(self, screen: Screen) -> _Part:
        """Those that the screen does not leave out, among them all that share much wording."""
        bounds = screen.bounds(self.a, self.b, self.documents.facts.texts)
        return self._replace(screen=screen, bounds=bounds).at(bounds > -np.inf)

    def may_share_wording(self) -> tuple[NDArray[Any], ...]:
        """Candidates, and their bounds, infinite without a screen."""
        if self.screen is None:
            return (*self.asked, np.full(len(self.a), np.inf))
        may_share = self.bounds >= MAY_SHARE
        return (*self.asked.at(may_share), self.bounds[may_share])

    def at(self, wanted: Bools) -> _Part:
        bounds = self.bounds if self.screen is None else self.bounds[wanted]
        return self._replace(asked=self.asked.at(wanted), a=self.a[wanted], b=self.b[wanted], bounds=bounds)


class _Judged(NamedTuple):
    status: Int8s  # int8 (pairs,), `DocumentStatus`
    kinds: Int8s  # int8 (pairs,), `Kind`
    probability: Floats  # float64 (pairs,)
    shares: Floats  # float64 (pairs, 2), not rounded
    differing: NDArray[np.object_]  # `WordDifference` or `None`
    wording: Floats  # float64 (pairs,), smaller direction of wording
    forms: Bools  # bool (pairs,), whether they may be copies of one form


_ALIKE: Final = 16  # latest documents among which a form looks for two others


class _Pairs(NamedTuple):
    asked: _Asked  # the candidates
    judged: _Judged  # what was found about each


class _Crowd(NamedTuple):
    asked: _Asked  # the candidates
    wording: Floats  # float64 (pairs,), smaller direction of wording; 0 if small
    left_out: Bools  # bool (pairs,), not judged
    weights: Floats  # float64 (pairs,), how many candidates each stands for

    def repeats(self, judged: _Asked) -> tuple[_Asked, Floats]:
        """Add those that have as much wording as one that the document repeats; and how many each stands for."""
        repeated = np.isin(self.asked.finds, judged.finds)
        numbers = np.unique(self.asked.later, return_inverse=True)[1]
        least = np.full(len(numbers), np.inf)
        np.minimum.at(least, numbers[repeated], self.wording[repeated])
        more = self.left_out & (self.wording >= least[numbers])
        others = ~np.isin(judged.finds, self.asked.finds)
        own = (*self.asked.at(more | repeated), self.weights[more | repeated])
        *found, weights = _in_order([(*judged.at(others), np.ones(np.count_nonzero(others))), own])
        return _Asked(*found), weights


class EvidenceJudge:
    """Finds the earlier document that gives each its status; ``wording`` has triples of those before the batch."""

    def __init__(self, settings: StreamSettings, window: Window, wording: WordingSource, model: PairModel) -> None:
        self._window = window
        self._model = model
        self.use(settings)
        self._recent = RecentDocuments(window, wording, model)
        self._corrections: list[int] = []
        self.needs = np.full(1, CANDIDATE_TERMS, dtype=np.int64)

    def use(self, settings: StreamSettings) -> None:
        """Judge further documents by other thresholds."""
        self._settings = settings
        sizes, terms = np.arange(settings.terms.n + 1), settings.terms
        self._least: list[int] = need(settings.k_duplicate, sizes, sizes, n=terms.n, short=terms.short).tolist()
        by_kind = settings.identical is None
        self._policy = Policy(join=settings.join if by_kind else None, identical=settings.identical)

    def begin_batch(self) -> None:
        """Begin a batch; the triples of older documents now come from the store."""
        self._recent.tidy()

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
        """Find the document that gives each document its status; arguments as in ``Judge.found``."""
        # Candidates rank by status (strongest first), then by probability, by the smaller of the two shares of key
        # terms, by the larger one (highest first), and by ordinal (earliest first).
        found: list[BestCandidate | None] = [None] * len(documents)
        first = documents[0].ordinal
        self._corrections = [one.ordinal - self._window.first for one in documents if one.version > 0]
        parts = self._parts(candidates, first)
        if not any(len(part.a) for part in parts):
            return found
        (asked, judged), (repeats, weights) = self._judged(parts, first)
        # The strongest status wins, so pairs without a status matter only if a document has no others.
        decided = np.flatnonzero(judged.status > judging.DocumentStatus.NEW)
        if not len(decided):
            return found
        repeated_ends = np.searchsorted(repeats.later, first + np.arange(len(documents) + 1)).tolist()
        best = judging.best_pairs(
            asked.earlier[decided],
            asked.later[decided],
            judged.status[decided],
            judged.probability[decided],
            np.round(judged.shares[decided], DECIMALS),
        )
        told, told_ends = self._told(asked, judged, decided, first, len(documents))
        for place in decided[best].tolist():
            number, status = int(asked.later[place]) - first, int(judged.status[place])
            own = slice(repeated_ends[number], repeated_ends[number + 1])
            found[number] = BestCandidate(
                of=int(asked.earlier[place]),
                duplicate=status >= judging.DocumentStatus.DUPLICATE,
                relation=self._relation(candidates, int(asked.finds[place]), documents[number]),
                repeated=repeats.earlier[own],
                weights=None if weights is None else weights[own],
                told=told[told_ends[number] : told_ends[number + 1]],
                probability=verdict_probability(float(judged.probability[place])),
                kind=KIND_NAMES[seen_from_later(Kind(judged.kinds[place]))],
                exact=status == judging.DocumentStatus.EXACT,
                differing=judged.differing[place],
            )
        return found

    def _told(self, asked: _Asked, judged: _Judged, decided: Ints, first: int, count: int) -> tuple[Ints, list[int]]:
        """Ordinals of earlier documents that report the event of each document, int64, and where those of each end."""
        times = self._window.times
        earlier, later, kinds = asked.earlier[decided], asked.later[decided], judged.kinds[decided]
        apart = np.abs(times[earlier - self._window.first] - times[later - self._window.first])
        tells = np.flatnonzero(judging.tell_one_story(kinds, judged.probability[decided], apart / (DAY / 24)))
        tells = tells[np.lexsort((earlier[tells], later[tells]))]
        return earlier[tells], np.searchsorted(later[tells], first + np.arange(count + 1)).tolist()

    def one_text(self, earlier: Ints, later: Ints) -> Bools:
        """Whether documents of one language have the same text, perhaps reworded: bool (pairs,)."""
        return self._judged_again(earlier, later).one_text

    def _judged_again(self, earlier: Ints, later: Ints, *, only_forms: bool = False) -> judging.JudgedCandidates:
        rows, numbers = _distinct(np.concatenate([earlier, later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        return judging.judge_pairs(
            numbers[: len(earlier)],
            numbers[len(earlier) :],
            keys=documents.keys,
            records=documents.records,
            triples=lambda asked: self._recent.triples_of(rows[asked]),
            documents=documents.facts,
            model=self._model,
            only_forms=only_forms,
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
        both = self._judged_again(codes >> 32, codes & 0xFFFFFFFF, only_forms=True).forms[place]
        found = np.unique(np.concatenate([one[both], other[both]]))
        pairs.judged.kinds[found], pairs.judged.differing[found] = Kind.TEMPLATE, None
        pairs.judged.status[found] = judging.DocumentStatus.SIMILAR

    def _parts(self, candidates: CandidateRows, first: int) -> list[_Part]:
        later = np.repeat(np.arange(first, first + len(candidates), dtype=np.int64), np.diff(candidates.ends))
        finds = self._comparable(candidates, later)
        if not len(finds):
            return []
        asked = _Asked(finds, later[finds], candidates.ordinals[finds])
        recent = asked.earlier >= self._recent.first
        if recent.all():
            return [self._of_recent(asked)]
        return [self._of_recent(asked.at(recent)), self._older(asked.at(~recent))]

    def _judged(self, parts: list[_Part], first: int) -> tuple[_Pairs, tuple[_Asked, Floats | None]]:
        parts, crowd = self._deciding(parts)
        found = _in_order([(*part.asked, *self._judge(part)) for part in parts])
        pairs = _Pairs(_Asked(*found[:3]), _Judged(*found[3:]))
        self._find_forms(pairs)
        judging.yield_to_differing(
            pairs.asked.later - first, pairs.judged.status, pairs.judged.kinds, pairs.judged.wording
        )
        repeated = pairs.asked.at(pairs.judged.status >= judging.DocumentStatus.DUPLICATE)
        return pairs, (repeated, None) if crowd is None else crowd.repeats(repeated)

    def _deciding(self, parts: list[_Part]) -> tuple[list[_Part], _Crowd | None]:
        """Leave out most of the candidates of a document that resembles very many."""
        *found, bounds = _in_order([part.may_share_wording() for part in parts])
        many = np.flatnonzero(judging.crowded(_Asked(*found).later))
        if not len(many):
            return parts, None
        asked, weights = _Asked(*found).at(many), _weights(found[1][many], bounds[many])
        others, asked, weights = asked.at(weights == 0), asked.at(weights > 0), weights[weights > 0]
        rows, numbers = _distinct(np.concatenate([asked.earlier, asked.later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        a, b = numbers[: len(weights)], numbers[len(weights) :]
        # The triples of older documents are in the store: only those of candidates that may count are read.
        passed = np.flatnonzero(judging.passes_filter(shares_of_pairs(a, b, documents.keys)))
        passed = passed[judging.crowded(b[passed])]
        if not len(passed):
            return parts, None
        near, places = _distinct(np.concatenate([a[passed], b[passed]]))
        documents = ComparedDocuments.of_window(self._window, rows[near] - self._window.first)
        a, b = places[: len(passed)], places[len(passed) :]
        asked, triples = asked.at(passed), self._recent.triples_of(rows[near])
        wanted, wording = judging.deciding_pairs(a, b, documents.keys, documents.records, triples, self._model)
        kept = np.ones(1 + max(int(part.asked.finds.max(initial=0)) for part in parts), dtype=np.bool_)
        kept[others.finds[np.isin(others.later, asked.later)]] = kept[asked.finds[~wanted]] = False
        parts = [part.at(kept[part.asked.finds]) for part in parts]
        return parts, _Crowd(asked, wording, ~wanted, weights[passed])

    def _of_recent(self, asked: _Asked) -> _Part:
        recent = self._recent
        documents, triples = recent.documents, recent.triples
        a, b = asked.earlier - recent.first, asked.later - recent.first
        return _Part(asked, a, b, documents, triples).screened(recent.screen(documents, triples))

    def _older(self, asked: _Asked) -> _Part:
        rows, numbers = _distinct(np.concatenate([asked.earlier, asked.later]))
        documents = ComparedDocuments.of_window(self._window, rows - self._window.first)
        a, b = numbers[: len(asked.finds)], numbers[len(asked.finds) :]
        few = int(np.bincount(asked.later - asked.later[0]).max()) <= judging.MOST_COMPARED
        if few and len(a) < _MANY_PAIRS * len(rows):
            return _Part(asked, a, b, documents, lambda wanted: self._recent.triples_of(rows[wanted]))
        triples = self._recent.triples_of(rows)
        screen = Screen.of(documents.keys, documents.records, triples, self._model)
        return _Part(asked, a, b, documents, triples).screened(screen)

    def _judge(self, part: _Part) -> _Judged:
        a, b, documents = part.a, part.b, part.documents
        earlier, later = documents.facts.at(a), documents.facts.at(b)
        same = (earlier.texts == later.texts) & (earlier.texts >= 0)
        anew = told_anew(a, b, (earlier, later), documents.records)
        evidence = shares_of_pairs(a, b, documents.keys)
        # Equal texts are exact whatever a comparison would say, and a text that fills a stream has thousands of them.
        # Pairs that do not pass the filter have no status, and half of the candidates do not.
        status = np.where(same, judging.DocumentStatus.EXACT, judging.DocumentStatus.NEW).astype(np.int8)
        kinds, probability = np.where(same, Kind.COPY, Kind.RELATED).astype(np.int8), same.astype(np.float64)
        status[anew], kinds[anew] = judging.DocumentStatus.SIMILAR, Kind.TEMPLATE
        differing, wording = np.full(len(a), None, dtype=np.object_), same.astype(np.float64)
        forms = np.zeros(len(a), dtype=np.bool_)
        left = ~same & judging.passes_filter(evidence)
        other = np.flatnonzero(left if part.screen is None else left & part.screen.may_decide(part.bounds, evidence))
        if len(other):
            judged = judging.judge_pairs(
                a[other],
                b[other],
                keys=documents.keys,
                records=documents.records,
                triples=part.triples,
                documents=(earlier.at(other), later.at(other)),
                model=self._model,
                shares=evidence[other],
                filtered=False,
            )
            status[other], kinds[other] = self._policy.statuses(judged), judged.kinds
            probability[other], differing[other] = judged.probability, judged.differing
            wording[other], forms[other] = judged.facts.wording_least, judged.forms
        return _Judged(status, kinds, probability, evidence[:, :2], differing, wording, forms)

    def _comparable(self, candidates: CandidateRows, later: Ints) -> Ints:
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
        row = int(candidates.ordinals[find]) - self._window.first
        least = self._least[min(len(document.keys), int(self._window.sizes[row]))]
        return relation_of(int(candidates.forward[find]), int(candidates.backward[find]), least)


_SPREAD: Final = 256  # candidates that stand for all those of a document that are neither the earliest nor the nearest


def _weights(later: Ints, bounds: Floats) -> Floats:
    """How many candidates of its document each stands for: float64 (pairs,); 0 if others stand for it."""
    weights = np.zeros(len(later))
    weights[judging.nearest(later, bounds)] = 1.0
    left = np.flatnonzero(weights == 0)
    for own in np.split(left, np.flatnonzero(np.diff(later[left])) + 1):
        some = own[np.arange(_SPREAD) * len(own) // _SPREAD] if len(own) > _SPREAD else own
        weights[some] = len(own) / max(len(some), 1)
    return weights


def _in_order(parts: Sequence[Sequence[NDArray[Any]]]) -> list[NDArray[Any]]:
    columns = [np.concatenate(of_parts) for of_parts in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return [column[order] for column in columns]


def _distinct(ordinals: Ints) -> tuple[Ints, Ints]:
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
