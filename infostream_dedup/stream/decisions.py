"""Relations of documents to earlier documents of the window."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.documents.documents import as_compared
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.judging import OPENING_PROBABILITY
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.arrays import Bools, Floats, Ints
from infostream_dedup.model import Document
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.model.stream_records import Remembered
from infostream_dedup.stream.kernels import judging as kernels
from infostream_dedup.stream.store.reader import kept_of

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.classifier import Classifier
    from infostream_dedup.judging.criteria.document_models import DocumentModels
    from infostream_dedup.judging.evidence.differing import WordDifference
    from infostream_dedup.links.compiled.window_index import CandidateRows
    from infostream_dedup.stream.settings import StreamSettings
    from infostream_dedup.stream.window import Window

_RELATIONS: Final = {
    0: None, 1: "contained", 2: "contains", 3: "equal", kernels.TEMPLATE: "template", kernels.UPDATED: "updated",
}  # fmt: skip
NO_ORDINALS: Final = np.zeros(0, dtype=np.int64)
_WEAKER: Final = (KIND_NAMES[Kind.RETOLD], KIND_NAMES[Kind.RELATED])
_FEW_WORDS: Final = (KIND_NAMES[Kind.DIFFERS], KIND_NAMES[Kind.UPDATED])
_SOURCES: Final = {"all": kernels.ANY_SOURCE, "outlets": kernels.OTHER_SOURCE, "source": kernels.SAME_SOURCE}


@dataclass(slots=True, kw_only=True)
class BestCandidate:
    """The earlier document that a document repeats or resembles most."""

    of: int  # ordinal of the earlier document
    duplicate: bool  # whether the document repeats it or only resembles it
    relation: str | None  # relation of the document to it
    repeated: Ints  # int64, ordinals of all documents that the document repeats, ascending
    weights: Floats | None = None  # how many each of these stands for; `None` for itself
    # int64, ordinals of documents that report its event, in other words, in part or a step before
    told: Ints = field(default_factory=lambda: NO_ORDINALS)
    # probability that it repeats `of` or reports the same event; `None` if key terms alone decide
    probability: float | None = None
    # the model's criteria by name, with the differences from `of`
    criteria: tuple[tuple[str, float | None], ...] | None = None
    kind: str | None = None  # what the document is to `of`, where evidence decides
    exact: bool = False  # whether evidence has found the texts equal
    differing: WordDifference | None = None  # the few words that made the document `differs` or `updated`


@dataclass(slots=True)
class KeysThatMet:
    """Key terms of each of two documents that occur in the other."""

    forward: int  # number of key terms of the later document in the earlier one
    backward: int  # number of key terms of the earlier document in the later one
    # all these terms, heaviest first, equal weights by code points; a key term of both has both weights
    words: tuple[str, ...]


class Judge:
    """Judges candidates by key terms, all terms, numbers and sources, or a model; ``needs`` are hits by key terms."""

    def __init__(self, settings: StreamSettings, window: Window, second: SecondStage | None = None) -> None:
        self._second = second
        self._window = window
        self.use(settings)

    def use(self, settings: StreamSettings) -> None:
        """Judge further documents by other thresholds."""
        terms = settings.terms
        sizes = np.arange(terms.n + 1)
        duplicate, similar = (
            np.asarray(need(k, sizes, sizes, n=terms.n, short=terms.short), dtype=np.int64)
            for k in (settings.k_duplicate, settings.k_similar)
        )
        self.needs = similar
        both = settings.duplicate_rule == "equal"
        self._rules = kernels.DecisionRules(
            duplicate,
            similar,
            both,
            settings.templates,
            # A document contained in a longer one shares few of the longer one's terms.
            float(settings.least_shared) if both else 0.0,
            _SOURCES[settings.within],
            terms.target == "text",
        )

    def begin_batch(self) -> None:
        """Begin a batch; the documents of the last one now come from the store."""
        if self._second is not None:
            self._second.begin_batch()

    def read(self, documents: Sequence[Remembered]) -> None:
        """Take the next documents of the batch; nothing to do, since the columns of the window suffice."""

    def equal_text(self, of: int) -> BestCandidate:
        """Return the candidate for a document of equal text or equal opening."""
        return BestCandidate(of=of, duplicate=True, relation="equal", repeated=NO_ORDINALS)

    def found(self, candidates: CandidateRows, documents: Sequence[Remembered]) -> list[BestCandidate | None]:
        """Find the document that each document repeats or resembles most."""
        # Candidates are ranked by minimum and maximum of both counts, then the earliest wins. With a model the most
        # probable repeat wins.
        window = self._window
        columns, row = window.columns, documents[0].ordinal - window.first
        many = len(candidates.ordinals)
        finds = kernels.Finds(
            candidates.ends,
            candidates.ordinals - window.first,
            candidates.forward,
            candidates.backward,
            np.zeros(many, dtype=np.uint8),
            np.zeros(many, dtype=np.float64),
        )
        chosen = _room_to_choose(finds)
        judged: dict[int, tuple[Ints, Judged]] = {}
        if self._second is None:
            kernels.weigh_and_choose(row, finds, columns, self._rules, chosen)
        else:
            kernels.weigh(row, finds, columns, self._rules)
            judged = self._apply_model(self._second, finds, documents)
            kernels.choose(row, finds, columns, self._rules, chosen)
        found = self._as_found(finds, chosen)
        for number, (places, says) in judged.items():
            one = found[number]
            if one is not None:
                best = int(np.searchsorted(places, chosen.places[number]))
                one.probability, one.criteria = says.probability(best), says.differences(best)
        return found

    def _as_found(self, finds: kernels.Finds, chosen: kernels.Chosen) -> list[BestCandidate | None]:
        first = self._window.first
        found: list[BestCandidate | None] = []
        places, ends = chosen.places.tolist(), chosen.repeated_ends.tolist()
        repeated = chosen.repeated[: ends[-1]] + first
        for number, (place, repeats, relation) in enumerate(
            zip(places, chosen.repeats.tolist(), chosen.relations.tolist(), strict=True)
        ):
            if place == kernels.NOTHING:
                found.append(None)
            else:
                of, own = first + int(finds.rows[place]), repeated[ends[number] : ends[number + 1]]
                found.append(BestCandidate(of=of, duplicate=repeats, relation=_RELATIONS[relation], repeated=own))
        return found

    def _apply_model(
        self, second: SecondStage, finds: kernels.Finds, documents: Sequence[Remembered]
    ) -> dict[int, tuple[Ints, Judged]]:
        first = documents[0].ordinal
        linked = np.flatnonzero(finds.kinds & kernels.LINKED)
        ordinals = finds.rows[linked] + self._window.first
        second.read(documents, ordinals[ordinals < first].tolist())
        judged = {}
        bounds = np.searchsorted(linked, finds.ends)
        for number, document in enumerate(documents):
            places = linked[bounds[number] : bounds[number + 1]]
            if len(places) == 0:
                continue
            says = second.judged(document.ordinal, ordinals[bounds[number] : bounds[number + 1]])
            finds.ranks[places] = says.values
            finds.kinds[places] = finds.kinds[places] & ~np.uint8(kernels.REPEATED) | np.where(
                says.repeats, kernels.REPEATED, 0
            )
            judged[number] = places, says
        return judged

    def met(self, pairs: Sequence[tuple[int, int]], terms: SurfaceList) -> Iterator[KeysThatMet]:
        """Find the key terms of pairs of documents that occur in the other document."""
        if not pairs:
            return
        columns, rules = self._window.columns, self._rules
        rows = np.array(pairs, dtype=np.int64).reshape(-1, 2) - self._window.first
        later, earlier = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 1])
        met = _room_for_terms(len(rows), int(columns.sizes[rows].sum()))
        kernels.meet(later, earlier, columns, rules, met)
        words = terms.some(met.terms[: met.ends[-1]])
        forward, backward, ends, weights = (
            column.tolist() for column in (met.forward, met.backward, met.ends, -met.weights)
        )
        for pair in range(len(rows)):
            own = slice(ends[pair], ends[pair + 1])
            ranked = sorted(zip(weights[own], words[own], strict=True))
            yield KeysThatMet(forward[pair], backward[pair], tuple([word for _, word in ranked]))


def _room_to_choose(finds: kernels.Finds) -> kernels.Chosen:
    documents = len(finds.ends) - 1
    return kernels.Chosen(
        np.empty(documents, dtype=np.int64),
        np.empty(documents, dtype=np.bool_),
        np.empty(documents, dtype=np.uint8),
        np.zeros(documents + 1, dtype=np.int64),
        np.empty(len(finds.rows), dtype=np.int64),
    )


def _room_for_terms(pairs: int, terms: int) -> kernels.Met:
    forward, backward = np.empty((2, pairs), dtype=np.int64)
    met, weights = np.empty((2, terms), dtype=np.int64)
    return kernels.Met(forward, backward, np.zeros(pairs + 1, dtype=np.int64), met, weights)


def with_opening(found: BestCandidate | None, opening: int | None) -> BestCandidate | None:
    """Return what a document repeats, given the earliest of another source that begins alike on one day."""
    # If one text lies in the other, or says what happened next, or another figure or word is the news, it is no repeat.
    if opening is None:
        return found
    of_it = found is not None and (found.of == opening or found.kind in _FEW_WORDS)
    if found is not None and (found.duplicate or (of_it and found.kind not in _WEAKER)):
        return found
    repeated = np.array([opening], dtype=np.int64)
    kind, sure = KIND_NAMES[Kind.COPY], OPENING_PROBABILITY
    return BestCandidate(of=opening, duplicate=True, relation=None, repeated=repeated, probability=sure, kind=kind)


def named_by(equal: int | None, found: BestCandidate | None) -> int | None:
    """Return the ordinal of the document that a document is linked to; ``None`` if there is none."""
    if found is not None and (equal is None or found.exact):
        return found.of
    return equal


# The second stage: a classifier judges the candidates that key terms have found (Andreev et al., section 6)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The classifier's judgement of a document against several earlier ones."""

    criteria: tuple[str, ...]  # names, in the order of the columns of `vectors`
    values: Floats  # float64 (others,), decision values; above 0 the document repeats the other one
    probabilities: Floats  # float64 (others,), probability that it does, 0 to 1
    vectors: Floats  # float64 (others, criteria), differences of the document from each; NaN if unknown

    @property
    def repeats(self) -> Bools:
        """Whether the document repeats each of the others, bool (others,)."""
        return np.asarray(self.values > 0)

    def probability(self, row: int) -> float:
        """Return a probability as in a verdict, rounded to six decimals."""
        return round(float(self.probabilities[row]), SHOWN_DECIMALS)

    def differences(self, row: int) -> tuple[tuple[str, float | None], ...]:
        """Return each criterion with its difference, rounded to six decimals; ``None`` if unknown."""
        values = self.vectors[row].tolist()
        return tuple(
            (name, None if math.isnan(value) else round(value, SHOWN_DECIMALS))
            for name, value in zip(self.criteria, values, strict=True)
        )


