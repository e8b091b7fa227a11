"""Several methods on one collection: what each links, keeps and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.evaluation.pair_codes import codes_of
from infostream_dedup.evaluation.timing import Cost, growth, measured
from infostream_dedup.links import Measures, SimilarityMatrix, sweep_counts
from infostream_dedup.machine.progress import Progress
from infostream_dedup.methods import Method, Pairs, Texts
from infostream_dedup.methods.notation import written
from infostream_dedup.methods.registry import methods

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MethodRun", "MethodRuns", "read_texts", "relation_of", "run_methods"]

_SHARED: Final = ("languages", "words", "stop_places", "significant", "counts", "sentences", "plain", "surfaces")
"""What methods share of the texts: read before any of them is timed."""

_WARM_UP: Final = 20
"""Documents on which a method first runs untimed: loading dictionaries and packages is not its work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRun:
    """What one method made of the collection.

    Attributes:
        name: as asked for, with the parameters that were named (``three-plus-two:n=3``).
        method: with all its parameters.
        codes: int64 (pairs,), ascending codes of the unordered pairs it links (``pair_codes``).
        measures: symmetry and transitivity of its relation; a symmetric method links both ways.
        bytes_per_document: mean size of a signature.
        cost: of signing and linking, without the shared reading of the texts.
        growth: exponent of the CPU time in the number of documents; ``None`` where it was not asked for or is too
            short to measure.
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
    """What several methods made of one collection.

    Attributes:
        documents: size of the collection.
        runs: one for each method, in the order asked for.
        reading: cost of what the methods share of the texts.
        missing: methods that could not run, with the reason.
    """

    documents: int
    runs: list[MethodRun]
    reading: Cost
    missing: dict[str, str]


def run_methods(
    texts: Texts, names: Sequence[str] | None = None, *, with_growth: bool = False, progress: Progress | None = None
) -> MethodRuns:
    """Run methods one after the other, each for itself.

    Args:
        texts: the collection.
        names: methods, with parameters as in ``methods.notation``; by default all, without those whose package is not
            installed.
        with_growth: also run every method on the first half of the documents.
        progress: told of each method.

    Raises:
        ConfigurationError: there is no such method or parameter, or a value is out of its range.
        MissingExtraError: a method that was asked for needs a package that is not installed.
    """
    chosen = {name: written(name) for name in (methods() if names is None else names)}
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
            runs.append(_run(texts, half, name, method))
        except MissingExtraError as error:
            if names is not None:
                raise
            missing[name] = str(error)
    return MethodRuns(len(texts), runs, reading, missing)


def read_texts(texts: Texts) -> Cost:
    """Read what all methods share: words, sentences, counts, surfaces."""
    return measured(lambda: [getattr(texts, part) for part in _SHARED])[1]


def _run(texts: Texts, half: Texts | None, name: str, method: Method) -> MethodRun:
    method.run(Texts(texts.documents[:_WARM_UP]))
    bare = texts.without_features()
    run, cost = measured(lambda: method.run(bare))
    exponent = None
    if half is not None:
        bare_half = half.without_features()
        exponent = growth(cost, measured(lambda: method.run(bare_half))[1])
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
    """Pairs as a similarity matrix of ones, for symmetry and transitivity.

    Args:
        pairs: of a method; those of a symmetric one are links both ways.
        documents: size of the collection.
    """
    a, b = pairs.a, pairs.b
    if not pairs.directed:
        a, b = np.concatenate((a, b)), np.concatenate((b, a))
    links = sp.coo_array((np.ones(len(a), dtype=np.uint8), (a, b)), shape=(documents, documents)).tocsr()
    links.sort_indices()
    return SimilarityMatrix(sp.csr_array(links), n=1, k_min=1)
