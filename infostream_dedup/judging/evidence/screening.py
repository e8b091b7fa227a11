"""Leave out pairs that certainly decide nothing, before they are compared in full."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels import screening as kernels
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, matching_tables
from infostream_dedup.judging.evidence.kinds import LEAST_WORDING
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.pair_model import PairModel
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Uint32s, Uint64s

_PAIRS_FOR_THREADS: Final = 100_000
_PARTS_OF_A_THREAD: Final = 8  # parts for each thread: some runs have many more pairs than others


class ScreenedColumns(NamedTuple):
    """What is prepared of each document; the attributes are described in ``ScreenedRows``."""

    lengths: Floats
    reach: Floats
    leads: Uint32s
    signatures: Uint64s
    signature_begins: Ints
    doubled: Ints


class ScreenTools(NamedTuple):
    """What all screens of one model may share; one thread at a time can use it."""

    model: kernels.ModelBounds  # the pair model
    # coefficients of the smaller and the larger share of 12 key terms, then of all key terms
    shares: tuple[float, float, float, float]
    scratch: kernels.ScreenScratch  # scratch memory

    @classmethod
    def of(cls, model: PairModel) -> ScreenTools:
        """Prepare for a pair model; probabilities of .5 or more are accepted."""
        names = ("share12_least", "share12_most", "share30_least", "share30_most")
        least12, most12, least30, most30 = (model.coefficients[name] for name in names)
        return cls(_bounds(model), (least12, most12, least30, most30), _scratch())


@dataclass(frozen=True, slots=True)
class Screen:
    """Recognises most pairs that the model does not accept and that share little wording: ``related``, no status."""

    rows: kernels.ScreenedRows  # what is known of each document
    tools: ScreenTools  # the pair model, and scratch memory
    threads: int = 1  # threads that bound many pairs

    @classmethod
    def of(
        cls, keys: ComparedKeys, records: EvidenceRecords, triples: TripleRows, model: PairModel, *, threads: int = 1
    ) -> Screen:
        """Prepare documents; arguments as in ``screened_columns``."""
        screen = cls.over(screened_columns(keys, records, triples, model), records, triples, ScreenTools.of(model))
        return replace(screen, threads=threads)

    @classmethod
    def over(
        cls, columns: ScreenedColumns, records: EvidenceRecords, triples: TripleRows, tools: ScreenTools
    ) -> Screen:
        """Use documents that have been prepared."""
        rows = kernels.ScreenedRows(
            words=records.words,
            begins=records.begins,
            triples=triples.triples,
            triple_begins=triples.begins,
            **columns._asdict(),
        )
        return cls(rows, tools)

    def bounds(self, a: Ints, b: Ints, texts: Ints) -> Floats:
        """Bound z of pairs before their key terms are compared: float64 (pairs,), see ``bound_pairs``.

        Pairs whose bound is -inf decide nothing; that of equal texts is inf, that of much wording above ``MAY_SHARE``.

        texts: int64 (documents,), equal for equal texts, negative for empty texts.
        """
        found, (model, _, scratch) = np.empty(len(a), dtype=np.float64), self.tools

        def bound(runs: Ints, own: kernels.ScreenScratch) -> None:
            own.signed[:] = -1
            kernels.bound_pairs(a, b, runs, self.rows, model, own, found)

        runs = _runs(a, b)
        if self.threads == 1 or len(a) < _PAIRS_FOR_THREADS:
            bound(runs, scratch)
        else:
            parts = np.array_split(runs, _PARTS_OF_A_THREAD * self.threads)
            with ThreadPoolExecutor(self.threads) as pool:
                list(pool.map(lambda part: bound(part, _scratch()), parts))
        found[(texts[a] == texts[b]) & (texts[a] >= 0)] = np.inf
        return found

    def may_decide(self, bounds: Floats, shares: Floats) -> Bools:
        """Which pairs have to be judged, if their texts differ: bool (pairs,)."""
        found = np.zeros(len(bounds), dtype=np.float64)
        for column, (smaller, larger) in ((0, self.tools.shares[:2]), (2, self.tools.shares[2:])):
            forward, backward = shares[:, column], shares[:, column + 1]
            found += smaller * np.minimum(forward, backward) + larger * np.maximum(forward, backward)
        return np.asarray(bounds + found >= self.tools.model.least - kernels.MARGIN, dtype=np.bool_)


def screened_columns(
    keys: ComparedKeys, records: EvidenceRecords, triples: TripleRows, model: PairModel
) -> ScreenedColumns:
    """Prepare documents for a screen."""
    documents = len(records)
    bounds, doubled = np.empty(documents + 1, dtype=np.int64), np.zeros(documents, dtype=np.int64)
    kernels.signature_sizes(triples.begins, bounds)
    signatures = np.empty(int(bounds[-1]), dtype=np.uint64)
    kernels.sign_documents(triples.triples, triples.begins, signatures, bounds, doubled)
    leads = np.zeros(documents * kernels.LEAD_ROW, dtype=np.uint32)
    kernels.spread_leads(records.words, records.begins, leads)
    return ScreenedColumns(
        lengths=np.log(records.words[records.begins[:-1]] + 5.0),
        reach=_reach(keys, model),
        leads=leads,
        signatures=signatures,
        signature_begins=bounds,
        doubled=doubled,
    )


def _runs(a: Ints, b: Ints) -> Ints:
    """Bounds of the pairs of each b, int64 (runs, 2): their documents then wait in the processor's cache."""
    changes = np.flatnonzero(b[1:] != b[:-1]) + 1
    if len(b) and not len(changes):
        return np.array([[0, len(b)]], dtype=np.int64)
    begins, ends = np.append(0, changes), np.append(changes, len(b))
    runs = np.stack((begins, ends), axis=1)[: len(b)]
    return runs[np.argsort(a[runs[:, 0]], kind="stable")]


