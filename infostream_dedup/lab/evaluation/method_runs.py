"""Runs several methods on one collection and measures what each links, keeps and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.lab.evaluation.pair_codes import codes_of
from infostream_dedup.lab.evaluation.timing import Cost, growth, measured
from infostream_dedup.lab.methods import Method, Pairs, Texts
from infostream_dedup.lab.methods.notation import written
from infostream_dedup.lab.methods.registry import method_class, methods
from infostream_dedup.links import Measures, SimilarityMatrix, sweep_counts
from infostream_dedup.machine.progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MethodRun", "MethodRuns", "read_texts", "relation_of", "run_methods"]

_SHARED: Final = ("languages", "words", "stop_places", "significant", "counts", "sentences", "plain", "surfaces")
"""The parts of the texts that methods share; they are read before any method is timed."""

_WARM_UP: Final = 20
"""Number of documents on which a method first runs untimed, so that loading dictionaries and packages is not timed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """Result of one method on the collection.

    Attributes:
        name: name as requested, with the parameters given (``three-plus-two:n=3``).
        method: the method with all its parameters.
        codes: int64 (pairs,), ascending codes of the unordered pairs it links (``pair_codes``).
        measures: symmetry and transitivity of its relation; a symmetric method links in both directions.
        bytes_per_document: mean size of a signature in bytes.
        cost: cost of signing and linking, without reading the shared parts of the texts.
        growth: exponent with which CPU time grows with the number of documents; ``None`` if not requested or if the
            run is too short to measure.
    """

    name: str
    method: Method
    codes: NDArray[np.int64]
    measures: Measures
    bytes_per_document: float
    cost: Cost
    growth: float | None = None


@dataclass(frozen=True, slots=True)
class MethodRuns:
    """Results of several methods on one collection.

    Attributes:
        documents: number of documents.
        runs: one for each method, in the order requested.
        reading: cost of reading the parts of the texts that methods share.
        missing: reason by name for each method that could not run.
    """

    documents: int
    runs: list[MethodRun]
    reading: Cost
    missing: dict[str, str]


def run_methods(
    texts: Texts, names: Sequence[str] | None = None, *, with_growth: bool = False, progress: Progress | None = None
) -> MethodRuns:
    """Run methods in turn, independently of each other.

    Args:
        texts: the collection.
        names: methods with parameters as in ``methods.notation``; by default all methods whose packages are installed,
            but not those that take long (``Method.only_when_named``).
        with_growth: whether to run every method also on the first half of the documents, to measure its growth.
        progress: called before each method.

    Raises:
        ConfigurationError: a method or parameter is unknown, or a value is out of range.
        MissingExtraError: a requested method needs a package that is not installed.
    """
    chosen = {name: written(name) for name in (_by_default() if names is None else names)}
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


def _by_default() -> list[str]:
    return [name for name in methods() if not method_class(name).only_when_named]


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
    return MethodRun(
        name=name,
        method=method,
        codes=np.unique(codes_of(run.pairs.a, run.pairs.b, len(texts))),
        measures=sweep_counts(relation_of(run.pairs, len(texts)), [1])[0],
        bytes_per_document=run.bytes_per_document,
        cost=cost,
        growth=exponent,
    )


def relation_of(pairs: Pairs, documents: int) -> SimilarityMatrix:
    """Return pairs as a similarity matrix of ones, to measure symmetry and transitivity.

    Args:
        pairs: pairs of a method; those of a symmetric method are links in both directions.
        documents: number of documents.
    """
    a, b = pairs.a, pairs.b
    if not pairs.directed:
        a, b = np.concatenate((a, b)), np.concatenate((b, a))
    links = sp.coo_array((np.ones(len(a), dtype=np.uint8), (a, b)), shape=(documents, documents)).tocsr()
    links.sort_indices()
    return SimilarityMatrix(sp.csr_array(links), n=1, k_min=1)
