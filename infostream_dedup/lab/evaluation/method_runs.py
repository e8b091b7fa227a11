"""Run methods on a collection, timed, and score them against labels."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from functools import partial
from math import log2
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.lab.evaluation.collection_scores import evaluate
from infostream_dedup.lab.evaluation.labels import Truth, both_of, codes_of, number_components
from infostream_dedup.lab.evaluation.scores import GROUP_MEASURES, Predictions, group_scores
from infostream_dedup.lab.methods.method import Method, Pairs, Texts
from infostream_dedup.lab.methods.registry import method_class, methods, written
from infostream_dedup.links import Measures, SimilarityMatrix, sweep_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress


_Result = TypeVar("_Result")

_MIN_SECONDS: Final = 0.05
"""Minimum CPU seconds of the half from which growth can be measured."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Time that some work took."""

    seconds: float  # wall-clock seconds
    cpu_seconds: float  # CPU seconds of this process with all its threads, and of the child processes it has waited for


def measured(work: Callable[[], _Result]) -> tuple[_Result, Cost]:
    """Do some work and return its result and cost."""
    seconds, cpu = time.perf_counter(), _cpu_seconds()
    result = work()
    return result, Cost(time.perf_counter() - seconds, _cpu_seconds() - cpu)


def growth(whole: Cost, half: Cost) -> float | None:
    """Return the exponent e such that CPU time grows as n^e with the number n of documents."""
    return log2(whole.cpu_seconds / half.cpu_seconds) if half.cpu_seconds >= _MIN_SECONDS else None


def _cpu_seconds() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


_SHARED: Final = ("languages", "words", "stop_places", "significant", "counts", "sentences", "plain", "surfaces")
"""The parts of the texts that methods share; they are read before any method is timed."""

_WARM_UP: Final = 20
"""Number of documents on which a method first runs untimed, so that loading dictionaries and packages is not timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """Result of one method on the collection."""

    name: str  # name as requested, with the parameters given (`three-plus-two:n=3`)
    method: Method  # the method with all its parameters
    codes: NDArray[np.int64]  # int64 (pairs,), ascending codes of the unordered pairs it links (`pair_codes`)
    measures: Measures  # those of its relation (`Method.relation`); without symmetry if that has no direction
    bytes_per_document: float  # mean size of a signature in bytes
    cost: Cost  # cost of signing and linking, without reading the shared parts of the texts
    # exponent with which CPU time grows with the number of documents; `None` if not requested or if the run is too
    # short to measure
    growth: float | None = None


@dataclass(frozen=True, slots=True)
class MethodRuns:
    """Results of several methods on one collection."""

    documents: int  # number of documents
    runs: list[MethodRun]  # one for each method, in the order requested
    reading: Cost  # cost of reading the parts of the texts that methods share
    missing: dict[str, str]  # reason by name for each method that could not run


def run_methods(
    texts: Texts, names: Sequence[str] | None = None, *, with_growth: bool = False, progress: Progress | None = None
) -> MethodRuns:
    """Run methods in turn, independently of each other."""
    default = [name for name in methods() if not method_class(name).only_when_named]
    chosen = {name: written(name) for name in (default if names is None else names)}
    reading = read_texts(texts)
    half = Texts(texts.documents[: len(texts) // 2]) if with_growth else None
    if half is not None:
        read_texts(half)
    runs: list[MethodRun] = []
    missing: dict[str, str] = {}
    for number, (name, method) in enumerate(chosen.items()):
        if progress is not None:
            progress(f"methods: {name}", number, len(chosen))
        try:
            runs.append(_run_method(texts, half, name, method))
        except MissingExtraError as error:
            if names is not None:
                raise
            missing[name] = str(error)
    return MethodRuns(len(texts), runs, reading, missing)


def read_texts(texts: Texts) -> Cost:
    """Read the parts of the texts that all methods share, such as words and sentences, and return the cost."""
    return measured(lambda: [getattr(texts, part) for part in _SHARED])[1]


def _run_method(texts: Texts, half: Texts | None, name: str, method: Method) -> MethodRun:
    method.run(Texts(texts.documents[:_WARM_UP]))
    bare = texts.without_features()
    run, cost = measured(lambda: method.run(bare))
    exponent = None
    if half is not None:
        # Twice, as the first run may load code that smaller work did not need.
        costs = [measured(partial(method.run, half.without_features()))[1] for _ in range(2)]
        exponent = growth(cost, min(costs, key=lambda one: one.cpu_seconds))
    relation = method.relation(bare, run)
    measures = sweep_counts(relation_of(relation, len(texts)), [1])[0]
    return MethodRun(
        name=name,
        method=method,
        codes=np.unique(codes_of(run.pairs.a, run.pairs.b, len(texts))),
        measures=measures if relation.directed else replace(measures, symmetry=None),
        bytes_per_document=run.bytes_per_document,
        cost=cost,
        growth=exponent,
    )


def relation_of(pairs: Pairs, documents: int) -> SimilarityMatrix:
    """Return pairs as a similarity matrix of ones, to measure symmetry and transitivity."""
    a, b = pairs.a, pairs.b
    if not pairs.directed:
        a, b = np.concatenate((a, b)), np.concatenate((b, a))
    links = sp.coo_array((np.ones(len(a), dtype=np.uint8), (a, b)), shape=(documents, documents)).tocsr()
    links.sort_indices()
    return SimilarityMatrix(sp.csr_array(links), n=1, k_min=1)


def judged_by_labels(run: MethodRun, truth: Truth, *, resamples: int = 1000) -> dict[str, float | int | None]:
    """Compute precision, recall and F1 of one method with 95 % intervals, by the rules of ``evaluate``."""
    predictions = Predictions(run.codes, np.ones(len(run.codes), dtype=np.uint8), (1,), "k")
    row = evaluate(predictions, truth, recommended=1, resamples=resamples).rows[0]
    figures = row.scores.figures("precision", "recall", "f1", "tp", "fp", "fn", "linked", "judged")
    bounds = row.intervals
    for prefix, interval in (("", bounds.f1), ("precision_", bounds.precision), ("recall_", bounds.recall)):
        figures[f"{prefix}low"], figures[f"{prefix}high"] = interval or (None, None)
    groups = group_scores(number_components(truth.documents, *both_of(run.codes, truth.documents)), truth)
    measures = dict.fromkeys(GROUP_MEASURES) if groups is None else groups.as_dict()
    return figures | measures