def check_model(classifier: Classifier) -> None:
    """Refuse a classifier that cannot judge a stream."""
    if classifier.statistics != "background":
        raise ConfigurationError(
            f"the model was trained with statistics of its {classifier.statistics}, which a stream does not have; "
            "train it with --statistics background"
        )


class SecondStage:
    """Judges documents of a batch against earlier ones, which ``kept`` returns by ordinal, but none of the batch."""

    def __init__(self, classifier: Classifier, kept: Callable[[int], Document]) -> None:
        self._classifier = classifier
        self._kept = kept
        self._batch: dict[int, Document] = {}
        self._models: DocumentModels | None = None
        self._rows: dict[int, int] = {}

    def begin_batch(self) -> None:
        """Begin a batch; the documents of the last one now come from the store."""
        self._batch.clear()

    def read(self, documents: Sequence[Remembered], earlier: Iterable[int]) -> None:
        """Read all documents that the next ones may be compared with."""
        # It loads packages that a stream without a classifier does not need.
        from infostream_dedup.judging.criteria.document_models import document_models

        self._batch |= {one.ordinal: kept_of(one) for one in documents}
        ordinals = [*sorted(set(earlier)), *(one.ordinal for one in documents)]
        read = [self._batch[one] if one in self._batch else as_compared(self._kept(one)) for one in ordinals]
        self._models = document_models(read, statistics="background")
        self._rows = {ordinal: row for row, ordinal in enumerate(ordinals)}

    def judged(self, ordinal: int, others: Ints) -> Judged:
        """Judge one document against others; all of them must have been read."""
        if self._models is None:
            raise ValueError(f"document {ordinal} has not been read")
        j = np.array([self._rows[other] for other in others.tolist()], dtype=np.int64)
        i = np.full(len(j), self._rows[ordinal], dtype=np.int64)
        forward, backward = self._classifier.vectors(self._models, i, j)
        # A stream judges each arrival against what it already holds, whatever the dates say.
        arrived = np.ones(len(j), dtype=np.bool_)
        decided = self._classifier.decide_vectors(i, j, forward, backward, i_is_later=arrived)
        return Judged(self._classifier.criteria, decided.forward, decided.probability_forward, forward)
