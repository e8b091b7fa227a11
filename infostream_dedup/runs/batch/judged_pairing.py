"""Judged pairs of a collection as rows: the kind of each pair, its probability, and why."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from infostream_dedup.judging.evidence.explanation import EvidenceReason, reasons_of_pairs
from infostream_dedup.judging.evidence.judging import JudgedCandidates
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, names_of_kinds
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.links.pair_rules import RELATIONS
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import fields_of
from infostream_dedup.model.constants import SHOWN_DECIMALS
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.pair_table import chunks_of_pairs, relations
from infostream_dedup.runs.batch.pairing import PairRow, rows_of_pairs
from infostream_dedup.runs.batch.translations import BETWEEN, Between, Translations, find_translations

if TYPE_CHECKING:
    from numpy.typing import NDArray


JUDGED_COLUMNS: Final = ("probability", "kind", "wording_forward", "wording_backward")
"""What preset ``judged`` adds to the columns of ``pairs``."""

LEAST_PROBABILITY: Final = 0.5

PairOrder = Literal["id", "strength"]

_DROPPED_AT: Final = 1 << 20
"""Number of pairs beyond twice the wanted ones at which the weaker ones are dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPairRow(PairRow):
    """One unordered pair with its judgement.

    Attributes:
        probability: that the two are copies or report one event, 0 to 1, rounded to 6 decimals; ``None`` for a
            translation, which key terms in the pivot language decide.
        kind: ``copy``, ``retold``, ``contained``, ``contains``, ``template``, ``updated``, ``follow-up``, ``related``,
            or ``translation``.
        wording_forward: share of the word triples of a that b has, 0 to 1; ``None`` for a translation.
        wording_backward: share of the word triples of b that a has; ``None`` for a translation.
        reasons: what each piece of evidence adds to the logit of the probability; ``None`` if not requested. Equal
            texts have probability 1 whatever the reasons add up to.
    """

    probability: float | None
    kind: str
    wording_forward: float | None
    wording_backward: float | None
    reasons: list[EvidenceReason] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row of ``pairs`` with the added columns; ``reasons`` is left out if it is ``None``."""
        row = PairRow.as_dict(self) | {name: getattr(self, name) for name in JUDGED_COLUMNS}
        if self.reasons is not None:
            row["reasons"] = [reason.as_dict() for reason in self.reasons]
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChoice:
    """Which judged pairs are listed, and how.

    Attributes:
        k_min: consider exactly the pairs with max(forward, backward) >= k_min, 1 to 12; ``None`` for the usual
            candidates.
        min_probability: minimum probability of a pair, 0 to 1; with 0, every pair considered is judged in full.
            ``None`` for ``LEAST_PROBABILITY``, or 0 with ``k_min``.
        terms: include the shared terms.
        explain: include the reasons.
        sort: ``id``, by (a, b), or ``strength``, the most probable first and translations last.
        top: number of pairs to list, the strongest first.
        cross_language: list only pairs of two languages.
        between: rule for translations (see ``find_translations``).
        one_to_one: list at most one translation of each document into each other language.

    Raises:
        ConfigurationError: a value is out of range.
    """

    k_min: int | None = None
    min_probability: float | None = None
    terms: bool = True
    explain: bool = False
    sort: PairOrder = "id"
    top: int | None = None
    cross_language: bool = False
    between: Between = "nothing-better"
    one_to_one: bool = False

    def __post_init__(self) -> None:
        OneOf("id", "strength").check("sort", self.sort)
        OneOf(*BETWEEN).check("between", self.between)
        for name, limit in (("k_min", Range(1, 12)), ("min_probability", Range(0.0, 1.0)), ("top", Range(1))):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, limit.check(name, getattr(self, name)))

    @property
    def least(self) -> float:
        """Minimum probability of a pair."""
        if self.min_probability is not None:
            return self.min_probability
        return LEAST_PROBABILITY if self.k_min is None else 0.0


@dataclass(frozen=True, slots=True)
class ListedPairs:
    """Judged pairs to list.

    Attributes:
        a: int64 (pairs,), ordinal of the earlier document.
        b: int64 (pairs,), ordinal of the later one.
        probability: float64 (pairs,), rounded.
        kinds: int8 (pairs,), ``Kind``.
        wording: float64 (pairs, 2), forward and backward.
        shares: float64 (pairs, 2), shares of the key terms' weight, forward and backward.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    probability: NDArray[np.float64]
    kinds: NDArray[np.int8]
    wording: NDArray[np.float64]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, judged: JudgedCandidates, chosen: NDArray[np.bool_]) -> ListedPairs:
        """Select judged pairs by a mask, bool (pairs,)."""
        return cls(
            judged.a[chosen],
            judged.b[chosen],
            judged.probability[chosen],
            judged.kinds[chosen],
            judged.wording[chosen],
            judged.shares[chosen],
        )

    def at(self, places: NDArray[np.int64] | slice) -> ListedPairs:
        """Select the pairs at these positions."""
        return ListedPairs(*(getattr(self, name)[places] for name in self.__slots__))