def _reach(keys: ComparedKeys, model: PairModel) -> Floats:
    """What the shares of each document's key terms can add to z at most: float64 (documents,).

    The weight of 12 terms is part of that of 30: if they make up r of it, a share of x of the 12 and y of the others is
    a share of r x + (1 - r) y of all. Of a smaller and a larger share with coefficients p and q, the sum is at most
    max(q, (p + q) / 2) times the sum of both shares.
    """
    weights = model.coefficients
    twelve, all_terms = (
        max(weights[f"{name}_most"], (weights[f"{name}_least"] + weights[f"{name}_most"]) / 2)
        for name in ("share12", "share30")
    )
    own = keys.own.astype(np.float64)
    heaviest = own[:, 0] / np.maximum(own[:, 1], 1.0)
    found = np.maximum(twelve + all_terms * heaviest, 0.0) + max(all_terms, 0.0) * (1.0 - heaviest)
    return np.asarray(found, dtype=np.float64)


def _bounds(model: PairModel) -> kernels.ModelBounds:
    weights = model.coefficients
    return kernels.ModelBounds(
        start=model.intercept + max(weights["cosine"], 0.0),
        length=weights["length"],
        numbers=(weights["numbers_least"], weights["numbers_most"], weights["numbers_known"], weights["numbers_miss"]),
        names=(weights["names_least"], weights["names_most"], weights["names_known"]),
        lead=weights["lead_most"],
        opening=(weights["opening_least"], weights["opening_most"]),
        least=0.0,
        wording=LEAST_WORDING,
    )


def _scratch() -> kernels.ScreenScratch:
    return kernels.ScreenScratch(
        tables=matching_tables(),
        signature=np.zeros(2 * kernels.MOST_WORDS, dtype=np.uint64),
        signed=np.full(kernels.MOST_WORDS + 1, -1, dtype=np.int64),
        doubled=np.zeros(kernels.MOST_WORDS + 1, dtype=np.int64),
    )
