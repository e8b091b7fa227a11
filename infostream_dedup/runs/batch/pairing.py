"""Pairs of a collection as rows: by key terms, or by common wording, found by sketches and counted exactly."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, repeat
from typing import Any, Final, Literal, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.explanation import EvidenceReason, reasons_of_pairs
from infostream_dedup.judging.evidence.facts import circumstances_of
from infostream_dedup.judging.evidence.judging import JudgedCandidates, agreement, fillings_of_forms
from infostream_dedup.judging.evidence.kernels import triples as kernels
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.kernels.reading import read_triples
from infostream_dedup.judging.evidence.kinds import BETWEEN_LANGUAGES, KIND_NAMES, Kind, names_of_kinds
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, fill_in_wording
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.policies import EVERY_PAIR, Policy
from infostream_dedup.judging.evidence.reading import evidence_texts, scratch_for, tables
from infostream_dedup.links.compiled.matching import weighed_links
from infostream_dedup.links.pair_rules import (
    LEAST_ORDERED_SHARE,
    LEAST_SHARE,
    RELATIONS,
    SHARE_DECIMALS,
    need,
    nothing_better,
    one_to_one,
    relation_of,
)
from infostream_dedup.links.similarity_matrix import kept_entries
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Floats, Int8s, Ints, offsets_of
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.scratch import GrowingArray
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.model import Document, DocumentBlock, Settings, fields_of, language_number
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.collection import Weighable, in_blocks
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.stream.word_order import WordOrder, contradictions, keep_order, ordered_words, tell_one_event
from infostream_dedup.terms.key_terms import KeyTerms, warn_of_terms_above_df_max
from infostream_dedup.terms.matched_words import Meeting


class PairRow(arrays.ColumnRow):
    """One unordered pair."""

    __slots__ = ()

    a: str  # id of the earlier document
    b: str  # id of the later document
    forward: int  # key terms of a found in b
    backward: int  # key terms of b found in a
    n_a: int  # key terms of a
    n_b: int  # key terms of b
    share_forward: float  # weight of the key terms of a found in b, divided by the weight of all key terms of a, 0 to 1
    # weight of the key terms of b found in a, divided by the weight of all key terms of b, 0 to 1
    share_backward: float
    relation: str | None  # `equal`, `contained` (b contains a), `contains` (a contains b), or `None` below need
    terms: list[str] | None  # terms found in either direction, heaviest first; `None` if not requested
    # in a pivot language, the words that became the terms, heaviest first; otherwise `None`
    met: list[Meeting] | None

    def as_dict(self) -> dict[str, Any]:
        """Return the row of ``pairs``; ``terms`` and ``met`` are left out if they are ``None``."""
        columns, place = self._columns, self._place
        row: dict[str, Any] = {name: columns[name][place] for name in PAIR_COLUMNS}
        if self.terms is not None:
            row["terms"] = self.terms
        if self.met is not None:
            row["met"] = [meeting.as_dict() for meeting in self.met]
        return row


PAIR_COLUMNS: Final = PairRow.FIELDS[:-2]


def pair_rows(
    collection: Weighable,
    settings: Settings,
    *,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    parts: Ints | None = None,
    progress: Progress | None = None,
) -> Iterator[PairRow]:
    """Linked pairs in the order of (a, b)."""
    key_terms, ids = collection.key_terms(settings), fields_of(collection.documents).ids
    warn_of_terms_above_df_max(key_terms, settings)
    least = linking.least_count(settings) if k_min is None else k_min
    linked = linking.link(key_terms, settings, k_min=least, progress=progress)
    languages = np.array([language_number(language) for language in collection.languages], dtype=np.int64)
    # Block by block, because all pairs at once may need more memory than the documents.
    for a, b in linking.candidate_blocks(linked, settings.k if k_min is None and settings.score == "count" else None):
        chosen = np.ones(len(a), dtype=np.bool_)
        if cross_language:
            chosen &= languages[a] != languages[b]
        if parts is not None:
            chosen &= parts[a] != parts[b]
        a, b = a[chosen], b[chosen]
        for chunk in linking.chunks_of(len(a)):
            ends = a[chunk], b[chunk]
            yield from rows_of_pairs(ids, key_terms, settings, *ends, k_min=k_min, terms=terms, made=PairRow)


_EQUALLY_NEAR: Final = 1e-3
Row = TypeVar("Row", bound=PairRow)


@collector_paused()
def rows_of_pairs(
    ids: Sequence[str],
    key_terms: KeyTerms,
    settings: Settings,
    a: Ints,
    b: Ints,
    *,
    k_min: int | None = 0,
    terms: bool,
    made: type[Row],
    added: arrays.ColumnMakers | None = None,
) -> list[Row]:
    """Rows of pairs, in their order; ``added``: what makes the column of each further field."""
    # k_min: ``None`` to leave out pairs without a relation; where counts decide, the given pairs have one.
    if k_min is None and settings.score != "count":
        related = linking.relations(linking.pair_table(key_terms, a, b), settings) > 0
        a, b = a[related], b[related]
    table = cache(lambda: linking.pair_table(key_terms, a, b))
    words = cache(lambda: _words_of(table(), key_terms) if terms else ([None] * len(a),) * 2)
    makers: arrays.ColumnMakers = {
        "a": lambda: [ids[place] for place in a.tolist()],
        "b": lambda: [ids[place] for place in b.tolist()],
        "forward": lambda: table().forward.tolist(),
        "backward": lambda: table().backward.tolist(),
        "n_a": lambda: key_terms.sizes[a].tolist(),
        "n_b": lambda: key_terms.sizes[b].tolist(),
        "share_forward": lambda: _shares(table().matched_forward, table().own_a),
        "share_backward": lambda: _shares(table().matched_backward, table().own_b),
        "relation": lambda: [RELATIONS[number] for number in linking.relations(table(), settings).tolist()],
        "terms": lambda: words()[0],
        "met": lambda: words()[1],
    }
    return made.rows(arrays.RowColumns({**makers, **(added or {})}), len(a))


def _words_of(pairs: linking.PairTable, key_terms: KeyTerms) -> tuple[Sequence[Any], Sequence[Any]]:
    """The shared terms of pairs and, in a pivot language, the words that became them."""
    if key_terms.pivot is None:
        return list(pairs.all_terms(key_terms.counts.terms)), [None] * len(pairs)
    words = [linking.what_met(pairs, pair, key_terms) for pair in range(len(pairs))]
    return [terms for terms, _ in words], [met for _, met in words]


def _shares(matched: Ints, own: Ints) -> list[float]:
    """Shares of weight, rounded as Python rounds them: in numpy, which may err where two numbers are equally near."""
    shares = matched / np.maximum(own, 1)
    scaled = shares * 10**SHOWN_DECIMALS
    found: list[float] = (np.rint(scaled) / 10**SHOWN_DECIMALS).tolist()
    for place in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < _EQUALLY_NEAR).tolist():
        found[place] = round(float(shares[place]), SHOWN_DECIMALS)
    return found


# The order of listed pairs if key terms decide, and the rows that a stricter k keeps


def ordered_rows(rows: Iterator[PairRow], *, strongest_first: bool, top: int | None) -> Iterator[PairRow]:
    """Order rows by strength, or keep only the strongest: by the smaller of the two shares, then by the larger."""
    if top is None and not strongest_first:
        return rows
    numbered = enumerate(rows)
    chosen = sorted(numbered, key=_strength) if top is None else heapq.nsmallest(top, numbered, key=_strength)
    if not strongest_first:
        chosen.sort(key=lambda item: item[0])
    return (row for _, row in chosen)


def _strength(item: tuple[int, PairRow]) -> tuple[float, float, int]:
    place, row = item
    shares = (row.share_forward, row.share_backward)
    return -min(shares), -max(shares), place


def stricter_rows(
    rows: Iterable[PairRow], settings: Settings, *, k: int | None, min_probability: float | None
) -> Iterator[PairRow]:
    """Filter rows that were listed with a lower threshold; the relation of each becomes the one at k."""
    for row in rows:
        if k is None:
            probability = getattr(row, "probability", None)
            if probability is None or min_probability is None or probability >= min_probability:
                yield row
            continue
        least = int(need(k, np.array([row.n_a]), np.array([row.n_b]), n=settings.n, short=settings.short)[0])
        relation = relation_of(row.forward, row.backward, least)
        if relation is not None:
            yield PairRow.of(*(relation if name == "relation" else getattr(row, name) for name in PairRow.FIELDS))


# Pairs of documents in two languages with the same text

Between = Literal["nothing-better", "plain", "none"]

BETWEEN: Final[tuple[Between, ...]] = ("nothing-better", "plain", "none")
"""Rules for links between languages; the first is the default."""

_KEY_TERMS: Final = 30
_LEAST_TERMS: Final = 3


@dataclass(frozen=True, slots=True)
class Translations:
    """Pairs of documents in two languages, each once, in the order of (a, b)."""

    key_terms: KeyTerms  # the 30 heaviest key terms of each document in the pivot language
    a: Ints  # int64 (pairs,), ordinal of the earlier document
    b: Ints  # int64 (pairs,), ordinal of the later document
    # float64 (pairs, 2), share of the key terms' weight that matched, forward and backward, rounded
    shares: Floats
    differing: NDArray[np.object_]  # `WordDifference` of a translation that gives another figure, or `None`

    def where(self, chosen: Bools | Ints) -> Translations:
        """Select pairs by a mask or by positions."""
        a, b, shares, differing = self.a[chosen], self.b[chosen], self.shares[chosen], self.differing[chosen]
        return Translations(self.key_terms, a, b, shares, differing)

    def tables(self) -> Iterator[linking.PairTable]:
        """Counts, weights and terms of the pairs in their order, in chunks of bounded size."""
        return linking.chunks_of_pairs(self.key_terms, self.a, self.b)


def find_across(
    collection: JudgedCollection, *, between: Between = "nothing-better", single: bool = False
) -> tuple[Translations, Translations, Translations] | None:
    """Find the pairs between languages: translations, other reports of one event, and translations that differ.

    ``plain``: at least three of the 30 heaviest key terms in the pivot language match in both directions, with .4 of
    the weight. ``nothing-better``: neither document has a clearly better partner in the other's language (see
    ``links.pair_rules``), their numbers and lengths agree (see ``agreement``), and their words keep the order
    (see ``stream.word_order``): nearly all of it where less than .4 and at least .3 of the weight matches. Evidence
    decides which documents of one language have the same text. ``none``: no pairs.
    """
    if between == "none" or len(set(collection.collection.languages)) < 2:
        return None
    key_terms = collection.collection.key_terms(collection.settings.but(representation="pivot", n=_KEY_TERMS))
    found = _links_of_weight(key_terms, LEAST_SHARE if between == "plain" else LEAST_ORDERED_SHARE)
    found = found.where(~collection.facts.same_text(found.a, found.b))
    languages = key_terms.counts.languages
    stories = differing = found.where(np.zeros(len(found.a), dtype=np.bool_))
    if between == "nothing-better":
        _, hours = circumstances_of(collection.facts.at(found.a), collection.facts.at(found.b))
        agreed = agreement(found.a, found.b, found.shares, hours, collection.keys, collection.evidence.records)
        found, told = found.where(~agreed.contradicts), agreed.one_event[~agreed.contradicts]
        orders = orders_of(collection, found)
        told &= tell_one_event(orders, found.shares)
        kept = keep_order(orders, found.shares, agreed.numbers[~agreed.contradicts])
        best = found.where(kept)
        kept[kept] = nothing_better(
            best.a, best.b, best.shares.min(axis=1), languages, lambda a, b: _one_text(collection, a, b)
        )
        found, stories = found.where(kept), found.where(told & ~kept)
        found.differing[:] = contradictions(found.a, found.b, languages, collection.evidence.records)
        differs = np.array([one is not None for one in found.differing], dtype=np.bool_)
        found, differing = found.where(~differs), found.where(differs)
    if single:
        found = found.where(one_to_one(found.a, found.b, found.shares.min(axis=1), languages))
    return found, stories, differing


def orders_of(collection: JudgedCollection, found: Translations) -> list[WordOrder]:
    """How far each pair keeps the order of its words."""
    rows = np.unique(np.concatenate([found.a, found.b]))
    words = ordered_words(collection.collection.surfaces, rows, collection.settings)
    return words.compared(np.searchsorted(rows, found.a), np.searchsorted(rows, found.b))


def _one_text(collection: JudgedCollection, a: Ints, b: Ints) -> Bools:
    """Whether documents of one language have the same text by the evidence: bool (pairs,)."""
    found = np.zeros(len(a), dtype=np.bool_)
    found[np.lexsort((a, b))] = np.concatenate([found[:0], *(judged.one_text for judged in collection.judged(a, b))])
    return found


def _links_of_weight(key_terms: KeyTerms, least: float) -> Translations:
    """All pairs in two languages with at least a share of the weight in common in both directions."""
    languages = key_terms.counts.languages
    spoken, documents = np.unique(languages, return_counts=True)
    ends, asked = [np.zeros((2, 0), dtype=np.int64)], np.ones(len(languages), dtype=np.bool_)
    # Each pair is found from one side, that of the fewer documents.
    for language in spoken[np.argsort(documents, kind="stable")][:-1].tolist():
        asked &= languages != language
        keys, targets = _rows_where(key_terms.keys, languages == language), _rows_where(key_terms.targets, asked)
        ends.append(np.stack(weighed_links(keys, targets, least, most=_KEY_TERMS)[0].nonzero()).astype(np.int64))
    a, b = np.sort(np.concatenate(ends, axis=1), axis=0)
    order = np.lexsort((b, a))
    shares, enough = [np.zeros((0, 2))], [np.zeros(0, dtype=np.bool_)]
    for pairs in linking.chunks_of_pairs(key_terms, a[order], b[order]):
        matched, own = np.stack((pairs.matched_forward, pairs.matched_backward)), np.stack((pairs.own_a, pairs.own_b))
        shares.append(np.round(matched / np.maximum(own, 1), SHARE_DECIMALS).T)
        enough.append((np.minimum(pairs.forward, pairs.backward) >= _LEAST_TERMS) & (shares[-1].min(axis=1) >= least))
    found = Translations(key_terms, a[order], b[order], np.concatenate(shares), np.full(len(a), None, dtype=np.object_))
    return found.where(np.concatenate(enough))


def _rows_where(matrix: sp.csr_array, kept: Bools) -> sp.csr_array:
    """Return the matrix with all other rows emptied."""
    return kept_entries(matrix, np.repeat(kept, np.diff(matrix.indptr)))


# Judged pairs of a collection as rows: the kind of each pair, its probability, and why

JUDGED_COLUMNS: Final = ("probability", "kind", "wording_forward", "wording_backward")
"""What preset ``judged`` adds to the columns of ``pairs``."""

LEAST_PROBABILITY: Final = 0.5
PairOrder = Literal["id", "strength"]

_DROPPED_AT: Final = 1 << 20  # number of pairs beyond twice the wanted ones at which the weaker ones are dropped


class JudgedPairRow(PairRow):
    """One unordered pair with its judgement."""

    __slots__ = ()

    # that the two are copies or report one event, 0 to 1, rounded to 6 decimals; `None` for a translation and another
    # report of one event in another language, which key terms in the pivot language decide
    probability: float | None
    # `copy`, `retold`, `contained`, `contains`, `template`, `updated`, `follow-up`, `differs`, `related`,
    # `translation`, or `same-story`
    kind: str
    wording_forward: float | None  # share of the word triples of a that b has, 0 to 1; `None` for a translation
    wording_backward: float | None  # share of the word triples of b that a has; `None` for a translation
    # what each piece of evidence adds to the logit of the probability; `None` if not requested. Equal texts have
    # probability 1 whatever the reasons add up to
    reasons: list[EvidenceReason] | None
    differing: WordDifference | None  # the few words that make the pair `differs` or `updated`

    def as_dict(self) -> dict[str, Any]:
        """The row of ``pairs`` with the added columns; ``reasons`` and ``differing`` are left out if there are none."""
        row = PairRow.as_dict(self) | {name: getattr(self, name) for name in JUDGED_COLUMNS}
        if self.differing is not None:
            row |= self.differing.as_dict()
        if self.reasons is not None:
            row["reasons"] = [reason.as_dict() for reason in self.reasons]
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChoice:
    """Which judged pairs are listed, and how; ConfigurationError if a value is out of range."""

    # consider exactly the pairs with max(forward, backward) >= k_min, 1 to 12; `None` for the usual candidates
    k_min: int | None = None
    # minimum probability of a pair, 0 to 1; with 0, every pair considered is judged in full. `None` for
    # `LEAST_PROBABILITY`, or 0 with `k_min`
    min_probability: float | None = None
    terms: bool = True  # include the shared terms
    explain: bool = False  # include the reasons
    sort: PairOrder = "id"  # `id`, by (a, b), or `strength`, the most probable first and translations last
    top: int | None = None  # number of pairs to list, the strongest first
    cross_language: bool = False  # list only pairs of two languages
    between: Between = "nothing-better"  # rule for translations (see `find_across`)
    one_to_one: bool = False  # list at most one translation of each document into each other language
    kinds: tuple[str, ...] = KIND_NAMES  # kinds to list
    policy: Policy = EVERY_PAIR  # which pairs count
    # counts the pairs of other kinds that would have been listed, by kind
    left_out: Counter[str] = field(default_factory=Counter, compare=False)

    def __post_init__(self) -> None:
        OneOf("id", "strength").check("sort", self.sort)
        OneOf(*BETWEEN).check("between", self.between)
        for name, limit in (("k_min", Range(1, 12)), ("min_probability", Range(0.0, 1.0)), ("top", Range(1))):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, limit.check(name, getattr(self, name)))
        for kind in self.kinds:
            OneOf("all", *KIND_NAMES).check("kinds", kind)

    def listed(self, judged: JudgedCandidates) -> ListedPairs:
        """Choose the pairs to list and those that tell of forms, and count those of other kinds."""
        wanted = (judged.probability >= self.least) & self.policy.counts(judged)
        kept = wanted & (judged.forms | np.isin(judged.kinds, [*self._numbers, Kind.COPY]))
        self.left_out.update(names_of_kinds(judged.kinds[wanted & ~kept]))
        return ListedPairs.of(judged, kept)

    def strongest(self, found: ListedPairs, top: int) -> ListedPairs:
        """Keep the first ``top`` pairs to list, and all that may be forms."""
        listed = ~found.forms & np.isin(found.kinds, self._numbers)
        self.left_out.update(names_of_kinds(found.kinds[~listed & ~found.forms]))
        return found.at(np.flatnonzero(found.forms | listed & (np.cumsum(listed) <= top)))

    def without_forms(self, found: ListedPairs) -> ListedPairs:
        """Find the forms among all listed pairs, and leave out those that are not to be listed."""
        forms = np.flatnonzero(found.forms)
        copies = np.flatnonzero(~found.forms & (found.kinds == Kind.COPY))
        forms = forms[fillings_of_forms((found.a[forms], found.b[forms]), (found.a[copies], found.b[copies]))]
        found.kinds[forms], found.differing[forms] = Kind.TEMPLATE, None
        listed = np.isin(found.kinds, self._numbers)
        if self.policy.identical is not None:
            listed[forms] = False
        self.left_out.update(names_of_kinds(found.kinds[~listed]))
        return found if listed.all() else found.at(np.flatnonzero(listed))

    @property
    def _numbers(self) -> list[int]:
        return [KIND_NAMES.index(name) for name in self.kinds]

    @property
    def least(self) -> float:
        """Minimum probability of a pair."""
        if self.min_probability is not None:
            return self.min_probability
        return LEAST_PROBABILITY if self.k_min is None else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPairs(arrays.AlignedColumns):
    """Judged pairs to list."""

    a: Ints  # int64 (pairs,), ordinal of the earlier document
    b: Ints  # int64 (pairs,), ordinal of the later one
    probability: Floats  # float64 (pairs,), rounded
    kinds: Int8s  # int8 (pairs,), `Kind`
    wording: Floats  # float64 (pairs, 2), forward and backward
    shares: Floats  # float64 (pairs, 2), shares of the key terms' weight, forward and backward
    differing: NDArray[np.object_]  # `WordDifference` or `None`
    forms: Bools  # whether the pair is a form if a third document is like both

    @classmethod
    def of(cls, judged: JudgedCandidates, chosen: Bools) -> ListedPairs:
        """Select judged pairs by a mask, bool (pairs,)."""
        return cls(**{name: getattr(judged, name)[chosen] for name in cls.__slots__})


def collected(parts: Iterable[ListedPairs], choice: PairChoice) -> ListedPairs:
    """Return the pairs of all parts to list, in the chosen order; among pairs of equal probability, shares decide."""
    # Weaker pairs are dropped while parts arrive, so that a short list of many pairs takes little memory.
    top, kept = choice.top, list[ListedPairs]()
    for part in parts:
        kept.append(part)
        if top is not None and sum(len(one.a) for one in kept) >= 2 * top + _DROPPED_AT:
            kept = [choice.strongest(_in_order(kept, "strength", None), top)]
    found = choice.without_forms(_in_order(kept, "id", None))
    if top is not None:
        found = _in_order([found], "strength", top)
    return found if top is None and choice.sort == "id" else _in_order([found], choice.sort, None)


def _in_order(parts: list[ListedPairs], order: PairOrder, top: int | None) -> ListedPairs:
    """Return the first pairs of all parts in an order."""
    found = ListedPairs.concatenated(parts)
    weaker = (-found.shares.max(axis=1), -found.shares.min(axis=1), -found.probability) if order == "strength" else ()
    return found.at(np.lexsort((found.b, found.a, *weaker))[:top])


@collector_paused()
def judged_pair_rows(
    collection: JudgedCollection, choice: PairChoice, *, parts: Ints | None = None, progress: Progress | None = None
) -> Iterator[JudgedPairRow]:
    """Return judged pairs and translations as rows, all found before the first is made; see ``listed_pairs``."""
    wanted = choice.policy.identical is None and any(KIND_NAMES[kind] in choice.kinds for kind in BETWEEN_LANGUAGES)
    between: Between = choice.between if wanted else "none"
    with ThreadPoolExecutor(1) as beside:
        coming = beside.submit(find_across, collection, between=between, single=choice.one_to_one)
        listed = listed_pairs(collection, choice, parts=parts, progress=progress)
        across = coming.result()
    found, places = [_rows(collection, listed, choice)], [np.stack((listed.a, listed.b))]
    left = None if choice.top is None else choice.top - len(listed.a)
    for kind, pairs in zip(BETWEEN_LANGUAGES, across or (), strict=False):
        if KIND_NAMES[kind] in choice.kinds:
            a, b = (collection.facts.at(ends) for ends in (pairs.a, pairs.b))
            chosen = _chosen_translations(
                pairs.where(choice.policy.allows(*circumstances_of(a, b))), choice, parts, left
            )
            left = None if left is None else left - len(chosen.a)
            found.append(_translation_rows(collection, chosen, choice, kind))
            places.append(np.stack((chosen.a, chosen.b)))
    if choice.sort == "strength" or not any(ends.size for ends in places[1:]):
        return chain.from_iterable(found)
    turns = np.repeat(np.arange(len(found)), [ends.shape[1] for ends in places])
    return map(next, map(found.__getitem__, turns[np.lexsort(np.concatenate(places, axis=1)[::-1])].tolist()))


def listed_pairs(
    collection: JudgedCollection, choice: PairChoice, *, parts: Ints | None = None, progress: Progress | None = None
) -> ListedPairs:
    """Judge the pairs of a collection and return those to list, in the chosen order, without translations."""
    a, b = collection.candidates(k_min=choice.k_min, filtered=choice.least > 0)
    for numbers in (collection.key_terms.counts.languages if choice.cross_language else None, parts):
        if numbers is not None:
            a, b = np.stack((a, b))[:, numbers[a] != numbers[b]]
    nobody = np.zeros(0, dtype=np.int64)
    none = ListedPairs.of(collection.judge(nobody, nobody), nobody > 0)
    ways = {"filtered": choice.least > 0, "screened": choice.least >= LEAST_PROBABILITY}
    every = collection.judged(a, b, **ways, by_story=True, progress=progress)
    return collected(chain([none], map(choice.listed, every)), choice)


def _chosen_translations(found: Translations, choice: PairChoice, parts: Ints | None, most: int | None) -> Translations:
    """Choose the translations to list, in their order."""
    if parts is not None:
        found = found.where(parts[found.a] != parts[found.b])
    if choice.k_min is not None:
        counts = [np.maximum(pairs.forward, pairs.backward) for pairs in found.tables()]
        found = found.where(np.concatenate([found.a[:0], *counts]) >= choice.k_min)
    order = np.lexsort((found.b, found.a, -found.shares.max(axis=1), -found.shares.min(axis=1)))[:most]
    return found.where(order if choice.sort == "strength" else np.sort(order))


def _rows(collection: JudgedCollection, listed: ListedPairs, choice: PairChoice) -> Iterator[JudgedPairRow]:
    ids, settings = fields_of(collection.collection.documents).ids, collection.settings
    for chunk in linking.chunks_of(len(listed)):
        part = listed.at(chunk)
        added = judgements_of(part, _reasons(collection, part) if choice.explain else None)
        yield from rows_of_pairs(
            ids, collection.key_terms, settings, part.a, part.b, terms=choice.terms, made=JudgedPairRow, added=added
        )


def judgements_of(listed: ListedPairs, reasons: Sequence[list[EvidenceReason] | None] | None) -> arrays.ColumnMakers:
    """What makes the columns that the rows of judged pairs have beyond those of pairs."""
    return {
        "probability": lambda: np.round(listed.probability, SHOWN_DECIMALS).tolist(),
        "kind": lambda: names_of_kinds(listed.kinds),
        "wording_forward": lambda: np.round(listed.wording[:, 0], SHOWN_DECIMALS).tolist(),
        "wording_backward": lambda: np.round(listed.wording[:, 1], SHOWN_DECIMALS).tolist(),
        "reasons": lambda: reasons or [None] * len(listed),
        "differing": lambda: listed.differing.tolist(),
    }


def _reasons(collection: JudgedCollection, part: ListedPairs) -> list[list[EvidenceReason]]:
    judged = collection.judge(part.a, part.b, filtered=False)
    return [*reasons_of_pairs(judged.evidence, shipped_model(), judged.meaning)]


def _translation_rows(
    collection: JudgedCollection, found: Translations, choice: PairChoice, kind: Kind
) -> Iterator[JudgedPairRow]:
    ids, settings = fields_of(collection.collection.documents).ids, collection.settings
    told: dict[str, Any] = {"relation": "equal", "kind": KIND_NAMES[kind], "reasons": [] if choice.explain else None}
    told |= dict.fromkeys(("probability", "wording_forward", "wording_backward"))
    for chunk in linking.chunks_of(len(found.a)):
        a, b = found.a[chunk], found.b[chunk]
        added: arrays.ColumnMakers = {name: partial(list, repeat(value, len(a))) for name, value in told.items()}
        added = {**added, "differing": found.differing[chunk].tolist}
        yield from rows_of_pairs(
            ids, found.key_terms, settings, a, b, terms=choice.terms, made=JudgedPairRow, added=added
        )


SKETCH: Final = 24  # fewest triples in the sketch of a longer document

_PART: Final = 16  # a long document has one triple in this many in its sketch, so that a short one is found in it

LEAST_SKETCHED: Final = 0.2  # share of the smaller sketch that must be common before wording is counted

_CAP: Final = 200
_AT_ONCE: Final = 1 << 18

LEAST_IDENTICAL: Final = 0.3  # share of the wording of the smaller document that must be common

_COPY: Final = 0.5  # share of the wording of both documents of a copy

_CONTAINED: Final = 0.8  # share of the wording of a document that is contained in another; with less, the two overlap


class WordingRow(arrays.ColumnRow):
    """One pair of documents with common wording."""

    __slots__ = ()

    a: str  # id of the earlier document
    b: str  # id of the later document
    kind: str  # `copy`, `contained` (b contains a), `contains` (a contains b) or `overlapping`
    wording_forward: float  # share of the word triples of a that b has, 0 to 1
    wording_backward: float  # share of the word triples of b that a has, 0 to 1

    def as_dict(self) -> dict[str, Any]:
        """The row of ``pairs``."""
        return dict(zip(self.FIELDS, self.values(), strict=True))


WORDING_COLUMNS: Final = WordingRow.FIELDS


@dataclass(frozen=True, slots=True)
class CommonWording(arrays.AlignedColumns):
    """Pairs of documents, in the order of (b, a)."""

    a: Ints  # int64 (pairs,), ordinal of the earlier document
    b: Ints  # int64 (pairs,), ordinal of the later one
    shares: Floats  # float64 (pairs, 2), wording forward and backward

    def ordered(self, *, strongest_first: bool, top: int | None) -> CommonWording:
        """The pairs in the order of (a, b), or of their wording; of ``top``, the strongest."""
        found = self
        if strongest_first or top is not None:
            found = self.at(np.lexsort((self.b, self.a, -self.shares.min(axis=1), -self.shares.max(axis=1)))[:top])
        return found if strongest_first else found.at(np.lexsort((found.b, found.a)))

    @collector_paused()
    def rows(self, ids: list[str]) -> list[WordingRow]:
        """The pairs as rows."""
        forward, backward = self.shares.T
        cases = [np.minimum(forward, backward) >= _COPY, forward >= _CONTAINED, backward >= _CONTAINED]
        columns = arrays.RowColumns(
            {
                "a": lambda: [ids[place] for place in self.a.tolist()],
                "b": lambda: [ids[place] for place in self.b.tolist()],
                "kind": lambda: np.select(cases, ["copy", "contained", "contains"], "overlapping").tolist(),
                "wording_forward": lambda: np.round(forward, SHOWN_DECIMALS).tolist(),
                "wording_backward": lambda: np.round(backward, SHOWN_DECIMALS).tolist(),
            }
        )
        return WordingRow.rows(columns, len(self))


def read_wording(
    documents: Iterable[Document | DocumentBlock], *, progress: Progress | None = None
) -> tuple[list[str], TripleRows]:
    """Read the ids and the word triples of documents, once and in order; their texts are dropped."""
    ids: list[str] = []
    triples, sizes = GrowingArray(np.uint64), [np.zeros(0, dtype=np.int64)]
    for names, found, ends in mapped(_triples_of, in_blocks(documents), thread_count(0)):
        ids += names
        triples.append(found)
        sizes.append(np.diff(ends))
        if progress is not None:
            progress("reading", len(ids), None)
    return ids, TripleRows(triples.taken(), offsets_of(np.concatenate(sizes)))


def _triples_of(block: DocumentBlock) -> tuple[Sequence[str], NDArray[Any], NDArray[Any]]:
    texts, _ = evidence_texts(block)
    triples = np.empty(int(texts.offsets[-1] - texts.offsets[0]) + len(texts), dtype=np.uint64)
    ends = np.empty(len(texts) + 1, dtype=np.int64)
    read_triples(texts.data, texts.offsets, tables(), scratch_for(texts.longest), triples, ends)
    return block.ids, triples[: ends[-1]].copy(), ends


def common_wording(
    triples: TripleRows, *, identical: float = LEAST_IDENTICAL, progress: Progress | None = None
) -> CommonWording:
    """Find the pairs in which the smaller document has at least a share of its word triples in common with the other.

    Sketches find the candidates: the 24 smallest hashes of a document's triples and, of long documents, one in 16.
    Of a triple that more than 200 documents sketch, only pairs with the first and the last 100 of them are looked at.
    """
    sketches = _sketches(triples)
    documents = len(sketches.sizes)
    counts, met = np.zeros(documents, dtype=np.int32), np.empty(documents, dtype=np.int64)
    a, b = (np.empty(max(_AT_ONCE, documents), dtype=np.int64) for _ in range(2))
    parts, first = [CommonWording(a[:0], b[:0], np.zeros((0, 2)))], 0
    sizes = np.diff(triples.begins)
    while first < documents:
        first, found = kernels.pairs_of_sketches(sketches, first, _CAP, LEAST_SKETCHED, counts, met, a, b)
        evidence = np.empty((found, len(COLUMNS)), dtype=np.float64)
        fill_in_wording(a[:found], b[:found], triples, evidence)
        shares = evidence[:, -2:]
        smaller = np.where(sizes[a[:found]] <= sizes[b[:found]], shares[:, 0], shares[:, 1])
        if progress is not None:
            progress("wording", first, documents)
        parts.append(CommonWording(a[:found], b[:found], shares).at(smaller >= identical))
    return CommonWording.concatenated(parts)


def _sketches(triples: TripleRows) -> kernels.Sketches:
    every, begins = triples.triples, triples.begins
    documents = len(begins) - 1
    if documents >= 1 << kernels.DOCUMENT_BITS:
        most = (1 << kernels.DOCUMENT_BITS) - 1
        raise ConfigurationError(f"common wording is found in up to {most:,} documents at once")
    sizes = np.empty(documents, dtype=np.int64)
    kernels.measure_sketches(every, begins, SKETCH, np.uint64((1 << 64) // _PART - 1), sizes)
    entries = np.empty(int(sizes.sum()), dtype=np.uint64)
    kernels.fill_entries(every, begins, sizes, entries)
    entries.sort()
    runs, starts = np.empty(len(entries), dtype=np.int32), np.empty(len(entries) + 1, dtype=np.int64)
    count = kernels.number_runs(entries, offsets_of(sizes)[:-1].copy(), runs, starts)
    return kernels.Sketches(every, begins, sizes, entries, runs, starts, np.zeros(count, dtype=np.int64))