def collected(parts: Iterable[ListedPairs], order: PairOrder, top: int | None) -> ListedPairs:
    """Return the ``top`` strongest pairs of all parts in an order; among pairs of equal probability, shares decide.

    Weaker pairs are dropped while parts arrive, so that a short list of many pairs takes little memory.

    Args:
        top: number of pairs; ``None`` for all.
    """
    kept: list[ListedPairs] = []
    for part in parts:
        kept.append(part)
        if top is not None and sum(len(one.a) for one in kept) >= 2 * top + _DROPPED_AT:
            kept = [_in_order(kept, "strength", top)]
    if top is not None:
        kept = [_in_order(kept, "strength", top)]
    return _in_order(kept, order, None)


def _in_order(parts: list[ListedPairs], order: PairOrder, top: int | None) -> ListedPairs:
    """Return the first pairs of all parts in an order."""
    a, b = (np.concatenate([getattr(part, name) for part in parts]) for name in ("a", "b"))
    if order == "id":
        places = np.lexsort((b, a))[:top]
    else:
        shares = np.concatenate([part.shares for part in parts])
        probability = np.concatenate([part.probability for part in parts])
        places = np.lexsort((b, a, -shares.max(axis=1), -shares.min(axis=1), -probability))[:top]
    columns = ([getattr(part, name) for part in parts] for name in ListedPairs.__slots__)
    return ListedPairs(*(np.concatenate(column)[places] for column in columns))


def _where(wanted: NDArray[np.bool_], *columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return tuple(column[wanted] for column in columns)


def judged_pair_rows(
    collection: JudgedCollection,
    choice: PairChoice,
    *,
    parts: NDArray[np.int64] | None = None,
    progress: Progress | None = None,
) -> Iterator[JudgedPairRow]:
    """Return judged pairs as rows, and translations between languages; all are found before the first row is made.

    Arguments as in ``listed_pairs``.
    """
    listed = listed_pairs(collection, choice, parts=parts, progress=progress)
    found = find_translations(collection, between=choice.between, single=choice.one_to_one)
    if found is None:
        return _rows(collection, listed, choice)
    translated = _chosen_translations(found, choice, parts, None if choice.top is None else choice.top - len(listed.a))
    both = _rows(collection, listed, choice), _translation_rows(collection, translated, choice)
    if choice.sort == "strength":
        return (row for rows in both for row in rows)
    places = (listed.a, listed.b), (translated.a, translated.b)
    placed = [zip(a.data, b.data, rows, strict=True) for (a, b), rows in zip(places, both, strict=True)]
    return (row for _, _, row in heapq.merge(*placed, key=lambda one: one[:2]))


def listed_pairs(
    collection: JudgedCollection,
    choice: PairChoice,
    *,
    parts: NDArray[np.int64] | None = None,
    progress: Progress | None = None,
) -> ListedPairs:
    """Judge the pairs of a collection and return those to list, in the chosen order, without translations.

    Args:
        parts: int64 (documents,), number of the file of each document: only pairs from different files.
    """
    a, b = collection.candidates(k_min=choice.k_min)
    languages = collection.key_terms.counts.languages
    if choice.cross_language:
        a, b = _where(languages[a] != languages[b], a, b)
    if parts is not None:
        a, b = _where(parts[a] != parts[b], a, b)
    none = ListedPairs.of(collection.judge(a[:0], b[:0]), np.zeros(0, dtype=np.bool_))
    screened = choice.least >= LEAST_PROBABILITY
    every = collection.judged(a, b, filtered=choice.least > 0, screened=screened, progress=progress)
    found = (ListedPairs.of(judged, judged.probability >= choice.least) for judged in every)
    return collected(chain([none], found), choice.sort, choice.top)


def _chosen_translations(
    found: Translations, choice: PairChoice, parts: NDArray[np.int64] | None, most: int | None
) -> Translations:
    """Choose the translations to list, in their order.

    Args:
        most: maximum number to list; ``None`` for all.
    """
    if parts is not None:
        found = found.where(parts[found.a] != parts[found.b])
    if choice.k_min is not None:
        counts = [np.maximum(pairs.forward, pairs.backward) for pairs in found.tables()]
        found = found.where(np.concatenate([found.a[:0], *counts]) >= choice.k_min)
    order = np.lexsort((found.b, found.a, -found.shares.max(axis=1), -found.shares.min(axis=1)))[:most]
    return found.where(order if choice.sort == "strength" else np.sort(order))


def _rows(collection: JudgedCollection, listed: ListedPairs, choice: PairChoice) -> Iterator[JudgedPairRow]:
    begin, ids = 0, fields_of(collection.collection.documents).ids
    for pairs in chunks_of_pairs(collection.key_terms, listed.a, listed.b):
        part = listed.at(slice(begin, begin + len(pairs)))
        begin += len(pairs)
        plain = rows_of_pairs(
            ids,
            pairs,
            relations(pairs, collection.settings),
            collection.key_terms,
            wanted=np.ones(len(pairs), dtype=np.bool_),
            terms=choice.terms,
        )
        reasons = _reasons(collection, part) if choice.explain else None
        yield from judged_rows(plain, part, reasons)


def judged_rows(
    plain: Iterable[PairRow], listed: ListedPairs, reasons: Sequence[list[EvidenceReason] | None] | None
) -> Iterator[JudgedPairRow]:
    """Rows of pairs with their judgements.

    Args:
        reasons: reasons for each pair; ``None`` if not requested.
    """
    wording = np.round(listed.wording, SHOWN_DECIMALS).tolist()
    probability, kinds = np.round(listed.probability, SHOWN_DECIMALS).tolist(), names_of_kinds(listed.kinds)
    for at, row in enumerate(plain):
        yield JudgedPairRow(
            **{name: getattr(row, name) for name in PairRow.__slots__},
            probability=probability[at],
            kind=kinds[at],
            wording_forward=wording[at][0],
            wording_backward=wording[at][1],
            reasons=None if reasons is None else reasons[at],
        )


def _reasons(collection: JudgedCollection, part: ListedPairs) -> list[list[EvidenceReason] | None]:
    judged = collection.judge(part.a, part.b, filtered=False)
    return [*reasons_of_pairs(judged.evidence, shipped_model(), judged.meaning)]


def _translation_rows(collection: JudgedCollection, found: Translations, choice: PairChoice) -> Iterator[JudgedPairRow]:
    ids = fields_of(collection.collection.documents).ids
    for pairs in found.tables():
        both = np.full(len(pairs), RELATIONS.index("equal"), dtype=np.int64)
        wanted = np.ones(len(pairs), dtype=np.bool_)
        for row in rows_of_pairs(ids, pairs, both, found.key_terms, wanted=wanted, terms=choice.terms):
            yield JudgedPairRow(
                **{name: getattr(row, name) for name in PairRow.__slots__},
                probability=None,
                kind=KIND_NAMES[Kind.TRANSLATION],
                wording_forward=None,
                wording_backward=None,
                reasons=[] if choice.explain else None,
            )
